/**
 * A surface: operations that share a dialect. Each request of an operation takes the same way:
 *
 *   host ▶ bearer ▶ scope ▶ the operation (reads its own body) ▶ JSON or a response of its own ▶ log line
 *
 * Whatever is refused on the way is answered in the dialect, and so is an exception, whose cause goes
 * to the log under the request's id and nowhere else (ERR-4).
 */
import type { Server } from "bun";
import { type Fault, type Outcome, refuse } from "../../actors/fault.ts";
import { hasScope, type Principal } from "../../actors/organization/principal.ts";
import type { Authentication } from "./authentication.ts";
import type { Dialect } from "./dialect.ts";
import { Exchange } from "./exchange.ts";
import type { HttpLog } from "./log.ts";

/** What an operation gets. */
export interface Call {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly principal: Principal;
  readonly requestId: string;
  /** Bun's server, for what it can do with one request; null outside of it. */
  readonly server: Server<unknown> | null;
}

export interface Operation {
  /** What the token must allow (AUTH-3, AUTH-7). */
  readonly scope: string;
  /** Answers an object for the JSON body, a response of its own, or a refusal. */
  run(call: Call): Promise<Outcome<object | Response>>;
}

/** What Elysia hands to a route. */
interface RouteContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly server: Server<unknown> | null;
}

export interface SurfaceParts {
  readonly authentication: Authentication;
  readonly log: HttpLog;
}

export class Surface {
  private readonly dialect: Dialect;
  private readonly parts: SurfaceParts;

  constructor(dialect: Dialect, parts: SurfaceParts) {
    this.dialect = dialect;
    this.parts = parts;
  }

  /** The operation as the handler of a route. Elysia reads its text to see what it needs of the context. */
  handler(operation: Operation): (context: RouteContext) => Promise<Response> {
    return ({ request, params, server }) => this.handle(request, { params, server }, operation);
  }

  /** Answers a request that no operation takes. */
  refuse(request: Request, fault: Fault): Response {
    const exchange = new Exchange(request);
    return this.logged(exchange, exchange.refuse(this.dialect.refusal(fault, exchange.requestId)));
  }

  /** Answers `OPTIONS`: what may be done here. No other origin is let in (no CORS). */
  options(request: Request, allow: readonly string[]): Response {
    const exchange = new Exchange(request);
    return this.logged(exchange, exchange.empty({ allow: allow.join(", ") }));
  }

  /** Answers a request whose handling threw outside of an operation. */
  fail(request: Request, cause: unknown): Response {
    const exchange = new Exchange(request);
    return this.logged(exchange, this.failed(exchange, cause));
  }

  private async handle(request: Request, context: Pick<RouteContext, "params" | "server">, operation: Operation): Promise<Response> {
    const exchange = new Exchange(request);
    let response: Response;
    try {
      const outcome = await this.perform(exchange, context, operation);
      if (!outcome.ok) response = exchange.refuse(this.dialect.refusal(outcome.fault, exchange.requestId));
      else response = outcome.value instanceof Response ? outcome.value : exchange.json(outcome.value);
    } catch (cause) {
      response = this.failed(exchange, cause);
    }
    return this.logged(exchange, response);
  }

  private async perform(
    exchange: Exchange,
    context: Pick<RouteContext, "params" | "server">,
    operation: Operation,
  ): Promise<Outcome<object | Response>> {
    const { request, requestId } = exchange;
    if (!hasOneHost(request)) return refuse(BAD_HOST);
    const authenticated = await this.parts.authentication.principalOf(request);
    if (!authenticated.ok) return authenticated;
    const principal = authenticated.value;
    exchange.organizationId = principal.organizationId;
    if (!hasScope(principal.scopes, operation.scope)) {
      return refuse({ kind: "insufficient_scope", required: [operation.scope] });
    }
    return operation.run({ request, requestId, principal, ...context });
  }

  private failed(exchange: Exchange, cause: unknown): Response {
    this.parts.log.error({ err: cause, requestId: exchange.requestId }, "a request failed");
    return exchange.refuse(this.dialect.bug(exchange.requestId));
  }

  private logged(exchange: Exchange, response: Response): Response {
    exchange.log(this.parts.log, response.status);
    return response;
  }
}

/**
 * Two `Host` headers arrive joined by a comma; proxies in between may have read either (RFC 9112).
 * One that is no host at all leaves Bun without an origin for the url.
 */
export function hasOneHost(request: Request): boolean {
  return request.url.startsWith("http") && request.headers.get("host")?.includes(",") !== true;
}

export const BAD_HOST: Fault = {
  kind: "invalid_request",
  errors: [{ path: "/host", message: "A request must have one valid Host header" }],
};
