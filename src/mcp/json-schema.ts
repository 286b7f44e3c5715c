/** TypeBox schemas of operations as plain JSON Schema 2020-12 without references, for validation by MCP clients. */
import type { TSchema } from "../../actors/schema.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;
/** A description for a field that has none of its own; undefined if there is none. */
export type Describe = (component: string, name: string, schema: JsonSchema) => string | undefined;

/** Keywords that only we use, or that we express in another way. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "$id",
  "errorMessage",
  "form",
  "patternProperties",
  "examples",
  "title",
]);

/**
 * Pass `describe` for schemas of input only. A schema of output has only its own descriptions, and a noun nested in
 * it is a plain object: otherwise every tool would repeat the long schemas of jobs and chats.
 */
export function plainSchema(from: TSchema, describe: Describe | null, component: string): JsonSchema {
  if (describe === null && component !== "" && from["$id"] !== undefined && from["type"] === "object")
    return { type: "object", ...(from["description"] === undefined ? {} : { description: from["description"] }) };
  const inner = from["$id"] === undefined ? component : String(from["$id"]);
  const shown: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(from)) {
    if (LEFT_OUT.has(key)) continue;
    if (key === "properties") shown[key] = eachOf(value as Fields, describe, inner);
    else if (key === "items") shown[key] = plainSchema(value as TSchema, describe, inner);
    else if (key === "anyOf")
      shown[key] = (value as readonly TSchema[]).map((one) => plainSchema(one, describe, inner));
    else shown[key] = value;
  }
  const values = Object.values((from["patternProperties"] ?? {}) as Fields)[0];
  if (values !== undefined)
    shown["additionalProperties"] = Object.keys(values).length === 0 ? true : plainSchema(values, describe, inner);
  return shown;
}

type Fields = Readonly<Record<string, TSchema>>;

/** A field by name, with its description. */
export function describedField(name: string, from: TSchema, describe: Describe | null, component: string): JsonSchema {
  const schema = plainSchema(from, describe, component);
  const description = describe === null || "description" in schema ? undefined : describe(component, name, schema);
  return description === undefined ? schema : { description, ...schema };
}

const eachOf = (fields: Fields, describe: Describe | null, component: string): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, from]) => [name, describedField(name, from, describe, component)]),
  );

/** The same schema, rejecting unknown fields, also in nested objects (GEN-7). */
export function closedSchema(schema: JsonSchema): JsonSchema {
  const { anyOf, items, properties } = schema as {
    readonly anyOf?: readonly JsonSchema[];
    readonly items?: JsonSchema;
    readonly properties?: Readonly<Record<string, JsonSchema>>;
  };
  if (anyOf !== undefined) return { ...schema, anyOf: anyOf.map(closedSchema) };
  if (items !== undefined) return { ...schema, items: closedSchema(items) };
  if (properties === undefined) return schema;
  const fields = Object.entries(properties).map(([name, field]) => [name, closedSchema(field)] as const);
  return { ...schema, properties: Object.fromEntries(fields), additionalProperties: false };
}
