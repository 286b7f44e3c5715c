/** The nouns of a surface as components of the contract, and the fields that many nouns share. */
import { type JsonObject, type TObject, type TProperties, type TSchema, Type } from "../../../actors/schema.ts";
import type { FieldSchemas } from "./operation.ts";

/** A noun: its name is the component's name in the contract, so it has exactly one schema. */
export const noun = <const F extends FieldSchemas>(name: string, description: string, fields: F) =>
  Type.Object(fields, { $id: name, title: name, description });

/** The name of the field `run_number` in a record: `runNumber`. */
type RecordName<N extends string> = N extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<RecordName<Rest>>}`
  : N;

const recordName = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The fields of a body, under the names that a record has for them. Their values stay as they are. */
export const recordNamed = <B extends object>(body: B) =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [recordName(name), value])) as {
    [N in keyof B as RecordName<N & string>]: B[N];
  };

/** Those of the fields `F` that the record `R` has, as it has them. */
type FieldsFrom<F, R> = {
  readonly [N in keyof F & string as RecordName<N> extends keyof R ? N : never]: R[RecordName<N> & keyof R];
};

/**
 * How a noun shows records: with those of its fields that the record has under the same name. A view writes only the
 * others, and those that it shows in another way, after these.
 */
export function fieldsFrom<F extends TProperties>(
  shape: TObject<F>,
): <R extends object>(record: R) => FieldsFrom<F, R> {
  const names = Object.keys(shape.properties).map((name) => [name, recordName(name)] as const);
  return <R extends object>(record: R) => {
    const fields = record as Readonly<Record<string, unknown>>;
    const shown: Record<string, unknown> = {};
    for (const [name, ofRecord] of names) if (ofRecord in fields) shown[name] = fields[ofRecord];
    return shown as FieldsFrom<F, R>;
  };
}

export const Text = (description: string, example: string) => Type.String({ description, examples: [example] });

/** An example of an opaque cursor. */
const EXAMPLE_CURSOR = "WyIyMDI2LTExLTAxVDEyOjAwOjAwLjAwMFoiLCJhZ3RfVjFTdEdYUjhfWjVqZEhpNkItbXlUIl0";

/** Cursor of the next page; absent on the last page. */
export const NextCursor = Type.Optional(Text("Cursor of the next page; absent on the last page", EXAMPLE_CURSOR));

/** `{<plural>: […], next_cursor?}` (GEN-3). */
export const listOf = <P extends string, S extends TSchema>(
  name: string,
  plural: P,
  item: S,
  description = `The ${plural.replaceAll("_", " ")} of this page`,
) =>
  Type.Object(
    {
      ...({ [plural]: Type.Array(item, { description }) } as Record<P, ReturnType<typeof Type.Array<S>>>),
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
