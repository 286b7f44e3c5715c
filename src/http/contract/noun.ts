/** The nouns of a surface as components of the contract, and the fields that many nouns share. */
import { type JsonObject, type TSchema, Type } from "../../../actors/schema.ts";
import type { FieldSchemas } from "./operation.ts";

/** A noun: its name is the component's name in the contract, so it has exactly one schema. */
export const noun = <const F extends FieldSchemas>(name: string, description: string, fields: F) =>
  Type.Object(fields, { $id: name, title: name, description });

export const Text = (description: string, example: string) => Type.String({ description, examples: [example] });

/** An example of an opaque cursor. */
const EXAMPLE_CURSOR = "WyIyMDI2LTExLTAxVDEyOjAwOjAwLjAwMFoiLCJhZ3RfVjFTdEdYUjhfWjVqZEhpNkItbXlUIl0";

/** Cursor of the next page; absent on the last page. */
export const NextCursor = Type.Optional(Text("Cursor of the next page; absent on the last page", EXAMPLE_CURSOR));

/** `{<plural>: […], next_cursor?}` (GEN-3). */
export const listOf = <P extends string, S extends TSchema>(name: string, plural: P, item: S) =>
  Type.Object(
    {
      ...({ [plural]: Type.Array(item) } as Record<P, ReturnType<typeof Type.Array<S>>>),
      next_cursor: NextCursor,
    },
    { $id: name, title: name, description: `A page of ${plural.replaceAll("_", " ")}, newest first` },
  );

/** An id in the service's format (GEN-2). */
export const Id = (prefix: string, description: string) =>
  Type.String({ description, examples: [`${prefix}_V1StGXR8_Z5jdHi6B-myT`] });

export const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** An object from the caller or a tool, shown unchanged. */
export const OpenObject = (description: string) =>
  Type.Unsafe<JsonObject>({ type: "object", additionalProperties: true, description });
