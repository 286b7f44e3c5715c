/**
 * The entry point to TypeBox, and the shapes that every noun shares. Schemas are the single source of types (`Static`),
 * validation and contract. Nouns are defined beside their actor, bodies beside their surface. Inside, records are
 * camelCase and immutable; snake_case exists only at the edge (GEN-1).
 */
import {
  FormatRegistry,
  Kind,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  TypeRegistry,
} from "@sinclair/typebox";
import { type ExactNumber, isExactNumber } from "./exact-json.ts";

export { type Static, type TObject, type TProperties, type TSchema, Type };

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const textOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");

export const ONE_OF = "OneOf";
TypeRegistry.Set<{ enum: readonly string[] }>(
  ONE_OF,
  (schema, value) => typeof value === "string" && schema.enum.includes(value),
);

/** A string that is one of `values`: an `enum` in the contract, and checked as one. */
export const OneOf = <const V extends readonly string[]>(values: V, options: object = {}) =>
  Type.Unsafe<V[number]>({ [Kind]: ONE_OF, type: "string", enum: [...values], ...options });

const FREE_NUMBER = "FreeNumber";
TypeRegistry.Set(FREE_NUMBER, (_, value) => Number.isFinite(value) || isExactNumber(value));

/** A number that keeps all of its digits, also those that JavaScript cannot hold. */
export const FreeNumber = (options: object = {}) =>
  Type.Unsafe<number | ExactNumber>({ [Kind]: FREE_NUMBER, type: "number", ...options });

const TAKES_EXACT: ReadonlySet<unknown> = new Set([FREE_NUMBER, "Unknown", "Any"]);
/** Whether the schema takes an `ExactNumber`. To the checks of other types it would look like an object. */
export const takesExactNumber = (schema: TSchema): boolean =>
  TAKES_EXACT.has(schema[Kind]) || (schema["anyOf"] as readonly TSchema[] | undefined)?.some(takesExactNumber) === true;

export const STORED_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
FormatRegistry.Set("date-time", (text) => STORED_TIME.test(text));

/** ISO 8601 UTC with milliseconds, as stored and as sent. */
export const Timestamp = Type.String({ format: "date-time", description: "ISO 8601 UTC with milliseconds" });

/** The schema's values, or null. */
export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const NullableText = Nullable(Type.String());
export const NullableTime = Nullable(Timestamp);

/** A JSON object with any fields. */
export const FreeObject = Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Unknown()));

/** Formats times, and caches the last one: callers within a millisecond need the same text. */
export function timeWriter(): (ms: number) => string {
  let writtenMs = Number.NaN;
  let written = "";
  return (ms) => {
    if (ms !== writtenMs) {
      written = new Date(ms).toISOString();
      writtenMs = ms;
    }
    return written;
  };
}
export const isoTime = timeWriter();

/** Whether a text that begins with a date (`2026-02-28…`) names a day that exists: JavaScript turns 30 February into a day of March. */
export function hasRealDay(text: string): boolean {
  const date = text.slice(0, "2026-02-28".length);
  const ms = Date.parse(date);
  return !Number.isNaN(ms) && isoTime(ms).startsWith(date);
}

/** The rule for an address, in words for the caller. */
export const WEB_ADDRESS = "an address that begins with `https://` or `http://`";
/** The rule for the name of a secret. */
export const SECRET_NAME_RULE = "the name of a secret: 1 to 64 letters, digits, `_`, `.` and `-`";

/** The fields of every record; the runtime stamps `version` and `updatedAt` (GEN-5). */
export const RecordBase = {
  id: Type.String(),
  organizationId: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

/** Parts of the input tokens: those that providers read from their caches, and those that they wrote to them. */
export const CacheFields = {
  cachedInputTokens: Type.Optional(Type.Integer()),
  cacheWriteTokens: Type.Optional(Type.Integer()),
};

/** What is known of tokens beside their number (`money.ts`): the exact cost is absent if none of them has a price. */
export const CostFields = {
  ...CacheFields,
  cost: Type.Optional(Type.String()),
  pricedTokens: Type.Optional(Type.Integer()),
  ownKeyTokens: Type.Optional(Type.Integer()),
  estimatedTokens: Type.Optional(Type.Integer()),
};

/** A time as callers write it: ISO 8601, with up to nine digits of a second, as Go, Java and PostgreSQL write them. */
const GIVEN_TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * The given time in its stored format, which has milliseconds; null if the text is not a time. Without an offset it is UTC,
 * whatever the time zone of the machine.
 */
export function timeOf(text: string): string | null {
  const [match, offset] = GIVEN_TIME.exec(text) ?? [];
  if (match === undefined || !hasRealDay(text)) return null;
  const hasClock = text.length > "2026-11-30".length;
  const ms = Date.parse(hasClock && offset === undefined ? `${text}Z` : text);
  return Number.isNaN(ms) ? null : isoTime(ms);
}

/** Whether the text is a day with a time, without an offset: local time, where a zone is given beside it. */
export const isLocalTime = (text: string): boolean =>
  text.length > "2026-11-30".length && GIVEN_TIME.exec(text)?.[1] === undefined && GIVEN_TIME.test(text);
