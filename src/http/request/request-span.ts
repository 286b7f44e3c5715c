/**
 * The span of a request (OPS-9): from its arrival to the head of its answer. Request paths contain ids and secrets,
 * so the span has the operation's path.
 */
import type { Fault } from "../../../actors/fault.ts";
import type { Span, Tracing } from "../../../actors/runtime/tracing.ts";

/** Continues the client's trace, if there is one. */
export const requestSpan = (tracing: Tracing, { method, headers }: Request): Span =>
  tracing.begin(method, {
    kind: "server",
    parent: tracing.received(headers),
    facts: { "http.request.method": method },
  });

interface RequestFacts {
  readonly method: string;
  readonly requestId: string;
  readonly organizationId: string | null;
  readonly operation: string | null;
  /** Null if no operation matched. */
  readonly route: string | null;
  readonly refusedAs: Fault["kind"] | null;
  readonly status: number;
}

export function endRequestSpan(span: Span, answered: RequestFacts): void {
  const { method, requestId, organizationId, operation, route, refusedAs, status } = answered;
  if (route !== null) span.rename(`${method} ${route}`);
  span.tell({
    "http.route": route,
    "http.response.status_code": status,
    "troupe.request.id": requestId,
    "troupe.organization.id": organizationId,
    "troupe.operation": operation,
    "troupe.refusal": refusedAs,
  });
  // A refusal that is the client's fault is not an error of the server.
  if (status >= 500) span.fail(refusedAs ?? String(status));
  span.end();
}
