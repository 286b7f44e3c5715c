/** Values of DuckDB as JSON: numbers if JSON can hold them exactly, ISO 8601 for times, Base64 for bytes. */
import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBUnionValue,
  type DuckDBValue,
} from "@duckdb/node-api";
import type { ArrowJson } from "./arrow.ts";

export function duckJson(value: DuckDBValue): ArrowJson {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return exactInteger(value);
  if (value instanceof DuckDBDecimalValue) return decimalJson(value);
  if (value instanceof DuckDBDateValue || value instanceof DuckDBTimestampTZValue || isTimestamp(value)) {
    const end = endOfTime(value);
    if (end !== null) return end;
  }
  if (value instanceof DuckDBTimestampTZValue) return instant(value);
  if (isTimestamp(value)) return value.toString().replace(" ", "T");
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString("base64");
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(duckJson);
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([name, one]) => [name, duckJson(one)]));
  if (value instanceof DuckDBMapValue)
    return value.entries.map(({ key, value: one }) => ({ key: duckJson(key), value: duckJson(one) }));
  if (value instanceof DuckDBUnionValue) return duckJson(value.value);
  return String(value);
}

const exactInteger = (value: bigint): ArrowJson =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();

/** A JSON number keeps this many digits. */
const EXACT_DIGITS = 15;

function decimalJson(value: DuckDBDecimalValue): ArrowJson {
  const text = value.toString();
  const digits = text.replaceAll(/[-.]/g, "").replace(/^0+/, "");
  const isWhole = value.scale === 0 && Number.isSafeInteger(Number(text));
  return isWhole || digits.length <= EXACT_DIGITS ? Number(text) : text;
}

type DuckTimestamp =
  | DuckDBTimestampValue
  | DuckDBTimestampMillisecondsValue
  | DuckDBTimestampSecondsValue
  | DuckDBTimestampNanosecondsValue;

const isTimestamp = (value: DuckDBValue): value is DuckTimestamp =>
  value instanceof DuckDBTimestampValue ||
  value instanceof DuckDBTimestampMillisecondsValue ||
  value instanceof DuckDBTimestampSecondsValue ||
  value instanceof DuckDBTimestampNanosecondsValue;

/** DuckDB stores infinite dates and times as its extreme values, and its client shows most of them as dates. */
function endOfTime(value: DuckDBDateValue | DuckDBTimestampTZValue | DuckTimestamp): string | null {
  if (value.isFinite) return null;
  const [count] = Object.values(value) as readonly (number | bigint)[];
  return count !== undefined && count < 0 ? "-infinity" : "infinity";
}

/** In UTC, to the microsecond. */
function instant({ micros }: DuckDBTimestampTZValue): string {
  // The remainder is positive before 1970 too.
  const rest = ((micros % 1_000n) + 1_000n) % 1_000n;
  const ms = Number((micros - rest) / 1_000n);
  // Outside the range of dates: years of six digits.
  if (!Number.isFinite(new Date(ms).getTime())) return String(micros);
  const text = new Date(ms).toISOString();
  return rest === 0n ? text : text.replace("Z", `${String(rest).padStart(3, "0")}Z`);
}
