/**
 * A surface: operations that share a dialect. Each request of an operation takes the same way:
 *
 *   host ▶ bearer ▶ scope ▶ the operation ▶ JSON or a response of its own ▶ log line
 *
 * An operation that changes something is a mutation: it commits through a door (`commit.ts`).
 * Whatever is refused on the way is answered in the dialect, and so is an exception, whose cause goes
 * to the log under the request's id and nowhere else (ERR-4).
 */
import type { Server } from "bun";
import { assert } from "../../actors/assert.ts";
import { type Fault, type Outcome, refuse } from "../../actors/fault.ts";
import { hasScope, type Principal } from "../../actors/organization/principal.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { Authentication } from "./authentication.ts";
import { answerEnding, type Committed, MutatingCall, type Mutation, PlainDoor } from "./commit.ts";
import type { Dialect, Refusal } from "./dialect.ts";
import { Exchange } from "./exchange.ts";
import { performKeyed } from "./idempotency.ts";
import { RequestBody } from "./json-body.ts";
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

/** Answers what an operation has come to. */
type Perform = (exchange: Exchange, call: Call) => Promise<Response>;

export interface SurfaceParts {
  readonly system: TroupeSystem;
  readonly authentication: Authentication;
  readonly log: HttpLog;
}

export class Surface {
  private readonly dialect: Dialect;
  private readonly parts: SurfaceParts;
  private readonly door: PlainDoor;

  constructor(dialect: Dialect, parts: SurfaceParts) {
    this.dialect = dialect;
    this.parts = parts;
    this.door = new PlainDoor(parts.system);
  }

  /** The operation as the handler of a route. Elysia reads its text to see what it needs of the context. */
  handler({ scope, run }: Operation): (context: RouteContext) => Promise<Response> {
    const perform: Perform = async (exchange, call) => this.sent(exchange, await run(call));
    return ({ request, params, server }) => this.handle({ request, params, server }, scope, perform);
  }

  /** The same for an operation that changes something. */
  mutation(mutation: Mutation): (context: RouteContext) => Promise<Response> {
    const perform: Perform = async (exchange, call) => {
      const header = call.request.headers.get("idempotency-key");
      if (header !== null) return this.keyed(exchange, call, mutation, header);
      const committed = await mutation.run(new MutatingCall(call, new RequestBody(call.request), this.door));
      if (!committed.ok) return this.refused(exchange, committed.fault);
      return this.ended(exchange, call, mutation, committed.value);
    };
    return ({ request, params, server }) => this.handle({ request, params, server }, mutation.scope, perform);
  }

  /** Answers a request that no operation takes. */
  refuse(request: Request, fault: Fault): Response {
    const exchange = new Exchange(request);
    return this.logged(exchange, this.refused(exchange, fault));
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

  private async handle({ request, params, server }: RouteContext, scope: string, perform: Perform): Promise<Response> {
    const exchange = new Exchange(request);
    let response: Response;
    try {
      const admitted = await this.admit(exchange, request, scope);
      if (!admitted.ok) response = this.refused(exchange, admitted.fault);
      else {
        const { requestId } = exchange;
        response = await perform(exchange, { request, params, principal: admitted.value, requestId, server });
      }
    } catch (cause) {
      response = this.failed(exchange, cause);
    }
    return this.logged(exchange, response);
  }

  /** Who asks, when this operation is for them. */
  private async admit(exchange: Exchange, request: Request, scope: string): Promise<Outcome<Principal>> {
    if (!hasOneHost(request)) return refuse(BAD_HOST);
    const authenticated = await this.parts.authentication.principalOf(request);
    if (!authenticated.ok) return authenticated;
    exchange.organizationId = authenticated.value.organizationId;
    if (!hasScope(authenticated.value.scopes, scope)) return refuse({ kind: "insufficient_scope", required: [scope] });
    return authenticated;
  }

  private async ended(exchange: Exchange, call: Call, mutation: Mutation, committed: Committed): Promise<Response> {
    const { ending } = committed;
    if (ending.kind === "answer") return exchange.answer(ending);
    assert(mutation.join !== undefined, "work that goes on can be joined");
    const joined = await mutation.join(call, ending.work);
    if (!joined.ok) return this.refused(exchange, joined.fault);
    return joined.value instanceof Response ? joined.value : exchange.answer(answerEnding(joined.value));
  }

  private async keyed(exchange: Exchange, call: Call, mutation: Mutation, header: string): Promise<Response> {
    const refusal = (fault: Fault): Refusal => this.dialect.refusal(fault, exchange.requestId);
    const outcome = await performKeyed({ system: this.parts.system, refusal }, mutation, call, header);
    if (!outcome.ok) return this.refused(exchange, outcome.fault);
    const { answer, status } = outcome.value;
    const response = answer instanceof Response ? answer : exchange.answer(answer);
    response.headers.set("idempotency-status", status);
    return response;
  }

  private sent(exchange: Exchange, outcome: Outcome<object | Response>): Response {
    if (!outcome.ok) return this.refused(exchange, outcome.fault);
    return outcome.value instanceof Response ? outcome.value : exchange.json(outcome.value);
  }

  private refused(exchange: Exchange, fault: Fault): Response {
    return exchange.refuse(this.dialect.refusal(fault, exchange.requestId));
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
