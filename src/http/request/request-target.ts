/**
 * What a request names, as a proxy before the service has read it (GEN-15): one host, and the path as it was sent.
 * Bun's router matches the path as it was sent, and `request.url` is what a URL parser makes of it:
 * `/api/x/../agents` becomes `/api/agents`. What only the second one takes is refused, or a rule of a proxy about
 * `/api/agents` could be walked around.
 */
import type { Server } from "bun";
import type { Fault } from "../../../actors/fault.ts";

const complaint = (path: string, message: string): Fault => ({ kind: "invalid_request", errors: [{ path, message }] });

const BAD_HOST = complaint("/host", "A request must have one valid Host header");
export const BAD_PATH = complaint(
  "/path",
  "The path must be sent in its normal form: without `.`, `..`, backslashes, and letters that are encoded needlessly",
);

/** What is wrong with the target of a request that an operation would take, or null. */
export const targetFault = (request: Request, server: Server<unknown> | null): Fault | null =>
  hostFault(request) ?? (isAsSent(request, server) ? null : BAD_PATH);

/**
 * Two `Host` headers arrive joined by a comma; proxies in between may have read either (RFC 9112).
 * One that is no host at all leaves Bun without an origin for the url.
 */
export const hostFault = (request: Request): Fault | null =>
  request.url.startsWith("http") && request.headers.get("host")?.includes(",") !== true ? null : BAD_HOST;

/** Whether Bun's router has matched the request: those have parameters, if none. Without a server nothing was sent. */
export const isAsSent = (request: Request, server: Server<unknown> | null): boolean =>
  server === null || "params" in request;

/** The path without slashes at its end; null where it has none. */
export function withoutSlash(path: string): string | null {
  const bare = path.replace(/\/+$/, "");
  return bare === path || bare === "" ? null : bare;
}
