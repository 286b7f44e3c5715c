/** Bodies as schemas. */
import type { InputError } from "../../../actors/fault.ts";
import { type JsonObject, type TSchema, Type } from "../../../actors/schema.ts";

/** A `Type.Object`; its fields may be plain, enums, lists, objects, and any of them or null. */
export interface BodySchema extends TSchema {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[] | undefined;
}

/** A required string with more in it than white space. */
export const NOT_BLANK = "\\S";

/** An object with whatever keys its sender likes. */
export const FreeObject = Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Unknown()));

/** A body that is no JSON. */
export interface RawBodyContract {
  /** `binary` is read whole before the handler runs; a `stream` is read by the handler. */
  readonly kind: "binary" | "stream";
  /** Longer ones are 413 `payload_too_large`. */
  readonly limitBytes: number;
  /** Content types that are taken; all of them unless given. */
  readonly types?: readonly string[];
  /** What the contract says of them. The handler checks it. */
  readonly shown?: TSchema;
}
/** Bytes, read whole: the handler gets them with their digest. */
export const binary = (limitBytes: number, types?: readonly string[], shown?: TSchema) =>
  ({
    kind: "binary",
    limitBytes,
    ...(types === undefined ? {} : { types }),
    ...(shown === undefined ? {} : { shown }),
  }) as const;
/** Bytes that the handler reads itself, as they come. */
export const streamed = (limitBytes: number, types?: readonly string[]) =>
  ({ kind: "stream", limitBytes, ...(types === undefined ? {} : { types }) }) as const;

/** Where a field's schema keeps a check of its own, in the place of that of its shape. A symbol: it is no part of the contract. */
export const CHECK: unique symbol = Symbol("check");
export type FieldCheck = (value: unknown, name: string) => readonly InputError[];

/** A field of a body that is shown as `shown`, and of which `check` says all that is wrong. */
export const checkedField = <T>(shown: object, check: FieldCheck) =>
  Type.Unsafe<T>({ ...Type.Any(), ...shown, [CHECK]: check });
