/**
 * JSON values with their fields in one order, so that the text of equal values is equal byte for byte: providers cache
 * the beginning of a call only if it is repeated exactly (RUN-34). A value from memory has the order in which somebody
 * wrote it, one from PostgreSQL that of `jsonb`, and a server may list its fields in another order each time.
 */
import { isExactNumber } from "./exact-json.ts";
import type { Json, JsonObject } from "./schema.ts";

/** The value with its names in the order of `jsonb`, shorter ones first; the same object if it has this order. */
export function inStoredOrder<T extends Json>(value: T): T {
  if (typeof value !== "object" || value === null || isExactNumber(value)) return value;
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map(inStoredOrder);
    return items.every((item, at) => item === value[at]) ? value : (items as unknown as T);
  }
  const fields = Object.entries(value) as [string, Json][];
  const ordered = fields.map(([name, field]) => [name, inStoredOrder(field)] as const).sort(([a], [b]) => byName(a, b));
  const isSame = ordered.every(([name, field], at) => name === fields[at]?.[0] && field === fields[at][1]);
  return isSame ? value : (Object.fromEntries(ordered) as T);
}

const byName = (a: string, b: string): number =>
  Buffer.byteLength(a) - Buffer.byteLength(b) || (a < b ? -1 : a > b ? 1 : 0);

/**
 * The same for a JSON Schema, except that the properties of an object come in the order of its `required`, which every
 * store keeps, and then the others: authors list there what is written first, and models write in this order.
 */
export const inSchemaOrder = (schema: JsonObject): JsonObject => schemaInOrder(schema) as JsonObject;

function schemaInOrder(schema: Json): Json {
  if (typeof schema !== "object" || schema === null || isExactNumber(schema)) return schema;
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(schemaInOrder);
  const { properties, required } = schema as JsonObject;
  const fields = (Object.entries(schema) as [string, Json][])
    .filter(([name]) => name !== "properties")
    .map(([name, field]) => [name, schemaInOrder(field)] as const)
    .sort(([a], [b]) => byName(a, b));
  if (properties === undefined) return Object.fromEntries(fields);
  return Object.fromEntries([...fields, ["properties", propertiesInOrder(properties, required)]]);
}

function propertiesInOrder(properties: Json, required: Json | undefined): Json {
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return properties;
  const first: readonly Json[] = Array.isArray(required) ? (required as readonly Json[]) : [];
  const places = new Map(first.map((name, index) => [name, index] as const).reverse());
  const place = (name: string): number => places.get(name) ?? first.length;
  return Object.fromEntries(
    (Object.entries(properties) as [string, Json][])
      .map(([name, schema]) => [name, schemaInOrder(schema)] as const)
      .sort(([a], [b]) => place(a) - place(b) || byName(a, b)),
  );
}
