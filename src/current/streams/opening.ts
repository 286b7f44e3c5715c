/**
 * Opens a stream (SSE-1, SSE-4). With a cursor, the stream resumes from it. Without one, it starts with a snapshot
 * of the record and the recent events. With an unusable cursor it does the same, after a `reset` that says why.
 */
import { assert } from "../../../actors/assert.ts";
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { ActorRef, RecordFields } from "../../../actors/runtime/actor.ts";
import { SHARD_UNAVAILABLE } from "../../../actors/runtime/placement/shards.ts";
import type { ClientCursor, Subscription } from "../../../actors/runtime/streams/subscription.ts";
import { eventStream, type EventStreamParts } from "../../http/stream/event-stream.ts";
import type { Visitor } from "../../http/request/caller.ts";
import { lookUp } from "../../log/look-up.ts";
import { sseComment, sseCursor, sseNote } from "../../http/stream/sse.ts";
import type { Services } from "../../operations/services.ts";
import type { StreamRequest } from "./cursor.ts";
import { type StreamKind } from "./frames.ts";
import { RecordStream, type StreamEnd } from "./record-stream.ts";

/** Reconnection delay for clients, in ms. */
const RETRY_MS = 1_000;

export interface Streamed {
  readonly ref: ActorRef<"chat" | "job">;
  /** The kind of frames; default: the ref's kind. */
  readonly kind?: StreamKind;
  readonly record: RecordFields & { readonly lastSeq: number };
  /** The record, for the `snapshot` event. */
  readonly view: object;
  readonly ending: StreamEnd;
}

/** Facts of the connection. */
export interface StreamConnection extends Omit<EventStreamParts, "streams" | "onFailure" | "connection"> {
  readonly caller: Visitor;
}

type OpeningServices = Pick<Services, "system" | "chats" | "streams" | "log">;

/** The stream of a record that was just read, for a caller who may read it. */
export async function openStream(
  services: OpeningServices,
  connection: StreamConnection,
  asked: StreamRequest,
  streamed: Streamed,
): Promise<Outcome<Response>> {
  const { ref, record, ending } = streamed;
  const { organizationId } = ref;
  const room = services.streams.room(organizationId);
  if (!room.ok) return room;
  const textOf = ({ messageId, attempt }: { messageId: string; attempt: number }) =>
    services.chats.storedText(organizationId, { messageId, attempt });
  const subscription = services.system.subscribe(ref, 0, { head: record.lastSeq, textOf });
  const start = await lookUp(services.log, begin(subscription, asked, record.lastSeq)).catch(() => null);
  // Others may have taken the last slots meanwhile.
  const place = services.streams.room(organizationId);
  if (start === null || !start.ok || !place.ok) {
    subscription.close();
    if (start !== null && !start.ok) return start;
    return place.ok ? { ok: false, fault: SHARD_UNAVAILABLE } : place;
  }
  const { place: begun, isResumed, reset } = start.value;
  if (isResumed && hasReachedEnd(ending, subscription)) {
    subscription.close();
    // An EventSource reconnects for ever after a 200 that ends; in HTML, 204 is how a server stops it.
    return ok(new Response(null, { status: 204, headers: { "cache-control": "no-store", ...connection.headers } }));
  }
  connection.caller.nameStream?.(nameOfStream(streamed, connection));
  const source = new RecordStream(streamed.kind ?? ref.kind, subscription, ending, begun);
  const opening =
    `${sseComment("connected")}retry: ${RETRY_MS}\n\n` +
    (reset === null ? "" : sseNote("reset", reset)) +
    // The cursor follows the snapshot, so a client that is disconnected before the first event misses nothing.
    (isResumed ? "" : sseNote("snapshot", streamed.view) + sseCursor(begun));
  const onFailure = telling(services.log, connection.caller.requestId, ref.id);
  const { caller, ...parts } = connection;
  const { streams } = services;
  return ok(eventStream(source, opening, { ...parts, connection: caller.connection ?? caller, streams, onFailure }));
}

/** Names the stream if all readers with this name get the same frames; null if this reader's stream has its own end. */
function nameOfStream({ ref, kind = ref.kind, ending }: Streamed, { lifeMs }: StreamConnection): string | null {
  const endsWithRecord = ref.kind === "chat" ? ending.kind === "never" : ending.kind === "asked";
  return endsWithRecord && lifeMs === undefined ? `${kind}.${ref.id}` : null;
}

/** Whether the stream is over and its reader has received all of it. */
const hasReachedEnd = (ending: StreamEnd, subscription: Subscription): boolean =>
  ending.kind === "at_seq" && subscription.seq >= ending.seq;

/** Lives as long as the stream. It is created here, in a small scope, so that its closure retains nothing else. */
const telling =
  (log: OpeningServices["log"], requestId: string, stream: string) =>
  (err: unknown): void =>
    log.error({ err, requestId, stream }, "a stream was interrupted");

interface Start {
  /** The cursor at which the stream begins. */
  readonly place: string;
  /** Whether that is the client's own. */
  readonly isResumed: boolean;
  readonly reset: { readonly reason: string; readonly from_seq: number } | null;
}

async function begin(subscription: Subscription, { cursor, replay }: StreamRequest, head: number): Promise<Start> {
  const reason = cursor === null ? null : await useless(subscription, cursor, head);
  if (cursor !== null && reason === null) {
    assert(cursor !== "malformed", "a malformed cursor cannot be used");
    return { place: cursorName(cursor), isResumed: true, reset: null };
  }
  const first = { seq: Math.max(0, head - replay), position: 0 };
  await subscription.resume(first);
  const reset = reason === null ? null : { reason, from_seq: await subscription.firstKept(first.seq) };
  return { place: cursorName(first), isResumed: false, reset };
}

/** Why the cursor is unusable; null if the reader is now at it. */
async function useless(
  subscription: Subscription,
  cursor: ClientCursor | "malformed",
  head: number,
): Promise<string | null> {
  if (cursor === "malformed") return "malformed";
  if (cursor.seq > head) return "ahead_of_head";
  const place = await subscription.resume(cursor);
  if (place === "resumed") return null;
  return place === "ahead" ? "ahead_of_head" : "not_retained";
}

const cursorName = ({ seq, position }: ClientCursor): string => (position === null ? `${seq}` : `${seq}.${position}`);
