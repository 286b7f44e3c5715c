/** TypeBox schemas of operations as plain JSON Schema 2020-12 without references: what clients of MCP validate by. */
import type { TSchema } from "../../actors/schema.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;
/** The description of a field that has none of its own; undefined where there is none. */
export type Describe = (component: string, name: string, schema: JsonSchema) => string | undefined;

/** Keywords that are ours alone, or that are shown in another way. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "$id",
  "errorMessage",
  "form",
  "patternProperties",
  "examples",
  "title",
]);

/**
 * `describe` is for schemas of input. A schema of output carries the descriptions of its own and no more, and a noun
 * within another one is an object: every tool would have the same long schemas of jobs and chats again.
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

/** A field under its name, with its description. */
export function describedField(name: string, from: TSchema, describe: Describe | null, component: string): JsonSchema {
  const schema = plainSchema(from, describe, component);
  const description = describe === null || "description" in schema ? undefined : describe(component, name, schema);
  return description === undefined ? schema : { description, ...schema };
}

const eachOf = (fields: Fields, describe: Describe | null, component: string): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, from]) => [name, describedField(name, from, describe, component)]),
  );

/** The same, which takes no other fields than its own, in objects within it as well (GEN-7). */
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
