/** Messages of JSON-RPC 2.0, as ACP has them: one object each, never a batch. */
import { isJsonObject, type Json, type JsonObject } from "../../../../actors/schema.ts";
import { type AcpError, INVALID_ACP_REQUEST, PARSE_ERROR } from "../error-codes.ts";

export type RpcId = string | number;

export type AcpMessage =
  | { readonly kind: "request"; readonly id: RpcId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "response"; readonly id: RpcId; readonly result: Json; readonly error: AcpError | null }
  | { readonly kind: "broken"; readonly id: RpcId | null; readonly error: AcpError };

export function readRpc(text: string): AcpMessage {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return { kind: "broken", id: null, error: { code: PARSE_ERROR, message: "The message is not JSON" } };
  }
  if (!isJsonObject(given)) return brokenRpc(null, "A message is one object of JSON-RPC 2.0");
  const { id, method, params = {}, result = null, error } = given;
  const known = typeof id === "string" || Number.isInteger(id) ? (id as RpcId) : null;
  if (given["jsonrpc"] !== "2.0") return brokenRpc(known, 'jsonrpc must be "2.0"');
  if (method === undefined)
    return known === null
      ? brokenRpc(null, "A message has a method, or is the response to a request")
      : { kind: "response", id: known, result, error: isJsonObject(error) ? (error as unknown as AcpError) : null };
  if (typeof method !== "string") return brokenRpc(known, "method must be a string");
  if (!isJsonObject(params)) return brokenRpc(known, "params must be an object");
  if (id === undefined) return { kind: "notification", method, params };
  return known === null
    ? brokenRpc(null, "id must be a string or a whole number")
    : { kind: "request", id: known, method, params };
}

const brokenRpc = (id: RpcId | null, message: string): AcpMessage => ({
  kind: "broken",
  id,
  error: { code: INVALID_ACP_REQUEST, message },
});

const rpcText = (fields: object): string => JSON.stringify({ jsonrpc: "2.0", ...fields });

export const requestText = (id: RpcId, method: string, params: JsonObject): string => rpcText({ id, method, params });
export const notificationText = (method: string, params: JsonObject): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params });
export const resultText = (id: RpcId, result: unknown): string => rpcText({ id, result });
export const errorText = (id: RpcId | null, error: AcpError): string => rpcText({ id, error });
/** One of the two. */
export const responseText = (id: RpcId, answer: { readonly result: unknown } | { readonly error: AcpError }): string =>
  "error" in answer ? errorText(id, answer.error) : resultText(id, answer.result);
