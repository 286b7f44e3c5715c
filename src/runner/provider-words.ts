/**
 * What a provider says about an error, in whatever shape: OpenAI's and Anthropic's `error`, Gemini's list of errors,
 * FastAPI's `detail`, `errors` of Cloudflare, plain text. Read from the body of an error answer, from a frame of a
 * stream, or from a JSON answer with status 200.
 */
import { type JsonLimits, parseWithin } from "../../actors/json-shape.ts";
import { untrustedField } from "./wire/frame.ts";

/** How deep words are looked for: `error.message` is two levels deep, in a list three. */
const MAX_LEVELS = 5;
/** The fields that have the words, or a value with them; the first one with words counts. */
const PLACES = [
  "error",
  "errors",
  "message",
  "detail",
  "details",
  "msg",
  "error_description",
  "status_msg",
  "base_resp",
  "title",
] as const;

/** The provider's words; "" if there are none. */
export function providerWordsIn(body: unknown, levels = MAX_LEVELS): string {
  if (typeof body === "string") return isPage(body) ? "" : body.trim();
  // Only keys of the value are searched, so that the cost is bounded by the body: a stream may have thousands of such
  // frames.
  if (levels === 0 || typeof body !== "object" || body === null) return "";
  if (Array.isArray(body)) return providerWordsIn(body[0], levels - 1);
  const upstream = upstreamOf(body);
  const words = upstream === undefined ? "" : providerWordsIn(upstream, levels - 1);
  if (words !== "") return words;
  for (const place of PLACES) {
    const words = providerWordsIn(untrustedField(body, place), levels - 1);
    if (words !== "") return words;
  }
  return "";
}

/** Of OpenRouter: the answer of the provider behind it, whose words say more than its own. */
function upstreamOf(error: unknown): unknown {
  const raw = untrustedField(untrustedField(error, "metadata"), "raw");
  return typeof raw === "string" ? (parseWithin(raw, UPSTREAM) ?? raw) : raw;
}
const UPSTREAM: JsonLimits = { depth: 64, values: 4_096 };

/** What a provider says about a request that it refuses, without what it repeats of the request. */
export interface ProviderRefusal {
  /** Its words, and its names for the kind of the error. */
  readonly words: string;
  /** The field of the request that it names, such as `messages[1].content` or `temperature`; "" if it names none. */
  readonly field: string;
}

/** Characters of the words that are examined. */
const REFUSAL_CHARS = 2_000;
/** Where servers quote what they refuse: FastAPI and others in Python, also in an answer that is too long to parse. */
const QUOTED_INPUT = /['"](?:input|body|messages|prompt|request)['"]: ?|\binput_value=/;
/** Of FastAPI, the whole request is the field `body`. */
const NAMED_FIELD = /^(?:body\.)?([a-z][\w.[\]-]*): /i;

export function refusalIn(body: unknown): ProviderRefusal {
  const error = innermost(body);
  const said = providerWordsIn(body);
  const words = (said.split(QUOTED_INPUT, 1)[0] ?? "").slice(0, REFUSAL_CHARS);
  const path = untrustedField(error, "loc");
  const param = untrustedField(error, "param");
  const loc = Array.isArray(path) ? path.filter((part) => part !== "body").join(".") : "";
  const field = typeof param === "string" && param !== "" ? param : loc || (NAMED_FIELD.exec(words)?.[1] ?? "");
  const all = [untrustedField(error, "code"), untrustedField(error, "type"), words, field];
  return { words: all.filter((part) => typeof part === "string" && part !== "").join(" "), field };
}

/** The value in which the words of `providerWordsIn` are a field. */
function innermost(body: unknown, levels = MAX_LEVELS): unknown {
  if (levels === 0 || typeof body !== "object" || body === null) return undefined;
  if (Array.isArray(body)) return innermost(body[0], levels - 1);
  for (const inner of [upstreamOf(body), ...PLACES.map((place) => untrustedField(body, place))])
    if (providerWordsIn(inner) !== "") return innermost(inner, levels - 1) ?? body;
  return body;
}

export const isPage = (text: string): boolean => /^\s*</.test(text);

/**
 * Whether a frame without content of the format is an error. A ping is not an error, so a bare `message` counts only
 * beside a code or a status.
 */
export function isErrorFrame(frame: unknown): boolean {
  if (Array.isArray(frame)) return isErrorFrame(frame[0]);
  const kinds = [untrustedField(frame, "type"), untrustedField(frame, "object")];
  if (Boolean(untrustedField(frame, "error")) || kinds.includes("error")) return true;
  if (
    providerWordsIn(untrustedField(frame, "detail")) !== "" ||
    providerWordsIn(untrustedField(frame, "errors")) !== ""
  )
    return true;
  const status = untrustedField(untrustedField(frame, "base_resp"), "status_code");
  if (typeof status === "number" && status !== 0) return true;
  const code = untrustedField(frame, "code") ?? untrustedField(frame, "status") ?? untrustedField(frame, "status_code");
  return code !== undefined && !NO_ERROR.has(code) && typeof untrustedField(frame, "message") === "string";
}
/** Codes of frames that are no errors. */
const NO_ERROR: ReadonlySet<unknown> = new Set([null, 0, 200, "0", "200", "ok", "success"]);

/** The status of an answer with this error, by the code or the kind that the provider names; undefined if unknown. */
export function statusOfKind(body: unknown): number | undefined {
  const frame: unknown = Array.isArray(body) ? body[0] : body;
  const inner = untrustedField(frame, "error");
  for (const error of typeof inner === "object" && inner !== null ? [inner, frame] : [frame])
    for (const name of ["code", "status", "status_code", "type"]) {
      const kind = untrustedField(error, name);
      const number = typeof kind === "string" && /^\d{3}$/.test(kind) ? Number(kind) : kind;
      if (typeof number === "number" && number >= 400 && number <= 599) return number;
      if (typeof kind === "string" && Object.hasOwn(STATUS_OF_KIND, kind)) return STATUS_OF_KIND[kind];
    }
  return undefined;
}

/** Kinds of errors that providers name within a body: OpenAI's, Anthropic's, then Google's. */
const STATUS_OF_KIND: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  context_length_exceeded: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 400,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  overloaded_error: 529,
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

/** Words of providers for a key that they refuse; a 403 may also be about a region, a model or the content. */
const ABOUT_KEY =
  /\b(?:api|access|auth\w*)[ _-]?(?:key|token)s?\b|credential|unauthori[sz]ed|authentica|\bpermission_error\b|\binvalid.{0,20}token|\bkey (?:is )?(?:not valid|invalid|disabled|expired|revoked)/i;
const BAD_KEY =
  /\b(?:invalid|incorrect|wrong|expired|revoked)\b.{0,24}\b(?:api[ _-]?key|token)\b|\bapi[ _-]?key\b.{0,12}\b(?:not valid|invalid|expired)/i;

/** Whether a refusal with this status is about the key. `words`: all that is known of it, "" for nothing. */
export function isAboutKey(status: number, words: string): boolean {
  if (status === 401 || status === 407) return true;
  if (status === 403) return words === "" || ABOUT_KEY.test(words);
  return status === 400 && BAD_KEY.test(words);
}
