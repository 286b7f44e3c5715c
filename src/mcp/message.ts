/** JSON-RPC messages as received, before the SDK validates their form. */
import { isWellFormed, MAX_JSON_DEPTH } from "../../actors/clean-text.ts";
import { NumberLimitError, parseExact } from "../../actors/exact-json.ts";
import { isDeeper } from "../../actors/json-shape.ts";
import type { Json, JsonObject } from "../../actors/schema.ts";

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
  if (parsed === undefined) return [-32_700, "Parse error: the body is no JSON"];
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
