/** The arguments of an administration command, and the layout of its answers. */
import { parseArgs } from "node:util";
import type { AdminArguments } from "../service/admin-door.ts";
import { argumentOf, OPTION_FORMS } from "./command-table.ts";
import { didYouMean } from "../../actors/near-name.ts";

/** A refusal, worded for the operator. */
export class AdminRefused extends Error {
  override readonly name = "AdminRefused";
}

/** Splits `org create --name X` into the command and its options. Throws `AdminRefused`. */
export function parseAdmin(argv: readonly string[]): { readonly command: string; readonly given: AdminArguments } {
  const config = Object.fromEntries(
    [...OPTION_FORMS.values()].map(({ name, value }) => [
      name,
      { type: value === null ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  // The error messages of `strict` are three lines long and suggest no similar name.
  const parsed = parseArgs({ args: [...argv], options: config, allowPositionals: true, strict: false, tokens: true });
  const options: Record<string, string> = {};
  const flags = new Set<string>();
  for (const token of parsed.tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const form = OPTION_FORMS.get(name);
    if (form === undefined)
      throw new AdminRefused(`Unknown option ${rawName}${didYouMean(rawName, OPTIONS) || `; ${HELP}`}`);
    if (form.value !== null) options[name] = valueOf(rawName, value, token.inlineValue === true);
    else if (value === undefined) flags.add(name);
    else throw new AdminRefused(`${rawName} takes no value`);
  }
  const words = parsed.positionals.join(" ");
  const [last = "", ...before] = parsed.positionals.toReversed();
  const command = before.toReversed().join(" ");
  const argument = argumentOf(command);
  if (argument === null || argumentOf(words) !== null) return { command: words, given: { options, flags } };
  return { command, given: { options: { ...options, [argument.name]: last }, flags } };
}

const HELP = "`bun run admin --help` lists all";
const OPTIONS = [...OPTION_FORMS.keys()].map((name) => `--${name}`);

function valueOf(option: string, value: string | undefined, isInline: boolean): string {
  // In `--email --owner` the address is missing; `--name=--x` is meant so, and no option begins like `-3`.
  if (value === undefined || (!isInline && /^-(?!\d)/.test(value))) throw new AdminRefused(`${option} needs a value`);
  return value;
}

/** One line about an unknown command; for a known noun such as `token`, it lists the noun's commands. */
export function unknownCommand(command: string, commands: readonly string[]): string {
  const noun = command.split(" ", 1)[0] ?? "";
  const others = commands.filter((one) => one.startsWith(`${noun} `)).map((one) => `\`${one}\``);
  const list = others.length === 0 ? `; ${HELP}` : `; there ${others.length === 1 ? "is" : "are"} ${others.join(", ")}`;
  return `Unknown command "${command}"${didYouMean(command, commands) || list}`;
}

export function requiredOption(given: AdminArguments, name: string): string {
  const value = given.options[name]?.trim();
  if (value === undefined || value === "") throw new AdminRefused(`--${name} is missing`);
  return value;
}

/** A whole number within bounds; the fallback if the option is absent. */
export function integer(
  given: AdminArguments,
  name: string,
  bounds: { readonly fallback: number; readonly min: number; readonly max: number },
): number {
  const text = given.options[name];
  if (text === undefined) return bounds.fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < bounds.min || value > bounds.max) {
    throw new AdminRefused(`--${name} must be a whole number from ${bounds.min} to ${bounds.max}`);
  }
  return value;
}

/** Columns as wide as their widest cell. Terminal control characters become spaces. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, " ")));
  const widths = head.map((_, column) => Math.max(...all.map((row) => Bun.stringWidth(row[column] ?? ""))));
  const padded = (cell: string, column: number): string =>
    cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
  return all.map((row) => row.map(padded).join("  ").trimEnd()).join("\n");
}
