/** TypeBox schemas of operations as short, plain JSON Schemas (2020-12) without references, for MCP clients and models. */
import type { TSchema } from "../../actors/schema.ts";
import type { FieldSchemas } from "../http/contract/operation.ts";

export type ToolSchemaObject = Readonly<Record<string, unknown>>;
/** A description for a field that has none of its own; undefined if there is none. */
export type Describe = (component: string, name: string, schema: ToolSchemaObject) => string | undefined;

/** Keywords that only we use, or that we express in another way. */
const OMITTED_KEYWORDS: ReadonlySet<string> = new Set([
  "$id",
  "errorMessage",
  "form",
  "patternProperties",
  "examples",
  "title",
]);

/** The schema of an input; `describe` describes fields without a description. */
export function plainSchema(from: TSchema, describe: Describe | null, component: string): ToolSchemaObject {
  const inner = from["$id"] === undefined ? component : String(from["$id"]);
  const shown: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(from)) {
    if (OMITTED_KEYWORDS.has(key)) continue;
    if (key === "properties") shown[key] = eachOf(value as FieldSchemas, describe, inner);
    else if (key === "items") shown[key] = plainSchema(value as TSchema, describe, inner);
    else if (key === "anyOf")
      shown[key] = (value as readonly TSchema[]).map((one) => plainSchema(one, describe, inner));
    else shown[key] = value;
  }
  const values = Object.values((from["patternProperties"] ?? {}) as FieldSchemas)[0];
  if (values !== undefined)
    shown["additionalProperties"] = Object.keys(values).length === 0 ? true : plainSchema(values, describe, inner);
  return shown;
}

/** A field by name, with its description. */
export function describedField(
  name: string,
  from: TSchema,
  describe: Describe | null,
  component: string,
): ToolSchemaObject {
  const schema = plainSchema(from, describe, component);
  const description = describe === null || "description" in schema ? undefined : describe(component, name, schema);
  return description === undefined ? schema : { description, ...schema };
}

const eachOf = (fields: FieldSchemas, describe: Describe | null, component: string): Record<string, ToolSchemaObject> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, from]) => [name, describedField(name, from, describe, component)]),
  );

/** Limits that the operation checks: its refusal tells a model more than the schema would. */
const OMITTED_LIMITS: ReadonlySet<string> = new Set([
  "pattern",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "format",
]);
/** Keywords that are left out of fields within fields, of which only types and names are shown. */
const OF_FIELDS: ReadonlySet<string> = new Set(["description", "additionalProperties", "minimum", "maximum"]);
/** Objects with more fields are shown by the names of their fields: of an answer, only of the key ones. */
const FEW_FIELDS = 6;
/** From this depth on, only types are shown. */
const SHOWN_DEPTH = 2;

/**
 * The part of an argument's schema that a model needs. Every client sends every schema to its model in each call, so
 * the schemas are short; the operation validates the values.
 */
export function shortInput(schema: ToolSchemaObject, depth = 0): ToolSchemaObject {
  const { type, anyOf, properties, items } = schema as Schema;
  if (depth >= SHOWN_DEPTH && (anyOf !== undefined || properties !== undefined || items !== undefined))
    return type === undefined ? {} : { type };
  const nullable = nullableTypes(schema, depth);
  if (nullable !== null) return shortInput({ ...schema, anyOf: undefined, type: nullable }, depth);
  const [one, other, ...more] = anyOf ?? [];
  if (one?.["properties"] !== undefined && other?.["type"] === "null" && more.length === 0)
    return shortInput({ ...one, ...schema, anyOf: undefined, type: ["object", "null"] }, depth);
  const shown: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (
      OMITTED_LIMITS.has(key) ||
      (depth > 0 && OF_FIELDS.has(key)) ||
      (key === "additionalProperties" && value === true)
    )
      continue;
    if (value === undefined) continue;
    if (key === "type" && ("enum" in schema || "const" in schema)) continue;
    shown[key] = value;
  }
  if (properties !== undefined) {
    const fields = Object.entries(properties);
    const isLarge = fields.length > FEW_FIELDS;
    shown["properties"] = Object.fromEntries(
      fields.map(([name, field]) => [name, isLarge ? {} : shortInput(field, depth + 1)]),
    );
  }
  if (items !== undefined) shown["items"] = shortInput(items, depth + 1);
  if (anyOf !== undefined) shown["anyOf"] = anyOf.map((one) => shortInput(one, depth));
  return shown;
}

interface Schema {
  readonly type?: unknown;
  readonly anyOf?: readonly ToolSchemaObject[];
  readonly items?: ToolSchemaObject;
  readonly properties?: Readonly<Record<string, ToolSchemaObject>>;
}

/** The types of a value that may be null; null if the schema says more than that. */
function nullableTypes(schema: ToolSchemaObject, depth: number): readonly unknown[] | null {
  const [one, other, ...more] = (schema as Schema).anyOf ?? [];
  if (one === undefined || other?.["type"] !== "null" || more.length > 0 || typeof one["type"] !== "string")
    return null;
  const says = ["enum", "const", "properties", "items", ...(depth === 0 ? ["minimum"] : [])];
  return says.some((key) => key in one) ? null : [one["type"], "null"];
}

/** The fields that are shown of larger objects: those that a next call needs, or that report the outcome. */
const KEY_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "agent_id",
  "chat_id",
  "job_id",
  "status",
  "version",
  "result",
  "output",
  "error",
  "approvals",
  "path",
  "url",
]);

/** The part of an answer's schema that a model needs: the types of its fields. */
export function shortAnswer(from: TSchema): ToolSchemaObject & { readonly type: "object" } {
  const fields = Object.entries((from["properties"] ?? {}) as FieldSchemas);
  const shown = fields.filter(([name]) => fields.length <= FEW_FIELDS || KEY_FIELDS.has(name));
  return {
    type: "object",
    properties: Object.fromEntries(shown.map(([name, field]) => [name, schemaType(field)])),
  };
}

function schemaType(field: TSchema): ToolSchemaObject {
  const types = new Set(schemaTypes(field));
  return types.size === 0 ? {} : { type: types.size === 1 ? [...types][0] : [...types] };
}

const schemaTypes = (field: TSchema): readonly unknown[] =>
  field["anyOf"] === undefined ? [field["type"]].flat() : (field["anyOf"] as readonly TSchema[]).flatMap(schemaTypes);
