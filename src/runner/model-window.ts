/**
 * How much a model takes (CHAT-8): by MODEL_WINDOWS, else by its name as its maker documents it, else by a
 * number that is on the safe side for what runs behind such an address. One that is too small costs a summary
 * more, one that is too large a refused call: the run then makes a summary and asks again.
 */
import type { ModelWindow } from "../../actors/job/ports.ts";
import type { Target } from "./model-name.ts";
import { longestAnswer } from "./wire/longest-answer.ts";

/** By what the name holds; the first that fits counts. Tokens of a call with its answer. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/claude-(?:instant|v?2\.0|2$)/, 100_000],
  [/claude/, 200_000],
  [/gpt-4\.1/, 1_047_576],
  // Of 400,000 they take 272,000 of the conversation, and give the rest to the answer.
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
/** Of models that are not known. A server of one's own often has less than its model could. */
const UNKNOWN: Readonly<Record<Target["kind"], number>> = {
  demo: 1_000_000,
  anthropic: 200_000,
  openai: 128_000,
  "ai-sdk": 128_000,
  compatible: 32_768,
};
/** What the answer is left, where its format does not say it: tokens, and the most of the window. */
const ANSWER = { tokens: 16_384, part: 1 / 4 };
/** Of those of Anthropic, whose format says it, and of those that keep a part of the window for the answer. */
const LONG_ANSWER_PART = 1 / 3;

/** `windows`: tokens by `provider:name`, as the operator has set them. */
export function windowOfTarget(target: Target, windows: ReadonlyMap<string, number>): ModelWindow {
  const known = WINDOWS.find(([name]) => name.test(target.name))?.[1];
  const contextTokens = windows.get(`${target.provider}:${target.name}`) ?? known ?? UNKNOWN[target.kind];
  const said = /gpt-5/.test(target.name) ? 128_000 : target.kind === "anthropic" ? longestAnswer(target.name) : null;
  const answerTokens = Math.floor(
    said === null
      ? Math.min(ANSWER.tokens, contextTokens * ANSWER.part)
      : Math.min(said, contextTokens * LONG_ANSWER_PART),
  );
  return { contextTokens, answerTokens };
}

/** Where no model can be used. */
export const NO_WINDOW: ModelWindow = { contextTokens: UNKNOWN.compatible, answerTokens: 8_192 };
