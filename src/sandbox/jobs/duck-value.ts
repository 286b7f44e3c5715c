/** Values of DuckDB as JSON: numbers where JSON can hold them exactly, ISO 8601 for times, Base64 for bytes. */
import {
  DuckDBArrayValue,
  DuckDBBlobValue,
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
import type { Json } from "./query-rows.ts";

export function jsonOf(value: DuckDBValue): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return exact(value);
  if (value instanceof DuckDBDecimalValue)
    return Number.isSafeInteger(Number(value.value)) ? Number(value.toString()) : value.toString();
  if (value instanceof DuckDBTimestampTZValue) return instant(value);
  if (isTimestamp(value)) return value.toString().replace(" ", "T");
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString("base64");
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(jsonOf);
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([name, one]) => [name, jsonOf(one)]));
  if (value instanceof DuckDBMapValue)
    return value.entries.map(({ key, value: one }) => ({ key: jsonOf(key), value: jsonOf(one) }));
  if (value instanceof DuckDBUnionValue) return jsonOf(value.value);
  return String(value);
}

const exact = (value: bigint): Json => (Number.isSafeInteger(Number(value)) ? Number(value) : value.toString());

const isTimestamp = (value: DuckDBValue): boolean =>
  value instanceof DuckDBTimestampValue ||
  value instanceof DuckDBTimestampMillisecondsValue ||
  value instanceof DuckDBTimestampSecondsValue ||
  value instanceof DuckDBTimestampNanosecondsValue;

/** In UTC, to the microsecond. */
function instant({ micros }: DuckDBTimestampTZValue): string {
  const ms = Number(micros / 1_000n);
  // Beyond what a date can be: infinity, and years of six digits.
  if (!Number.isFinite(new Date(ms).getTime())) return String(micros);
  const rest = Number(micros % 1_000n);
  const text = new Date(ms).toISOString();
  return rest === 0 ? text : text.replace("Z", `${String(Math.abs(rest)).padStart(3, "0")}Z`);
}
