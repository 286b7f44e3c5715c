/** What the operator says of a model, in settings: `provider:name=…`. Each reader answers null to a malformed entry. */
import { MODEL_INPUTS, type ModelInput } from "../upload/terms.ts";

/** Which input it reads: `text+image` (FILE-8). */
export function inputEntry(entry: string): readonly [string, readonly ModelInput[]] | null {
  const [, name, list = ""] = /^([^\s=]+:[^\s=]+)=(text(?:\+(?:image|file)){0,2})$/.exec(entry) ?? [];
  return name === undefined ? null : [name, MODEL_INPUTS.filter((input) => list.split("+").includes(input))];
}

/** Fewer tokens leave no room for an agent's instructions and an answer. */
export const LEAST_WINDOW = 1_024;
export const MOST_WINDOW = 100_000_000;

/** Its context window, in tokens (CHAT-8). */
export function windowEntry(entry: string): readonly [string, number] | null {
  const [, name, digits] = /^([^\s=]+:[^\s=]+)=(\d{1,9})$/.exec(entry) ?? [];
  const tokens = Number(digits);
  return name === undefined || tokens < LEAST_WINDOW || tokens > MOST_WINDOW ? null : [name, tokens];
}

/**
 * How its text holds its reasoning (RUN-25). `tags`: the text may begin with a thought between tags. `open`: it begins
 * within one, and has only the end tag. `off`: all of it is the answer.
 */
export const THINKING = ["tags", "open", "off"] as const;
export type Thinking = (typeof THINKING)[number];

export function thinkingEntry(entry: string): readonly [string, Thinking] | null {
  const [, name, word] = /^([^\s=]+:[^\s=]+)=(\w+)$/.exec(entry) ?? [];
  const thinking = THINKING.find((one) => one === word);
  return name === undefined || thinking === undefined ? null : [name, thinking];
}
