/**
 * What went wrong with a provider, as a `RunError`: a code that a client can act on and a sentence
 * that a user understands. Guarantee: the sentence holds no host, key, path or stack; of what a
 * provider sent, only its own short error message appears, masked.
 *
 * Errors are read by their shape, not by their class: this file must not load the AI SDK.
 */
import type { RunError, RunErrorCode } from "../../actors/job/schema.ts";
import { maskWords } from "./mask.ts";

/** Longest wait that a provider can ask for; one that names a week gets a day. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;
/** Error bodies longer than this are no short message and are not parsed. Characters. */
const MAX_BODY_CHARS = 64 * 1024;
/** Causes are followed this far. */
const MAX_CAUSES = 8;

/** Codes of the network layer: of Bun's fetch, of sockets and DNS, of TLS. */
const NETWORK_CODE = new RegExp(
  `^(?:${[
    "ECONN\\w+",
    "ENOTFOUND",
    "EAI_\\w+",
    "ETIMEDOUT",
    "EPIPE",
    "EHOST\\w+",
    "ENET\\w+",
    "DNS\\w*",
    "Connection\\w+",
    "FailedToOpenSocket",
    "UND_ERR_\\w+",
    "\\w*CERT\\w*",
    "ERR_TLS\\w*",
    "ERR_SSL\\w*",
    "UNABLE_TO_\\w+",
  ].join("|")})$`,
);

/** The SDK's names for a frame that it cannot read. */
const UNREADABLE = /JSONParseError|TypeValidationError/;

const SENTENCES = {
  provider_unreachable: "The model provider could not be reached, or the connection to it broke.",
  provider_unauthorized:
    "The model provider refused the credentials. An operator has to check the key of this provider.",
  provider_rate_limited: "The model provider's rate limit is reached.",
  provider_error: "The model provider failed to answer.",
  provider_stalled: "The model provider sent nothing for too long.",
  provider_rejected: "The model provider refused the request.",
} as const satisfies Partial<Record<RunErrorCode, string>>;

type ProviderCode = keyof typeof SENTENCES;

/** What is known about an error before it is put into words. */
interface Diagnosis {
  readonly code: ProviderCode;
  readonly status: number | undefined;
  readonly networkCode: string | undefined;
}

export const brokenOff = (): RunError => ({
  code: "provider_unreachable",
  message: "The connection to the model provider broke before its answer was complete.",
});
export const noModelOutput = (): RunError => ({
  code: "provider_error",
  message: "The model provider's answer was no model output.",
});
export const stalled = (): RunError => ({ code: "provider_stalled", message: SENTENCES.provider_stalled });
export const tooLong = (): RunError => ({
  code: "provider_error",
  message: "The model provider's answer was longer than is allowed.",
});

/** The error of a thrown value or an `error` part. `now` is wall-clock time in ms; `secrets` are masked. */
export function providerFault(error: unknown, secrets: readonly string[], now: number): RunError {
  const { code, status } = diagnose(error);
  // A frame that is no JSON, or JSON of another shape.
  if (error instanceof Error && UNREADABLE.test(error.name)) return noModelOutput();
  const retryAfterMs = retryAfter(error, now);
  // What a provider says of a fault of its own is for its operators: it may quote anything.
  const isOwnFault = code === "provider_unauthorized" || code === "provider_error";
  const message = sentence(code, status, isOwnFault ? "" : maskWords(providerWords(error), secrets));
  return retryAfterMs === undefined ? { code, message } : { code, message, retryAfterMs };
}

/** What a log may hold of an error: names and codes, never its text (it may quote the prompt). */
export function faultDetails(error: unknown): Record<string, string | number | undefined> {
  const { status, networkCode } = diagnose(error);
  return { error: error instanceof Error ? error.name : typeof error, status, networkCode };
}

function diagnose(error: unknown): Diagnosis {
  const networkCode = findNetworkCode(error);
  const status = statusOf(error);
  if (status !== undefined && status >= 300) return { code: codeOfStatus(status), status, networkCode };
  return { code: networkCode === undefined ? "provider_error" : "provider_unreachable", status, networkCode };
}

function codeOfStatus(status: number): ProviderCode {
  if (status === 401 || status === 403 || status === 407) return "provider_unauthorized";
  if (status === 429) return "provider_rate_limited";
  if (status < 400 || status >= 500 || status === 408) return "provider_error";
  return "provider_rejected";
}

function sentence(code: ProviderCode, status: number | undefined, words: string): string {
  const isFailure = code === "provider_error" && status !== undefined && status >= 300;
  const start = isFailure ? `The model provider answered with an error (HTTP ${status}).` : SENTENCES[code];
  return words === "" ? start : `${start} It said: ${words}`;
}

function statusOf(error: unknown): number | undefined {
  const status = field(error, "statusCode");
  return typeof status === "number" ? status : undefined;
}

/** The first code in the chain of causes that the network layer gave. A provider's own codes are not meant. */
function findNetworkCode(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    const code = field(current, "code");
    const isOfProvider = current.name.includes("StreamProviderError");
    if (typeof code === "string" && !isOfProvider && NETWORK_CODE.test(code)) return code;
    current = current.cause;
  }
  return undefined;
}

/** The provider's short message: of an error in the stream, or of the JSON body of an error answer. */
function providerWords(error: unknown): string {
  if (error instanceof Error && error.name.includes("StreamProviderError")) return error.message;
  if (!(error instanceof Error)) return wordsIn(error);
  const body = field(error, "responseBody");
  const status = statusOf(error);
  if (status === undefined || status < 300 || typeof body !== "string" || body.length > MAX_BODY_CHARS) return "";
  try {
    return wordsIn(JSON.parse(body));
  } catch {
    return "";
  }
}

function wordsIn(body: unknown): string {
  if (typeof body === "string") return body;
  const inner = field(body, "error");
  for (const words of [field(inner, "message"), inner, field(body, "message"), field(body, "detail")]) {
    if (typeof words === "string") return words;
  }
  return "";
}

/** `Retry-After` in seconds or as a date, or `retry-after-ms`; undefined where none can be read. */
function retryAfter(error: unknown, now: number): number | undefined {
  const headers = field(error, "responseHeaders");
  const ms = Number.parseFloat(String(field(headers, "retry-after-ms")));
  if (Number.isFinite(ms)) return bounded(ms);
  const value = field(headers, "retry-after");
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return bounded(seconds * 1000);
  const date = Date.parse(value);
  return Number.isFinite(date) ? bounded(date - now) : undefined;
}

const bounded = (ms: number): number => Math.round(Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS));

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
