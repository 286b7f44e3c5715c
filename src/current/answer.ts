/** Answers of the current surface whose status is not 200 (GEN-4). */
import { type Outcome, ok } from "../../actors/fault.ts";
import type { Call } from "../http/surface.ts";

function json(call: Call, status: number, body: object): Outcome<Response> {
  const headers = { "content-type": "application/json", "cache-control": "no-store", "x-request-id": call.requestId };
  return ok(new Response(JSON.stringify(body), { status, headers }));
}

/** A new record. */
export const created = (call: Call, body: object): Outcome<Response> => json(call, 201, body);

/** Work that goes on after the answer. */
export const accepted = (call: Call, body: object): Outcome<Response> => json(call, 202, body);

/** A long poll at whose end nothing has changed (GEN-6). */
export const notModified = (call: Call): Outcome<Response> =>
  ok(new Response(null, { status: 304, headers: { "cache-control": "no-store", "x-request-id": call.requestId } }));
