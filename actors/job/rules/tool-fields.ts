/**
 * The fields that a tool's own schema names (APR-3). While a rule has conditions about the tool's arguments, a call
 * with other fields is not made, because a server may take a stray field for one that the rule has checked (`Amount`,
 * `amount[]`, the name of the field in the address).
 */
import { percentDecoded, referredValue } from "../../json-pointer.ts";
import { type Json, type JsonObject, isJsonObject } from "../../schema.ts";

/** Schemas that are looked at for one value: a reference may lead in a circle. */
const MOST_FIELD_SCHEMAS = 200;
/** Levels of arguments that are compared with the schema. */
const MOST_LEVELS = 32;

/** All schemas that hold at one place: those of references and combinations too. */
function schemasAt(schemas: readonly (Json | undefined)[], root: JsonObject): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const open = [...schemas];
  while (open.length > 0 && found.size < MOST_FIELD_SCHEMAS) {
    const schema = open.pop();
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    for (const word of ["allOf", "anyOf", "oneOf"])
      if (Array.isArray(schema[word])) open.push(...(schema[word] as Json[]));
    for (const word of ["then", "else", "if"]) open.push(schema[word]);
    const ref = schema["$ref"];
    if (typeof ref === "string") open.push(referredValue(root, ref) as Json | undefined);
  }
  return [...found];
}

const namedIn = (schemas: readonly JsonObject[], name: string): readonly (Json | undefined)[] =>
  schemas.flatMap(({ properties }) =>
    isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
  );

/** Whether the schema itself says that the object takes other fields. */
const takesOthers = (schemas: readonly JsonObject[]): boolean =>
  schemas.some(
    ({ additionalProperties, unevaluatedProperties, patternProperties }) =>
      [additionalProperties, unevaluatedProperties].some((rule) => rule !== undefined && rule !== false) ||
      patternProperties !== undefined,
  );

const itemsIn = (schemas: readonly JsonObject[]): readonly (Json | undefined)[] =>
  schemas.flatMap(({ items, prefixItems }) => [...[items ?? []].flat(), ...[prefixItems ?? []].flat()] as Json[]);

/** Whether the tool's schema names this field, a path of names; `*` stands for the items of a list. */
export function namesField(root: JsonObject, field: readonly string[]): boolean {
  let schemas = schemasAt([root], root);
  for (const [level, name] of field.entries()) {
    const inner = name === "*" ? itemsIn(schemas) : namedIn(schemas, name);
    if (inner.length === 0) {
      // What is in a list or an object of any form cannot be known.
      const isFree = name === "*" || !schemas.some((schema) => "properties" in schema);
      return takesOthers(schemas) || (level > 0 && isFree);
    }
    schemas = schemasAt(inner, root);
  }
  return true;
}

/** The names of fields that a server may take for each other are equal in this form. */
export const sameName = (name: string): string =>
  percentDecoded(name)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\[.*$|[./]\d+$/s, "")
    .replaceAll(/[^\p{L}\p{N}]/gu, "");

/** The first field of the arguments that the schema does not name, with dots between names; null if it names all. */
export const strayField = (root: JsonObject, given: JsonObject): string | null => strayIn(given, [root], root, []);

function strayIn(
  value: Json | undefined,
  at: readonly (Json | undefined)[],
  root: JsonObject,
  path: readonly string[],
): string | null {
  if (typeof value !== "object" || value === null) return null;
  if (path.length >= MOST_LEVELS) return path.join(".");
  const schemas = schemasAt(at, root);
  if (Array.isArray(value)) {
    const items = itemsIn(schemas);
    return firstFound(value as readonly Json[], (item, i) => strayIn(item, items, root, [...path, String(i)]));
  }
  const names = new Set(schemas.flatMap(({ properties }) => (isJsonObject(properties) ? Object.keys(properties) : [])));
  const twins = new Set([...names].map(sameName));
  // The arguments themselves are always closed. Within one, an object may be of any form, or say that it takes others.
  const isOpen = path.length > 0 && (takesOthers(schemas) || names.size === 0);
  return firstFound(Object.entries(value), ([name, inner]) => {
    const isStray = !names.has(name) && (!isOpen || twins.has(sameName(name)));
    return isStray ? [...path, name].join(".") : strayIn(inner, namedIn(schemas, name), root, [...path, name]);
  });
}

function firstFound<T>(list: readonly T[], find: (one: T, at: number) => string | null): string | null {
  for (const [at, one] of list.entries()) {
    const found = find(one, at);
    if (found !== null) return found;
  }
  return null;
}
