/** Messages of JSON-RPC as they come, before the SDK checks their form. */
import { MAX_JSON_DEPTH } from "../../actors/clean-text.ts";
import { isDeeper } from "../../actors/json-shape.ts";
import type { JsonObject } from "../../actors/schema.ts";

/** A message as JSON; what it says is looked at before the SDK checks its form. */
export interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown } & JsonObject;
}

/** The JSON in a body; undefined where there is none that we take. */
export function messageIn(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (isDeeper(text, MAX_JSON_DEPTH)) return undefined;
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    return Array.isArray(value) ? value.map(withoutNullArguments) : withoutNullArguments(value);
  } catch {
    return undefined;
  }
}

/** Programs without arguments for a tool or a prompt also send null, which the SDK refuses with a dump of its checks. */
function withoutNullArguments(message: unknown): unknown {
  const { params } = (message ?? {}) as Message;
  if (params?.["arguments"] !== null) return message;
  const { arguments: _none, ...given } = params;
  return { ...(message as Message), params: given };
}
