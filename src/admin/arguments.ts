/** The arguments of an administration command, and how its answers are laid out. */
import { parseArgs } from "node:util";

/** A refusal in words for the operator. */
export class AdminRefused extends Error {
  override readonly name = "AdminRefused";
}

export interface AdminArguments {
  readonly options: Readonly<Record<string, string>>;
  readonly flags: ReadonlySet<string>;
}

/** Options with a value, and options without, of all commands together. */
const VALUES = ["name", "owner-email", "owner-name", "org", "email", "scopes", "days", "id", "tokens"] as const;
const FLAGS = ["owner", "service", "help"] as const;

/** Splits `org create --name X` into the command and what it was given. Throws `AdminRefused`. */
export function parseAdmin(argv: readonly string[]): { readonly command: string; readonly given: AdminArguments } {
  const config = Object.fromEntries([
    ...VALUES.map((name) => [name, { type: "string" as const }]),
    ...FLAGS.map((name) => [name, { type: "boolean" as const }]),
  ]);
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: config, allowPositionals: true });
    const entries = Object.entries(values);
    const options = Object.fromEntries(entries.filter((e): e is [string, string] => typeof e[1] === "string"));
    const flags = new Set(entries.filter(([, value]) => value === true).map(([name]) => name));
    return { command: positionals.join(" "), given: { options, flags } };
  } catch (cause) {
    throw new AdminRefused(cause instanceof Error ? cause.message : String(cause));
  }
}

export function required(given: AdminArguments, name: string): string {
  const value = given.options[name]?.trim();
  if (value === undefined || value === "") throw new AdminRefused(`--${name} is missing`);
  return value;
}

/** A whole number within bounds, or the fallback where it is not given. */
export function integer(
  given: AdminArguments,
  name: string,
  bounds: { readonly fallback: number; readonly min: number; readonly max: number },
): number {
  const text = given.options[name];
  if (text === undefined) return bounds.fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < bounds.min || value > bounds.max) {
    throw new AdminRefused(`--${name} must be a whole number from ${bounds.min} to ${bounds.max}`);
  }
  return value;
}

/** Columns as wide as their widest cell. What would control the terminal becomes a space. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, " ")));
  const widths = head.map((_, column) => Math.max(...all.map((row) => Bun.stringWidth(row[column] ?? ""))));
  const padded = (cell: string, column: number): string =>
    cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
  return all.map((row) => row.map(padded).join("  ").trimEnd()).join("\n");
}
