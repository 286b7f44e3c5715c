/**
 * The longest answer that a model of Anthropic gives, in tokens: the one format that wants it said.
 * Said too high the request is refused, said too low answers are cut.
 */

/** Of a name that says nothing: what the oldest of them give. */
const UNKNOWN = 4_096;
/** Of Anthropic's newer models, and of those that are not known yet. */
const NEWER = 128_000;

/** By what the name holds; the first that fits counts. */
const LONGEST: readonly (readonly [RegExp, number])[] = [
  [/claude-(?:instant(?:-|$)|v?2(?=$|[-.:])|3(?=$|[-.]))/, UNKNOWN],
  [/claude-(?:sonnet|opus|haiku)-4-5/, 64_000],
  [/claude-(?:sonnet|opus)-4-(?:6|7|8)/, NEWER],
  [/claude-opus-4(?:-|@)/, 32_000],
  [/claude-sonnet-4(?:-|@)/, 64_000],
  [/claude-/, NEWER],
];

export const longestAnswer = (model: string): number => LONGEST.find(([name]) => name.test(model))?.[1] ?? UNKNOWN;
