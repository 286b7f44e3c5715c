/**
 * The context window of a model (CHAT-8): from MODEL_WINDOWS, else by its name as its maker documents it, else a safe
 * number for its kind of endpoint. A number that is too small costs an extra summary. One that is too large costs a
 * refused call: the run then makes a summary and retries.
 */
import type { ModelWindow } from "../../actors/job/ports.ts";
import type { ModelTarget } from "./model-name.ts";
import { longestAnswer } from "./wire/messages.ts";

/** By a part of the name; the first match wins. Tokens of a call with its answer. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/claude-(?:instant|v?2\.0|2$)/, 100_000],
  [/claude/, 200_000],
  [/gpt-4\.1/, 1_047_576],
  // Of 400,000, the conversation gets 272,000 and the answer the rest.
  [/gpt-5/, 400_000],
  [/gpt-oss/, 131_072],
  [/gpt-4o|gpt-4-turbo|gpt-4-(?:1106|0125)|o1-(?:mini|preview)/, 128_000],
  [/gpt-4-32k/, 32_768],
  [/gpt-4/, 8_192],
  [/gpt-3\.5/, 16_385],
  [/(?:^|[/:-])o[134](?:$|-)/, 200_000],
  [/gemini-(?:1\.5|2|3)/, 1_048_576],
  [/mistral-large|mistral-medium|codestral|llama-?3\.[1-3]|llama-?4/, 131_072],
];
/** Of unknown models. A self-hosted server often has a smaller window than its model allows. */
const UNKNOWN_WINDOWS: Readonly<Record<ModelTarget["kind"], number>> = {
  demo: 1_000_000,
  messages: 200_000,
  responses: 128_000,
  "ai-sdk": 128_000,
  "chat-completions": 32_768,
};
/** Room for the answer if its format does not set it: tokens, and at most this part of the window. */
const ANSWER_ROOM = { tokens: 16_384, part: 1 / 4 };
/**
 * The same for Anthropic's models, whose format sets the answer's length, and for models that reserve a part of the
 * window for the answer.
 */
const LONG_ANSWER_PART = 1 / 3;

/** `windows`: the operator's settings, tokens by `provider:name`. */
export function windowOfTarget(target: ModelTarget, windows: ReadonlyMap<string, number>): ModelWindow {
  const known = WINDOWS.find(([name]) => name.test(target.name))?.[1];
  const contextTokens = windows.get(`${target.provider}:${target.name}`) ?? known ?? UNKNOWN_WINDOWS[target.kind];
  const longest = /gpt-5/.test(target.name) ? 128_000 : target.kind === "messages" ? longestAnswer(target.name) : null;
  const answerTokens = Math.floor(
    longest === null
      ? Math.min(ANSWER_ROOM.tokens, contextTokens * ANSWER_ROOM.part)
      : Math.min(longest, contextTokens * LONG_ANSWER_PART),
  );
  return { contextTokens, answerTokens };
}

/** If no model can be used. */
export const NO_WINDOW: ModelWindow = { contextTokens: UNKNOWN_WINDOWS["chat-completions"], answerTokens: 8_192 };
