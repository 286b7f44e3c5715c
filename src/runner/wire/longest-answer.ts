/**
 * The longest answer of an Anthropic model, in tokens: only this format requires it. If the value is too high, the
 * request is refused; if it is too low, answers are cut.
 */

/** For names without a known family: the limit of the oldest models. */
const UNKNOWN_LONGEST = 4_096;
/** For Anthropic's newer models, and for future ones. */
const NEWER = 128_000;

/** By a part of the name; the first match wins. */
const LONGEST_BY_NAME: readonly (readonly [RegExp, number])[] = [
  [/claude-(?:instant(?:-|$)|v?2(?=$|[-.:])|3(?=$|[-.]))/, UNKNOWN_LONGEST],
  [/claude-(?:sonnet|opus|haiku)-4-5/, 64_000],
  [/claude-(?:sonnet|opus)-4-(?:6|7|8)/, NEWER],
  [/claude-opus-4(?:-|@)/, 32_000],
  [/claude-sonnet-4(?:-|@)/, 64_000],
  [/claude-/, NEWER],
];

export const longestAnswer = (model: string): number =>
  LONGEST_BY_NAME.find(([name]) => name.test(model))?.[1] ?? UNKNOWN_LONGEST;
