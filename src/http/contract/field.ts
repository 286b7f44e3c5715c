/**
 * Values that arrive as text: parameters of the path and the query, and headers. A plain TypeBox schema is
 * read by its type (`input-reader.ts`); the ones here say themselves how their text is read, so that a
 * handler gets a cursor, a time or a version and never parses one.
 */
import type { Fault, Noun } from "../../../actors/fault.ts";
import { hasRealDay, isoTime, OneOf, type Static, type TSchema, Type } from "../../../actors/schema.ts";

/** What a text was read as, or what is wrong with it. `fault` replaces `invalid_request` where nothing else is wrong. */
export type FieldReading<T> =
  | { readonly isGood: true; readonly value: T }
  | { readonly isGood: false; readonly message: string; readonly fault?: Fault };

/** Reads the text of the field with this name. */
export type FieldReader<T> = (text: string, name: string) => FieldReading<T>;

/** Where a schema keeps its reader. A symbol: it is no part of the contract. */
export const READER = Symbol("reader");

export const good = <T>(value: T): FieldReading<T> => ({ isGood: true, value });
export const bad = (message: string, fault?: Fault): FieldReading<never> =>
  fault === undefined ? { isGood: false, message } : { isGood: false, message, fault };

/** A field that is shown as `shown` in the contract and read by `read`. */
export const textField = <T>(shown: object, read: FieldReader<T>) => Type.Unsafe<T>({ ...shown, [READER]: read });

/** A schema with a default: its value is always there. */
export type Defaulted<S extends TSchema> = S & { readonly default: Static<S> };
export const withDefault = <S extends TSchema>(schema: S, value: Static<S>): Defaulted<S> => ({
  ...schema,
  default: value,
});

/** An id in a path. Text that cannot be one names nothing: 404 of its noun. */
export const pathId = (noun: Noun, pattern: RegExp, shown: TSchema) => {
  const missing: Fault = { kind: "not_found", noun };
  return textField<string>(shown, (text) => (pattern.test(text) ? good(text) : bad(`Invalid ${noun} id`, missing)));
};

/** Marks a field whose empty text is a value; elsewhere it counts as absent. */
export const TAKES_EMPTY = Symbol("takes empty");
export const evenEmpty = <S extends TSchema>(schema: S): S => ({ ...schema, [TAKES_EMPTY]: true });

/** Some of a few words: with commas between them, or the parameter repeated. */
export const someOf = <const V extends readonly string[]>(values: V, options: object = {}) =>
  Type.Unsafe<readonly V[number][]>(Type.Array(OneOf(values), options));

/** Characters of an id that a list is filtered by. */
export const GIVEN_ID_CHARACTERS = 256;

/** An id that a list is filtered by; one that names nothing finds nothing. */
export const idFilter = (shown: TSchema) => Type.Unsafe<string>({ ...shown, maxLength: GIVEN_ID_CHARACTERS });

/** Characters of a text that a list is searched for. */
const SEARCHED_CHARACTERS = 256;

/** A text that a list is searched for. */
export const searched = (description: string) => Type.String({ maxLength: SEARCHED_CHARACTERS, description });

const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** A time as it is stored, or null for what is none. Without an offset it is UTC, whatever the zone of the machine. */
export function timeOf(text: string): string | null {
  const [match, clock, offset] = TIME.exec(text) ?? [];
  if (match === undefined || !hasRealDay(text)) return null;
  const ms = Date.parse(clock !== undefined && offset === undefined ? `${text}Z` : text);
  return Number.isNaN(ms) ? null : isoTime(ms);
}

/** A time in ISO 8601, as it is stored. */
export const timeField = (shown: object) =>
  textField<string>({ type: "string", ...shown }, (text, name) => {
    const time = timeOf(text);
    return time === null ? bad(`${name} must be a time in ISO 8601`) : good(time);
  });
