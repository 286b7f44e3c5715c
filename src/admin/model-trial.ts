/** `models try NAME`: one cheap call to a model, and what it has shown (RUN-31). */
import { shortText } from "../../actors/cut-text.ts";
import type { Logger } from "../log/log.ts";
import { MOST_TRIED_TOKENS, type ModelTrial, tryModel } from "../runner/model-trial.ts";
import { ModelMissing, ModelUnavailable, settledModels } from "../service/model-choice.ts";
import type { AdminArguments } from "../service/admin-door.ts";
import type { Config } from "../settings/settings.ts";
import { AdminRefused } from "./arguments.ts";
import { type CommandAnswer, listAnswer } from "./command-answer.ts";

const TOOL_WORDS: Readonly<Record<ModelTrial["tools"], string>> = {
  called: "yes: it called the tool that it was given",
  accepted: "accepted, but it called no tool",
  refused: "no: it refuses requests with tools",
  off: "not tried: its settings say that it takes no tools",
};
const IMAGE_WORDS: Readonly<Record<ModelTrial["images"], string>> = {
  read: "yes: it named the color of the image",
  accepted: "accepted, but it did not name the color of the image",
  refused: "no: it refuses requests with images. Set its `inputs`, or MODEL_INPUTS",
  off: "not tried: it is not known to read images. If it does, set its `inputs`, or MODEL_INPUTS",
};
const SHOWN_ANSWER = 80;

interface TrialErrand {
  readonly config: Config;
  readonly given: AdminArguments;
  readonly signal: AbortSignal;
  readonly log?: Logger;
}

/** Refuses if no model can be chosen at all. A model that does not answer is a finding, and the exit code is 1. */
export async function tryNamedModel({ config, given, signal, log }: TrialErrand): Promise<CommandAnswer> {
  const settings = await settledModels(config).catch((cause: unknown) => {
    if (!(cause instanceof ModelMissing || cause instanceof ModelUnavailable)) throw cause;
    throw new AdminRefused(cause.message, { cause });
  });
  const model = given.options["model"] ?? null;
  const triesCaching = given.flags.has("caching");
  const trial = await tryModel({ settings, model, triesCaching, signal, ...(log && { log }) });
  return trialAnswer(trial);
}

function trialAnswer(trial: ModelTrial): CommandAnswer {
  const { model, error, answer } = trial;
  const json = {
    model,
    ok: error === null,
    error,
    streams: trial.isStreamed,
    pieces: trial.pieces,
    first_token_ms: trial.firstTokenMs,
    took_ms: trial.tookMs,
    tools: trial.tools,
    images: trial.images,
    usage: { input_tokens: trial.inputTokens, output_tokens: trial.outputTokens, counted: trial.isCounted },
    answer,
    caching: trial.caching,
  };
  if (error !== null) return { text: `${model}: ${error}`, json, ok: false };
  const rows = [
    ["answer", answerWords(trial)],
    ["streams", streamWords(trial)],
    ["first token", trial.firstTokenMs === null ? "none" : `after ${trialSeconds(trial.firstTokenMs)}`],
    ["tools", TOOL_WORDS[trial.tools]],
    ["images", IMAGE_WORDS[trial.images]],
    ["usage", usageWords(trial)],
    ["caching", cachingWords(trial)],
  ];
  const { text } = listAnswer([model, "FINDING"], rows);
  return { text, json };
}

const trialSeconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

function streamWords({ isStreamed, pieces, tookMs }: ModelTrial): string {
  if (isStreamed === null) return "not known: the AI SDK gave the answer in one piece";
  return isStreamed
    ? `yes: ${pieces} ${pieces === 1 ? "piece" : "pieces"} in ${trialSeconds(tookMs)}`
    : `no: the whole answer came after ${trialSeconds(tookMs)}`;
}

function answerWords({ answer, isCut }: ModelTrial): string {
  const shown = answer === "" ? "no text" : shortText(answer.replaceAll(/\s+/g, " "), SHOWN_ANSWER);
  return isCut ? `${shown} (cut after ${MOST_TRIED_TOKENS} tokens)` : shown;
}

function cachingWords({ caching }: ModelTrial): string {
  if (caching === null) return "not tried: --caching makes two more calls, of some 6,000 tokens each";
  const { error, read, input, written } = caching;
  if (error !== null) return `not known: ${error}`;
  if (read > 0) return `yes: the second call read ${read} of its ${input} tokens from the cache`;
  const wrote = written > 0 ? `, although the first call wrote ${written}` : "";
  return `no: none of the ${input} tokens of the second call came from a cache${wrote}`;
}

const usageWords = ({ isCounted, inputTokens, outputTokens }: ModelTrial): string =>
  isCounted
    ? `${inputTokens} tokens in, ${outputTokens} out`
    : `not counted by the provider; estimated: ${inputTokens} tokens in, ${outputTokens} out`;
