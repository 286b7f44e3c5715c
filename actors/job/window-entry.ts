/** A model's context window in the operator's notation: `provider:name=tokens` (CHAT-8). */

/** Fewer tokens leave no room for an agent's instructions and an answer. */
export const LEAST_WINDOW = 1_024;
export const MOST_WINDOW = 100_000_000;

/** The model and its tokens; null if the entry is malformed. */
export function windowEntry(entry: string): readonly [string, number] | null {
  const [, name, digits] = /^([^\s=]+:[^\s=]+)=(\d{1,9})$/.exec(entry) ?? [];
  const tokens = Number(digits);
  return name === undefined || tokens < LEAST_WINDOW || tokens > MOST_WINDOW ? null : [name, tokens];
}
