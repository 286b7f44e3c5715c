/**
 * Builds the request of an HTTP tool's call (RUN-13) from the tool and the arguments. Pure. Arguments come from a
 * model: none of them can change the host, leave the path of the tool, or add another header or parameter.
 */
import type { ArgumentPlace, HttpCall } from "../../../actors/job/connections.ts";
import { isExactNumber } from "../../../actors/exact-json.ts";
import { sameName } from "../../../actors/job/rules/tool-fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../actors/schema.ts";
import { HEADER_VALUE } from "../../../actors/header-name.ts";

/** Characters of a whole address: the common limit of servers. */
export const MAX_URL = 8_192;
/** Characters of a header that an argument gives. */
const MAX_ARGUMENT_HEADER = 4_096;
/** Bytes of a body. */
export const MAX_BODY_BYTES = 256 * 1024;

export interface BuiltRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
}

interface RequestPartsDraft {
  path: string;
  readonly query: string[];
  readonly headers: Record<string, string>;
  /** The whole body. */
  body: Json | undefined;
  /** Fields of the body. */
  readonly fields: Record<string, Json>;
}

/** The request, or why it is refused, in words for the model. */
export function buildRequest(http: HttpCall, inputSchema: JsonObject, input: JsonObject): BuiltRequest | string {
  const [address = "", ...rest] = http.url.split("?");
  const parts: RequestPartsDraft = {
    path: address,
    query: rest.length === 0 ? [] : [rest.join("?")],
    headers: {},
    body: undefined,
    fields: {},
  };
  const taken = takenNamesOf(http, inputSchema, input);
  for (const [name, value] of Object.entries(input)) {
    if (!taken.own.has(name) && taken.names.has(sameName(name)))
      return `The tool has no argument ${name}, and its name could be taken for that of another argument.`;
    const place = argumentPlace(http, name);
    // JSON has null; a URL and a header do not.
    if (value === null && place.place !== "field" && place.place !== "body") continue;
    const wrong = putArgument(parts, place, value as Json);
    if (wrong !== null) return `The argument ${name} ${wrong}.`;
  }
  const open = /\{([^{}]*)\}/.exec(parts.path);
  if (open !== null) return `The argument ${open[1]} is missing: it is part of the address.`;
  if (leavesPath(parts.path)) return "An argument must not turn a part of the address into `.` or `..`.";
  const url = parts.query.length === 0 ? parts.path : `${parts.path}?${parts.query.join("&")}`;
  if (url.length > MAX_URL) return `The arguments make the address longer than ${MAX_URL} characters.`;
  const body = requestJson(http, inputSchema, parts);
  if (body !== undefined && Buffer.byteLength(body) > MAX_BODY_BYTES)
    return `The arguments are larger than ${MAX_BODY_BYTES} bytes.`;
  return { url, headers: parts.headers, ...(body === undefined ? {} : { body }) };
}

/**
 * The arguments that the tool names, and all names that their values have on the way. Another argument must not have
 * one of these, in any spelling that a server may take for it (`Amount`, `amount[]`): it would take the place of one
 * that was checked.
 */
function takenNamesOf({ arguments: listed, url }: HttpCall, inputSchema: JsonObject, input: JsonObject) {
  const { properties } = inputSchema;
  const named = isJsonObject(properties) ? Object.keys(properties) : [];
  const own = new Set([...named, ...listed.map(({ name }) => name)]);
  const [address = "", query] = [url.split("?", 1)[0], url.slice(url.indexOf("?") + 1)];
  const inPath = [...address.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  // A part of the path that nothing names is the place of the argument with this name.
  const isFilled = (part: string): boolean =>
    listed.some(({ name, place, as = name }) => place === "path" && as === part);
  for (const part of inPath) if (!isFilled(part) && Object.hasOwn(input, part)) own.add(part);
  const inQuery = url.includes("?") ? query.split("&").map((pair) => pair.split("=", 1)[0] ?? "") : [];
  const others = [...own, ...listed.flatMap(({ as }) => as ?? []), ...inPath, ...inQuery];
  return { own, names: new Set(others.map(sameName)) };
}

const HIDDEN_SEPARATORS: Readonly<Record<string, string>> = { "25": "%", "2e": ".", "2f": "/", "3b": ";", "5c": "\\" };
/** Rounds of decoding that a chain of servers may do. */
const DECODINGS = 8;

/**
 * Whether a part of the path is `.` or `..`, for anybody on the way: clients normalize these, also with `%2e`, and take
 * a backslash for a slash; servers decode `%2f` and `%5c`, some of them twice, and some ignore what follows a `;`.
 */
function leavesPath(path: string): boolean {
  let decoded = path;
  for (let round = 0; ; round++) {
    if (decoded.split(/[\\/]/).some((segment) => /^\.{1,2}(?:;|$)/.test(segment))) return true;
    const next = decoded.replace(
      /%(25|2e|2f|3b|5c)/gi,
      (_, code: string) => HIDDEN_SEPARATORS[code.toLowerCase()] ?? "",
    );
    if (next === decoded) return false;
    // No legitimate path is encoded this often.
    if (round === DECODINGS) return true;
    decoded = next;
  }
}

/**
 * Where an argument goes: the place that the tool lists, else the `{name}` of the address, else the method's default.
 */
function argumentPlace(
  { arguments: listed, url, method }: HttpCall,
  name: string,
): ArgumentPlace | { readonly name: string; readonly place: "field" } {
  const found = listed.find((one) => one.name === name);
  if (found !== undefined) return found;
  if (url.includes(`{${name}}`)) return { name, place: "path" };
  return hasBody(method) ? { name, place: "field" } : { name, place: "query" };
}

const hasBody = (method: HttpCall["method"]): boolean => method !== "GET" && method !== "DELETE";

/** Puts a value at its place; answers an error, or null. */
function putArgument(parts: RequestPartsDraft, place: ReturnType<typeof argumentPlace>, value: Json): string | null {
  const { name } = place;
  if (place.place === "field") {
    Object.defineProperty(parts.fields, name, { value, enumerable: true });
    return null;
  }
  const as = place.as ?? name;
  if (place.place === "body") parts.body = value;
  if (place.place === "path") {
    const text = scalarText(value);
    if (text === null || text === "") return "is part of the address: it must be a string or a number, and not empty";
    // Replace by a function, so that `$&` in a text is no pattern.
    parts.path = parts.path.replaceAll(`{${as}}`, () => encodeValue(text));
  }
  if (place.place === "query") {
    const values = Array.isArray(value) ? value : [value];
    for (const one of values)
      parts.query.push(`${encodeValue(as)}=${encodeValue(scalarText(one as Json) ?? JSON.stringify(one))}`);
  }
  if (place.place === "header") {
    const text = Array.isArray(value)
      ? value.map((one) => scalarText(one as Json) ?? JSON.stringify(one)).join(",")
      : (scalarText(value) ?? JSON.stringify(value));
    if (!HEADER_VALUE.test(text)) return "goes into a header: it must be printable ASCII";
    if (text.length > MAX_ARGUMENT_HEADER)
      return `goes into a header: it must have at most ${MAX_ARGUMENT_HEADER} characters`;
    parts.headers[as.toLowerCase()] = text;
  }
  return null;
}

/** The body as JSON; undefined if all arguments of the tool go elsewhere. */
function requestJson(http: HttpCall, inputSchema: JsonObject, { body, fields }: RequestPartsDraft): string | undefined {
  if (body !== undefined) return JSON.stringify(body);
  if (!hasBody(http.method)) return undefined;
  if (Object.keys(fields).length > 0) return JSON.stringify(fields);
  const names = Object.keys((inputSchema["properties"] ?? {}) as object);
  return names.some((name) => argumentPlace(http, name).place === "field") ? "{}" : undefined;
}

const encodeValue = (text: string): string => encodeURIComponent(text.toWellFormed());

/** A string, number or boolean as text; null for anything else. */
function scalarText(value: Json): string | null {
  if (typeof value === "string") return value;
  if (isExactNumber(value)) return value.rawJSON;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}
