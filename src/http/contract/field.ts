/**
 * Values that arrive as text: parameters of the path and the query, and headers. A plain TypeBox schema is read by
 * its type (`input-reader.ts`). The schemas here bring their own reader, so that a handler gets a cursor, a time or
 * a version and never parses one.
 */
import { type Fault, type FaultKind, invalid, type Noun, ok, type Outcome } from "../../../actors/fault.ts";
import { OneOf, type Static, timeOf, type TSchema, Type } from "../../../actors/schema.ts";

/** The value of a text, or what is wrong with it. `fault` replaces `invalid_request` if it is the only error. */
export type FieldReading<T> =
  | { readonly isGood: true; readonly value: T }
  | { readonly isGood: false; readonly message: string; readonly fault?: Fault };

/** Reads the text of the field with this name. */
export type FieldReader<T> = (text: string, name: string) => FieldReading<T>;

/** Key of a schema's reader. A symbol, so that the contract does not contain it. */
export const READER = Symbol("reader");

export const good = <T>(value: T): FieldReading<T> => ({ isGood: true, value });
export const bad = (message: string, fault?: Fault): FieldReading<never> =>
  fault === undefined ? { isGood: false, message } : { isGood: false, message, fault };

/** A field that the contract shows as `shown`, and that `read` reads. */
export const textField = <T>(shown: object, read: FieldReader<T>) => Type.Unsafe<T>({ ...shown, [READER]: read });

/** Where a schema keeps what its value may be refused for besides `invalid_request`. A symbol: it is no part of the contract. */
export const REFUSES = Symbol("refuses");
/** Says what the field may be refused for: every operation that has it may be refused so. */
export const refusedAs = <S extends TSchema>(kind: FaultKind, schema: S): S => ({ ...schema, [REFUSES]: kind });

/** A schema with a default: its value is always present. */
export type Defaulted<S extends TSchema> = S & { readonly default: Static<S> };
export const withDefault = <S extends TSchema>(schema: S, value: Static<S>): Defaulted<S> => ({
  ...schema,
  default: value,
});

/** An id in a path. Text that cannot be an id names nothing: 404 of its noun. */
export const pathId = (noun: Noun, pattern: RegExp, shown: TSchema) => {
  const missing: Fault = { kind: "not_found", noun };
  const read = (text: string) => (pattern.test(text) ? good(text) : bad(`Invalid ${noun} id`, missing));
  return refusedAs("not_found", textField<string>(shown, read));
};

/** Marks a field for which the empty text is a value; otherwise it counts as absent. */
export const TAKES_EMPTY = Symbol("takes empty");
export const evenEmpty = <S extends TSchema>(schema: S): S => ({ ...schema, [TAKES_EMPTY]: true });

/** Where a schema keeps the noun of the record that its id must name. A symbol: it is no part of the contract. */
export const NAMED_NOUN = Symbol("names");
/** Marks an id in a body or a query that must name a record. If it names none, the 404 points at its field (ERR-6). */
export const naming = <S extends TSchema>(noun: Noun, schema: S): S => ({
  ...refusedAs("not_found", schema),
  [NAMED_NOUN]: noun,
});

/** Several of a few words: separated by commas, or as a repeated parameter. */
export const someOf = <const V extends readonly string[]>(values: V, options: object = {}) =>
  Type.Unsafe<readonly V[number][]>(Type.Array(OneOf(values), options));

/** Characters of an id in a filter. */
export const GIVEN_ID_CHARACTERS = 256;

/** An id as the filter of a list; an unknown id finds nothing. */
export const idFilter = (shown: TSchema) => Type.Unsafe<string>({ ...shown, maxLength: GIVEN_ID_CHARACTERS });

/** Characters of a search text. */
const SEARCH_TEXT_CHARACTERS = 256;

/** The search text of a list. */
export const searchField = (description: string) => Type.String({ maxLength: SEARCH_TEXT_CHARACTERS, description });

/** A time in ISO 8601, converted to its stored format. */
export const timeField = (shown: object) =>
  textField<string>({ type: "string", ...shown }, (text, name) => {
    const time = timeOf(text);
    return time === null ? bad(`${name} must be a time in ISO 8601`) : good(time);
  });

/** One end of a range of time, by the name of its parameter; as text, a day or a time of UTC. */
interface End {
  readonly name: string;
  readonly value: string | undefined;
  /** What counts where it is not given. */
  readonly default?: string;
}

/** A range that ends before it begins never finds anything: it is a mistake of its caller. */
export function inOrder(from: End, to: End): Outcome<null> {
  const [first, last] = [from.value ?? from.default, to.value ?? to.default];
  if (first === undefined || last === undefined || first <= last) return ok(null);
  const isToGiven = to.value !== undefined;
  const [path, words] = isToGiven ? [to.name, "must not be before"] : [from.name, "must not be after"];
  const other = isToGiven ? from : to;
  const byDefault = other.value === undefined ? `, which is ${isToGiven ? first : last} by default` : "";
  return invalid(`/${path}`, `${path} ${words} ${other.name}${byDefault}`);
}
