/**
 * Schedules the attempts (HOOK-6). The table of attempts is the queue. The feed holds only the next attempts, so
 * neither memory nor a commit grows with the backlog.
 *
 *   planned ─▶ ready (32) ─▶ in flight (8) ─▶ ended
 *      │          ▲
 *      │          │ found, earliest due first, then by number
 *      └─▶ only in the table: more than 32 are due, or it is a retry that is not due yet
 *
 * While the table may have more due attempts (`hasMore`), new ones go there too, so nothing overtakes. An alarm
 * searches again when the first retry is due.
 *
 * The addresses of jobs at one host take a place only while more places are free than they have. So one host has at
 * most half of the places of its lane, and the next host at most half of the rest. Hosts that did not answer before
 * (`silent`) have at most half of all places together. Beyond that their attempts stay in the table, and searches pass
 * them over until the host has a place (`behind`). So hosts that do not answer leave places to the others, however many
 * they are, and find some beside others that are busy.
 *
 * There are two such lanes: attempts for the organization's destination, and those that tell the addresses of jobs their
 * states (`pushes.ts`). They share no places, so that receivers of one kind that do not answer never delay the other.
 * If delivery is switched off, a search takes every waiting attempt of the organization's destination and marks it as
 * skipped; the other lane goes on.
 */
import { assert } from "../assert.ts";
import type { NewRecord, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { type NewsEvent, takes } from "./events.ts";
import { firstAttempt, numberEvent } from "./numbering.ts";
import {
  FOUND_LIMIT,
  IN_FLIGHT_LIMIT,
  IN_FLIGHT_RESERVE,
  READY_LIMIT,
  READY_LOW,
  READY_OF_HOST,
  RETRY_TICK_MS,
  SILENT_HOSTS,
} from "./policy.ts";
import type { AttemptHead, LaneName, WebhookCommand } from "./protocol.ts";
import {
  type Attempt,
  attemptTable,
  type DeliveryLane,
  type WebhookDestination,
  destinationTable,
  type Feed,
  feedTable,
  type WebhookEvent,
} from "./schema.ts";

/** The intent of an effect that makes attempts: those that one turn has started. */
export interface DeliveryIntent {
  readonly attempts: readonly AttemptHead[];
}

/** The intent of a search in the table. */
export interface SearchIntent {
  /** Attempts of this lane; absent in searches of before: `webhooks`. */
  readonly lane?: LaneName;
  /** Attempts due by this time, ISO 8601; null: all that wait for the organization's destination. */
  readonly until: string | null;
  readonly limit: number;
  /** Redacted hosts whose attempts are passed over. */
  readonly without?: readonly string[];
}

const EMPTY_LANE: DeliveryLane = {
  inFlight: [],
  ready: [],
  hasMore: false,
  search: null,
  isSearchStale: false,
  wakeAt: null,
};
const EMPTY_FEED: Omit<NewRecord<Feed>, "id"> = {
  sequence: 0,
  ...EMPTY_LANE,
  pushes: EMPTY_LANE,
  redeliveries: [],
  lastSuccessAt: null,
  lastFailureAt: null,
  failingSince: null,
};

export const feedOf = (tx: Tx): Feed =>
  withBothLanes(tx.read(feedTable, tx.self.id) ?? tx.create(feedTable, { id: tx.self.id, ...EMPTY_FEED }));

/** A feed of before, whose ready attempts may be of both lanes, searches for them anew. */
const withBothLanes = (feed: Feed): Feed =>
  feed.pushes === undefined ? { ...withMore({ ...feed, ready: [] }), pushes: withMore(EMPTY_LANE) } : feed;

export function keepFeed(tx: Tx, feed: Feed): Feed {
  for (const name of LANES)
    assert(laneOf(feed, name).inFlight.length <= IN_FLIGHT_LIMIT, "so many are in flight at most");
  const ids = plannedIds(feed);
  assert(new Set(ids).size === ids.length, "an attempt is ready or in flight, once");
  assert(feed.sequence >= feedOf(tx).sequence, "numbers of events only rise");
  return tx.update(feedTable, feed);
}

const LANES: readonly LaneName[] = ["webhooks", "pushes"];
const laneOf = (feed: Feed, name: LaneName): DeliveryLane => (name === "pushes" ? (feed.pushes ?? EMPTY_LANE) : feed);

/** The feed after a change of one of its lanes. */
export const withLane = (feed: Feed, name: LaneName, change: (lane: DeliveryLane) => DeliveryLane): Feed =>
  name === "pushes" ? { ...feed, pushes: change(laneOf(feed, name)) } : { ...feed, ...change(feed) };

/** Attempts in flight, of both lanes. */
export const flightsOf = (feed: Feed): DeliveryLane["inFlight"] => LANES.flatMap((name) => laneOf(feed, name).inFlight);

/** The feed without attempts in flight that meet this. */
export const withoutFlights = (feed: Feed, isEnded: (flight: DeliveryLane["inFlight"][number]) => boolean): Feed =>
  LANES.reduce(
    (left, name) =>
      withLane(left, name, (lane) => ({ ...lane, inFlight: lane.inFlight.filter((flight) => !isEnded(flight)) })),
    feed,
  );

/** The lane that waits for this search; null: none does any more. */
export const searchingLane = (feed: Feed, effectId: string): LaneName | null =>
  LANES.find((name) => laneOf(feed, name).search === effectId) ?? null;

/** Attempts that are ready or in flight, of both lanes. */
export const plannedIds = (feed: Feed): string[] => [
  ...flightsOf(feed).map(({ attemptId }) => attemptId),
  ...LANES.flatMap((name) => laneOf(feed, name).ready),
];

export const destinationOf = (tx: Tx): WebhookDestination | null => tx.read(destinationTable, tx.self.id);
/** The destination, if delivery is on. */
export function activeDestination(tx: Tx): WebhookDestination | null {
  const destination = destinationOf(tx);
  return destination?.enabled === true ? destination : null;
}

/** The feed after an attempt at an address of a job, whose host has answered or not. */
export const withAnswer = (feed: Feed, host: string, hasAnswered: boolean): Feed =>
  withLane(feed, "pushes", (lane) => {
    const others = (lane.silent ?? []).filter((one) => one !== host);
    if (!hasAnswered) return { ...lane, silent: [...others, host].slice(-SILENT_HOSTS) };
    return others.length === (lane.silent?.length ?? 0) ? lane : { ...lane, silent: others };
  });

/** The feed after planning an attempt that is due now. */
export const queueAttempt = (feed: Feed, attempt: Attempt): Feed =>
  withLane(feed, attempt.push === undefined ? "webhooks" : "pushes", (lane) => {
    if (lane.behind?.includes(attempt.destinationHost) === true) return lane;
    if (!lane.hasMore && lane.ready.length < READY_LIMIT) return { ...lane, ready: [...lane.ready, attempt.id] };
    return withMore(lane);
  });

/** Numbers the event, and plans its delivery if the organization's destination takes it. */
export function takeNews(
  tx: Tx,
  news: NewsEvent,
): { readonly feed: Feed; readonly event: WebhookEvent; readonly isWanted: boolean } {
  const { feed, event } = numberEvent(tx, feedOf(tx), news);
  const destination = activeDestination(tx);
  if (destination === null || !takes(destination.eventTypes, event)) return { feed, event, isWanted: false };
  return { feed: queueAttempt(feed, firstAttempt(tx, event, destination, "automatic")), event, isWanted: true };
}

/** The lane whose table has more due attempts. */
export const withMore = <L extends DeliveryLane>(lane: L): L => ({
  ...lane,
  hasMore: true,
  isSearchStale: lane.search !== null,
});

/** The feed whose table has attempts that are to be skipped. */
export const withSkips = (feed: Feed): Feed => ({ ...feed, hasSkips: true, isSearchStale: feed.search !== null });

/** The feed with a search of this lane at this time. */
export const withSearchAt = (tx: Tx, feed: Feed, name: LaneName, dueAt: string | null): Feed =>
  withLane(feed, name, (lane) => {
    if (dueAt === null) return lane;
    const wakeAtMs = Math.ceil(Date.parse(dueAt) / RETRY_TICK_MS) * RETRY_TICK_MS;
    if (lane.wakeAt !== null && Date.parse(lane.wakeAt) <= wakeAtMs) return lane;
    const command = { kind: "attempts_due", lane: name } as const;
    tx.setAlarm(name === "pushes" ? "push_retries" : "retries", wakeAtMs, command satisfies WebhookCommand);
    return { ...lane, wakeAt: isoTime(wakeAtMs) };
  });

/** Starts attempts while there is room, and searches for more if few are ready. */
export function fillFeed(tx: Tx, feed: Feed): Feed {
  const isActive = activeDestination(tx) !== null;
  const own = isActive || feed.ready.length === 0 ? feed : { ...withSkips(feed), ready: [] };
  const skips = !isActive && own.hasSkips === true;
  return LANES.reduce(
    (next, name) => withLane(next, name, (lane) => fillLane(tx, lane, name, skips && name === "webhooks")),
    own,
  );
}

function fillLane(tx: Tx, lane: DeliveryLane, name: LaneName, skips: boolean): DeliveryLane {
  const next = startAttempts(tx, lane, name);
  if (next.search !== null || next.ready.length > READY_LOW || !(skips || next.hasMore)) return next;
  const intent: SearchIntent = { lane: name, until: skips ? null : isoTime(tx.now), limit: FOUND_LIMIT };
  const without = next.behind === undefined || next.behind.length === 0 ? {} : { without: next.behind };
  const search = tx.effect(tx.self, "find_webhooks", { ...intent, ...without });
  return { ...next, search, isSearchStale: false };
}

function startAttempts(tx: Tx, lane: DeliveryLane, name: LaneName): DeliveryLane {
  const { begun, ready, behind, hasMore } = chosenAttempts(tx, lane, name);
  const left = behind.length === 0 && lane.behind === undefined ? {} : { behind };
  const next = hasMore ? withMore({ ...lane, ...left, ready }) : { ...lane, ...left, ready };
  if (begun.length === 0) return next;
  const attempts = begun.map(({ id, eventId }) => ({ id, eventId }));
  const effectId = tx.effect(tx.self, "deliver_webhooks", { attempts } satisfies DeliveryIntent);
  const flights = begun.map(({ id, destinationHost: host }) =>
    name === "pushes" ? { attemptId: id, effectId, host } : { attemptId: id, effectId },
  );
  return { ...next, inFlight: [...lane.inFlight, ...flights] };
}

interface ChosenAttempts extends Pick<DeliveryLane, "ready" | "hasMore"> {
  readonly begun: readonly Attempt[];
  readonly behind: string[];
}

/** Which ready attempts begin, in order, as far as there is room for them and for their hosts. */
function chosenAttempts(tx: Tx, lane: DeliveryLane, name: LaneName): ChosenAttempts {
  const busy = new Map<string | undefined, number>();
  for (const { host } of lane.inFlight) busy.set(host, (busy.get(host) ?? 0) + 1);
  const begun: Attempt[] = [];
  const free = (): number => IN_FLIGHT_LIMIT - lane.inFlight.length - begun.length;
  const freeForSilent = (): number =>
    (lane.silent ?? []).reduce((left, host) => left - (busy.get(host) ?? 0), IN_FLIGHT_LIMIT - IN_FLIGHT_RESERVE);
  const hasPlace = (host: string): boolean => {
    if (name === "webhooks") return free() > 0;
    const isSilent = lane.silent?.includes(host) === true;
    return (busy.get(host) ?? 0) < (isSilent ? Math.min(free(), freeForSilent()) : free());
  };
  const behind = new Set(lane.behind);
  const waiting = new Map<string, number>();
  const ready: string[] = [];
  let seen = 0;
  while (free() > 0 && seen < lane.ready.length) {
    const attempt = tx.read(attemptTable, lane.ready[seen++]!);
    // An attempt from the table may have ended during the search.
    if (attempt?.status !== "pending") continue;
    const { destinationHost: host } = attempt;
    const kept = waiting.get(host) ?? 0;
    if (hasPlace(host)) {
      begun.push(attempt);
      busy.set(host, (busy.get(host) ?? 0) + 1);
    } else if (kept < READY_OF_HOST && ready.length < READY_LOW) {
      ready.push(attempt.id);
      waiting.set(host, kept + 1);
    } else behind.add(host);
  }
  // The table is searched again for a host that has a place and no ready attempts.
  const isNext = (host: string): boolean => !waiting.has(host) && hasPlace(host);
  const next = [...behind].filter(isNext);
  for (const host of next) behind.delete(host);
  return { begun, ready: [...ready, ...lane.ready.slice(seen)], behind: [...behind], hasMore: next.length > 0 };
}
