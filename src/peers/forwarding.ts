/**
 * Forwards a client's request to the replica that owns its organization, and returns the answer. There is only one hop:
 * a replica that is not the owner answers 421 and forwards nothing. After a 421, or if nobody listens at the address,
 * the request goes to the present owner. It is sent again only if the first attempt certainly did nothing, or if
 * repeating it is harmless: a read, or a change under an idempotency key.
 */
import type { Fault, Outcome } from "../../actors/fault.ts";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { SHARD_UNAVAILABLE, UNAVAILABLE_RETRY_MS } from "../../actors/runtime/placement/shards.ts";
import {
  type Forwarding,
  forwarderOf,
  type OperationCall,
  type Route,
  type RoutedRequest,
} from "../http/request/forwarding.ts";
import { UNNAMED_STREAM } from "./handed-on-request.ts";
import type { Bearer } from "../http/stream/open-streams.ts";
import { CONTENT_HEADER, withContent } from "./content-answer.ts";
import { LeavingClients } from "./leaving-clients.ts";
import type { Liveness } from "./liveness.ts";
import type { Again, OwnerAnswer } from "./owner-events.ts";
import type { LinkCall } from "./peer-link.ts";
import { MISDIRECTED, NotReached, type Passed, type PeerClient } from "./peer-client.ts";
import type { PeerQuestions } from "./peer-questions.ts";
import type { Owner } from "./placement-table.ts";
import { STREAM_HEADER, linkedResponse, relayResponse, relayedHeaders } from "./relay.ts";
import type { RelayedStreams } from "./relayed-stream.ts";
import { OWNER_WAIT_MS, type RoutedPlace, type Routing } from "./routing.ts";
import { isEventStream } from "../http/stream/event-source.ts";

/** Bodies up to this many bytes are kept until they are answered, so that they can be sent again. */
export const KEPT_BODY_BYTES = 64 * 1024;
/** A replica that has just been given a shard waits for its take-up before it says that it is not the owner. */
const OWN_WAIT_MS = 1_000;

const OUTCOME_UNKNOWN: Fault = { kind: "outcome_unknown", retryAfterMs: UNAVAILABLE_RETRY_MS };
const LOST_ROUTE: Route = { kind: "nowhere", fault: OUTCOME_UNKNOWN };
const NO_ROUTE: Route = { kind: "nowhere", fault: SHARD_UNAVAILABLE };

interface ForwardingParts {
  readonly self: Owner;
  readonly routing: Routing;
  readonly client: PeerClient;
  readonly liveness: Liveness;
  readonly streams: RelayedStreams;
  readonly questions: Pick<PeerQuestions, "invoke">;
  /** In storage that all replicas share. */
  readonly contents: Pick<FileContents, "read">;
  readonly clock: Pick<Clock, "monotonic" | "after">;
}

type ForwardedBody = ReadableStream<Uint8Array> | ArrayBuffer | null;

/** A request to forward, and whether it may be sent again. */
interface Parcel {
  readonly routed: RoutedRequest;
  readonly target: string;
  readonly bearer: Bearer;
  readonly body: ForwardedBody;
  /** Whether the body can be sent again. */
  readonly isKept: boolean;
  /** Whether running it twice does no harm. */
  readonly isHarmless: boolean;
  readonly untilMs: number;
}

/** The answer, or why there is none. */
type Attempted = Response | Fault | "misdirected" | "not_reached" | "lost";

export class RequestForwarding implements Forwarding {
  private readonly parts: ForwardingParts;
  private readonly leaving: LeavingClients;

  constructor(parts: ForwardingParts) {
    this.parts = parts;
    this.leaving = new LeavingClients(parts.clock);
  }

  route(routed: RoutedRequest, bearer: Bearer): MaybePromise<Route> {
    const { organizationId } = bearer;
    const place = this.parts.routing.placeNow(organizationId);
    if (place?.kind === "here") return this.here(organizationId);
    if (forwarderOf(routed.request) !== null) return this.own(organizationId);
    return (place === null ? null : this.sendNow(place.owner, routed, bearer)) ?? this.send(routed, bearer);
  }

  invoke(call: OperationCall): Promise<Outcome<object>> {
    return this.parts.questions.invoke(call);
  }

  /** Forwards a read over the owner's link at once; null if there is no link, or if the request is not a read. */
  private sendNow(owner: Owner, routed: RoutedRequest, bearer: Bearer): Promise<Route> | null {
    const { request } = routed;
    if (request.method !== "GET") return null;
    const untilMs = this.parts.clock.monotonic() + OWNER_WAIT_MS;
    const target = targetOf(request.url);
    const parcel = { routed, bearer, target, body: null, isKept: true, isHarmless: true, untilMs };
    const call = this.parts.client.link(owner, parcelFields(parcel));
    if (call === null) return null;
    return this.overLink(owner, parcel, call).then((end) =>
      end instanceof Response
        ? { kind: "elsewhere", response: end }
        : this.deliver({ kind: "there", owner }, parcel, end),
    );
  }

  private here(organizationId: string): Route {
    return { kind: "here", done: this.parts.routing.begin(organizationId) };
  }

  /** Serves a request that was forwarded to this replica, or answers 421; it is never forwarded again. */
  private async own(organizationId: string): Promise<Route> {
    const { routing, clock } = this.parts;
    const place = await routing.placeOf(organizationId, clock.monotonic() + OWN_WAIT_MS);
    if (place?.kind === "here") return this.here(organizationId);
    return { kind: "elsewhere", response: new Response(null, { status: MISDIRECTED }) };
  }

  private async send(routed: RoutedRequest, bearer: Bearer): Promise<Route> {
    const { routing, clock } = this.parts;
    const { organizationId } = bearer;
    const untilMs = clock.monotonic() + OWNER_WAIT_MS;
    const place = await routing.placeOf(organizationId, untilMs);
    if (place === null) return NO_ROUTE;
    if (place.kind === "here") return this.here(organizationId);
    const { request } = routed;
    const isRead = request.method === "GET" || request.method === "HEAD";
    const kept = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY) <= KEPT_BODY_BYTES;
    const body = isRead || request.body === null ? null : kept ? await request.arrayBuffer() : request.body;
    return this.deliver(place, {
      routed,
      bearer,
      target: targetOf(request.url),
      body,
      isKept: !(body instanceof ReadableStream),
      isHarmless: isRead || request.headers.has("idempotency-key"),
      untilMs,
    });
  }

  /** `attempted`: the result of the first attempt, if one was made. */
  private async deliver(first: RoutedPlace, parcel: Parcel, attempted: Attempted | null = null): Promise<Route> {
    const { routing, liveness, clock } = this.parts;
    for (let place: RoutedPlace | null = first, before = attempted; ; before = null) {
      if (place === null) return NO_ROUTE;
      // The shard moved here meanwhile. Part of the body has been read, so this replica calls itself.
      const owner = place.kind === "here" ? this.parts.self : place.owner;
      const end = before ?? (await this.attempt(owner, parcel));
      if (end instanceof Response) return { kind: "elsewhere", response: end };
      if (typeof end !== "string") return { kind: "nowhere", fault: end };
      if (end === "lost" && !(parcel.isHarmless && parcel.isKept)) return LOST_ROUTE;
      if (!parcel.isKept) return NO_ROUTE;
      if (parcel.routed.request.signal.aborted || clock.monotonic() >= parcel.untilMs) return NO_ROUTE;
      if (end !== "misdirected") await liveness.suspect(owner, parcel.untilMs);
      await routing.lookAgain(parcel.untilMs);
      place = await routing.placeOf(parcel.bearer.organizationId, parcel.untilMs);
    }
  }

  /** The answer, or why there is none. */
  private async attempt(owner: Owner, parcel: Parcel): Promise<Attempted> {
    const { client } = this.parts;
    const linked = client.link(owner, parcelFields(parcel));
    if (linked !== null) return this.overLink(owner, parcel, linked);
    return this.overHttp(owner, parcel, (signal) => client.pass(owner, { ...parcelFields(parcel), signal }));
  }

  /** The answer over the link, or over HTTP if the owner keeps it to be fetched. */
  private async overLink(owner: Owner, parcel: Parcel, call: LinkCall): Promise<Attempted> {
    const { client } = this.parts;
    const stay = this.leaving.watch(parcel.routed, call);
    const forget = client.watch(owner.id, call, parcel.isHarmless && parcel.isKept);
    try {
      const answer = await call.answer;
      if (answer.kind === "text") return answer.response;
      if (answer.kind === "kept")
        return await this.overHttp(owner, parcel, (by) => client.take(owner, answer.ticket, by));
      if (answer.head[0] === MISDIRECTED) return "misdirected";
      const response = linkedResponse(answer.head, answer.body);
      const content = answer.head[1][CONTENT_HEADER];
      return typeof content === "string" ? await this.contentOf(content, response) : response;
    } catch {
      return "lost";
    } finally {
      forget();
      stay();
    }
  }

  private async overHttp(
    owner: Owner,
    parcel: Parcel,
    ask: (signal: AbortSignal) => Promise<Response>,
  ): Promise<Attempted> {
    const { client } = this.parts;
    const { routed } = parcel;
    const { signal } = routed.request;
    // From here on the owner's time limits apply.
    routed.keepOpen(0);
    const call = new AbortController();
    const leave = (): void => call.abort();
    signal.addEventListener("abort", leave, { once: true });
    let forget = client.watch(owner.id, call, parcel.isHarmless && parcel.isKept);
    try {
      if (signal.aborted) leave();
      const response = await ask(call.signal);
      if (!isEventStream(response)) {
        // The client already has a part of the answer.
        forget();
        forget = client.watch(owner.id, call);
      }
      if (response.status === MISDIRECTED) {
        forget();
        return "misdirected";
      }
      const content = response.headers.get(CONTENT_HEADER);
      if (content !== null) {
        forget();
        return await this.contentOf(content, { status: response.status, headers: relayedHeaders(response) });
      }
      const end = (): void => {
        forget();
        call.abort();
      };
      const stream = this.stream(response, parcel, end);
      if (stream === null)
        return await relayResponse(response, { ...this.reading(parcel), request: routed.request, onEnd: forget });
      // Other clients may go on reading the stream after this one leaves.
      signal.removeEventListener("abort", leave);
      return stream.ok ? stream.value : stream.fault;
    } catch (cause) {
      forget();
      return cause instanceof NotReached ? "not_reached" : "lost";
    }
  }

  private async contentOf(named: string, answer: Pick<Response, "status" | "headers">): Promise<Response | Fault> {
    return (await withContent(this.parts.contents, named, answer)) ?? SHARD_UNAVAILABLE;
  }

  /** The stream of a record as a stream of this replica; null where the answer is something else. */
  private stream(response: Response, parcel: Parcel, end: () => void): Outcome<Response> | null {
    const name = response.headers.get(STREAM_HEADER);
    const { routed, bearer } = parcel;
    const { body, status } = response;
    if (name === null || body === null || status !== 200 || routed.request.method !== "GET") return null;
    return this.parts.streams.open(
      { body, end },
      {
        ...this.reading(parcel),
        name: name === UNNAMED_STREAM ? null : name,
        bearer,
        headers: Object.fromEntries(relayedHeaders(response)),
        keepOpen: (seconds) => routed.keepOpen(seconds),
      },
    );
  }

  private reading(parcel: Parcel): { readonly again: Again; readonly cursor: string | null } {
    const { request } = parcel.routed;
    const cursor = request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("after");
    return { cursor, again: (from) => this.resume(parcel, from) };
  }

  /** Reopens the stream after this cursor, at its present owner. */
  private async resume(parcel: Parcel, cursor: string | null): Promise<OwnerAnswer | number> {
    const { routing, client, clock, liveness, self } = this.parts;
    const untilMs = clock.monotonic() + OWNER_WAIT_MS;
    while (clock.monotonic() < untilMs) {
      await routing.lookAgain(untilMs);
      const place = await routing.placeOf(parcel.bearer.organizationId, untilMs);
      if (place === null) return 0;
      const owner = place.kind === "here" ? self : place.owner;
      const call = new AbortController();
      const forget = client.watch(owner.id, call, true);
      const end = (): void => {
        forget();
        call.abort();
      };
      const headers: Record<string, string> = cursor === null ? {} : { "last-event-id": cursor };
      try {
        const response = await client.pass(owner, { ...parcelFields(parcel), headers, signal: call.signal });
        const { status, body } = response;
        if (status === 200 && body !== null) return { body, end };
        end();
        if (status !== MISDIRECTED && status !== 503) return status;
      } catch {
        forget();
        await liveness.suspect(owner, untilMs);
      }
    }
    return 0;
  }
}

function parcelFields({ routed, target, body }: Parcel): Omit<Passed, "signal" | "headers"> {
  const { request, requestId, address } = routed;
  return { request, target, body, requestId, client: address };
}

/** A host that a URL leaves unchanged. */
const PLAIN_HOST = /^[\w.:[\]-]+$/;

/** The URL of a forwarded request. A host that is not valid in a URL stays in the header only. */
export function forwardedUrl(host: string | null, target: string): string {
  const url = `http://${host}${target}`;
  return host !== null && PLAIN_HOST.test(host) && URL.canParse(url) ? url : `http://replica${target}`;
}

/** Path and query of a URL, as they were sent. */
export function targetOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return start === -1 ? "/" : url.slice(start);
}
