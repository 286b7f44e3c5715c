/** How the webhook actor numbers events, delivers them, and goes on after whatever happens to an attempt. */
import { takes } from "../../../actors/webhook/events.ts";
import { expect, test } from "bun:test";
import { IN_FLIGHT_LIMIT, READY_LIMIT, REDELIVERY_PAGE } from "../../../actors/webhook/policy.ts";
import type { AttemptResult } from "../../../actors/webhook/protocol.ts";
import { until } from "../../support/condition.ts";
import { inWorld, World } from "../../support/replica.ts";
import { delivered, granted, httpError, startWebhooks, type WebhookReplica } from "../../support/webhook-replica.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** All have ended that can end without more time. */
const idle = (replica: WebhookReplica): Promise<void> =>
  until("nothing is under way", () => {
    const { feed } = replica;
    return feed.inFlight.length === 0 && feed.ready.length === 0 && !feed.hasMore && feed.search === null;
  });

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

test("[HOOK-2] events are numbered without a gap, also while nothing is configured or switched on", async () => {
  const replica = await startWebhooks(new World());
  await replica.take(3);
  await replica.configure({ enabled: false });
  await replica.take(3);
  await replica.configure();
  await replica.take(3);
  await idle(replica);
  expect(replica.events.map((event) => event.sequence)).toEqual(upTo(9));
  expect(replica.receiver.sequences).toEqual([7, 8, 9]);
  expect(replica.errors).toEqual([]);
  await replica.system.stop();
});

test("[HOOK-6] at most 8 are in progress, started in the order of their numbers, however many wait", async () => {
  const replica = await startWebhooks(new World());
  await replica.configure();
  const ends: ((result: AttemptResult) => void)[] = [];
  replica.receiver.react = () => new Promise((resolve) => ends.push(resolve));
  await replica.take(500);
  await until("8 are under way", () => replica.receiver.underWay === IN_FLIGHT_LIMIT);
  expect(replica.feed.ready.length).toBeLessThan(70);
  replica.receiver.react = () => delivered;
  for (const end of ends) end(delivered);
  await idle(replica);
  expect(replica.receiver.most).toBe(IN_FLIGHT_LIMIT);
  expect(replica.receiver.sequences).toEqual(upTo(500));
  expect(new Set(replica.statuses)).toEqual(new Set(["success"]));
  expect(replica.attempts.length).toBe(500);
  await replica.system.stop();
});

test("[HOOK-6] attempts that start together are one effect, which exists until the last of them has ended", async () => {
  const { world, replica } = await inWorld(startWebhooks);
  await replica.take(IN_FLIGHT_LIMIT);
  const ends: ((result: AttemptResult) => void)[] = [];
  replica.receiver.react = () => new Promise((resolve) => ends.push(resolve));
  await replica.configure();
  const range = { after: 0, until: IN_FLIGHT_LIMIT, eventTypes: [] };
  granted(await replica.ask({ kind: "redeliver_range", range }));
  await until("all are under way", () => ends.length === IN_FLIGHT_LIMIT);
  const effects = (): number => world.database.effects().length;
  expect(effects()).toBe(1);
  for (const end of ends.slice(1)) end(delivered);
  await until("one is left", () => replica.feed.inFlight.length === 1);
  expect([effects(), replica.statuses.filter((status) => status === "pending").length]).toEqual([1, 1]);
  ends[0]!(delivered);
  await idle(replica);
  await until("the effect is settled", () => effects() === 0);
  await replica.system.stop();
});

test("[HOOK-5] only events that match the filter are delivered", async () => {
  const replica = await startWebhooks(new World());
  await replica.configure({ eventTypes: ["job.*", "agent.created"] });
  for (const type of ["agent.created", "agent.updated", "job.failed", "chat.created"] as const)
    await replica.take(1, type);
  await idle(replica);
  expect(replica.receiver.arrived.map(({ event }) => event.type)).toEqual(["agent.created", "job.failed"]);
  expect(replica.events.length).toBe(4);
  await replica.system.stop();
});

test("[HOOK-5] a source can be excluded, alone and together with types", async () => {
  const event = { type: "job.approved", source: "api_mutation" } as const;
  const ofLife = { ...event, source: "job_lifecycle" } as const;
  const taken = (filter: string[]) => [event, ofLife].map((one) => takes(filter, one));
  expect(taken([])).toEqual([true, true]);
  expect(taken(["!api_mutation"])).toEqual([false, true]);
  expect(taken(["job.*", "!api_mutation"])).toEqual([false, true]);
  expect(taken(["agent.*", "!api_mutation"])).toEqual([false, false]);
  expect(taken(["job.approved", "!job_lifecycle"])).toEqual([true, false]);
});

test("[HOOK-6] four attempts, after 0, 1, 2 and 4 s, are each a row of the ledger with one delivery key", async () => {
  const { world, replica } = await inWorld(startWebhooks);
  await replica.configure();
  replica.receiver.react = () => httpError(500);
  const from = world.clock.now();
  await replica.take(1);
  await world.clock.advance(60 * MINUTE_MS);
  const waits = replica.receiver.times.map((at) => at - from);
  expect(waits.length).toBe(4);
  for (const [i, least] of [0, 1_000, 3_000, 7_000].entries()) {
    expect(waits[i]).toBeGreaterThanOrEqual(least);
    expect(waits[i]).toBeLessThanOrEqual(least + 300);
  }
  expect(replica.statuses).toEqual(["retrying", "retrying", "retrying", "failed"]);
  expect(replica.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  expect(new Set(replica.attempts.map(({ deliveryKey }) => deliveryKey)).size).toBe(1);
  const [first, , , last] = replica.attempts;
  expect(Date.parse(first!.nextAttemptAt!) - from).toBe(1_000);
  expect(last).toMatchObject({ nextAttemptAt: null, error: "http_error", httpStatus: 500 });
  await replica.system.stop();
});

test("[HOOK-6] the durable profile continues for days, up to its twelfth attempt", async () => {
  const { world, replica } = await inWorld(startWebhooks);
  await replica.configure({ retryProfile: "durable" });
  replica.receiver.react = () => httpError(503);
  const from = world.clock.now();
  await replica.take(1);
  const waitsMs = [5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)];
  let dueMs = 7_000;
  const expected = [0, 1_000, 3_000, 7_000, ...waitsMs.map((wait) => (dueMs += wait))];
  for (const at of expected) await world.clock.leap(from + at + MINUTE_MS / 2 - world.clock.now());
  await world.clock.leap(MINUTE_MS);
  const waits = replica.receiver.times.map((at) => at - from);
  expect(waits.length).toBe(12);
  for (const [i, least] of expected.entries()) expect(Math.abs(waits[i]! - least)).toBeLessThan(2_000);
  expect(replica.statuses.at(-1)).toBe("failed");
  await replica.system.stop();
});

test("[HOOK-6] Retry-After extends a wait, never shortens it, and by at most a minute", async () => {
  const { world, replica } = await inWorld(startWebhooks);
  await replica.configure();
  const asked = [500, 30_000, HOUR_MS];
  replica.receiver.react = ({ attempt }) => httpError(429, { retryAfterMs: asked[attempt.attempt - 1] ?? 0 });
  await replica.take(1);
  await world.clock.advance(HOUR_MS);
  const { times } = replica.receiver;
  const waits = times.slice(1).map((at, i) => at - times[i]!);
  for (const [i, least] of [1_000, 30_000, 60_000].entries()) {
    expect(waits[i]).toBeGreaterThanOrEqual(least);
    expect(waits[i]).toBeLessThanOrEqual(least + 300);
  }
  await replica.system.stop();
});

test("[HOOK-6] a final answer is not retried, and 410 switches delivery off and says so", async () => {
  const replica = await startWebhooks(new World());
  await replica.configure();
  replica.receiver.react = ({ event }) => httpError(event.sequence === 1 ? 404 : 410);
  await replica.take(1);
  await idle(replica);
  expect(replica.statuses).toEqual(["failed"]);
  expect(replica.destination.enabled).toBe(true);
  await replica.take(1);
  await until("delivery is switched off", () => !replica.destination.enabled);
  expect(replica.destination.disabledReason).toBe("gone");
  expect(replica.events.at(-1)).toMatchObject({ type: "webhook.disabled", sequence: 3 });
  await replica.take(1);
  await idle(replica);
  expect(replica.receiver.sequences).toEqual([1, 2]);
  await replica.system.stop();
});

test("[HOOK-14] switching delivery off skips everything that waits, more than a page of it", async () => {
  const { world, replica } = await inWorld(startWebhooks);
  await replica.configure();
  replica.receiver.react = () => httpError(500);
  await replica.take(300);
  await until("all have failed once", () => replica.statuses.filter((status) => status === "retrying").length === 300);
  await replica.configure({ enabled: false });
  await idle(replica);
  expect(replica.statuses.filter((status) => status === "skipped").length).toBe(300);
  expect(replica.statuses).not.toContain("pending");
  await world.clock.advance(MINUTE_MS);
  expect(replica.receiver.arrived.length).toBe(300);
  await replica.system.stop();
});

test("[HOOK-10] an event is sent again, to the current destination, with its own key", async () => {
  const replica = await startWebhooks(new World());
  await replica.configure();
  await replica.take(1);
  await idle(replica);
  await replica.configure({ url: "https://other.example.com/y", eventTypes: ["job.*"] });
  const { id, deliveryKey, eventId } = replica.attempts[0]!;
  const again = granted(await replica.ask({ kind: "redeliver", attemptId: id }));
  await idle(replica);
  expect(again).toMatchObject({
    eventId,
    attempt: 1,
    trigger: "redelivery",
    status: "pending",
    destinationHost: "o***r.e***e.com",
  });
  expect(again.deliveryKey).not.toBe(deliveryKey);
  expect(replica.receiver.arrived.at(-1)?.destination.url).toBe("https://other.example.com/y");
  expect(replica.statuses).toEqual(["success", "success"]);
  await replica.system.stop();
});

test("[HOOK-10] a range of events is sent again, page by page, each once", async () => {
  const replica = await startWebhooks(new World());
  const count = 2 * REDELIVERY_PAGE + 50;
  await replica.take(count);
  await replica.take(5, "chat.created");
  await replica.configure();
  const range = { after: 10, until: 1_000_000, eventTypes: ["agent.*"] };
  const bounded = granted(await replica.ask({ kind: "redeliver_range", range }));
  expect(bounded.until).toBe(count + 5);
  await until("all have arrived", () => replica.receiver.arrived.length === count - 10);
  await idle(replica);
  expect(replica.receiver.sequences.toSorted((a, b) => a - b)).toEqual(upTo(count).slice(10));
  expect(replica.feed.redeliveries).toEqual([]);
  await replica.system.stop();
});

test("[HOOK-10] nothing is redelivered if delivery is switched off, or if the event is not kept", async () => {
  const { world, replica } = await inWorld(startWebhooks);
  const nowhere = await replica.ask({ kind: "redeliver", attemptId: "dlv_x" });
  expect(nowhere).toEqual({ ok: false, fault: { kind: "not_found", noun: "messaging_integration" } });
  await replica.configure();
  await replica.take(1);
  await idle(replica);
  const { id } = replica.attempts[0]!;
  expect(await replica.ask({ kind: "redeliver", attemptId: "dlv_x" })).toMatchObject({ fault: { noun: "delivery" } });
  await replica.configure({ enabled: false });
  expect(await replica.ask({ kind: "redeliver", attemptId: id })).toMatchObject({ fault: { kind: "invalid_state" } });
  expect(await replica.ask({ kind: "redeliver", attemptId: "dlv_x" })).toMatchObject({ fault: { noun: "delivery" } });
  await replica.configure();
  await replica.system.stop();
  world.clock.jump(31 * 24 * HOUR_MS);
  const later = await startWebhooks(world);
  expect(await later.ask({ kind: "redeliver", attemptId: id })).toMatchObject({
    fault: { kind: "event_not_retained" },
  });
  await later.system.stop();
});

test("[HOOK-6] [HOOK-14] after a crash the next process sends again what was in progress, and forgets nothing", async () => {
  const { world, replica: first } = await inWorld(startWebhooks);
  await first.configure();
  first.receiver.react = ({ event }) => (event.sequence % 3 === 0 ? httpError(500) : new Promise(() => {}));
  await first.take(200);
  await until("8 hang", () => first.receiver.underWay === IN_FLIGHT_LIMIT);
  first.crash();
  const second = await startWebhooks(world);
  await world.clock.advance(MINUTE_MS);
  await idle(second);
  const got = new Set(second.receiver.sequences);
  expect([...got].sort((a, b) => a - b)).toEqual(upTo(200));
  expect(second.events.map((event) => event.sequence)).toEqual(upTo(200));
  expect(second.attempts.length).toBe(first.receiver.arrived.length + second.receiver.arrived.length);
  expect(second.statuses.filter((status) => status === "success").length).toBe(200);
  expect(second.statuses).not.toContain("pending");
  expect(second.receiver.most).toBeLessThanOrEqual(IN_FLIGHT_LIMIT);
  await second.system.stop();
});

test("[HOOK-6] an event during a search of the backlog is delivered, after all earlier ones", async () => {
  const replica = await startWebhooks(new World());
  await replica.configure();
  const ends: ((result: AttemptResult) => void)[] = [];
  replica.receiver.react = () => new Promise((resolve) => ends.push(resolve));
  const backlog = IN_FLIGHT_LIMIT + READY_LIMIT + 2;
  await replica.take(backlog);
  await until("8 are under way", () => replica.receiver.underWay === IN_FLIGHT_LIMIT);
  expect(replica.feed).toMatchObject({ hasMore: true, search: null });
  const answered = Promise.withResolvers<void>();
  replica.queue.answers = () => answered.promise;
  // Until so few are ready that more are searched for; the search has read the table then.
  while (replica.feed.search === null) {
    const began = replica.receiver.arrived.length;
    ends.shift()!(delivered);
    await until("the next one is under way", () => replica.receiver.arrived.length > began);
  }
  await replica.take(1);
  expect(replica.feed.isSearchStale).toBe(true);
  replica.receiver.react = () => delivered;
  for (const end of ends) end(delivered);
  await until("all that was ready has arrived", () => replica.feed.ready.length + replica.feed.inFlight.length === 0);
  replica.queue.answers = () => Promise.resolve();
  answered.resolve();
  await idle(replica);
  expect(replica.receiver.sequences).toEqual(upTo(backlog + 1));
  await replica.system.stop();
});

test("[HOOK-6] deliveries that were given up are reported with their range, until all are sent again", async () => {
  const { replica } = await inWorld(startWebhooks);
  const undelivered = async () => granted(await replica.ask({ kind: "read_destination" }))!.undelivered;
  await replica.configure();
  expect(await undelivered()).toBeNull();
  replica.receiver.react = ({ event }) => (event.sequence === 3 ? delivered : httpError(404));
  await replica.take(5);
  await idle(replica);
  granted(await replica.ask({ kind: "send_test", event: replica.news("webhook.test") }));
  await idle(replica);
  const given = { deliveries: 4, sinceSequence: 1, untilSequence: 5 };
  expect(await undelivered()).toEqual(given);
  const redeliver = async (after: number, last: number, eventTypes: string[] = []) => {
    granted(await replica.ask({ kind: "redeliver_range", range: { after, until: last, eventTypes } }));
    await until("it is over", () => replica.feed.redeliveries.length === 0);
    await idle(replica);
  };
  replica.receiver.react = () => delivered;
  await redeliver(1, 5);
  await redeliver(0, 5, ["job.*"]);
  expect(await undelivered()).toEqual(given);
  // What fails once more is told again.
  replica.receiver.react = ({ event }) => (event.sequence === 2 ? httpError(410) : delivered);
  await redeliver(0, 5);
  expect(await undelivered()).toEqual({ deliveries: 1, sinceSequence: 2, untilSequence: 2 });
  await replica.configure();
  replica.receiver.react = () => delivered;
  const { id } = replica.attempts.find(({ sequence, status }) => sequence === 2 && status === "failed")!;
  granted(await replica.ask({ kind: "redeliver", attemptId: id }));
  expect(await undelivered()).toBeNull();
  await idle(replica);
  await replica.system.stop();
});
