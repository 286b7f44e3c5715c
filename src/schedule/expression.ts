/**
 * Cron expressions of five fields and their `@` names. The error for an invalid one names the invalid field, and has
 * the same expression with that field corrected (MIS-3).
 */
import { CronPattern } from "croner";

const ALIASES: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

interface Field {
  readonly name: string;
  readonly takes: string;
  /** Replaces an invalid field in the corrected example. */
  readonly example: string;
  readonly names: readonly string[];
}

const CRON_FIELDS: readonly Field[] = [
  { name: "minute", takes: "0-59", example: "0", names: [] },
  { name: "hour", takes: "0-23", example: "9", names: [] },
  { name: "day of month", takes: "1-31", example: "1", names: [] },
  { name: "month", takes: "1-12 or JAN-DEC", example: "1", names: MONTHS },
  { name: "day of week", takes: "0-7 or SUN-SAT", example: "1-5", names: DAYS },
];

/** Longer than any expression that a person writes: a list of every minute has 170 characters. */
export const EXPRESSION_CHARACTERS = 256;

export interface Expression {
  /** The five fields, the minutes as a list. */
  readonly pattern: string;
  /** The expression as it was written, with an `@` name replaced by its five fields. */
  readonly fields: string;
  /** Whether the hours are steps or wildcards: it then follows elapsed time over a clock change. */
  readonly isInterval: boolean;
}

export type ParsedExpression =
  | { readonly ok: true; readonly value: Expression }
  | { readonly ok: false; readonly message: string };

export function parseExpression(text: string): ParsedExpression {
  const trimmed = text.trim();
  if (trimmed.length > EXPRESSION_CHARACTERS)
    return wrongExpression(`The expression has ${trimmed.length} characters; it can have ${EXPRESSION_CHARACTERS}`);
  const known = ALIASES[trimmed.toLowerCase()];
  if (trimmed.startsWith("@") && known === undefined)
    return wrongExpression(
      `\`${trimmed}\` is not known; use one of ${Object.keys(ALIASES).join(", ")}, or five fields such as \`0 9 * * 1-5\``,
    );
  const fields = (known ?? trimmed).split(/\s+/);
  if (fields.length !== CRON_FIELDS.length || fields[0] === "") return wrongExpression(countComplaint(fields));
  for (const [i, field] of CRON_FIELDS.entries()) {
    const given = fields[i] ?? "";
    if (isValid(field, i, given)) continue;
    const corrected = fields.with(i, field.example).join(" ");
    return wrongExpression(
      `The ${field.name} \`${given}\` is not valid: it takes ${field.takes}, \`*\`, lists, ranges and steps; for example \`${corrected}\``,
    );
  }
  return { ok: true, value: expressionOf(fields) };
}

const wrongExpression = (message: string): ParsedExpression => ({ ok: false, message });

function countComplaint(fields: readonly string[]): string {
  const count = fields[0] === "" ? 0 : fields.length;
  // Six fields mean a cron format with seconds, which come first.
  const corrected = count === 6 ? fields.slice(1).join(" ") : "0 9 * * 1-5";
  return `The expression has ${count} ${count === 1 ? "field" : "fields"}; a cron expression has 5 (minute, hour, day of month, month, day of week), for example \`${corrected}\``;
}

/** The library has extensions (`L`, `W`, `#`, `?`) that are not part of the contract. */
function isValid({ names }: Field, place: number, text: string): boolean {
  const value = names.length === 0 ? String.raw`\d{1,2}` : String.raw`(?:\d{1,2}|${names.join("|")})`;
  const item = String.raw`(?:\*|${value}(?:-${value})?)(?:/\d{1,2})?`;
  if (!new RegExp(`^${item}(?:,${item})*$`, "i").test(text)) return false;
  const alone = CRON_FIELDS.map((_, i) => (i === place ? text : "*")).join(" ");
  try {
    return new CronPattern(alone, undefined, { mode: "5-part" }).pattern !== "";
  } catch {
    return false;
  }
}

/**
 * Minutes become a list, because the library treats a wildcard in them as an interval; for us, only the hours decide
 * that.
 */
function expressionOf(fields: readonly string[]): Expression {
  const parsed = new CronPattern(fields.join(" "), undefined, { mode: "5-part" });
  const minutes = parsed.minute.flatMap((isSet, minute) => (isSet === 1 ? [minute] : []));
  return {
    pattern: fields.with(0, minutes.join(",")).join(" "),
    fields: fields.join(" "),
    isInterval: /[*/]/.test(fields[1] ?? ""),
  };
}
