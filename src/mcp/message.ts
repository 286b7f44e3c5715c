/** JSON-RPC messages as received, before the SDK validates their form. */
import { isWellFormed, MAX_JSON_DEPTH } from "../../actors/clean-text.ts";
import { NumberLimitError, parseExact } from "../../actors/exact-json.ts";
import { isDeeper } from "../../actors/json-shape.ts";
import type { Json, JsonObject } from "../../actors/schema.ts";
import type { Refusal } from "../http/answer/dialect.ts";

/** A message as JSON, read before the SDK validates its form. */
export interface PostedJson {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown } & JsonObject;
}

/** An escaped half of a character, which may lack its other half. */
const HALF = /\\u[dD][89a-fA-F]/;
const LONE = Symbol("lone surrogates");

/**
 * The JSON in a body; undefined if it is invalid or too deep, `LONE` if a character of it is only a half, or the error
 * of a number that cannot be kept.
 */
export function messageIn(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (isDeeper(text, MAX_JSON_DEPTH)) return undefined;
    const value = parseExact(text);
    if (typeof value !== "object" || value === null) return undefined;
    if (HALF.test(text) && !isWellFormed(value as Json)) return LONE;
    return Array.isArray(value) ? value.map(withoutNullArguments) : withoutNullArguments(value);
  } catch (cause) {
    return cause instanceof NumberLimitError ? cause : undefined;
  }
}

/** The error for a body that `messageIn` could not read; null if it could. */
export function messageFault(parsed: unknown): readonly [code: number, message: string] | null {
  if (parsed === undefined) return [-32_700, "Parse error: the body is not JSON"];
  if (parsed === LONE) return [-32_602, "Lone surrogates are not allowed in a message"];
  return parsed instanceof NumberLimitError ? [-32_602, parsed.message] : null;
}

/** Some clients send null for no arguments, which the SDK would refuse with a dump of its validation. */
function withoutNullArguments(message: unknown): unknown {
  const { params } = (message ?? {}) as PostedJson;
  if (params?.["arguments"] !== null) return message;
  const { arguments: _none, ...given } = params;
  return { ...(message as PostedJson), params: given };
}

const DATA = "data: ";

/** The message of an answer; null if it has none. The answers of a session are streams of one message here. */
export async function messageText(answer: Response): Promise<string | null> {
  const text = await answer.text();
  if (answer.headers.get("content-type") !== "text/event-stream") return text === "" ? null : text;
  const line = text.split("\n").findLast((one) => one.startsWith(`${DATA}{`));
  return line === undefined ? null : line.slice(DATA.length);
}

/** The error that a message is refused with; null for a notification. */
export function refusedMessage({ id }: PostedJson, { body }: Refusal): string | null {
  if (id === undefined) return null;
  const { message } = body as { readonly message: string };
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_603, message, data: body } });
}

/** A refusal of the endpoint itself, as a JSON-RPC error. */
export const rpcError = (status: number, code: number, message: string, id: string | number | null = null): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status });

export const usedId = (id: string | number): Response =>
  rpcError(400, -32_600, "A call of this session with the same request id is in flight; send another id", id);

export const needsSession = (): Response =>
  rpcError(400, -32_000, "Mcp-Session-Id is required; `initialize` gives one");
export const noSession = (): Response => rpcError(404, -32_001, "Session not found; begin a new one with `initialize`");
