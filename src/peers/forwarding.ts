/**
 * Hands a client's request to the replica that owns its organization, and its answer back: once, because a
 * replica that is not the owner says so (421) and hands nothing on. Then, and where nobody listens any more, the
 * request goes to whoever is the owner by now. It is sent a second time only where the first time certainly did
 * nothing, or where doing it again does no harm: a read, or a change under an idempotency key.
 */
import type { Fault } from "../../actors/fault.ts";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import { UNAVAILABLE, UNAVAILABLE_RETRY_MS } from "../../actors/runtime/shards.ts";
import type { Forwarding, Route, Routed } from "../http/request/forwarding.ts";
import { forwardedFor } from "../http/request/forwarding.ts";
import type { Liveness } from "./liveness.ts";
import { MISDIRECTED, NotReached, type PeerClient } from "./peer-client.ts";
import type { Owner } from "./placement-table.ts";
import { relayed } from "./relay.ts";
import { OWNER_WAIT_MS, type Place, type Routing } from "./routing.ts";

/** Bodies up to this many bytes are kept until they are answered, so that they can be sent again. */
export const KEPT_BODY_BYTES = 64 * 1024;
/** A replica that has just been given a shard waits for its take-up before it says that it is not the owner. */
const OWN_WAIT_MS = 1_000;

const OUTCOME_UNKNOWN: Fault = { kind: "outcome_unknown", retryAfterMs: UNAVAILABLE_RETRY_MS };
const LOST: Route = { kind: "nowhere", fault: OUTCOME_UNKNOWN };
const NOWHERE: Route = { kind: "nowhere", fault: UNAVAILABLE };

interface ForwardingParts {
  readonly self: Owner;
  readonly routing: Routing;
  readonly client: PeerClient;
  readonly liveness: Liveness;
  readonly clock: Pick<Clock, "monotonic" | "after">;
}

type Body = ReadableStream<Uint8Array> | ArrayBuffer | null;

/** What is handed on, and how often it may be. */
interface Parcel {
  readonly routed: Routed;
  readonly target: string;
  readonly organizationId: string;
  readonly body: Body;
  /** Whether the body can be sent again. */
  readonly isKept: boolean;
  /** Whether doing it twice does no harm. */
  readonly isHarmless: boolean;
  readonly untilMs: number;
}

export class RequestForwarding implements Forwarding {
  private readonly parts: ForwardingParts;

  constructor(parts: ForwardingParts) {
    this.parts = parts;
  }

  route(routed: Routed, organizationId: string): MaybePromise<Route> {
    const place = this.parts.routing.placeNow(organizationId);
    if (place?.kind === "here") return this.here(organizationId);
    return forwardedFor(routed.request) === null ? this.send(routed, organizationId) : this.own(organizationId);
  }

  private here(organizationId: string): Route {
    return { kind: "here", done: this.parts.routing.begin(organizationId) };
  }

  /** A request that was handed on to this replica is served here or nowhere. */
  private async own(organizationId: string): Promise<Route> {
    const { routing, clock } = this.parts;
    const place = await routing.placeOf(organizationId, clock.monotonic() + OWN_WAIT_MS);
    if (place?.kind === "here") return this.here(organizationId);
    return { kind: "elsewhere", response: new Response(null, { status: MISDIRECTED }) };
  }

  private async send(routed: Routed, organizationId: string): Promise<Route> {
    const { routing, clock } = this.parts;
    const untilMs = clock.monotonic() + OWNER_WAIT_MS;
    const place = await routing.placeOf(organizationId, untilMs);
    if (place === null) return NOWHERE;
    if (place.kind === "here") return this.here(organizationId);
    const { request } = routed;
    const isRead = request.method === "GET" || request.method === "HEAD";
    const kept = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY) <= KEPT_BODY_BYTES;
    const body = isRead || request.body === null ? null : kept ? await request.arrayBuffer() : request.body;
    // From here on the owner's time limits count.
    routed.keepOpen(0);
    return this.deliver(place, {
      routed,
      organizationId,
      target: targetOf(request.url),
      body,
      isKept: !(body instanceof ReadableStream),
      isHarmless: isRead || request.headers.has("idempotency-key"),
      untilMs,
    });
  }

  private async deliver(first: Place, parcel: Parcel): Promise<Route> {
    const { routing, liveness, clock } = this.parts;
    for (let place: Place | null = first; ;) {
      if (place === null) return NOWHERE;
      // Its shard has come here meanwhile; what has been read of the body is handed to ourselves.
      const owner = place.kind === "here" ? this.parts.self : place.owner;
      const end = await this.attempt(owner, parcel);
      if (typeof end !== "string") return { kind: "elsewhere", response: end };
      if (end === "lost" && !(parcel.isHarmless && parcel.isKept)) return LOST;
      if (!parcel.isKept) return NOWHERE;
      if (parcel.routed.request.signal.aborted || clock.monotonic() >= parcel.untilMs) return NOWHERE;
      if (end !== "misdirected") await liveness.suspect(owner);
      await routing.lookAgain();
      place = await routing.placeOf(parcel.organizationId, parcel.untilMs);
    }
  }

  /** The answer, or why there is none. */
  private async attempt(owner: Owner, parcel: Parcel): Promise<Response | "misdirected" | "not_reached" | "lost"> {
    const { client } = this.parts;
    const { routed, target, body } = parcel;
    const call = new AbortController();
    const leave = (): void => call.abort();
    routed.request.signal.addEventListener("abort", leave, { once: true });
    const forget = client.watch(owner.id, call);
    try {
      const { request, requestId, address } = routed;
      const response = await client.pass(owner, {
        request,
        target,
        body,
        requestId,
        client: address,
        signal: call.signal,
      });
      if (response.status === MISDIRECTED) {
        forget();
        return "misdirected";
      }
      return await relayed(response, {
        request,
        onEnd: forget,
        again: (cursor) => this.resume(parcel, cursor),
      });
    } catch (cause) {
      forget();
      return cause instanceof NotReached ? "not_reached" : "lost";
    }
  }

  /** The stream again, from behind this cursor, wherever it is by now; null where it cannot be had. */
  private async resume(parcel: Parcel, cursor: string | null): Promise<ReadableStream<Uint8Array> | null> {
    const { routing, client, clock, liveness, self } = this.parts;
    const { routed, target } = parcel;
    const untilMs = clock.monotonic() + OWNER_WAIT_MS;
    while (!routed.request.signal.aborted && clock.monotonic() < untilMs) {
      await routing.lookAgain();
      const place = await routing.placeOf(parcel.organizationId, untilMs);
      if (place === null) return null;
      const owner = place.kind === "here" ? self : place.owner;
      const call = new AbortController();
      routed.request.signal.addEventListener("abort", () => call.abort(), { once: true });
      const forget = client.watch(owner.id, call);
      const headers: Record<string, string> = cursor === null ? {} : { "last-event-id": cursor };
      const { request, requestId, address } = routed;
      try {
        const passed = { request, target, body: null, requestId, client: address, signal: call.signal, headers };
        const response = await client.pass(owner, passed);
        if (response.status === 200) return response.body;
        void response.body?.cancel();
        forget();
        if (response.status !== MISDIRECTED && response.status !== 503) return null;
      } catch {
        forget();
        await liveness.suspect(owner);
      }
    }
    return null;
  }
}

/** Path and query of a url, as they were sent. */
export function targetOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return start === -1 ? "/" : url.slice(start);
}
