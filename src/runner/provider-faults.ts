/**
 * Failures of a provider, as a `RunError`: a code that a client can act on and a sentence that a user understands.
 * Guarantee: the sentence contains no host, key, path or stack; of the provider's output, it quotes only the short
 * error message, masked.
 *
 * Errors are read by their shape, not by their class: this file must not load the AI SDK.
 */
import type { RunError, RunErrorCode } from "../../actors/job/schema.ts";
import { type JsonLimits, parseWithin } from "../../actors/json-shape.ts";
import { AnswerRefused } from "./answer-limits.ts";
import { TooMuchData, UnspeakableFile } from "./content.ts";
import { untrustedField } from "./wire/frame.ts";
import { maskWords } from "./mask.ts";
import {
  isAboutKey,
  isPage,
  type ProviderRefusal,
  providerWordsIn,
  refusalIn,
  statusOfKind,
} from "./provider-words.ts";
import { rateHeaderPause } from "./rate-headers.ts";

/** Longest wait that a provider can ask for; a week becomes a day. */
export const MAX_PROVIDER_WAIT_MS = 24 * 60 * 60 * 1000;
/** Longer error bodies are not short messages and are not parsed. Characters. */
const MAX_BODY_CHARS = 64 * 1024;
/** Nesting and values of an error body that is read. */
const ERROR_BODY: JsonLimits = { depth: 64, values: 4_096 };
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

/** Names of errors for an unreadable frame, ours and the SDK's. */
const UNREADABLE_FRAME_ERROR = /JSONParseError|TypeValidationError|UnreadableFrame/;

/** The SDK's error for a package that finds no key in the environment. */
const NO_KEY_ERROR = "AI_LoadAPIKeyError";
/** The SDK's error for a part of a conversation that the provider does not accept. */
const NOT_SUPPORTED = "AI_UnsupportedFunctionalityError";
const NOT_TAKEN = "The conversation has an image or a file of a type that this model cannot read.";

const SENTENCES = {
  provider_unreachable: "The model provider could not be reached, or the connection to it broke.",
  provider_unauthorized: "The model provider refused the credentials. An operator must check the key of this provider.",
  provider_rate_limited: "The model provider's rate limit is reached.",
  provider_error: "The model provider failed to answer.",
  provider_stalled: "The model provider sent nothing for too long.",
  provider_rejected: "The model provider refused the request.",
  context_length_exceeded: "The conversation is longer than the model's context window.",
} as const satisfies Partial<Record<RunErrorCode, string>>;

type ProviderCode = keyof typeof SENTENCES;

/** The known facts of an error, before its message is chosen. */
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
  message: "The model provider's answer is not valid model output.",
});
export const noCalls = (): RunError => ({
  code: "provider_error",
  message: "The model provider announced tool calls but sent none.",
});
export const stalledError = (): RunError => ({ code: "provider_stalled", message: SENTENCES.provider_stalled });
export const tooLong = (): RunError => ({
  code: "provider_error",
  message: "The model provider's answer was longer than is allowed.",
});

/** No call can be made, for a reason that the operator can fix; `message` names it and contains no secret. */
export class ModelCallUnavailable extends Error {
  override readonly name = "ModelUnavailable";
}

/** An error answer: its status, its headers in lower case, and its body as far as it was read. */
export class ProviderAnswer extends Error {
  override readonly name = "ProviderAnswer";
  readonly statusCode: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;

  constructor(statusCode: number, responseHeaders: Readonly<Record<string, string>>, responseBody: string) {
    super(`HTTP ${statusCode}`);
    this.statusCode = statusCode;
    this.responseHeaders = responseHeaders;
    this.responseBody = responseBody;
  }
}

/** An error within a provider's stream, with the status of an equivalent error answer. */
export class StreamProviderError extends Error {
  override readonly name = "StreamProviderError";
  readonly statusCode: number | undefined;

  constructor(message: string, statusCode: number | undefined) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** The error for an error frame of any provider. */
export const frameFault = (frame: unknown): StreamProviderError =>
  new StreamProviderError(providerWordsIn(frame), errorStatus(frame) ?? statusOfKind(frame));

/** The error of a thrown value or an `error` part. `now` is wall-clock time in ms; `secrets` are masked. */
export function providerFault(error: unknown, secrets: readonly string[], now: number): RunError {
  if (error instanceof ModelCallUnavailable) return { code: "model_unavailable", message: error.message };
  if (error instanceof UnspeakableFile) return { code: "provider_rejected", message: error.message };
  if (error instanceof TooMuchData) return { code: "context_length_exceeded", message: error.message };
  if (error instanceof Error && error.name === NOT_SUPPORTED) return { code: "provider_rejected", message: NOT_TAKEN };
  const refused = refusedAnswer(error);
  if (refused !== null)
    return { code: "provider_error", message: `The model provider's answer was refused: ${refused.message}.` };
  const { code, status } = diagnose(error);
  // A frame that is not JSON, or JSON of another shape.
  if (error instanceof Error && UNREADABLE_FRAME_ERROR.test(error.name)) return noModelOutput();
  const retryAfterMs = providerWaitMs(error, now);
  const message = sentence(code, status, maskWords(providerWords(error), secrets));
  return retryAfterMs === undefined ? { code, message } : { code, message, retryAfterMs };
}

/** How servers say that a model takes no tools: Ollama, vLLM, llama.cpp, OpenRouter, Groq. */
const TOOLS_REFUSED = [
  /not support.{0,20}(?:tool|function)/,
  /(?:tool|function)s?[ -`]*(?:use|call\w*|choice|param)?[^.]{0,20}(?:not supported|unsupported|not enabled|requires? --)/,
  /no endpoints found that support tool/,
];

/** Whether the provider has refused the request because it has tools. */
export function refusesTools(error: unknown): boolean {
  const status = errorStatus(error);
  if (status === undefined || status < 400 || status === 401 || status === 429) return false;
  const words = providerWords(error).toLowerCase();
  // Then it is about one of the tools, whose name and schema an author has chosen.
  if (/schema|propert|\b(?:for|in) function [`'"]|\btools(?:\[|\.\w)/.test(words)) return false;
  // Or about the conversation, or how calls are made.
  if (/\b(?:messages?|roles?|content|parallel\w*)\b/.test(words)) return false;
  return TOOLS_REFUSED.some((says) => says.test(words));
}

/** What the provider says about the request that it has refused. */
export const providerRefusalOf = (answer: ProviderAnswer): ProviderRefusal =>
  refusalIn(errorBody(answer) ?? answer.responseBody);

/** The loggable parts of an error: names, codes and the provider's short message, masked. */
export function faultDetails(error: unknown, secrets: readonly string[]): Record<string, string | number | undefined> {
  const { status, networkCode } = diagnose(error);
  const refused = refusedAnswer(error)?.message;
  const said = maskWords(providerWords(error), secrets) || undefined;
  return { error: error instanceof Error ? error.name : typeof error, status, networkCode, refused, said };
}

function diagnose(error: unknown): Diagnosis {
  const networkCode = findNetworkCode(error);
  const status = errorStatus(error);
  if (error instanceof Error && error.name === NO_KEY_ERROR)
    return { code: "provider_unauthorized", status, networkCode };
  if (status !== undefined && status >= 300) {
    const code = isAboutKey(status, allWords(error)) ? "provider_unauthorized" : codeOfStatus(status);
    return {
      code: code === "provider_rejected" && saysTooLong(error) ? "context_length_exceeded" : code,
      status,
      networkCode,
    };
  }
  if (networkCode !== undefined) return { code: "provider_unreachable", status, networkCode };
  // LM Studio reports it in a stream, without a code.
  return { code: saysTooLong(error) ? "context_length_exceeded" : "provider_error", status, networkCode };
}

function codeOfStatus(status: number): ProviderCode {
  if (status === 429) return "provider_rate_limited";
  if (status < 400 || status >= 500 || status === 408) return "provider_error";
  return "provider_rejected";
}

function sentence(code: ProviderCode, status: number | undefined, words: string): string {
  const isFailure = code === "provider_error" && status !== undefined && status >= 300;
  const start = isFailure ? `The model provider answered with an error (HTTP ${status}).` : SENTENCES[code];
  return words === "" ? start : `${start} It said: ${words}`;
}

function errorStatus(error: unknown): number | undefined {
  const status = untrustedField(error, "statusCode");
  return typeof status === "number" ? status : undefined;
}

/** The exceeded limit of the answer, if that is the cause. */
function refusedAnswer(error: unknown): AnswerRefused | null {
  let current: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof AnswerRefused) return current;
    current = current.cause;
  }
  return null;
}

/** The first code of the network layer in the chain of causes. A provider's own codes do not count. */
function findNetworkCode(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    const code = untrustedField(current, "code");
    const isOfProvider = current.name.includes("StreamProviderError");
    if (typeof code === "string" && !isOfProvider && NETWORK_CODE.test(code)) return code;
    current = current.cause;
  }
  return undefined;
}

/** The provider's short message: of an error in the stream, or of the body of an error answer. */
function providerWords(error: unknown): string {
  if (error instanceof Error && error.name.includes("StreamProviderError")) return error.message;
  return error instanceof Error ? providerWordsIn(errorBody(error)) : providerWordsIn(error);
}

/** The body of an error answer: its value if it is JSON, else its text; undefined if there is none. */
function errorBody(error: unknown): unknown {
  const body = untrustedField(error, "responseBody");
  const status = errorStatus(error);
  if (status === undefined || status < 300 || typeof body !== "string" || body.length > MAX_BODY_CHARS)
    return undefined;
  // A body that looks like JSON but cannot be read is not a message.
  return parseWithin(body, ERROR_BODY) ?? (/^\s*[{[]/.test(body) ? undefined : body);
}

/** The message with the code and the kind of the error. */
function allWords(error: unknown): string {
  const body = error instanceof Error ? errorBody(error) : error;
  // A page is the answer of a proxy or a firewall.
  if (typeof body === "string" && isPage(body)) return "page";
  const inner = untrustedField(Array.isArray(body) ? body[0] : body, "error") ?? body;
  const names = [
    untrustedField(inner, "code"),
    untrustedField(inner, "type"),
    untrustedField(inner, "status"),
    untrustedField(error, "kind"),
  ];
  return [...names, providerWords(error)].filter((word) => typeof word === "string" && word !== "").join(" ");
}

/** Messages of providers and servers for a request that exceeds the context window. */
export const CONTEXT_EXCEEDED =
  /context_length_exceeded|exceed_context_size|context (?:length|window|size|limit)|prompt is too long|input is too long|too many (?:input )?tokens|maximum (?:input|number of) tokens|reduce the length/i;

/** Whether the error's code or its text says that the request is too long. */
const saysTooLong = (error: unknown): boolean => CONTEXT_EXCEEDED.test(allWords(error));

/** `Retry-After` in seconds or as a date, `retry-after-ms`, or the rate headers; undefined if none is valid. */
function providerWaitMs(error: unknown, now: number): number | undefined {
  const headers = untrustedField(error, "responseHeaders");
  const ms = Number.parseFloat(String(untrustedField(headers, "retry-after-ms")));
  if (Number.isFinite(ms)) return boundedWait(ms);
  const value = untrustedField(headers, "retry-after");
  if (typeof value !== "string" || value.trim() === "") return pauseAsked(headers, now);
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return boundedWait(seconds * 1000);
  const date = Date.parse(value);
  return Number.isFinite(date) ? boundedWait(date - now) : undefined;
}

/** The pause that the rate headers of a provider's answer ask for, in ms; undefined if there is none. */
export function pauseAsked(headers: unknown, now: number): number | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  const asked = rateHeaderPause(headers as Readonly<Record<string, string>>, now);
  return asked === undefined ? undefined : boundedWait(asked);
}

const boundedWait = (ms: number): number => Math.round(Math.min(Math.max(ms, 0), MAX_PROVIDER_WAIT_MS));
