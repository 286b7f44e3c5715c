/** The answer of a command: text for a person, and the same as JSON for a program (`--json`). */
import type { AdminArguments } from "../service/admin-door.ts";
import { renderTable } from "./arguments.ts";

export interface CommandAnswer {
  readonly text: string;
  /** Any JSON value. */
  readonly json: unknown;
  /** False: the command did its work and found a problem. The exit code is 1. */
  readonly ok?: boolean;
}

/** Rows under their column heads. In JSON each row is an object whose fields are the heads in lower case. */
export function listAnswer(head: readonly string[], rows: readonly (readonly string[])[]): CommandAnswer {
  const names = head.map((name) => name.toLowerCase().replaceAll(" ", "_"));
  return { text: renderTable(head, rows), json: rows.map((row) => objectOf(names, row)) };
}

/** The result of a command: text for a person, whose first line is the message in JSON, and the data for a program. */
export const doneCommand = (text: string, data: Readonly<Record<string, unknown>>): CommandAnswer => ({
  text,
  json: { message: text.split("\n", 1)[0], ...data },
});

const objectOf = (names: readonly string[], row: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name, i) => [name, row[i] ?? ""]));

const isJson = ({ flags }: AdminArguments): boolean => flags.has("json");

/** The answer in the requested format; text without JSON becomes `{"message": …}`. */
export function render(
  answer: string | CommandAnswer,
  given: AdminArguments,
): { readonly ok: boolean; readonly text: string } {
  if (typeof answer === "string")
    return { ok: true, text: isJson(given) ? JSON.stringify({ message: answer }) : answer };
  return { ok: answer.ok ?? true, text: isJson(given) ? JSON.stringify(answer.json) : answer.text };
}

/** A refusal in the requested format: `{"error": …}` in JSON. */
export const commandRefusal = (words: string, given: AdminArguments): string =>
  isJson(given) ? JSON.stringify({ error: words }) : words;
