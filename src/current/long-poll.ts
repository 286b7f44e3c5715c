/**
 * Long poll (GEN-6): `?since_version=N&wait=SECONDS` answers as soon as the record is newer than N,
 * or 304 at the end of the wait. It waits on the record's event stream, so it costs a reader and no
 * query while nothing happens.
 */
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { ActorRef, RecordFields } from "../../actors/runtime/actor.ts";
import { UNAVAILABLE } from "../../actors/runtime/shards.ts";
import type { Subscription } from "../../actors/runtime/subscription.ts";
import { Type } from "../../actors/schema.ts";
import { queryOf } from "../http/exchange.ts";
import type { Call } from "../http/surface.ts";
import { notModified } from "./answer.ts";
import { integerOf } from "./paging.ts";
import type { CurrentParts } from "./parts.ts";

/** Longest wait in seconds. */
export const LONGEST_WAIT = 30;
/** What a query says of the poll, as schemas. */
export const POLL_QUERY = {
  since_version: Type.Integer({ minimum: 0, description: "The version that the caller has: waits for a newer one" }),
  wait: Type.Integer({
    minimum: 0,
    maximum: LONGEST_WAIT,
    default: 0,
    description: "Seconds to wait for it; 304 when there is none by then",
  }),
};
/** What the connection may be silent beyond the wait, in seconds. */
const GRACE = 5;

type PollParts = Pick<CurrentParts, "system" | "streams" | "clock" | "log">;
type Polled = RecordFields & { readonly lastSeq: number };

/** A record, and how it is read again. */
export interface Watched<T> {
  readonly ref: ActorRef<"chat" | "job">;
  readonly read: () => Promise<Outcome<T>>;
}

/** `wait` of a query, in seconds. */
export const waitOf = (query: URLSearchParams): Outcome<number> =>
  integerOf(query, "wait", { min: 0, max: LONGEST_WAIT, fallback: 0 });

/** Reads the record, waiting for a newer version where the query asks for it. */
export async function polled<T extends Polled, V>(
  parts: PollParts,
  call: Call,
  watched: Watched<T>,
  view: (record: T) => V,
): Promise<Outcome<V | Response>> {
  const query = queryOf(call.request.url);
  const since = integerOf(query, "since_version", { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  if (!since.ok) return since;
  const wait = waitOf(query);
  if (!wait.ok) return wait;
  const room = wait.value === 0 ? ok(null) : parts.streams.room(call.principal.organizationId);
  if (!room.ok) return room;
  const isNewer = (record: T): boolean => !query.has("since_version") || record.version > since.value;
  const record = await awaited(parts, call, watched, { waitSeconds: wait.value, isReached: isNewer });
  if (!record.ok) return record;
  return isNewer(record.value) ? ok(view(record.value)) : notModified(call);
}

/** Waits until the record is as the caller wants it, at most so long; answers it as it is then. */
export async function awaited<T extends Polled>(
  parts: PollParts,
  call: Call,
  { ref, read }: Watched<T>,
  { waitSeconds, isReached }: { readonly waitSeconds: number; readonly isReached: (record: T) => boolean },
): Promise<Outcome<T>> {
  const first = await read();
  if (!first.ok || isReached(first.value) || waitSeconds === 0) return first;
  call.server?.timeout(call.request, LONGEST_WAIT + GRACE);
  const subscription = parts.system.subscribe(ref, first.value.lastSeq);
  const stop = (): void => subscription.close();
  const open = { bearer: call.principal, end: stop };
  const cancel = parts.clock.after(waitSeconds * 1_000, stop);
  parts.streams.add(open);
  call.request.signal.addEventListener("abort", stop, { once: true });
  if (call.request.signal.aborted) stop();
  try {
    return await follow(subscription, { read, isReached });
  } catch (err) {
    parts.log.error({ err, requestId: call.requestId }, "a record's events could not be read");
    return refuse(UNAVAILABLE);
  } finally {
    cancel();
    stop();
    parts.streams.remove(open);
    call.request.signal.removeEventListener("abort", stop);
  }
}

/** Reads again with every event, and once more at the end: not every change of a record is an event. */
async function follow<T>(
  subscription: Subscription,
  { read, isReached }: { readonly read: () => Promise<Outcome<T>>; readonly isReached: (record: T) => boolean },
): Promise<Outcome<T>> {
  for (;;) {
    const items = await subscription.next();
    const isOver = items.length === 0;
    if (!isOver && !items.some((item) => item.kind === "event")) continue;
    const record = await read();
    if (isOver || !record.ok || isReached(record.value)) return record;
  }
}
