/**
 * Reads a JSON body within limits (ERR-5), and checks them before parsing: a body that is too long is not read to
 * its end, one that is too deep is not parsed. The result is an object whose strings PostgreSQL and JSON can hold.
 * Invalid UTF-8, NUL and lone surrogates are refused, because acknowledged data must not differ from what was sent.
 */
import { visit } from "jsonc-parser";
import { type Fault, type Outcome, ok, refuse } from "../../../actors/fault.ts";
import { jsonFlaw, MAX_JSON_DEPTH } from "../../../actors/clean-text.ts";
import { NumberLimitError, parseExact } from "../../../actors/exact-json.ts";
import { isDeeper } from "../../../actors/json-shape.ts";
import type { Json, JsonObject } from "../../../actors/schema.ts";
import { type BodySource, isCoded } from "./raw-body.ts";

export const JSON_BODY_BYTES = 1024 * 1024;

const JSON_CONTENT_TYPE = /^application\/json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)"?/i;
const UTF_8 = /^utf-?8$/i;
/** An escape that may encode a NUL or a lone surrogate; unescaped ones were refused earlier. */
const DOUBTFUL_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/** The source of a JSON body's text. */
export interface TextSource extends BodySource {
  bytes(): Promise<Uint8Array>;
}

/** The body as it was sent, if it is within the limit. */
export function readBytes(source: TextSource, limitBytes = JSON_BODY_BYTES): Promise<Outcome<Uint8Array>> {
  const length = source.headers.get("content-length");
  if (length === null) return readBounded(source, limitBytes);
  return Number(length) > limitBytes ? Promise.resolve(tooLargeJson(limitBytes)) : readWhole(source);
}

/** Whether there is no body. */
export const isAbsent = ({ body, headers }: BodySource): boolean =>
  body === null || headers.get("content-length") === "0";

/** Why the headers rule out that the body is JSON; null if they do not. */
export function typeFault(source: Pick<BodySource, "headers">): Fault | null {
  const type = source.headers.get("content-type") ?? "";
  if (!JSON_CONTENT_TYPE.test(type)) return { kind: "unsupported_media_type", expected: "application/json" };
  const charset = CHARSET.exec(type)?.[1];
  if (charset !== undefined && !UTF_8.test(charset))
    return { kind: "unsupported_media_type", expected: "application/json in UTF-8" };
  return isCoded(source)
    ? { kind: "unsupported_media_type", expected: "application/json without a Content-Encoding" }
    : null;
}

/** The JSON object in a text. */
export function parseJsonObject(text: string): Outcome<JsonObject> {
  if (isDeeper(text, MAX_JSON_DEPTH))
    return badJson(`JSON in request body is nested deeper than ${MAX_JSON_DEPTH} levels`);
  let value: Json;
  try {
    value = parseExact(text) as Json;
  } catch (cause) {
    if (cause instanceof NumberLimitError) return badNumber(cause);
    return badJson("Invalid JSON in request body", placeOfError(text));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return NO_OBJECT;
  // Not an array and not null, so an object; `Array.isArray` does not narrow a readonly array out.
  const object = value as JsonObject;
  if (!DOUBTFUL_ESCAPE.test(text)) return ok(object);
  const flaw = jsonFlaw(object);
  return flaw === null ? ok(object) : badJson(`${flaw} are not allowed in request body`);
}

function badNumber({ path, words }: NumberLimitError): Outcome<never> {
  const field = path.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
  return refuse({ kind: "invalid_request", errors: [{ path, message: `Field ${field} ${words}` }] });
}

/** The position of a syntax error, for people; empty if unknown. */
function placeOfError(text: string): string {
  let place = "";
  const onError = (_: number, offset: number, __: number, line: number, column: number): void => {
    if (place === "") place = ` at position ${offset} (line ${line + 1}, column ${column + 1})`;
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (cause) {
    // Unbalanced brackets can nest deeper than the depth check assumes.
    if (!(cause instanceof RangeError)) throw cause;
  }
  return place;
}

/** A body of a known length within the limit. */
async function readWhole(source: TextSource): Promise<Outcome<Uint8Array>> {
  try {
    return ok(await source.bytes());
  } catch {
    return UNREADABLE_BODY;
  }
}

const UTF_8_DECODER = new TextDecoder("utf-8", { fatal: true });

/** A body as text. */
export function decodeBody(bytes: Uint8Array): Outcome<string> {
  try {
    return ok(UTF_8_DECODER.decode(bytes));
  } catch {
    return NOT_UTF_8;
  }
}

/** A chunked body: stops one byte past the limit. */
async function readBounded({ body }: BodySource, limitBytes: number): Promise<Outcome<Uint8Array>> {
  if (body === null) return ok(new Uint8Array());
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > limitBytes) return tooLargeJson(limitBytes);
      chunks.push(chunk);
    }
  } catch {
    return UNREADABLE_BODY;
  }
  return ok(Buffer.concat(chunks));
}

const badJson = (message: string, place = ""): Outcome<never> =>
  refuse({ kind: "invalid_json", message, ...(place === "" ? {} : { place }) });
const UNREADABLE_BODY = badJson("Request body could not be read");
const NOT_UTF_8 = badJson("Request body must be UTF-8");
const NO_OBJECT = refuse({
  kind: "invalid_request",
  errors: [{ path: "", message: "Request body must be a JSON object" }],
});
const tooLargeJson = (limitBytes: number): Outcome<never> => refuse({ kind: "payload_too_large", limitBytes });
