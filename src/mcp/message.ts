/** JSON-RPC messages as received, before the SDK validates their form. */
import { MAX_JSON_DEPTH } from "../../actors/clean-text.ts";
import { NumberLimitError, parseExact } from "../../actors/exact-json.ts";
import { isDeeper } from "../../actors/json-shape.ts";
import type { JsonObject } from "../../actors/schema.ts";

/** A message as JSON, read before the SDK validates its form. */
export interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown } & JsonObject;
}

/** The JSON in a body; undefined if it is invalid or too deep, or the error of a number that cannot be kept. */
export function messageIn(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (isDeeper(text, MAX_JSON_DEPTH)) return undefined;
    const value = parseExact(text);
    if (typeof value !== "object" || value === null) return undefined;
    return Array.isArray(value) ? value.map(withoutNullArguments) : withoutNullArguments(value);
  } catch (cause) {
    return cause instanceof NumberLimitError ? cause : undefined;
  }
}

/** The error for a body that `messageIn` could not read; null if it could. */
export function messageFault(parsed: unknown): readonly [code: number, message: string] | null {
  if (parsed === undefined) return [-32_700, "Parse error: the body is no JSON"];
  return parsed instanceof NumberLimitError ? [-32_602, parsed.message] : null;
}

/** Some clients send null for no arguments, which the SDK would refuse with a dump of its validation. */
function withoutNullArguments(message: unknown): unknown {
  const { params } = (message ?? {}) as Message;
  if (params?.["arguments"] !== null) return message;
  const { arguments: _none, ...given } = params;
  return { ...(message as Message), params: given };
}
