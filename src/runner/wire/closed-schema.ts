/**
 * Whether a provider can enforce a schema strictly. Strict modes accept only closed schemas: each object lists all of
 * its fields as required and allows no others.
 */
import type { Json, JsonObject } from "../../../actors/schema.ts";

/** Whether every object in the schema is closed, and all keywords are ones that every strict mode supports. */
export function isClosed(schema: Json): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  if (Array.isArray(schema)) return schema.every((inner) => isClosed(inner as Json));
  return (
    Object.entries(schema).every(([word, value]) => CLOSED_KEYWORDS.has(word) && isClosedWord(word, value as Json)) &&
    (!isObjectSchema(schema as JsonObject) || hasAllFields(schema as JsonObject))
  );
}

const CLOSED_KEYWORDS: ReadonlySet<string> = new Set([
  "type",
  "title",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
  "$defs",
  "$ref",
]);

function isClosedWord(word: string, value: Json): boolean {
  if (word === "properties" || word === "$defs")
    return Object.values(value as JsonObject).every((inner) => isClosed(inner as Json));
  return word === "items" || word === "anyOf" ? isClosed(value) : true;
}

const isObjectSchema = ({ type, properties }: JsonObject): boolean =>
  type === "object" || (Array.isArray(type) && type.includes("object")) || properties !== undefined;

function hasAllFields({ properties = {}, required = [], additionalProperties }: JsonObject): boolean {
  const names = Object.keys(properties as JsonObject);
  return additionalProperties === false && names.every((name) => (required as readonly Json[]).includes(name));
}
