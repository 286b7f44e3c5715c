/** An OpenAPI document: its text, and the places in it that `$ref` names. Content of strangers: nothing of it is trusted to have a shape. */
import type { Json, JsonObject } from "../../../actors/schema.ts";

/** References that lead to references. */
const MOST_HOPS = 16;

/** What is wrong with a document, or with one of its operations, in words for people. */
export class OpenApiFlaw extends Error {}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");
export const listIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

export class OpenApiDocument {
  readonly root: JsonObject;
  /** 3.0 has schemas of its own; from 3.1 on they are JSON Schema. */
  readonly isThreeZero: boolean;

  /** Reads JSON or YAML. Throws `OpenApiFlaw` for what is no document of OpenAPI 3. */
  constructor(text: string) {
    const value = parsed(text);
    if (!isObject(value)) throw new OpenApiFlaw("The document is no OpenAPI document: it must be an object");
    if (value["swagger"] !== undefined)
      throw new OpenApiFlaw("The document is of Swagger 2: convert it to OpenAPI 3.0 or 3.1 first");
    const version = textIn(value["openapi"]);
    if (!/^3\.\d+/.test(version))
      throw new OpenApiFlaw('The document is no OpenAPI document of version 3: it has no `openapi: "3.…"`');
    this.root = value;
    this.isThreeZero = version.startsWith("3.0");
  }

  /** What a value is after its references; undefined where it is no object. Throws `OpenApiFlaw` for those that lead nowhere. */
  resolved(value: unknown): JsonObject | undefined {
    let current = value;
    for (let hops = 0; isObject(current) && typeof current["$ref"] === "string"; hops++) {
      if (hops >= MOST_HOPS) throw new OpenApiFlaw(`The reference ${shown(current["$ref"])} leads to too many others`);
      current = this.at(current["$ref"]);
    }
    return isObject(current) ? current : undefined;
  }

  /** What a reference names. Throws `OpenApiFlaw` where there is nothing, or it is in another document. */
  at(ref: string): Json {
    if (!ref.startsWith("#/"))
      throw new OpenApiFlaw(`The reference ${shown(ref)} leads out of the document: bundle the document first`);
    let value: unknown = this.root;
    for (const part of ref.slice(2).split("/")) {
      const key = decoded(part);
      const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, key);
      if (!isThere) throw new OpenApiFlaw(`The reference ${shown(ref)} leads nowhere`);
      value = (value as Record<string, unknown>)[key];
    }
    return value as Json;
  }
}

/** Characters of a reference that an error repeats. */
const SHOWN = 120;
const shown = (ref: string): string => ref.slice(0, SHOWN);

function decoded(part: string): string {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It may be YAML.
  }
  try {
    return Bun.YAML.parse(text);
  } catch {
    throw new OpenApiFlaw("The document is neither JSON nor YAML");
  }
}
