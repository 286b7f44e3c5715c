/**
 * A surface: operations that share a dialect, and the stages of a request that only HTTP has.
 *
 *   begin ▶ admit (Host, token, rate, version, scope) ▶ read ▶ run (`operations.ts`) ▶ answer, log line
 *
 * `routes.ts` attaches them to Elysia's lifecycle. Every refusal on the way is answered in the dialect, and so is an
 * exception, whose cause goes only to the log, under the request's id (ERR-4).
 */
import { type Fault, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { type MaybePromise, whenReady } from "../../../actors/maybe-promise.ts";
import { type Answer, isAnswer, responseOf } from "./answer.ts";
import { PAGE_HEADERS, PAGE_TYPE, prefersPage } from "../document/page.ts";
import { Batches } from "./batches.ts";
import { READ_AT_ONCE_BYTES } from "./body-pace.ts";
import type { Answered } from "./commit.ts";
import type { Dialect, Refusal } from "./dialect.ts";
import { Exchange, pathOf, withoutStream } from "./exchange.ts";
import { type Forwarding, forwardedFor, hasComeOverLink, type Route } from "./forwarding.ts";
import type { RawInput } from "./input-reader.ts";
import type { Offered } from "./known-paths.ts";
import { OperationDoor } from "./operation-door.ts";
import { type BoundOperation, ChangeResult, Operations, type Result } from "./operations.ts";
import type { Audience } from "./cross-origin.ts";
import { isLongList, Rendered, renderList } from "./rendered-list.ts";
import { EMPTY_BYTES } from "./input-reader.ts";
import type { Reached } from "./stages.ts";
import type { SurfaceParts } from "./surface-parts.ts";
import { isKeyed } from "./idempotency-key.ts";
import { hostFault, targetFault } from "./request-target.ts";

export class Surface {
  readonly operations: Operations;
  /** Serves requests that come over a link. */
  readonly door = new OperationDoor();
  /** Counts and paces the messages of requests that have several. */
  readonly batches: Batches;
  private readonly dialect: Dialect;
  private readonly parts: SurfaceParts;

  constructor(dialect: Dialect, parts: SurfaceParts) {
    this.dialect = dialect;
    this.parts = parts;
    this.batches = new Batches(parts);
    this.operations = new Operations({ ...parts, refusal: (fault, requestId) => dialect.refusal(fault, requestId) });
  }

  /** A fault in the words of the surface. */
  refusalOf(fault: Fault, requestId: string): Refusal {
    return this.dialect.refusal(fault, requestId);
  }

  /** Answers a request for an operation that came over a link; null for others, which Elysia serves. */
  linked(request: Request): MaybePromise<Answer> | null {
    return hasComeOverLink(request) ? this.door.answer(this, request) : null;
  }

  begin(request: Request): Exchange {
    const { server, forwarding } = this.parts;
    // The receiving replica has already checked the target of a forwarded request.
    const isOurs = forwarding === undefined || forwardedFor(request) === null;
    return new Exchange(request, isOurs ? (server?.() ?? null) : null, this.parts);
  }

  /**
   * Admits the caller to the operation, in the turn of its organization. Returns an answer if the caller is refused,
   * or if another replica has answered.
   */
  admit(exchange: Exchange, operation: BoundOperation): MaybePromise<Reached> {
    exchange.operation = operation.id;
    exchange.route = operation.contract.path;
    if (operation.isStreamed && exchange.announcedBytes > READ_AT_ONCE_BYTES) exchange.loopWork = "uploads";
    const { forwarding } = this.parts;
    if (forwarding === undefined) return this.admitHere(exchange, operation);
    const held = exchange.holdBody();
    return held.ok ? this.admitAtOwner(forwarding, exchange, operation) : this.refused(exchange, held.fault);
  }

  /** Forwards the request to the owner of its caller's organization, unless that is this process or unknown. */
  private admitAtOwner(forwarding: Forwarding, exchange: Exchange, operation: BoundOperation): MaybePromise<Reached> {
    const isSigned = operation.contract.signed !== undefined;
    const isAsSent = targetFault(exchange.request, exchange.server) === null;
    const bearer = isAsSent ? this.parts.admission.bearerOf(exchange, isSigned) : null;
    return whenReady(bearer, (known) => {
      if (known === null) return this.admitHere(exchange, operation);
      return whenReady(
        exchange.within(() => forwarding.route(exchange, known)),
        (route) => this.admitRouted(exchange, operation, { route, organizationId: known.organizationId }),
      );
    });
  }

  private admitRouted(
    exchange: Exchange,
    operation: BoundOperation,
    { route, organizationId }: { readonly route: Route; readonly organizationId: string },
  ): MaybePromise<Reached> {
    if (route.kind === "nowhere") return this.refused(exchange, route.fault);
    if (route.kind === "here") {
      exchange.onAnswered = route.done;
      return this.admitHere(exchange, operation);
    }
    exchange.answeredElsewhere(organizationId, route.response.status);
    return route.response;
  }

  private admitHere(exchange: Exchange, operation: BoundOperation): MaybePromise<Reached> {
    if (!operation.reader.waits && !isKeyed(exchange, operation) && hasNoUse(exchange, operation)) exchange.dropBody();
    const admitted = this.timed(exchange, () => this.admitted(exchange, operation));
    if (admitted instanceof Promise) {
      const held = exchange.holdBody();
      if (!held.ok) {
        admitted.catch((err: unknown) => this.parts.log.error({ err }, "a request that was refused failed besides"));
        return this.refused(exchange, held.fault);
      }
    }
    return whenReady(admitted, (outcome) =>
      outcome.ok ? this.inTurn(exchange) : this.turnedAway(exchange, outcome.fault),
    );
  }

  private admitted(exchange: Exchange, operation: BoundOperation): MaybePromise<Outcome<null>> {
    const { signed, scope } = operation.contract;
    if (scope === null) exchange.audience = "any_origin";
    return signed === undefined && scope === null ? this.welcome(exchange) : this.authorized(exchange, operation);
  }

  /**
   * Refuses a caller. An unauthenticated caller is refused in the turn of their address, so that bad tokens delay
   * nobody else.
   */
  private turnedAway(exchange: Exchange, fault: Fault): MaybePromise<Answer> {
    const held = this.roomToWait(exchange, exchange.payer);
    if (!held.ok) return this.refused(exchange, held.fault);
    const turn = exchange.organizationId === null ? this.parts.turns.enter(exchange.payer) : null;
    const refused = (): Answer => {
      const response = this.timed(exchange, () => this.refused(exchange, fault));
      if (exchange.organizationId === null) this.parts.turns.cost(exchange.payer, exchange.workMs);
      return response;
    };
    return turn === null ? refused() : turn.then(refused);
  }

  /** Waits for the turn of the organization, or of the address of a caller without a token (`FairTurns`). */
  private inTurn(exchange: Exchange): MaybePromise<Reached> {
    const { payer } = exchange;
    const held = this.roomToWait(exchange, payer);
    if (!held.ok) return this.refused(exchange, held.fault);
    const turn = this.parts.turns.enter(payer);
    exchange.hasTurn = true;
    if (turn === null) return undefined;
    return turn.then((isTurn) => {
      if (isTurn) return undefined;
      exchange.hasTurn = false;
      return this.refused(exchange, CROWDED);
    });
  }

  /** Reserves memory for the request's body if the request must wait for its turn. */
  private roomToWait(exchange: Exchange, payer: string): Outcome<null> {
    return this.parts.turns.isFull(payer) ? exchange.holdBody() : NO_WAIT;
  }

  /** Does a part of the request's work, and charges it to the payer. */
  private timed<T>(exchange: Exchange, work: () => T): T {
    const { loopTime } = this.parts.system;
    const from = loopTime.begin(exchange.loopWork, exchange.organizationId, exchange.operation);
    try {
      return exchange.within(work);
    } finally {
      exchange.workMs += loopTime.end(from, exchange.payer, exchange.loopWork);
    }
  }

  /** Reads the input of an operation without a body. `run` reports errors in it. */
  readHead(exchange: Exchange, operation: BoundOperation, params: RawInput["params"]): void {
    exchange.params = params;
    exchange.reading = operation.reader.readHead(exchange);
  }

  /** Reads the input. `run` reports errors in it. */
  async read(exchange: Exchange, operation: BoundOperation, params: RawInput["params"]): Promise<undefined> {
    exchange.params = params;
    exchange.reading = await operation.reader.read(exchange, isKeyed(exchange, operation));
    return undefined;
  }

  /**
   * Runs the operation with its input: returns the answer if a read did not have to wait, else the result for
   * `answer`.
   */
  run(exchange: Exchange, operation: BoundOperation): MaybePromise<Result | Answer> {
    const { reading } = exchange;
    if (reading === null) throw new Error("a request is read before it runs");
    const path = operation.isRead ? "" : pathOf(exchange.request.url);
    const key = operation.isRead ? null : exchange.header("idempotency-key");
    const result = this.timed(exchange, () => {
      const came = this.operations.run(operation, exchange, { raw: exchange, path, key, reading });
      return came instanceof Promise || (came.ok && isLongList(came.value)) ? came : this.answered(exchange, came);
    });
    if (isAnswer(result)) this.settle(exchange);
    else if (operation.isRead) return whenReady(result, (outcome) => this.rendered(exchange, outcome));
    return result;
  }

  /** Renders a list to JSON here, because `answer` cannot wait. */
  private rendered(exchange: Exchange, result: Result): MaybePromise<Result> {
    if (!result.ok || !isLongList(result.value)) return result;
    return renderList(this.parts.bulk, exchange.payer, result.value).then(ok);
  }

  /** Makes the answer from the operation's result, if `run` has not made it. */
  answer(exchange: Exchange, result: Result): Answer {
    const response = this.timed(exchange, () => this.answered(exchange, result));
    this.settle(exchange);
    return response;
  }

  /** The request is over: its cost counts against the next turns of its organization. */
  private settle(exchange: Exchange): void {
    const { hasTurn, payer, workMs } = exchange;
    if (hasTurn) this.parts.turns.cost(payer, workMs);
    exchange.hasTurn = false;
  }

  private answered(exchange: Exchange, result: Result): Answer {
    if (!result.ok) return this.refused(exchange, result.fault);
    const { value } = result;
    if (value instanceof ChangeResult) return this.changed(exchange, value);
    if (value instanceof Rendered) return this.finished(exchange, exchange.text(value.json));
    return this.finished(exchange, value instanceof Response ? exchange.own(value) : exchange.json(value));
  }

  /** Answers a request whose handling threw. */
  failed(exchange: Exchange, cause: unknown): Answer {
    exchange.within(() => this.parts.log.error({ err: cause, requestId: exchange.requestId }, "a request failed"));
    this.settle(exchange);
    this.parts.admission.leaveOut(exchange);
    return this.finished(exchange, exchange.refuse(this.dialect.bug(exchange.requestId)));
  }

  /** Answers a request that matches no operation. */
  async refuse(request: Request, fault: Fault, audience: Audience = "configured_origins"): Promise<Response> {
    const exchange = this.begin(request);
    exchange.audience = audience;
    const counted = await this.parts.admission.count(exchange, exchange.server);
    return responseOf(this.refused(exchange, counted ?? fault));
  }

  /** Answers a public request outside of the operations; counts and logs it like one of theirs. */
  async serve(request: Request, answer: () => Promise<Outcome<Response>>): Promise<Response> {
    const exchange = this.begin(request);
    const fault = hostFault(request) ?? (await this.parts.admission.count(exchange, exchange.server));
    if (fault !== null) return responseOf(this.refused(exchange, fault));
    try {
      const outcome = await answer();
      if (!outcome.ok) return responseOf(this.refused(exchange, outcome.fault));
      return responseOf(this.finished(exchange, exchange.own(outcome.value)));
    } catch (cause) {
      return responseOf(this.failed(exchange, cause));
    }
  }

  /** Answers `OPTIONS`: the allowed methods, and, for a preflight, the allowed pages. */
  async options(request: Request, { allow, audience }: Offered): Promise<Response> {
    const exchange = this.begin(request);
    exchange.audience = audience;
    const limited = await this.parts.admission.count(exchange, exchange.server);
    if (limited !== null) return responseOf(this.refused(exchange, limited));
    const isPreflight = exchange.header("access-control-request-method") !== null;
    const origin = isPreflight ? exchange.header("origin") : null;
    const allowed = this.parts.crossOrigin.preflight(origin, audience, allow);
    return responseOf(this.finished(exchange, exchange.empty({ allow: allow.join(", "), ...allowed })));
  }

  /** Redirects the client to the correct path, with its method and body. */
  async redirect(request: Request, path: string): Promise<Response> {
    const exchange = this.begin(request);
    const limited = await this.parts.admission.count(exchange, exchange.server);
    if (limited !== null) return responseOf(this.refused(exchange, limited));
    const location = exchange.search === "" ? path : `${path}?${exchange.search}`;
    this.parts.admission.leaveOut(exchange);
    const response = new Response(null, { status: 308, headers: { location } });
    return responseOf(this.finished(exchange, exchange.own(response)));
  }

  /** Delegates to a non-API handler; null if the request is not for it. */
  async by(handler: (request: Request) => Promise<Response | null>, request: Request): Promise<Response | null> {
    const exchange = this.begin(request);
    const answer = await handler(request);
    return answer === null ? null : responseOf(this.finished(exchange, answer));
  }

  /** Refuses a request without counting it. */
  turnAway(request: Request, fault: Fault): Response {
    return responseOf(this.refused(this.begin(request), fault));
  }

  /** Authenticates the caller and checks the operation's requirements. */
  private authorized(exchange: Exchange, operation: BoundOperation): MaybePromise<Outcome<null>> {
    const misdirected = targetFault(exchange.request, exchange.server);
    if (misdirected !== null) return this.misdirected(exchange, misdirected);
    const { admission } = this.parts;
    const { signed } = operation.contract;
    const principal =
      signed === undefined
        ? admission.principalOf(exchange, exchange.server)
        : admission.subjectOf(exchange, exchange.server);
    return whenReady(principal, (admitted) => {
      if (!admitted.ok) return admitted;
      const versioned = this.versioned(exchange.request);
      if (!versioned.ok) return versioned;
      const fault = operation.refusalOf(admitted.value);
      if (fault !== null) return refuse(fault);
      exchange.principal = admitted.value;
      return operation.admit(exchange);
    });
  }

  /** Counts an unauthenticated caller. */
  private async welcome(exchange: Exchange): Promise<Outcome<null>> {
    const misdirected = targetFault(exchange.request, exchange.server);
    if (misdirected !== null) return this.misdirected(exchange, misdirected);
    const limited = await this.parts.admission.count(exchange, exchange.server);
    return limited === null ? this.versioned(exchange.request) : refuse(limited);
  }

  private async misdirected(exchange: Exchange, fault: Fault): Promise<Outcome<never>> {
    return refuse((await this.parts.admission.countStranger(exchange, exchange.server)) ?? fault);
  }

  private versioned(request: Request): Outcome<null> {
    return this.parts.version === undefined ? ok(null) : this.parts.version(request);
  }

  private changed(exchange: Exchange, { answer, keyStatus }: ChangeResult): Answer {
    const response = answer.ok ? answerWith(exchange, answer.value) : this.refusal(exchange, answer.fault);
    if (keyStatus !== null) response.headers.set("idempotency-status", keyStatus);
    return this.finished(exchange, response);
  }

  private refused(exchange: Exchange, fault: Fault): Answer {
    exchange.refusedFor(fault.kind);
    return this.finished(exchange, this.refusal(exchange, fault));
  }

  private refusal(exchange: Exchange, fault: Fault): Answer {
    this.parts.meter?.refused(fault.kind);
    this.parts.admission.leaveOut(exchange);
    const refusal = this.dialect.refusal(fault, exchange.requestId);
    const { refusalPage } = exchange;
    if (refusalPage === null) return exchange.refuse(refusal);
    const isPage = prefersPage(exchange.header("accept"));
    const answer = exchange.refuse(isPage ? asPage(refusal, refusalPage(fault)) : refusal);
    answer.headers.append("vary", "accept");
    return answer;
  }

  /** Lets pages of allowed other origins read the answer. */
  private crossOrigin(exchange: Exchange, response: Answer): void {
    const { crossOrigin } = this.parts;
    const { audience } = exchange;
    if (audience === "configured_origins") {
      if (!crossOrigin.varies) return;
      response.headers.append("vary", "origin");
    }
    const allowed = crossOrigin.headersFor(exchange.header("origin"), audience);
    if (allowed !== null) for (const [name, value] of Object.entries(allowed)) response.headers.set(name, value);
  }

  private finished(exchange: Exchange, response: Answer): Answer {
    const { headers } = exchange;
    if (headers !== null) for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    this.crossOrigin(exchange, response);
    exchange.isAnswered = true;
    exchange.releaseBody();
    exchange.onAnswered?.();
    const durationMs = exchange.log(this.parts.log, response.status);
    this.parts.meter?.answered(exchange.operation, response.status, durationMs / 1_000);
    return exchange.wantsHeadOnly && response instanceof Response ? withoutStream(response) : response;
  }
}

const asPage = ({ status, headers }: Refusal, body: string): Refusal => ({
  status,
  body,
  headers: { "content-type": PAGE_TYPE, ...PAGE_HEADERS, ...headers },
});

const answerWith = (exchange: Exchange, value: Answered | Response): Answer =>
  value instanceof Response ? exchange.own(value) : exchange.answer(value);

const NO_WAIT = ok(null);

/** Too many requests of the organization wait for their turn, or this one has waited too long. */
const CROWDED: Fault = { kind: "overloaded", retryAfterMs: 1_000 };

/** Whether nobody reads the body of an operation that takes none: a small one may turn out to be empty. */
const hasNoUse = ({ request }: Exchange, { isRead }: BoundOperation): boolean =>
  isRead || Number(request.headers.get("content-length") ?? 0) > EMPTY_BYTES;
