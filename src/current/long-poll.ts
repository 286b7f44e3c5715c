/**
 * Long poll (GEN-6): `?since_version=N&wait=SECONDS` answers as soon as the record is newer than N, or 304 at the
 * end of the wait. It waits on the record's event stream: while nothing happens, it costs a reader and no query.
 */
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { ActorRef, RecordFields } from "../../actors/runtime/actor.ts";
import { SHARD_UNAVAILABLE } from "../../actors/runtime/placement/shards.ts";
import type { Subscription } from "../../actors/runtime/streams/subscription.ts";
import { Type } from "../../actors/schema.ts";
import { withDefault } from "../http/contract/field.ts";
import type { Caller } from "../http/request/caller.ts";
import type { Services } from "../operations/services.ts";

/** Longest wait in seconds. */
export const LONGEST_WAIT = 30;
/** The query fields of a poll, as schemas. */
export const POLL_QUERY = {
  since_version: Type.Integer({
    minimum: 0,
    description: "The version that you have; with `wait`, the request waits for a newer one",
  }),
  wait: withDefault(
    Type.Integer({
      minimum: 0,
      maximum: LONGEST_WAIT,
      description: "Seconds to wait for a newer version; 304 if there is none by then",
    }),
    0,
  ),
};
/** Seconds that the connection may stay silent beyond the wait. */
const GRACE = 5;

type PollServices = Pick<Services, "system" | "streams" | "clock" | "log">;
type Polled = RecordFields & { readonly lastSeq: number };

/** A record, and how to read it again. */
export interface Watched<T> {
  readonly ref: ActorRef<"chat" | "job" | "mission">;
  readonly read: () => Promise<Outcome<T>>;
}

/** The caller's poll parameters. */
interface PollQuery {
  readonly since_version: number | undefined;
  /** Seconds. */
  readonly wait: number;
}

/** Reads the record; waits for a newer version if the query asks for it. */
export async function pollRecord<T extends Polled, V>(
  services: PollServices,
  caller: Caller,
  { ref, read, query }: Watched<T> & { readonly query: PollQuery },
  view: (record: T) => V | Promise<V>,
): Promise<Outcome<V | Response>> {
  const { since_version: since, wait: waitSeconds } = query;
  const room = waitSeconds === 0 ? ok(null) : services.streams.room(caller.principal.organizationId);
  if (!room.ok) return room;
  const isNewer = (record: T): boolean => since === undefined || record.version > since;
  const record = await awaitRecord(services, caller, { ref, read }, { waitSeconds, isReached: isNewer });
  if (!record.ok) return record;
  return ok(isNewer(record.value) ? await view(record.value) : notModified());
}

const notModified = (): Response => new Response(null, { status: 304, headers: { "cache-control": "no-store" } });

/** Waits until the record fulfils the condition, or until the time limit; returns its state then. */
export async function awaitRecord<T extends Polled>(
  services: PollServices,
  caller: Caller,
  { ref, read }: Watched<T>,
  { waitSeconds, isReached }: { readonly waitSeconds: number; readonly isReached: (record: T) => boolean },
): Promise<Outcome<T>> {
  const first = await read();
  if (!first.ok || isReached(first.value) || waitSeconds === 0) return first;
  caller.keepOpen(LONGEST_WAIT + GRACE);
  const subscription = services.system.subscribe(ref, first.value.lastSeq);
  const stop = (): void => subscription.close();
  const open = { bearer: caller.principal, end: stop };
  const cancel = services.clock.after(waitSeconds * 1_000, stop);
  services.streams.add(open);
  caller.signal.addEventListener("abort", stop, { once: true });
  if (caller.signal.aborted) stop();
  try {
    return await follow(subscription, { read, isReached });
  } catch (err) {
    services.log.error({ err, requestId: caller.requestId }, "a record's events could not be read");
    return refuse(SHARD_UNAVAILABLE);
  } finally {
    cancel();
    stop();
    services.streams.remove(open);
    caller.signal.removeEventListener("abort", stop);
  }
}

/** Reads again after every event, and once more at the end, because not every change of a record has an event. */
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
