/**
 * The target of a request, as a proxy before the service has read it (GEN-15): one host, and the path as it was
 * sent. Bun's router matches the path as sent; `request.url` is the result of a URL parser, which turns
 * `/api/x/../agents` into `/api/agents`. A target that only the parser accepts is refused: otherwise it would bypass
 * a proxy's rule for `/api/agents`.
 */
import type { Server } from "bun";
import type { Fault } from "../../../actors/fault.ts";

const targetComplaint = (path: string, message: string): Fault => ({
  kind: "invalid_request",
  errors: [{ path, message }],
});

const BAD_HOST = targetComplaint("/host", "A request must have one valid Host header");
export const BAD_PATH = targetComplaint(
  "/path",
  "The path must be sent in its normal form: without `.`, `..`, backslashes, and letters that are encoded needlessly",
);

/** What is wrong with the target of a request that an operation would match, or null. */
export const targetFault = (request: Request, server: Server<unknown> | null): Fault | null =>
  hostFault(request) ?? (isAsSent(request, server) ? null : BAD_PATH);

/**
 * Two `Host` headers arrive joined by a comma; proxies on the way may have read either (RFC 9112). With an invalid
 * host, Bun's url has no origin.
 */
export const hostFault = (request: Request): Fault | null =>
  request.url.startsWith("http") && request.headers.get("host")?.includes(",") !== true ? null : BAD_HOST;

/**
 * Whether Bun's router has matched the request: matched requests have parameters, even if empty. Without a server
 * nothing was sent.
 */
export const isAsSent = (request: Request, server: Server<unknown> | null): boolean =>
  server === null || "params" in request;

/** The path without trailing slashes; null if it has none. */
export function withoutSlash(path: string): string | null {
  const bare = path.replace(/\/+$/, "");
  return bare === path || bare === "" ? null : bare;
}
