/** Answers of the current surface that are no JSON. */
import { type Outcome, ok } from "../../actors/fault.ts";
import type { Call } from "../http/surface.ts";

/** A long poll at whose end nothing has changed (GEN-6). */
export const notModified = (call: Call): Outcome<Response> =>
  ok(new Response(null, { status: 304, headers: { "cache-control": "no-store", "x-request-id": call.requestId } }));
