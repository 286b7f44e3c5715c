/**
 * An OpenAPI document: parses its text and resolves its `$ref`s. It is untrusted, so no value is assumed to have its
 * documented shape.
 */
import { cutText } from "../../../actors/cut-text.ts";
import { referredValue } from "../../../actors/json-pointer.ts";
import { type Json, type JsonObject, isJsonObject, textOrEmpty } from "../../../actors/schema.ts";

/** The longest chain of references. */
const MOST_HOPS = 16;

/** An error in a document or one of its operations, in words for people. */
export class OpenApiFlaw extends Error {}

export const listIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

export class OpenApiDocument {
  readonly root: JsonObject;
  /** 3.0 has its own kind of schemas; from 3.1 on they are JSON Schema. */
  readonly isThreeZero: boolean;

  /** Reads JSON or YAML. Throws `OpenApiFlaw` if it is not an OpenAPI 3 document. */
  constructor(text: string) {
    const value = parseDocument(text);
    if (!isJsonObject(value)) throw new OpenApiFlaw("The document is not an OpenAPI document: it must be an object");
    if (value["swagger"] !== undefined)
      throw new OpenApiFlaw("The document is Swagger 2: convert it to OpenAPI 3.0 or 3.1 first");
    const version = textOrEmpty(value["openapi"]);
    if (!/^3\.\d+/.test(version))
      throw new OpenApiFlaw('The document is no OpenAPI document of version 3: it has no `openapi: "3.…"`');
    this.root = value;
    this.isThreeZero = version.startsWith("3.0");
  }

  /**
   * Resolves a value's references; undefined if the result is not an object. Throws `OpenApiFlaw` for a broken
   * reference.
   */
  resolved(value: unknown): JsonObject | undefined {
    let current = value;
    for (let hops = 0; isJsonObject(current) && typeof current["$ref"] === "string"; hops++) {
      if (hops >= MOST_HOPS)
        throw new OpenApiFlaw(`The reference ${shownReference(current["$ref"])} refers to too many others`);
      current = this.at(current["$ref"]);
    }
    return isJsonObject(current) ? current : undefined;
  }

  /** The target of a reference. Throws `OpenApiFlaw` if it does not exist or is in another document. */
  at(ref: string): Json {
    if (!ref.startsWith("#/"))
      throw new OpenApiFlaw(
        `The reference ${shownReference(ref)} points outside the document: bundle the document first`,
      );
    const value = referredValue(this.root, ref);
    if (value === undefined) throw new OpenApiFlaw(`The reference ${shownReference(ref)} points to nothing`);
    return value as Json;
  }
}

/** Characters of a reference that an error quotes. */
const SHOWN_REFERENCE = 120;
const shownReference = (ref: string): string => cutText(ref, SHOWN_REFERENCE);

function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON; it may be YAML.
  }
  try {
    return Bun.YAML.parse(text);
  } catch {
    throw new OpenApiFlaw("The document is neither JSON nor YAML");
  }
}
