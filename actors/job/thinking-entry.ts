/** How a model's text holds its reasoning, in the operator's notation: `provider:name=tags` (RUN-25). */

/**
 * `tags`: the text may begin with a thought between tags. `open`: it begins within one, and has only the end tag. `off`:
 * all of it is the answer.
 */
export const THINKING = ["tags", "open", "off"] as const;
export type Thinking = (typeof THINKING)[number];

/** The model and how it thinks; null if the entry is malformed. */
export function thinkingEntry(entry: string): readonly [string, Thinking] | null {
  const [, name, word] = /^([^\s=]+:[^\s=]+)=(\w+)$/.exec(entry) ?? [];
  const thinking = THINKING.find((one) => one === word);
  return name === undefined || thinking === undefined ? null : [name, thinking];
}
