/** Bodies as schemas. */
import type { InputError } from "../../../actors/fault.ts";
import { type TSchema, Type } from "../../../actors/schema.ts";

/** A `Type.Object`; its fields may be plain values, enums, lists, objects, and nullable ones. */
export interface BodySchema extends TSchema {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[] | undefined;
}

/** For a required string: it must contain more than white space. */
export const NOT_BLANK = "\\S";

/** A body that is not JSON. */
export interface RawBodyContract {
  /** `binary` is read completely before the handler runs; the handler itself reads a `stream`. */
  readonly kind: "binary" | "stream";
  /** Longer bodies are 413 `payload_too_large`. */
  readonly limitBytes: number;
  /** Accepted content types; default: all. */
  readonly types?: readonly string[];
  /** The body's schema in the contract. The handler validates it. */
  readonly shown?: TSchema;
}
/** A binary body, read completely: the handler gets the bytes with their digest. */
export const binary = (limitBytes: number, types?: readonly string[], shown?: TSchema) =>
  ({
    kind: "binary",
    limitBytes,
    ...(types === undefined ? {} : { types }),
    ...(shown === undefined ? {} : { shown }),
  }) as const;
/** A body that the handler reads itself, as it arrives. */
export const streamedBody = (limitBytes: number, types?: readonly string[]) =>
  ({ kind: "stream", limitBytes, ...(types === undefined ? {} : { types }) }) as const;

/**
 * Key of a field's own check, which replaces validation by its schema. A symbol, so that the contract does not
 * contain it.
 */
export const CHECK: unique symbol = Symbol("check");
export type FieldCheck = (value: unknown, name: string) => readonly InputError[];

/** A field that the contract shows as `shown`; `check` alone validates it. */
export const checkedField = <T>(shown: object, check: FieldCheck) =>
  Type.Unsafe<T>({ ...Type.Any(), ...shown, [CHECK]: check });
