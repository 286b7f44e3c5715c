/**
 * Reads a JSON body within limits (ERR-5), and checks them before it parses: what is too long is not
 * read to its end, what is too deep is not parsed. The answer is an object whose strings PostgreSQL
 * and JSON can hold: no NUL (refused), no lone surrogate (replaced by U+FFFD).
 */
import { type Outcome, ok, refuse } from "../../actors/fault.ts";
import type { Json, JsonObject, Static } from "../../actors/schema.ts";
import type { Body, BodySchema } from "./validation.ts";

export const JSON_BODY_BYTES = 1024 * 1024;
export const JSON_DEPTH = 64;

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
/** An escape that may make a NUL or a lone surrogate; a raw one of either cannot get this far. */
const DOUBTFUL_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/** The body of one request. It comes once over the wire; its text can be asked for again. */
export class RequestBody {
  private readonly request: Request;
  private read: Promise<Outcome<string>> | null = null;
  /** The names of the fields that were sent, once it has been parsed. */
  fields: readonly string[] = [];

  constructor(request: Request) {
    this.request = request;
  }

  /** The text as it was sent, within the limit. */
  text(): Promise<Outcome<string>> {
    return (this.read ??= readText(this.request));
  }

  /** The JSON object in it. */
  async object(): Promise<Outcome<JsonObject>> {
    const { headers } = this.request;
    const encoding = headers.get("content-encoding");
    if (!JSON_TYPE.test(headers.get("content-type") ?? ""))
      return refuse({ kind: "unsupported_media_type", expected: "application/json" });
    if (encoding !== null && encoding !== "identity")
      return refuse({ kind: "unsupported_media_type", expected: "application/json without a Content-Encoding" });
    const text = await this.text();
    if (!text.ok) return text;
    const object = parseJsonObject(text.value);
    if (object.ok) this.fields = Object.keys(object.value);
    return object;
  }

  /** The fields that an operation needs. */
  async as<S extends BodySchema>(body: Body<S>): Promise<Outcome<Static<S>>> {
    const json = await this.object();
    return json.ok ? body.parse(json.value) : json;
  }

  /** The fields of an operation that can do without a body. */
  orEmpty<S extends BodySchema>(body: Body<S>): Promise<Outcome<Static<S>>> {
    const { body: stream, headers } = this.request;
    const isAbsent = stream === null || headers.get("content-length") === "0";
    return isAbsent ? Promise.resolve(body.parse({})) : this.as(body);
  }
}

/** The JSON object in a text. */
export function parseJsonObject(text: string): Outcome<JsonObject> {
  if (isTooDeep(text)) return badJson(`JSON in request body is nested deeper than ${JSON_DEPTH} levels`);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return badJson("Invalid JSON in request body");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return badJson("Request body must be a JSON object");
  // Not an array and not null, so an object; `Array.isArray` does not narrow a readonly array out.
  const object = value as JsonObject;
  if (!DOUBTFUL_ESCAPE.test(text)) return ok(object);
  const clean = cleaned(object);
  return clean === null ? badJson("NUL characters are not allowed in request body") : ok(clean as JsonObject);
}

function readText(request: Request): Promise<Outcome<string>> {
  const length = request.headers.get("content-length");
  if (length === null) return readBounded(request);
  return Number(length) > JSON_BODY_BYTES ? Promise.resolve(TOO_LARGE) : readWhole(request);
}

/** A body whose length is known and within the limit. */
async function readWhole(request: Request): Promise<Outcome<string>> {
  try {
    return ok(await request.text());
  } catch {
    return UNREADABLE;
  }
}

/** A chunked body: stops reading one past the limit. */
async function readBounded(request: Request): Promise<Outcome<string>> {
  if (request.body === null) return ok("");
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  try {
    for await (const chunk of request.body) {
      bytes += chunk.byteLength;
      if (bytes > JSON_BODY_BYTES) return TOO_LARGE;
      text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    return UNREADABLE;
  }
  return ok(text + decoder.decode());
}

const badJson = (message: string): Outcome<never> => refuse({ kind: "invalid_json", message });
const UNREADABLE = badJson("Request body could not be read");
const TOO_LARGE = refuse({ kind: "payload_too_large", limitBytes: JSON_BODY_BYTES });

const QUOTE = 34;
const BACKSLASH = 92;

/** Counts brackets outside of strings. */
function isTooDeep(text: string): boolean {
  if (text.length <= JSON_DEPTH) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > JSON_DEPTH) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}

/** Where the string that begins at `start` ends; the text's length where it does not. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
}

/** The value with well-formed strings, or null where one has a NUL. Depth is bounded by now. */
function cleaned(value: Json): Json {
  if (typeof value === "string") return value.includes("\0") ? null : value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  const pairs: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined || key.includes("\0")) return null;
    const clean = cleaned(item);
    if (clean === null && item !== null) return null;
    pairs.push([key.toWellFormed(), clean]);
  }
  return isList ? pairs.map(([, item]) => item) : Object.fromEntries(pairs);
}
