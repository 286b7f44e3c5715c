/**
 * A surface: operations that share a dialect, and the way of a request to one of them and back.
 *
 *   admit (`entrance.ts`) ▶ read (`input-reader.ts`) ▶ run (`operations.ts`) ▶ answer (`answers.ts`)
 *
 * `serve` is all of it; every request for an operation comes this way, from a client or from another replica. It is
 * no `async` function, because a read from memory must leave in the turn of the event loop in which it has come: so a
 * step continues at once if it does not have to wait.
 *
 * Every refusal is answered in the dialect, and so is an exception, whose cause goes only to the log, under the
 * request's id (ERR-4).
 */
import { type Fault, ok, type Outcome } from "../../../actors/fault.ts";
import { type MaybePromise, whenReady } from "../../../actors/maybe-promise.ts";
import { Answers } from "../answer/answers.ts";
import { Entrance } from "../admission/entrance.ts";
import { Batches } from "./batches.ts";
import type { BoundOperation } from "./bound-operation.ts";
import type { AllowedReaders } from "../answer/cross-origin.ts";
import type { Dialect, Refusal } from "../answer/dialect.ts";
import { Exchange, rawPath } from "./exchange.ts";
import { forwarderOf } from "./forwarding.ts";
import { innerAddress } from "./inner-request.ts";
import type { RawInput, ReadInput } from "../input/input-reader.ts";
import { type OperationOutcome, Operations } from "./operations.ts";
import { isLongList, renderList } from "../answer/rendered-list.ts";
import { hostFault } from "./request-target.ts";
import type { SurfaceParts } from "./surface-parts.ts";

/** The answer to `OPTIONS` for a path. */
export interface Offered {
  readonly allow: readonly string[];
  readonly audience: AllowedReaders;
}

export class Surface {
  readonly operations: Operations;
  /** Counts and paces the messages of requests that have several. */
  readonly batches: Batches;
  private readonly dialect: Dialect;
  private readonly parts: SurfaceParts;
  private readonly entrance: Entrance;
  private readonly answers: Answers;

  constructor(dialect: Dialect, parts: SurfaceParts) {
    this.dialect = dialect;
    this.parts = parts;
    this.batches = new Batches(parts);
    this.entrance = new Entrance(parts);
    this.answers = new Answers(dialect, parts);
    this.operations = new Operations({ ...parts, refusal: (fault, requestId) => dialect.refusal(fault, requestId) });
  }

  /** Serves a request for an operation, from its arrival to its answer. */
  serve(operation: BoundOperation, request: Request, params: RawInput["params"]): MaybePromise<Response> {
    const exchange = this.begin(request);
    exchange.isFor(operation, params);
    const failed = (cause: unknown): Response => this.end(exchange, this.answers.fail(exchange, cause));
    try {
      const answer = whenReady(this.entrance.admit(exchange, operation), (entered) => {
        if (!entered.ok) return exchange.timed(() => this.answers.refuse(exchange, entered.fault));
        if (entered.value !== null) return entered.value;
        const isKeyed = operation.keyIn(exchange) !== null;
        return whenReady(operation.readInput(exchange, isKeyed), (reading) => this.run(exchange, operation, reading));
      });
      if (!(answer instanceof Promise)) return this.end(exchange, answer);
      return answer.then((response) => this.end(exchange, response), failed);
    } catch (cause) {
      return failed(cause);
    }
  }

  /** Runs the operation with its input, which may be refused, and makes its answer. */
  private run(exchange: Exchange, operation: BoundOperation, reading: ReadInput): MaybePromise<Response> {
    exchange.reading = reading;
    const key = operation.keyIn(exchange);
    const path = operation.isRead ? "" : rawPath(exchange.request.url);
    const ran = exchange.timed(() => {
      const outcome = this.operations.run(operation, exchange, { raw: exchange, path, key, reading });
      return outcome instanceof Promise || hasLongList(outcome) ? outcome : this.answers.answer(exchange, outcome);
    });
    return ran instanceof Response ? ran : this.answerLater(exchange, ran);
  }

  private async answerLater(exchange: Exchange, running: MaybePromise<OperationOutcome>): Promise<Response> {
    let outcome = await running;
    if (outcome.ok && isLongList(outcome.value))
      outcome = ok(await renderList(this.parts.bulk, exchange.payer, outcome.value));
    return exchange.timed(() => this.answers.answer(exchange, outcome));
  }

  /** The request is over: its cost counts against the next turns of its organization. */
  private end(exchange: Exchange, answer: Response): Response {
    if (exchange.hasTurn) this.parts.turns.cost(exchange.payer, exchange.workMs);
    return answer;
  }

  private begin(request: Request): Exchange {
    const { server, forwarding } = this.parts;
    // The receiving replica has already checked the target of a forwarded request.
    const by = forwarding === undefined ? null : forwarderOf(request);
    const isOwn = by === null && innerAddress(request) === null;
    return new Exchange(request, isOwn ? (server?.() ?? null) : null, by, this.parts);
  }

  /** A fault in the words of the surface. */
  refusalOf(fault: Fault, requestId: string): Refusal {
    return this.dialect.refusal(fault, requestId);
  }

  /** Refuses a request that matches no operation. */
  refuse(request: Request, fault: Fault, audience: AllowedReaders = "configured_origins"): Promise<Response> {
    return this.counted(request, (exchange) => this.answers.refuse(exchange, fault), audience);
  }

  /** Answers `OPTIONS`: the allowed methods, and, for a preflight, the allowed pages. */
  options(request: Request, { allow, audience }: Offered): Promise<Response> {
    const answer = (exchange: Exchange): Response => {
      const isPreflight = exchange.header("access-control-request-method") !== null;
      const origin = isPreflight ? exchange.header("origin") : null;
      const allowed = this.parts.crossOrigin.preflight(origin, audience, allow);
      return this.answers.finish(exchange, exchange.empty({ allow: allow.join(", "), ...allowed }));
    };
    return this.counted(request, answer, audience);
  }

  /** Redirects the client to the correct path, with its method and body. */
  redirect(request: Request, path: string): Promise<Response> {
    return this.counted(request, (exchange) => {
      const location = exchange.search === "" ? path : `${path}?${exchange.search}`;
      this.parts.admission.leaveOut(exchange);
      return this.answers.finish(exchange, exchange.own(new Response(null, { status: 308, headers: { location } })));
    });
  }

  /** Answers a public request outside of the operations; counts and logs it like one of theirs. */
  async servePublic(request: Request, answer: () => Promise<Outcome<Response>>): Promise<Response> {
    const misdirected = hostFault(request);
    if (misdirected !== null) return this.turnAway(request, misdirected);
    return this.counted(request, async (exchange) => {
      try {
        const outcome = await answer();
        if (!outcome.ok) return this.answers.refuse(exchange, outcome.fault);
        return this.answers.finish(exchange, exchange.own(outcome.value));
      } catch (cause) {
        return this.answers.fail(exchange, cause);
      }
    });
  }

  /** Delegates to a non-API handler; null if the request is not for it. */
  async by(handler: (request: Request) => Promise<Response | null>, request: Request): Promise<Response | null> {
    const exchange = this.begin(request);
    try {
      const answer = await handler(request);
      return answer === null ? null : this.answers.finish(exchange, answer);
    } catch (cause) {
      return this.answers.fail(exchange, cause);
    }
  }

  /** Refuses a request without counting it. */
  turnAway(request: Request, fault: Fault): Response {
    return this.answers.refuse(this.begin(request), fault);
  }

  /** Answers a request without an operation whose handling threw. */
  fail(request: Request, cause: unknown): Response {
    return this.answers.fail(this.begin(request), cause);
  }

  /** Counts a request without an operation, and answers it unless too many have come. */
  private async counted(
    request: Request,
    answer: (exchange: Exchange) => MaybePromise<Response>,
    audience: AllowedReaders = "configured_origins",
  ): Promise<Response> {
    const exchange = this.begin(request);
    exchange.audience = audience;
    const limited = await this.parts.admission.count(exchange, exchange.server);
    return limited === null ? answer(exchange) : this.answers.refuse(exchange, limited);
  }
}

const hasLongList = (outcome: OperationOutcome): boolean => outcome.ok && isLongList(outcome.value);
