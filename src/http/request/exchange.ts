/**
 * One HTTP request on its way to its answer (`surface.ts`): its id, its start, its caller and its input, its answers
 * and its log line. For its operation it is a `Caller`.
 */
import type { Server } from "bun";
import { addressPayer } from "../admission/fair-turns.ts";
import { assert } from "../../../actors/assert.ts";
import { type Fault, ok, type Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import type { Span, Tracing } from "../../../actors/runtime/tracing.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { RateState } from "../../../actors/traffic/protocol.ts";
import { compressText, COMPRESSED_FROM_BYTES, encodingFor } from "../document/encoding.ts";
import type { LoopTime } from "../../../actors/runtime/fairness/loop-time.ts";
import type { PipelineAnswer, SharedHeaders, WholeBody } from "../answer/answer.ts";
import type { BoundOperation } from "./bound-operation.ts";
import { type CallConnection, type Caller, givenRequestId } from "./caller.ts";
import type { ClientAddresses } from "../admission/client-address.ts";
import type { AllowedReaders } from "../answer/cross-origin.ts";
import type { Refusal } from "../answer/dialect.ts";
import type { Bodies, BodyHold, BodyOwner } from "../body/bodies.ts";
import type { BodyDoor, RawInput, ReadInput } from "../input/input-reader.ts";
import type { HttpLog } from "../../log/port.ts";
import type { LongBodies } from "../body/long-bodies.ts";
import { servedContent, type HandedOn } from "./forwarding.ts";
import type { InnerReader } from "../stream/event-source.ts";
import type { RateHeaders } from "../answer/rate-headers.ts";
import { innerReader } from "./inner-request.ts";
import { RequestFields } from "./request-fields.ts";
import { endRequestSpan, requestSpan } from "./request-span.ts";

/**
 * An index in `request.url` behind the slashes of its scheme, and not behind that of its path: `https://` has 8
 * characters; `http://` has 7, and a host at least one.
 */
const AUTHORITY = 8;

export const JSON_MEDIA_TYPE = "application/json";
const PLAIN: SharedHeaders = {
  headers: new Headers({ "content-type": JSON_MEDIA_TYPE }),
  entries: [["content-type", JSON_MEDIA_TYPE]],
};

const NO_PARAMS: RawInput["params"] = {};

export class Exchange implements Caller, RawInput {
  readonly request: Request;
  readonly server: Server<unknown> | null;
  readonly requestId: string;
  params: RawInput["params"] = NO_PARAMS;
  /** Set once the request is read. */
  reading: ReadInput | null = null;
  /** Headers of every answer of its operation. */
  headers: Readonly<Record<string, string>> | null = null;
  /** The HTML of its operation's refusals for browsers; null: they are as the surface has them. */
  refusalPage: ((fault: Fault) => string) | null = null;
  /** The pages that may read the answer. */
  audience: AllowedReaders = "configured_origins";
  /** The id of the matched operation; null before, and if there is none. */
  operation: string | null = null;
  /** The operation's path, with parameter names. */
  route: string | null = null;
  /** Set once the request is authenticated. */
  organizationId: string | null = null;
  /** Set once it is counted: every answer has it in its headers (RATE-2). */
  rate: RateState | null = null;
  /** Whether it has entered `FairTurns` and not yet settled its cost there. */
  hasTurn = false;
  /** Runs, perhaps twice, when it is answered or waits for something; null if no handover can wait for it. */
  onAnswered: (() => void) | null = null;
  /** The kind of work that its event loop time is charged as. */
  loopWork: "requests" | "uploads" = "requests";
  /** Event loop time spent for it, in ms. */
  workMs = 0;
  /** The replica that has forwarded it; null: it came from its client. */
  private readonly by: HandedOn | null;
  private readonly loopTime: LoopTime;
  private readonly rateHeaders: RateHeaders;
  private readonly addresses: ClientAddresses;
  private readonly bodiesUnderWay: Bodies;
  private readonly longBodies: LongBodies;
  /** Whether the service generated its id. */
  private readonly hasOwnId: boolean;
  private readonly startedAt = performance.now();
  /** The memory that its body counts for before it is read. */
  private unread: BodyHold | null = null;
  private isDropped = false;
  /** Null if tracing is off. */
  private readonly span: Span | null;
  private refusedAs: Fault["kind"] | null = null;

  private admitted: Principal | null = null;

  constructor(
    request: Request,
    server: Server<unknown> | null,
    by: HandedOn | null,
    {
      system: { loopTime },
      rateHeaders,
      addresses,
      bodies,
      longBodies,
      tracing,
    }: {
      readonly system: { readonly loopTime: LoopTime };
      readonly rateHeaders: RateHeaders;
      readonly addresses: ClientAddresses;
      readonly bodies: Bodies;
      readonly longBodies: LongBodies;
      readonly tracing?: Tracing | undefined;
    },
  ) {
    this.request = request;
    this.server = server;
    this.by = by;
    this.loopTime = loopTime;
    this.rateHeaders = rateHeaders;
    this.addresses = addresses;
    this.bodiesUnderWay = bodies;
    this.longBodies = longBodies;
    const given = givenRequestId(request);
    this.requestId = given ?? newId("req");
    this.hasOwnId = given === null;
    this.span = tracing === undefined ? null : requestSpan(tracing, request);
  }

  /** The operation that its path names. */
  isFor({ id, contract, headers }: BoundOperation, params: RawInput["params"]): void {
    this.operation = id;
    this.route = contract.path;
    this.params = params;
    this.headers = headers;
    this.refusalPage = contract.refusalPage ?? null;
    if (contract.scope === null) this.audience = "any_origin";
  }

  get principal(): Principal {
    assert(this.admitted !== null, "an operation runs for a caller who is admitted");
    return this.admitted;
  }

  set principal(principal: Principal) {
    this.admitted = principal;
  }

  /** Who is charged for the work: the organization, or the address of an unauthenticated caller. */
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

  /** The announced length of its body; infinite if unknown, 0 if there is no body. */
  get announcedBytes(): number {
    const length = this.header("content-length");
    if (length !== null) return Number(length);
    return this.header("transfer-encoding") === null ? 0 : Number.POSITIVE_INFINITY;
  }

  /**
   * Reserves memory for the part of its body that arrives while the request waits (FAIR-5), for its organization
   * once that is known. Released when the body is read, or the request answered.
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

  /** Drops a body that nobody will read: the unread part would be kept for as long as the answer takes. */
  dropBody(): void {
    if (this.announcedBytes === 0) return;
    this.isDropped = true;
    void this.request.body?.cancel();
  }

  /**
   * Closes the connection after a refusal that leaves the body unread: otherwise the rest would have to be received.
   */
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
    // Ranges are defined for GET alone (RFC 9110, 14.2): HEAD describes the whole file.
    if (name === "range" && this.wantsHeadOnly) return null;
    return this.request.headers.get(name);
  }

  /** The answer may take long, because it waits for something: a handover of its shard must not wait for it. */
  keepOpen(seconds: number): void {
    this.server?.timeout(this.request, seconds);
    this.onAnswered?.();
  }

  get connection(): CallConnection {
    return new ExchangeConnection(this.request, this.server);
  }

  nameStream(name: string | null): void {
    this.by?.noteStream(name);
  }

  json(body: object): PipelineAnswer {
    return this.text(JSON.stringify(body));
  }

  /** An answer whose JSON already exists. */
  text(json: string): PipelineAnswer {
    return this.respond(json, 200);
  }

  /** An answer whose body is already text. */
  answer({
    status,
    contentType,
    body,
  }: {
    readonly status: number;
    readonly contentType: string;
    readonly body: string;
  }): PipelineAnswer {
    const response = this.respond(body, status);
    if (contentType !== JSON_MEDIA_TYPE) response.headers.set("content-type", contentType);
    return response;
  }

  refuse({ status, body, headers }: Refusal): PipelineAnswer {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = this.respond(text, status);
    if (headers !== undefined) for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  }

  /** An answer with headers only. */
  empty(headers: Readonly<Record<string, string>>): Response {
    return this.own(new Response(null, { status: 204, headers }));
  }

  /** A response that the operation made itself. */
  own(response: Response): Response {
    if (this.by !== null) this.by.noteContent(servedContent(response));
    response.headers.set("x-request-id", this.requestId);
    return this.rate === null ? response : this.rateHeaders.stamp(response, this.rate);
  }

  /** The answer as a `Response`. The replica that has forwarded the request takes what it has made itself. */
  responseFor(answer: PipelineAnswer): Response {
    if (this.by === null || answer instanceof Response) return answer as Response;
    return this.by.take(answer);
  }

  /** Does a part of its work, and charges it to its payer. */
  timed<T>(work: () => T): T {
    const from = this.loopTime.begin(this.loopWork, this.organizationId, this.operation);
    try {
      return this.within(work);
    } finally {
      this.workMs += this.loopTime.end(from, this.payer, this.loopWork);
    }
  }

  /** Works for the request: spans within it belong to the request's span. */
  within<T>(work: () => T): T {
    return this.span === null ? work() : this.span.within(work);
  }

  /** The request is answered: writes one line, without headers, query or body. Returns the time it took, in ms. */
  log(log: HttpLog, status: number): number {
    const { span } = this;
    if (span === null) return this.logLine(log, status);
    this.endSpan(span, status);
    return span.within(() => this.logLine(log, status));
  }

  /** The organization's owner has answered it, and has logged it. */
  answeredElsewhere(organizationId: string, status: number): void {
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
      { requestId, organizationId, method, path: rawPath(url), status, durationMs },
      hasOwnId ? requestId : null,
    );
    if (status >= 500) log.warn(fields, "request");
    else log.info(fields, "request");
    return durationMs;
  }

  private respond(text: string, status: number): PipelineAnswer {
    const { rate, requestId } = this;
    const isLong = text.length > COMPRESSED_FROM_BYTES;
    const encoding = isLong ? encodingFor(this.header("accept-encoding")) : null;
    const body = encoding === null ? text : compressText(text, encoding);
    // Copying prepared headers is faster than reading an object.
    const response = this.made(status, rate === null ? PLAIN : this.rateHeaders.json(rate), body);
    if (isLong) response.headers.set("vary", "accept-encoding");
    if (encoding !== null) response.headers.set("content-encoding", encoding);
    response.headers.set("x-request-id", requestId);
    return rate === null ? response : this.rateHeaders.finish(response, rate);
  }

  private made(status: number, shared: SharedHeaders, body: WholeBody | ReadableStream<Uint8Array>): PipelineAnswer {
    const handed = body instanceof ReadableStream ? null : this.by?.answer(status, shared, body);
    return handed ?? new Response(body, { status, headers: shared.headers });
  }
}

class ExchangeConnection implements CallConnection {
  private readonly request: Request;
  private readonly server: Server<unknown> | null;

  constructor(request: Request, server: Server<unknown> | null) {
    this.request = request;
    this.server = server;
  }

  get reader(): InnerReader | null {
    return innerReader(this.request);
  }

  keepOpen(seconds: number): void {
    this.server?.timeout(this.request, seconds);
  }
}

/** Refusals that leave a body partly unread. */
const UNREAD: ReadonlySet<Fault["kind"]> = new Set(["overloaded", "request_timeout"]);

/** The path of a request's url as it was sent, without decoding. */
export function rawPath(url: string): string {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", AUTHORITY);
  if (start === -1) return "/";
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
