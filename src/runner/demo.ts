/**
 * `demo:echo`, a built-in stand-in for a model: deterministic, and open about not being one (RUN-1). It really streams
 * and really calls tools, by the commands in the user's last message, so that the whole service can be tried and tested
 * without a key.
 *
 * The current step of a message follows from the transcript alone, so a call that is repeated after a crash gives the
 * same answer. In a compacted run it gets the whole transcript (`uncut`): a summary does not show which steps it has
 * made.
 */
import { sleep } from "../../actors/runtime/backoff.ts";
import { shortText } from "../../actors/cut-text.ts";
import { NO_SETTINGS, type SetSettings } from "../../actors/job/model-settings.ts";
import type { ModelCall, ModelOutcome, TranscriptEntry } from "../../actors/job/ports.ts";
import type { Block, RunError, TextBlock, ToolResultBlock, ToolUseBlock } from "../../actors/job/schema.ts";
import { type DataPart, dataParts } from "./content.ts";
import { type DemoCall, type DemoFault, type DemoStep, parseScript } from "./demo-grammar.ts";
import { cleanText } from "../../actors/clean-text.ts";
import { type MaybePromise, whenReady } from "../../actors/maybe-promise.ts";
import { visibleText } from "../../actors/visible-text.ts";
import { stalledError } from "./provider-faults.ts";
import type { Timers } from "./watchdog.ts";

/** Characters of one answer; `/repeat` of a long text is cut here. */
export const MAX_DEMO_CHARS = 1024 * 1024;
/** Characters of one piece: about a token's length; a long word is cut. */
const MAX_PIECE_CHARS = 16;
/** Words are counted in slices of this many characters, between which the event loop turns. */
export const COUNTED_CHARS = 16 * 1024;
/** Characters of a tool's result that are quoted. */
const MAX_QUOTED_CHARS = 8_192;

/** Words that a summary quotes from each end of the conversation. */
const QUOTED_WORDS = 24;

const INTRODUCTION = "This is the built-in demo. It is not a language model; it repeats its input.";
const GRAMMAR = `It knows these commands, each on a line of its own:
/say TEXT             answer exactly TEXT (lines below belong to it)
/call NAME {json}     call the tool NAME; several lines make several calls in one step
/then                 what follows is for the next step, after the results
/loop                 make the calls of the last step again for ever
/repeat N             say the text N times
/slow MS              wait MS milliseconds between the pieces
/fail CODE [MS]       fail with this code, after the text; MS is the wait that it names
/stall                go silent after the text
/help                 this text`;

export interface DemoContext {
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
  readonly stalledStreamMs: number;
  readonly timers: Timers;
}

/** One call of the demo, with the guarantees of `ModelPort.call`. */
export async function callDemo(call: ModelCall, context: DemoContext): Promise<ModelOutcome> {
  const turn = currentTurn(call.uncut ?? call.entries);
  const step = call.purpose === "summary" ? summaryStep(turn.message) : stepOf(turn);
  const { text, isCut } = cutBySettings(answerText(step, turn.received), call.settings);
  const counted = countInput(call);
  const inputTokens = counted instanceof Promise ? await counted : counted;
  if (context.signal.aborted) return { kind: "aborted", partialText: "" };
  call.onSent?.();
  let shown = 0;
  for (const piece of pieces(text)) {
    await pauseDemo(step.slowMs, context);
    if (context.signal.aborted) return { kind: "aborted", partialText: text.slice(0, shown) };
    shown += piece.length;
    context.onText(piece);
  }
  const words = countTextWords([text]);
  const usage = { inputTokens, outputTokens: (words instanceof Promise ? await words : words) + step.calls.length };
  if (step.fault !== null) {
    const error = await endWithFault(step.fault, context);
    return error === "aborted"
      ? { kind: "aborted", partialText: text }
      : { kind: "failed", error, partialText: text, usage };
  }
  if (text === "") await pauseDemo(step.slowMs, context);
  if (context.signal.aborted) return { kind: "aborted", partialText: text };
  const blocks: (TextBlock | ToolUseBlock)[] = text === "" ? [] : [{ type: "text", text }];
  if (isCut) return { kind: "finished", blocks, usage, finishReason: "length" };
  blocks.push(...step.calls.map((made, index) => toolUse(made, turn.callsBefore + index)));
  return { kind: "finished", blocks, usage, finishReason: step.calls.length > 0 ? "tool_use" : "stop" };
}

/** The answer up to the first text that stops it, and to a number of words, which the demo counts as its tokens. */
function cutBySettings(
  answer: string,
  { stop = [], maxOutputTokens = Infinity }: SetSettings = NO_SETTINGS,
): { readonly text: string; readonly isCut: boolean } {
  const ends = stop.map((end) => answer.indexOf(end)).filter((at) => at >= 0);
  const text = answer.slice(0, Math.min(answer.length, ...ends));
  if (maxOutputTokens >= text.length) return { text, isCut: false };
  let words = 0;
  for (const { index } of text.matchAll(/\S+/g)) {
    if (words === maxOutputTokens) return { text: text.slice(0, index).trimEnd(), isCut: true };
    words += 1;
  }
  return { text, isCut: false };
}

interface DemoTurn {
  readonly message: string;
  /** The images and files of the message. */
  readonly received: readonly DataPart[];
  /** Results of the last round of calls; empty at the first step. */
  readonly results: readonly { readonly name: string; readonly result: ToolResultBlock }[];
  /** Rounds of calls that have their results. */
  readonly rounds: number;
  /** Calls in the whole transcript, so that ids are unique in a chat. */
  readonly callsBefore: number;
}

function currentTurn(entries: readonly TranscriptEntry[]): DemoTurn {
  let message = "";
  let received: readonly DataPart[] = [];
  let blocks: readonly Block[] = [];
  let callsBefore = 0;
  for (const entry of entries) {
    if (entry.role === "user") {
      message = entry.text;
      received = dataParts(entry);
      blocks = [];
    } else {
      blocks = [...blocks, ...entry.blocks];
      callsBefore += entry.blocks.filter((block) => block.type === "tool_use").length;
    }
  }
  return { message, received, callsBefore, ...rounds(blocks) };
}

/** A round is a run of calls and then of their results. */
function rounds(blocks: readonly Block[]): Pick<DemoTurn, "rounds" | "results"> {
  const names = new Map<string, string>();
  let count = 0;
  let results: { name: string; result: ToolResultBlock }[] = [];
  let previous: Block["type"] = "text";
  for (const block of blocks) {
    if (block.type === "tool_use") names.set(block.id, block.name);
    if (block.type === "tool_result") {
      if (previous !== "tool_result") {
        count += 1;
        results = [];
      }
      results.push({ name: names.get(block.tool_use_id) ?? "The tool", result: block });
    }
    previous = block.type;
  }
  return { rounds: count, results };
}

/** The next step: from the script, or one that reports the results. */
function stepOf(turn: DemoTurn): DemoStep {
  const parsed = parseScript(turn.message);
  if (parsed.kind === "help")
    return saidStep([parsed.problem, INTRODUCTION, GRAMMAR].filter((line) => line !== null).join("\n"));
  const { steps, loop } = parsed.script;
  const step = steps[turn.rounds] ?? (loop ? steps.at(-1) : undefined);
  if (step !== undefined) return step;
  return saidStep(
    turn.results
      .map(({ name, result }) => `${name} ${result.is_error ? "failed" : "answered"}: ${quotedMessage(result.content)}`)
      .join("\n"),
  );
}

/** The step that makes a summary: it quotes the beginning and the end, because the demo understands nothing. */
function summaryStep(message: string): DemoStep {
  const words = message.match(/\S+/g) ?? [];
  return saidStep(
    `${words.length} words, from "${words.slice(0, QUOTED_WORDS).join(" ")}" to "${words.slice(-QUOTED_WORDS).join(" ")}".`,
  );
}

const saidStep = (text: string): DemoStep => ({
  text: { kind: "said", text },
  repeat: 1,
  slowMs: 0,
  calls: [],
  fault: null,
});

function quotedMessage(content: string): string {
  return shortText(content, MAX_QUOTED_CHARS);
}

function answerText({ text, repeat }: DemoStep, received: readonly DataPart[]): string {
  if (text === null) return "";
  const once = text.kind === "said" ? text.text : [INTRODUCTION, ...echoLines(text.text, received)].join(" ");
  const times = Math.min(repeat, Math.max(1, Math.floor(MAX_DEMO_CHARS / Math.max(1, once.length))));
  return visibleText(cleanText(once.repeat(times)));
}

function echoLines(words: string, received: readonly DataPart[]): string[] {
  if (words === "" && received.length === 0) return ["Send /help to see what it can do."];
  return [
    ...(received.length === 0 ? [] : [`You sent: ${received.map(label).join(", ")}.`]),
    ...(words === "" ? [] : [`You wrote: ${words}`]),
  ];
}

const label = ({ type, mediaType, name, data }: DataPart): string =>
  `${type === "image" ? "an image" : "a file"} (${name === undefined ? "" : `${name}, `}${mediaType}, ${data.length} bytes)`;

/** Words with their leading space, long ones cut between characters. Joined, the pieces are the text. */
function* pieces(text: string): Generator<string> {
  for (const [word] of text.matchAll(/\s*\S+|\s+/g)) {
    for (let at = 0; at < word.length;) {
      let to = Math.min(at + MAX_PIECE_CHARS, word.length);
      const last = word.charCodeAt(to - 1);
      if (to < word.length && last >= 0xd800 && last <= 0xdbff) to -= 1;
      yield word.slice(at, to);
      at = to;
    }
  }
}

/** Lets the event loop turn; with `ms`, waits, and ends early when the call is aborted. */
async function pauseDemo(ms: number, { timers, signal }: DemoContext): Promise<void> {
  if (signal.aborted) return;
  if (ms === 0) return await turnOfTheLoop();
  await sleep(ms, timers, signal);
}

const turnOfTheLoop = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

async function endWithFault(fault: DemoFault, context: DemoContext): Promise<RunError | "aborted"> {
  await pauseDemo(fault.kind === "stall" ? context.stalledStreamMs : 0, context);
  if (context.signal.aborted) return "aborted";
  if (fault.kind === "stall") return stalledError();
  const message = `The demo failed with ${fault.code}, as requested.`;
  return fault.retryAfterMs === undefined
    ? { code: fault.code, message }
    : { code: fault.code, message, retryAfterMs: fault.retryAfterMs };
}

const toolUse = ({ name, input }: DemoCall, index: number): ToolUseBlock => ({
  type: "tool_use",
  id: `demo_call_${index + 1}`,
  name,
  input,
});

/** The demo's tokens are words. */
/** Short texts are counted at once, long ones in slices between which the event loop turns. */
const countTextWords = (texts: readonly string[]): MaybePromise<number> =>
  texts.reduce((sum, { length }) => sum + length, 0) <= COUNTED_CHARS
    ? texts.reduce((words, text) => words + countWords(text), 0)
    : manyWordsOf(texts);

async function manyWordsOf(texts: readonly string[]): Promise<number> {
  let words = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length; at += COUNTED_CHARS) {
      await turnOfTheLoop();
      words += countWords(text.slice(at, at + COUNTED_CHARS));
      // A word that continues from the previous slice was counted there.
      if (at > 0 && /^\S\S$/.test(text.slice(at - 1, at + 1))) words--;
    }
  }
  return words;
}

const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;

function countInput(call: ModelCall): MaybePromise<number> {
  const texts = [call.system];
  let others = 0;
  for (const entry of call.entries) {
    if (entry.role === "user") {
      texts.push(entry.text);
      others += dataParts(entry).length;
    } else
      for (const block of entry.blocks)
        if (block.type === "text") texts.push(block.text);
        else others++;
  }
  return whenReady(countTextWords(texts), (words) => words + others);
}
