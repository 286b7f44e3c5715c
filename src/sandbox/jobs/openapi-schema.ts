/**
 * Converts schemas of an OpenAPI document to self-contained JSON Schema: references point into `$defs`, small schemas
 * are inlined, read-only fields are dropped, and the keywords of 3.0 become those of JSON Schema.
 */
import { cutText } from "../../../actors/cut-text.ts";
import { type Json, type JsonObject, isJsonObject, textOrEmpty } from "../../../actors/schema.ts";
import { type OpenApiDocument, OpenApiFlaw, listIn } from "./openapi-document.ts";

/** The most schemas of one tool, and their depth without references. */
const MOST_SCHEMAS = 2_000;
const DEEPEST = 20;
/** Characters of a description in a schema. */
const SCHEMA_DESCRIPTION_CHARACTERS = 300;

/** Keywords whose values are copied unchanged. */
const COPIED_KEYWORDS = [
  "title",
  "type",
  "enum",
  "const",
  "default",
  "format",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
] as const;
const INNER = ["items", "additionalProperties", "not", "contains", "propertyNames"] as const;
const SCHEMA_LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"] as const;
const NESTED = [...INNER, ...SCHEMA_LISTS, "properties", "patternProperties"] as const;

/** The schemas of one tool. */
export class ToolSchemas {
  private readonly document: OpenApiDocument;
  /** Names in `defs`, by reference. */
  private readonly names = new Map<string, string>();
  /** The targets of references. */
  readonly defs: Record<string, Json> = {};
  private count = 0;

  constructor(document: OpenApiDocument) {
    this.document = document;
  }

  /** Converts a schema of the document for a tool. Throws `OpenApiFlaw`. */
  schema(value: unknown, depth = 0): Json {
    if (typeof value === "boolean") return value;
    if (!isJsonObject(value)) return {};
    if (++this.count > MOST_SCHEMAS) throw new OpenApiFlaw(`It has more than ${MOST_SCHEMAS} schemas`);
    if (depth > DEEPEST) throw new OpenApiFlaw(`Its schemas are nested deeper than ${DEEPEST} levels`);
    const ref = value["$ref"];
    return typeof ref === "string" ? this.reference(ref, value, depth) : this.own(value, depth);
  }

  private reference(ref: string, beside: JsonObject, depth: number): Json {
    const target = this.document.at(ref);
    const description = this.document.isThreeZero ? {} : schemaDescription(beside);
    if (isJsonObject(target) && !NESTED.some((word) => target[word] !== undefined)) {
      // Small enough to be inlined; it may be a reference itself.
      const own = this.schema(target, depth + 1);
      return isJsonObject(own) ? { ...own, ...description } : own;
    }
    let name = this.names.get(ref);
    if (name === undefined) {
      name = this.freeName(ref);
      this.names.set(ref, name);
      // Add the name before the schema, which may refer to itself.
      this.defs[name] = {};
      this.defs[name] = this.schema(target);
    }
    return { $ref: `#/$defs/${name}`, ...description };
  }

  private freeName(ref: string): string {
    const base = (ref.split("/").at(-1) ?? "").replace(/[^A-Za-z0-9_]/g, "_").slice(0, 48) || "schema";
    let name = base;
    for (let n = 2; Object.hasOwn(this.defs, name); n++) name = `${base}_${n}`;
    return name;
  }

  private own(value: JsonObject, depth: number): Json {
    const schema: Record<string, Json> = schemaDescription(value);
    for (const word of COPIED_KEYWORDS) if (value[word] !== undefined) schema[word] = value[word];
    const pattern = value["pattern"];
    // A pattern that is invalid here may be valid at the server, which checks it.
    if (typeof pattern === "string" && isPattern(pattern)) schema["pattern"] = pattern;
    for (const word of INNER) if (value[word] !== undefined) schema[word] = this.schema(value[word], depth + 1);
    for (const word of SCHEMA_LISTS)
      if (Array.isArray(value[word])) schema[word] = listIn(value[word]).map((one) => this.schema(one, depth + 1));
    this.addProperties(schema, value, depth);
    return this.document.isThreeZero ? ofThreeZero(schema, value) : schema;
  }

  /** Whether a field is read-only, itself or by the schema that it refers to. */
  private isReadOnly(field: unknown): boolean {
    const isMarked = isJsonObject(field) && field["readOnly"] === true;
    return isMarked || this.document.resolved(field)?.["readOnly"] === true;
  }

  private addProperties(schema: Record<string, Json>, value: JsonObject, depth: number): void {
    const required = listIn(value["required"]).filter((name): name is string => typeof name === "string");
    const { properties } = value;
    if (!isJsonObject(properties)) {
      if (required.length > 0) schema["required"] = required;
      return;
    }
    const writable = Object.entries(properties).filter(([, one]) => !this.isReadOnly(one));
    // `fromEntries`, so that a property named `__proto__` stays an ordinary one.
    schema["properties"] = Object.fromEntries(writable.map(([name, one]) => [name, this.schema(one, depth + 1)]));
    const isLeft = (name: string): boolean =>
      !Object.hasOwn(properties, name) || writable.some(([other]) => other === name);
    const left = required.filter(isLeft);
    if (left.length > 0) schema["required"] = left;
  }
}

function schemaDescription(value: JsonObject): Record<string, Json> {
  const text = textOrEmpty(value["description"]).trim();
  return text === "" ? {} : { description: cutText(text, SCHEMA_DESCRIPTION_CHARACTERS) };
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").source !== "";
  } catch {
    return false;
  }
}

/** `nullable`, and boolean exclusive bounds. */
function ofThreeZero(schema: Record<string, Json>, value: JsonObject): Json {
  for (const [bound, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (typeof schema[exclusive] !== "boolean") continue;
    const isOut = schema[exclusive];
    delete schema[exclusive];
    if (!isOut || schema[bound] === undefined) continue;
    schema[exclusive] = schema[bound];
    delete schema[bound];
  }
  if (value["nullable"] !== true) return schema;
  if (typeof schema["type"] !== "string") return { anyOf: [schema, { type: "null" }] };
  const list = schema["enum"];
  if (Array.isArray(list) && !list.includes(null)) schema["enum"] = [...(list as Json[]), null];
  schema["type"] = [schema["type"], "null"];
  return schema;
}
