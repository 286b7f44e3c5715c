/**
 * One HTTP request on its way through the stages: its name, its start, whose it turned out to be, what was
 * read of it; its answers and its log line. To its operation it is a `Caller`.
 */
import type { Server } from "bun";
import { addressPayer } from "./payer.ts";
import { assert } from "../../../actors/assert.ts";
import { type Fault, ok, type Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import type { Span, Tracing } from "../../../actors/runtime/tracing.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { RateState } from "../../../actors/traffic/protocol.ts";
import { COMPRESSED_FROM_BYTES, compressed, encodingFor } from "../document/encoding.ts";
import { type Answer, PlainAnswer, type SharedHeaders } from "./answer.ts";
import type { Caller, Connected } from "./caller.ts";
import type { ClientAddresses } from "./client-address.ts";
import type { Audience } from "./cross-origin.ts";
import type { Refusal } from "./dialect.ts";
import type { Bodies, BodyHold, BodyOwner } from "./bodies.ts";
import type { BodyDoor, RawInput, Reading } from "./input-reader.ts";
import type { HttpLog } from "../../log/port.ts";
import type { LongBodies } from "./long-bodies.ts";
import { noteAnswer, noteStream, noteWhole } from "./forwarding.ts";
import type { Result } from "./operations.ts";
import type { RateHeaders } from "./rate-headers.ts";
import { givenRequestId } from "./request-id.ts";
import { RequestFields } from "./request-fields.ts";
import { endRequestSpan, requestSpan } from "./request-span.ts";
import type { Reached } from "./stages.ts";

/** Starts of an authority in `request.url`: `https://` is the longest scheme, a host has a character. */
const AUTHORITY = 8;

const JSON_TYPE = "application/json";
const PLAIN: SharedHeaders = {
  headers: new Headers({ "content-type": JSON_TYPE }),
  entries: [["content-type", JSON_TYPE]],
};

const NO_PARAMS: RawInput["params"] = {};

export class Exchange implements Caller, RawInput {
  readonly request: Request;
  readonly server: Server<unknown> | null;
  readonly requestId: string;
  params: RawInput["params"] = NO_PARAMS;
  /** Once the request is read. */
  reading: Reading | null = null;
  /** What its stages have come to so far (`stages.ts`), */
  reached: MaybePromise<Reached> = undefined;
  /** and what its operation has come to; null before. */
  result: MaybePromise<Answer | Result> | null = null;
  /** What every answer of its operation says besides. */
  headers: Readonly<Record<string, string>> | null = null;
  /** The pages that may read the answer. */
  audience: Audience = "configured_origins";
  /** Whether its answer needs to be no `Response` where its body is known. */
  takesPlain = false;
  /** Whether the answer is made. */
  isAnswered = false;
  /** The id of the operation that takes it; null before, and where none does. */
  operation: string | null = null;
  /** The operation's path, with the names of its parameters. */
  route: string | null = null;
  /** Once the request is authenticated. */
  organizationId: string | null = null;
  /** Once it is counted: every answer has it in its headers (RATE-2). */
  rate: RateState | null = null;
  /** Whether it has entered `FairTurns`, and has not been settled there. */
  hasTurn = false;
  /** Runs, perhaps twice, when it is answered or waits for something; null where nobody waits for that. */
  onAnswered: (() => void) | null = null;
  /** What the event loop has worked for it, in ms. */
  workMs = 0;
  private readonly rateHeaders: RateHeaders;
  private readonly addresses: ClientAddresses;
  private readonly bodiesUnderWay: Bodies;
  private readonly longBodies: LongBodies;
  /** Whether its id was made here. */
  private readonly hasOwnId: boolean;
  private readonly startedAt = performance.now();
  /** What its body counts before it is read. */
  private unread: BodyHold | null = null;
  private isDropped = false;
  /** Null where nothing is traced. */
  private readonly span: Span | null;
  private refusedAs: Fault["kind"] | null = null;

  private admitted: Principal | null = null;

  constructor(
    request: Request,
    server: Server<unknown> | null,
    {
      rateHeaders,
      addresses,
      bodies,
      longBodies,
      tracing,
    }: {
      readonly rateHeaders: RateHeaders;
      readonly addresses: ClientAddresses;
      readonly bodies: Bodies;
      readonly longBodies: LongBodies;
      readonly tracing?: Tracing | undefined;
    },
  ) {
    this.request = request;
    this.server = server;
    this.rateHeaders = rateHeaders;
    this.addresses = addresses;
    this.bodiesUnderWay = bodies;
    this.longBodies = longBodies;
    const given = givenRequestId(request);
    this.requestId = given ?? newId("req");
    this.hasOwnId = given === null;
    this.span = tracing === undefined ? null : requestSpan(tracing, request);
  }

  /** The answer of a stage that did not have to wait for it. */
  get early(): Reached {
    return this.reached instanceof Promise ? undefined : this.reached;
  }

  get principal(): Principal {
    assert(this.admitted !== null, "an operation runs for a caller who is admitted");
    return this.admitted;
  }

  set principal(principal: Principal) {
    this.admitted = principal;
  }

  /** Who is charged for the work: the organization, or the address of somebody whom nobody knows. */
  get payer(): string {
    return this.organizationId ?? addressPayer(this.address);
  }

  get address(): string {
    return this.addresses.of(this.request, this.server);
  }

  get wantsHeadOnly(): boolean {
    return this.request.method === "HEAD";
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }

  get search(): string {
    const { url } = this.request;
    const at = url.indexOf("?");
    return at === -1 ? "" : url.slice(at + 1);
  }

  get source(): Request {
    return this.request;
  }

  get bodies(): BodyDoor {
    const { bodiesUnderWay, bodyOwner, longBodies, payer } = this;
    return {
      begin: (announced) => {
        this.releaseBody();
        return bodiesUnderWay.begin(bodyOwner, announced);
      },
      beginStream: () => {
        this.releaseBody();
        return bodiesUnderWay.beginStream(bodyOwner, this.announcedBytes);
      },
      parse: (bytes, parse) => longBodies.parse(payer, bytes, parse),
    };
  }

  /** Bytes of its body as its head tells; infinite where it does not say how many, 0 where there is none. */
  get announcedBytes(): number {
    const length = this.header("content-length");
    if (length !== null) return Number(length);
    return this.header("transfer-encoding") === null ? 0 : Number.POSITIVE_INFINITY;
  }

  /**
   * Makes room for what comes of its body while the request waits (FAIR-5): for its organization, once that is known.
   * It is released when the body is read, or the request is answered.
   */
  holdBody(): Outcome<null> {
    if (this.isDropped || this.announcedBytes === 0) return ok(null);
    const { bodyOwner, unread } = this;
    if (unread?.owner.organizationId === bodyOwner.organizationId) return ok(null);
    this.releaseBody();
    const hold = this.bodiesUnderWay.beginUnread(bodyOwner, this.announcedBytes);
    if (!hold.ok) return hold;
    this.unread = hold.value;
    return ok(null);
  }

  releaseBody(): void {
    this.unread?.release();
    this.unread = null;
  }

  /** Lets a body go that nobody will read: what is not read would be kept for as long as the answer takes. */
  dropBody(): void {
    if (this.announcedBytes === 0) return;
    this.isDropped = true;
    void this.request.body?.cancel();
  }

  /** Closes the connection behind a refusal that leaves its body where it is: it would have to be taken to its end. */
  refusedFor(kind: Fault["kind"]): void {
    this.refusedAs = kind;
    const isUnread = this.reading?.input.ok !== true && UNREAD.has(kind) && this.announcedBytes > 0;
    if (isUnread) this.headers = { ...this.headers, connection: "close" };
  }

  private get bodyOwner(): BodyOwner {
    const { organizationId } = this;
    return { organizationId, tokenId: this.admitted?.tokenId ?? (organizationId === null ? this.payer : null) };
  }

  header(name: string): string | null {
    // Ranges are defined for GET alone (RFC 9110, 14.2): HEAD tells of the whole.
    if (name === "range" && this.wantsHeadOnly) return null;
    return this.request.headers.get(name);
  }

  /** An answer that may take longer waits for something: nobody is to wait for it. */
  keepOpen(seconds: number): void {
    this.server?.timeout(this.request, seconds);
    this.onAnswered?.();
  }

  get connection(): Connected {
    return new Connection(this.request, this.server);
  }

  nameStream(name: string | null): void {
    noteStream(this.request, name);
  }

  json(body: object): Answer {
    return this.text(JSON.stringify(body));
  }

  /** An answer whose JSON is there already. */
  text(json: string): Answer {
    return this.respond(json, 200);
  }

  /** An answer whose body is a text already. */
  answer({
    status,
    contentType,
    body,
  }: {
    readonly status: number;
    readonly contentType: string;
    readonly body: string;
  }): Answer {
    const response = this.respond(body, status);
    if (contentType !== JSON_TYPE) response.headers.set("content-type", contentType);
    return response;
  }

  refuse({ status, body, headers }: Refusal): Answer {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = this.respond(text, status);
    if (headers !== undefined) for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  }

  /** Nothing but these headers. */
  empty(headers: Readonly<Record<string, string>>): Response {
    return this.own(new Response(null, { status: 204, headers }));
  }

  /** A response that the operation has made itself. */
  own(response: Response): Response {
    noteAnswer(this.request, response);
    response.headers.set("x-request-id", this.requestId);
    return this.rate === null ? response : this.rateHeaders.stamp(response, this.rate);
  }

  /** Works for the request: what is traced of it belongs to its span. */
  within<T>(work: () => T): T {
    return this.span === null ? work() : this.span.within(work);
  }

  /** It is answered: one line for each request; never a header, a query or a body. Answers how long it has taken, in ms. */
  log(log: HttpLog, status: number): number {
    const { span } = this;
    if (span === null) return this.logLine(log, status);
    this.endSpan(span, status);
    return span.within(() => this.logLine(log, status));
  }

  /** Its owner has answered it, and has written its line. */
  answeredElsewhere(organizationId: string, status: number): void {
    this.isAnswered = true;
    this.organizationId = organizationId;
    this.releaseBody();
    if (this.span !== null) this.endSpan(this.span, status);
  }

  private endSpan(span: Span, status: number): void {
    const { request, requestId, organizationId, operation, route, refusedAs } = this;
    endRequestSpan(span, { method: request.method, requestId, organizationId, operation, route, refusedAs, status });
  }

  private logLine(log: HttpLog, status: number): number {
    const { request, requestId, hasOwnId, organizationId } = this;
    const durationMs = Math.round((performance.now() - this.startedAt) * 100) / 100;
    const { method, url } = request;
    const fields = new RequestFields(
      { requestId, organizationId, method, path: pathOf(url), status, durationMs },
      hasOwnId ? requestId : null,
    );
    if (status >= 500) log.warn(fields, "request");
    else log.info(fields, "request");
    return durationMs;
  }

  private respond(text: string, status: number): Answer {
    const { rate, requestId } = this;
    const isLong = text.length > COMPRESSED_FROM_BYTES;
    const encoding = isLong ? encodingFor(this.header("accept-encoding")) : null;
    const body = encoding === null ? text : compressed(text, encoding);
    // Headers that are made once are copied faster than an object is read.
    const response = this.made(status, rate === null ? PLAIN : this.rateHeaders.json(rate), body);
    if (isLong) response.headers.set("vary", "accept-encoding");
    if (encoding !== null) response.headers.set("content-encoding", encoding);
    response.headers.set("x-request-id", requestId);
    return rate === null ? response : this.rateHeaders.finish(response, rate);
  }

  private made(
    status: number,
    shared: SharedHeaders,
    body: string | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>,
  ): Answer {
    if (this.takesPlain && !(body instanceof ReadableStream)) return new PlainAnswer(status, shared, body);
    const response = new Response(body, { status, headers: shared.headers });
    if (!(body instanceof ReadableStream)) noteWhole(this.request, response, body);
    return response;
  }
}

class Connection implements Connected {
  private readonly request: Request;
  private readonly server: Server<unknown> | null;

  constructor(request: Request, server: Server<unknown> | null) {
    this.request = request;
    this.server = server;
  }

  keepOpen(seconds: number): void {
    this.server?.timeout(this.request, seconds);
  }
}

/** Refusals before a body is read to its end. */
const UNREAD: ReadonlySet<Fault["kind"]> = new Set(["overloaded", "request_timeout"]);

/** Elysia's own router counts the bytes of what it answers to HEAD: an event stream would never end. */
export function withoutStream(response: Response): Response {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) return response;
  void response.body?.cancel();
  return new Response(null, response);
}

/** The path of a request's url, as it was sent: nothing is decoded. */
export function pathOf(url: string): string {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", AUTHORITY);
  if (start === -1) return "/";
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
