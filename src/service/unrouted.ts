/** Requests that match no route: an unknown path, another method, a preflight. */
import type { Offered, Surface } from "../http/request/surface.ts";

/** Answers what is not of the API; null if it is not for it. */
type Internal = (request: Request) => Promise<Response | null>;

/** Answers a request without a route: its path is unknown, known with other methods only, or the internal handler's. */
export async function answerUnrouted(
  surface: Surface,
  request: Request,
  { offered, internal }: { readonly offered: Offered; readonly internal: Internal | undefined },
): Promise<Response> {
  const { allow: methods, audience } = offered;
  if (methods.length > 0 && !methods.includes(request.method)) {
    const allow = [...methods, "OPTIONS"];
    if (request.method === "OPTIONS") return surface.options(request, { ...offered, allow });
    return surface.refuse(request, { kind: "method_not_allowed", allow }, audience);
  }
  try {
    const answer = internal === undefined ? null : await surface.by(internal, request);
    if (answer !== null) return answer;
    // Without a preflight's permission the browser would hide that the path is unknown.
    if (isPreflight(request)) return await surface.options(request, { ...offered, allow: METHODS });
    return await surface.refuse(request, { kind: "not_found", noun: "route" }, audience);
  } catch (cause) {
    return surface.fail(request, cause);
  }
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
