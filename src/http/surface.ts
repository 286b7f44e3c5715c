/**
 * A surface: operations that share a dialect. Each request of an operation takes the same way:
 *
 *   host ▶ bearer ▶ rate limit ▶ scope ▶ the operation ▶ JSON or a response of its own ▶ log line
 *
 * An operation that changes something is a mutation: it commits through a door (`commit.ts`).
 * Whatever is refused on the way is answered in the dialect, and so is an exception, whose cause goes
 * to the log under the request's id and nowhere else (ERR-4).
 */
import type { Server } from "bun";
import { assert } from "../../actors/assert.ts";
import { type Fault, mapped, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { hasScope, type Principal } from "../../actors/organization/principal.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import type { Sealing } from "../../actors/sealing.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { TEST_EVENT } from "../../actors/webhook/events.ts";
import { type Answered, answerEnding, type Committed, MutatingCall, type Mutation, PlainDoor } from "./commit.ts";
import type { Dialect, Refusal } from "./dialect.ts";
import { Exchange } from "./exchange.ts";
import { Emission } from "./emission.ts";
import { performKeyed } from "./idempotency.ts";
import { RequestBody } from "./json-body.ts";
import type { HttpLog } from "./log.ts";
import type { RateHeaders } from "./rate-headers.ts";
import { type Soon, soon } from "./soon.ts";
import type { Turnstile } from "./turnstile.ts";

/** What an operation for anybody gets. */
export interface Visit {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** Bun's server, for what it can do with one request; null outside of it. */
  readonly server: Server<unknown> | null;
}

/** What an operation gets. */
export interface Call extends Visit {
  readonly principal: Principal;
}

export interface Operation extends Needs {
  /** Answers an object for the JSON body, a response of its own, or a refusal. */
  run(call: Call): Soon<Outcome<object | Response>>;
}

/** An operation that anybody may ask for. */
export interface OpenOperation {
  /** What every response of it says besides. */
  readonly headers?: Readonly<Record<string, string>>;
  run(call: Visit): Promise<Outcome<object | Response>>;
}

/** A request, and the server that it came to; null outside of one. */
export interface Asked {
  readonly request: Request;
  readonly server: Server<unknown> | null;
}

/** What Elysia hands to a route. */
interface RouteContext extends Asked {
  /** Absent where the path has none. */
  readonly params?: Readonly<Record<string, string>>;
}

const NONE: Readonly<Record<string, string>> = {};

/** What an operation asks of its caller, and says to everyone. */
export interface Needs extends Pick<OpenOperation, "headers"> {
  /** What the token must allow (AUTH-3, AUTH-7). */
  readonly scope: string;
  /** What will do as well. */
  readonly orScope?: string;
}

/** Answers what an operation has come to. */
type Perform = (exchange: Exchange, call: Call) => Soon<Response>;

export interface SurfaceParts {
  readonly system: TroupeSystem;
  readonly sealing: Sealing;
  readonly turnstile: Turnstile;
  readonly rateHeaders: RateHeaders;
  readonly log: HttpLog;
  readonly clock: Pick<Clock, "now">;
  /** Refuses a request for a version of the contract that is not there; absent where the path is the version. */
  readonly version?: (request: Request) => Outcome<null>;
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
  handler(operation: Operation): (context: RouteContext) => Soon<Response> {
    const { run } = operation;
    const perform: Perform = (exchange, call) => soon(run(call), (outcome) => this.sent(exchange, outcome));
    return ({ request, params = NONE, server }) => this.handle({ request, params, server }, operation, perform);
  }

  /** The same for an operation that changes something. */
  mutation(mutation: Mutation): (context: RouteContext) => Soon<Response> {
    const perform: Perform = async (exchange, call) => {
      const admitted = mutation.admit?.(call);
      if (admitted?.ok === false) return this.refused(exchange, admitted.fault);
      const header = call.request.headers.get("idempotency-key");
      if (header !== null) return this.keyed(exchange, call, mutation, header);
      const means = { door: this.door, emission: this.emissionOf(mutation, call) };
      const committed = await mutation.run(new MutatingCall(call, new RequestBody(call.request), means));
      if (!committed.ok) return this.refused(exchange, committed.fault);
      return this.ended(exchange, call, mutation, committed.value);
    };
    return ({ request, params = NONE, server }) => this.handle({ request, params, server }, mutation, perform);
  }

  /** An operation that anybody may ask for. It counts as any other. */
  open({ headers, run }: OpenOperation): (context: RouteContext) => Promise<Response> {
    return async ({ request, params = NONE, server }) => {
      const exchange = this.exchange(request);
      let response: Response;
      try {
        const admitted = await this.welcome(exchange, server);
        response = admitted.ok
          ? this.sent(exchange, await run({ request, params, requestId: exchange.requestId, server }))
          : this.refused(exchange, admitted.fault);
      } catch (cause) {
        response = this.failed(exchange, cause);
      }
      return this.logged(exchange, withHeaders(response, headers));
    };
  }

  /** An operation for those who show something else than a token. Every answer has these headers. */
  visitors(
    run: (visit: Visit) => Promise<Outcome<Response>>,
    headers: Readonly<Record<string, string>>,
  ): (context: RouteContext) => Promise<Response> {
    return async ({ request, params = NONE, server }) => {
      const exchange = this.exchange(request);
      let response: Response;
      try {
        const { requestId } = exchange;
        const outcome = hasOneHost(request) ? await run({ request, params, requestId, server }) : refuse(BAD_HOST);
        response = outcome.ok ? outcome.value : this.refused(exchange, outcome.fault);
      } catch (cause) {
        response = this.failed(exchange, cause);
      }
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return this.logged(exchange, response);
    };
  }

  /** Answers a request that no operation takes. */
  async refuse({ request, server }: Asked, fault: Fault): Promise<Response> {
    const exchange = this.exchange(request);
    const limited = await this.parts.turnstile.count(exchange, server);
    return this.logged(exchange, this.refused(exchange, limited ?? fault));
  }

  /** Answers a request by a door that is none of the surface's; null where it is not for that. */
  async by(door: (request: Request) => Promise<Response | null>, request: Request): Promise<Response | null> {
    const exchange = this.exchange(request);
    const answer = await door(request);
    return answer === null ? null : this.logged(exchange, answer);
  }

  /** Answers a request that is not even looked at. */
  turnAway(request: Request, fault: Fault): Response {
    const exchange = this.exchange(request);
    return this.logged(exchange, this.refused(exchange, fault));
  }

  /** Answers `OPTIONS`: what may be done here. No other origin is let in (no CORS). */
  async options({ request, server }: Asked, allow: readonly string[]): Promise<Response> {
    const exchange = this.exchange(request);
    const limited = await this.parts.turnstile.count(exchange, server);
    if (limited !== null) return this.logged(exchange, this.refused(exchange, limited));
    return this.logged(exchange, exchange.empty({ allow: allow.join(", ") }));
  }

  /** Answers a request whose handling threw outside of an operation. */
  fail(request: Request, cause: unknown): Response {
    const exchange = this.exchange(request);
    return this.logged(exchange, this.failed(exchange, cause));
  }

  private exchange(request: Request): Exchange {
    return new Exchange(request, this.parts.rateHeaders);
  }

  private handle({ request, params = NONE, server }: RouteContext, needs: Needs, perform: Perform): Soon<Response> {
    const exchange = this.exchange(request);
    const finish = (response: Response): Response => this.logged(exchange, withHeaders(response, needs.headers));
    const fail = (cause: unknown): Response => finish(this.failed(exchange, cause));
    let response: Soon<Response>;
    try {
      response = soon(this.admit(exchange, server, needs), (admitted) =>
        admitted.ok
          ? perform(exchange, { request, params, principal: admitted.value, requestId: exchange.requestId, server })
          : this.refused(exchange, admitted.fault),
      );
    } catch (cause) {
      return fail(cause);
    }
    return response instanceof Promise ? response.then(finish, fail) : finish(response);
  }

  /** Who asks, when this operation is for them. */
  private admit(exchange: Exchange, server: Asked["server"], needs: Needs): Soon<Outcome<Principal>> {
    const { turnstile } = this.parts;
    if (!hasOneHost(exchange.request)) return this.misdirected(exchange, server);
    return soon(turnstile.principalOf(exchange, server), (admitted) => this.permitted(exchange, admitted, needs));
  }

  private async misdirected(exchange: Exchange, server: Asked["server"]): Promise<Outcome<never>> {
    return refuse((await this.parts.turnstile.countStranger(exchange, server)) ?? BAD_HOST);
  }

  private permitted(exchange: Exchange, admitted: Outcome<Principal>, { scope, orScope }: Needs): Outcome<Principal> {
    if (!admitted.ok) return admitted;
    const versioned = this.versioned(exchange.request);
    if (!versioned.ok) return versioned;
    const { scopes } = admitted.value;
    if (hasScope(scopes, scope) || (orScope !== undefined && hasScope(scopes, orScope))) return admitted;
    return refuse({ kind: "insufficient_scope", required: [scope] });
  }

  /** Whether this operation is for anybody. */
  private async welcome(exchange: Exchange, server: Asked["server"]): Promise<Outcome<null>> {
    const { turnstile } = this.parts;
    if (!hasOneHost(exchange.request)) return this.misdirected(exchange, server);
    const limited = await turnstile.count(exchange, server);
    return limited === null ? this.versioned(exchange.request) : refuse(limited);
  }

  private versioned(request: Request): Outcome<null> {
    return this.parts.version === undefined ? ok(null) : this.parts.version(request);
  }

  private async ended(exchange: Exchange, call: Call, mutation: Mutation, committed: Committed): Promise<Response> {
    const { ending } = committed;
    if (ending.kind === "answer") return exchange.answer(ending);
    assert(mutation.join !== undefined, "work that goes on can be joined");
    const joined = await mutation.join(call, ending.work);
    const answer = mapped(joined, (value) => (value instanceof Response ? value : answerEnding(value)));
    return this.answered(exchange, answer);
  }

  private async keyed(exchange: Exchange, call: Call, mutation: Mutation, header: string): Promise<Response> {
    const refusal = (fault: Fault): Refusal => this.dialect.refusal(fault, exchange.requestId);
    const emission = this.emissionOf(mutation, call);
    const outcome = await performKeyed({ ...this.parts, refusal, emission }, mutation, call, header);
    if (!outcome.ok) return this.refused(exchange, outcome.fault);
    const { answer, status } = outcome.value;
    const response = this.answered(exchange, answer);
    response.headers.set("idempotency-status", status);
    return response;
  }

  private emissionOf({ emits }: Mutation, call: Call): Emission | null {
    const { clock } = this.parts;
    return emits === undefined || emits === TEST_EVENT
      ? null
      : new Emission({ type: emits, now: () => clock.now() }, call);
  }

  private answered(exchange: Exchange, answer: Outcome<Answered | Response>): Response {
    if (!answer.ok) return this.refused(exchange, answer.fault);
    return answer.value instanceof Response ? exchange.own(answer.value) : exchange.answer(answer.value);
  }

  private sent(exchange: Exchange, outcome: Outcome<object | Response>): Response {
    if (!outcome.ok) return this.refused(exchange, outcome.fault);
    return outcome.value instanceof Response ? exchange.own(outcome.value) : exchange.json(outcome.value);
  }

  private refused(exchange: Exchange, fault: Fault): Response {
    this.parts.turnstile.leaveOut(exchange);
    return exchange.refuse(this.dialect.refusal(fault, exchange.requestId));
  }

  private failed(exchange: Exchange, cause: unknown): Response {
    this.parts.log.error({ err: cause, requestId: exchange.requestId }, "a request failed");
    this.parts.turnstile.leaveOut(exchange);
    return exchange.refuse(this.dialect.bug(exchange.requestId));
  }

  private logged(exchange: Exchange, response: Response): Response {
    exchange.log(this.parts.log, response.status);
    return response;
  }
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>> | undefined): Response {
  if (headers === undefined) return response;
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
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
