/** How the webhook actor tells the addresses of jobs their states, beside the organization's own deliveries. */
import { expect, test } from "bun:test";
import { webhookRef } from "../../../actors/webhook/events.ts";
import { IN_FLIGHT_LIMIT, IN_FLIGHT_RESERVE, READY_LIMIT } from "../../../actors/webhook/policy.ts";
import type { AttemptResult, Prepared } from "../../../actors/webhook/protocol.ts";
import { until } from "../../support/condition.ts";
import { inWorld, World } from "../../support/replica.ts";
import {
  delivered,
  granted,
  httpError,
  ORG,
  startWebhooks,
  type WebhookReplica,
} from "../../support/webhook-replica.ts";

/** As many places has one host, if no other one has any. */
const IN_FLIGHT_OF_HOST = IN_FLIGHT_LIMIT / 2;
const noAnswer: AttemptResult = { ...httpError(503), error: "timeout", httpStatus: null } as AttemptResult;
const JOBS = Array.from({ length: 8 }, (_, i) => `job_${i}`);
const ADDRESSES = Array.from({ length: 8 }, (_, i) => `address ${i}`);

async function addAll(replica: WebhookReplica, hostOf = (jobId: string) => `${jobId}.test`): Promise<void> {
  for (const jobId of JOBS)
    for (const id of ADDRESSES) {
      const push = { id, url: `https://${hostOf(jobId)}/${id}`, scheme: null, sealed: null };
      granted(
        await replica.ask({ kind: "set_push", jobId, isOver: false, push, event: replica.news("resource.created") }),
      );
    }
}
const tell = async (replica: WebhookReplica, jobId: string, isOver: boolean): Promise<void> => {
  const about = { type: "job", id: jobId, path: null, version: 1 };
  const event = { ...replica.news("job.started"), resource: about };
  granted(await replica.ask({ kind: "take_event", event, push: { isOver } }));
};
const idle = (replica: WebhookReplica): Promise<void> =>
  until("nothing is under way", () => {
    const { feed } = replica;
    const lanes = [feed, feed.pushes!];
    return (
      feed.hasSkips !== true &&
      lanes.every((lane) => lane.inFlight.length + lane.ready.length === 0 && !lane.hasMore && lane.search === null)
    );
  });

test("[DIA-18] more notifications than are ready at once are sent while delivery is off, and events are skipped", async () => {
  const replica = await startWebhooks(new World());
  await addAll(replica);
  await replica.configure();
  const ends: ((result: AttemptResult) => void)[] = [];
  replica.receiver.react = () => new Promise((resolve) => ends.push(resolve));
  await replica.take(2 * READY_LIMIT);
  for (const jobId of JOBS) await tell(replica, jobId, false);
  await replica.configure({ enabled: false });
  replica.receiver.react = () => delivered;
  for (const end of ends) end(delivered);
  await idle(replica);
  const pushed = replica.attempts.filter(({ push }) => push !== undefined);
  expect(pushed.length).toBe(JOBS.length * ADDRESSES.length);
  expect(new Set(pushed.map(({ status }) => status))).toEqual(new Set(["success"]));
  const others = replica.attempts.filter(({ push }) => push === undefined).map(({ status }) => status);
  expect(others.filter((status) => status === "skipped").length).toBeGreaterThan(READY_LIMIT);
  expect(others).not.toContain("pending");
  expect(replica.errors).toEqual([]);
  await replica.system.stop();
});

test("[DIA-18] a retry that waits while delivery is switched off is still made", async () => {
  const { world, replica } = await inWorld(startWebhooks);
  await addAll(replica);
  await replica.configure();
  replica.receiver.react = ({ attempt }) => (attempt.attempt === 1 ? httpError(503) : delivered);
  await tell(replica, JOBS[0]!, true);
  await until("all have failed once", () => replica.statuses.filter((status) => status === "retrying").length >= 8);
  await replica.configure({ enabled: false });
  await idle(replica);
  await world.clock.advance(10_000);
  await until("all were told", () => replica.statuses.filter((status) => status === "success").length === 8);
  await replica.system.stop();
});

test("[DIA-18] a process that ends while it tells an address leaves the notification to the next one", async () => {
  const { world, replica: first } = await inWorld(startWebhooks);
  await addAll(first);
  first.receiver.react = () => new Promise(() => {});
  await tell(first, JOBS[0]!, true);
  await until("they are under way", () => first.receiver.underWay === IN_FLIGHT_OF_HOST);
  first.crash();
  const next = await startWebhooks(world);
  await until("all were told", () => next.statuses.filter((status) => status === "success").length === 8);
  const ledger = next.attempts.map(({ status }) => status).toSorted();
  const interrupted = Array.from({ length: IN_FLIGHT_OF_HOST }, () => "retrying" as const);
  expect(ledger).toEqual([...interrupted, ...ADDRESSES.map(() => "success" as const)]);
  const pushes = granted(await next.system.dispatch(webhookRef(ORG), { kind: "read_pushes", jobId: JOBS[0]! }));
  expect(pushes.every(({ isDone, sealed }) => isDone && sealed === null)).toBe(true);
  await next.system.stop();
});

test("[DIA-18] unresponsive push addresses do not delay webhooks, and an unresponsive destination does not delay pushes", async () => {
  const events = 2 * READY_LIMIT + JOBS.length;
  for (const { isOfDead, others } of [
    { isOfDead: ({ attempt }: Prepared) => attempt.push !== undefined, others: events },
    { isOfDead: ({ attempt }: Prepared) => attempt.push === undefined, others: JOBS.length * ADDRESSES.length },
  ]) {
    const replica = await startWebhooks(new World());
    await addAll(replica);
    replica.receiver.react = (prepared) => (isOfDead(prepared) ? new Promise(() => {}) : delivered);
    await replica.configure({ eventTypes: ["agent.*", "job.started"] });
    // Of both kinds more than are ready at once.
    await replica.take(2 * READY_LIMIT);
    for (const jobId of JOBS) await tell(replica, jobId, false);
    const { arrived } = replica.receiver;
    const ofDead = (): number => arrived.filter(isOfDead).length;
    await until("the others have arrived", () => arrived.length - ofDead() === others);
    expect(ofDead()).toBe(IN_FLIGHT_LIMIT);
    expect(replica.errors).toEqual([]);
    replica.crash();
  }
});

test("[DIA-18] addresses at one host that does not answer do not delay those at another one", async () => {
  const replica = await startWebhooks(new World());
  await addAll(replica, (jobId) => (jobId === JOBS.at(-1) ? "living.test" : "dead.test"));
  const ends: ((result: AttemptResult) => void)[] = [];
  const isLiving = ({ attempt }: Prepared): boolean => attempt.push?.jobId === JOBS.at(-1);
  replica.receiver.react = (prepared) =>
    isLiving(prepared) ? delivered : new Promise((resolve) => void ends.push(resolve));
  // Of the host that does not answer more than are ready at once, before and after the other one.
  for (const jobId of JOBS.slice(0, -1)) await tell(replica, jobId, false);
  await tell(replica, JOBS.at(-1)!, false);
  const { arrived } = replica.receiver;
  const ofLiving = (): number => arrived.filter(isLiving).length;
  await until("the living host has its own", () => ofLiving() === ADDRESSES.length);
  await tell(replica, JOBS[0]!, true);
  await tell(replica, JOBS.at(-1)!, true);
  await until("and its last ones", () => ofLiving() === 2 * ADDRESSES.length);
  await until("nothing else is searched for", () => replica.feed.pushes!.search === null);
  expect(arrived.length - ofLiving()).toBe(IN_FLIGHT_OF_HOST);
  expect(replica.feed.pushes!.hasMore).toBe(false);
  replica.receiver.react = () => delivered;
  for (const end of ends) end(delivered);
  await idle(replica);
  expect(replica.attempts.filter(({ status }) => status === "pending")).toEqual([]);
  const told = new Set(arrived.map(({ attempt }) => `${attempt.push?.jobId} ${attempt.push?.id}`));
  expect(told.size).toBe(JOBS.length * ADDRESSES.length);
  expect(new Set(arrived.map(({ attempt }) => attempt.id)).size).toBe(arrived.length);
  expect(replica.errors).toEqual([]);
  await replica.system.stop();
});

test("[DIA-18] several hosts that do not answer leave a place to another one", async () => {
  const replica = await startWebhooks(new World());
  await addAll(replica, (jobId) => `${Math.min(JOBS.indexOf(jobId), 3)}.test`);
  const isLiving = ({ attempt }: Prepared): boolean => JOBS.indexOf(attempt.push?.jobId ?? "") >= 3;
  replica.receiver.react = (prepared) => (isLiving(prepared) ? delivered : new Promise(() => {}));
  for (const jobId of JOBS) await tell(replica, jobId, false);
  const { arrived } = replica.receiver;
  await until("the living host has its own", () => arrived.filter(isLiving).length === 5 * ADDRESSES.length);
  expect(arrived.filter((one) => !isLiving(one)).length).toBe(IN_FLIGHT_LIMIT - 1);
  expect(replica.errors).toEqual([]);
  replica.crash();
});

test("[DIA-18] hosts that did not answer leave half of the places to others, however many they are", async () => {
  const { replica } = await inWorld(startWebhooks);
  await addAll(replica);
  const isLiving = ({ attempt }: Prepared): boolean => attempt.push?.jobId === JOBS.at(-1);
  let isOver = false;
  const { arrived } = replica.receiver;
  replica.receiver.react = (prepared) => (isLiving(prepared) ? delivered : isOver ? new Promise(() => {}) : noAnswer);
  for (const jobId of JOBS) await tell(replica, jobId, false);
  await until("each was tried", () => arrived.length === JOBS.length * ADDRESSES.length);
  await until("their hosts are known", () => replica.feed.pushes!.silent?.length === JOBS.length - 1);
  isOver = true;
  arrived.length = 0;
  for (const jobId of JOBS) await tell(replica, jobId, true);
  await until("the living host has its own", () => arrived.filter(isLiving).length === ADDRESSES.length);
  expect(arrived.filter((one) => !isLiving(one)).length).toBe(IN_FLIGHT_LIMIT - IN_FLIGHT_RESERVE);
  expect(replica.errors).toEqual([]);
  replica.crash();
});

test("[DIA-18] a host that once did not answer still gets a place while another host keeps its places busy", async () => {
  const replica = await startWebhooks(new World());
  await addAll(replica, (jobId) => (jobId === JOBS[0] ? "back.test" : "busy.test"));
  const isBack = ({ attempt }: Prepared): boolean => attempt.push?.jobId === JOBS[0];
  const { arrived } = replica.receiver;
  replica.receiver.react = () => noAnswer;
  await tell(replica, JOBS[0]!, false);
  await until("it did not answer", () => replica.feed.pushes!.silent?.length === 1);
  await until("nothing is in flight", () => replica.feed.pushes!.inFlight.length === 0);
  replica.receiver.react = (prepared) => (isBack(prepared) ? delivered : new Promise(() => {}));
  await tell(replica, JOBS[1]!, false);
  await until("the busy one has its places", () => replica.feed.pushes!.inFlight.length === IN_FLIGHT_OF_HOST);
  arrived.length = 0;
  await tell(replica, JOBS[0]!, true);
  await until("the other one has its own", () => arrived.filter(isBack).length === ADDRESSES.length);
  expect(replica.feed.pushes!.silent).toEqual([]);
  expect(replica.errors).toEqual([]);
  replica.crash();
});

test("[DIA-18] an attempt that could not be made leaves its host as it was", async () => {
  const replica = await startWebhooks(new World());
  await addAll(replica);
  const ends: AttemptResult[] = [noAnswer, { ...noAnswer, durationMs: 0 } as AttemptResult];
  replica.receiver.react = ({ attempt }) => ends[JOBS.indexOf(attempt.push?.jobId ?? "")] ?? delivered;
  for (const jobId of JOBS.slice(0, 3)) await tell(replica, jobId, false);
  await until("each was tried", () => replica.receiver.arrived.length === 3 * ADDRESSES.length);
  await until("nothing is in flight", () => replica.feed.pushes!.inFlight.length === 0);
  const hosts = replica.attempts.filter(({ push }) => push?.jobId === JOBS[0]).map((one) => one.destinationHost);
  expect(replica.feed.pushes!.silent).toEqual([...new Set(hosts)]);
  replica.crash();
});

test("[DIA-18] attempts that wait until their host has a place are made before later ones of other hosts", async () => {
  const replica = await startWebhooks(new World());
  const hostOf = (jobId: string, at: number): string =>
    JOBS.indexOf(jobId) < 2 ? "first.test" : at % 2 === 0 ? "second.test" : "third.test";
  for (const jobId of JOBS)
    for (const [at, id] of ADDRESSES.entries()) {
      const push = { id, url: `https://${hostOf(jobId, at)}/${id}`, scheme: null, sealed: null };
      granted(
        await replica.ask({ kind: "set_push", jobId, isOver: false, push, event: replica.news("resource.created") }),
      );
    }
  const ends: ((result: AttemptResult) => void)[] = [];
  replica.receiver.react = () => new Promise((resolve) => void ends.push(resolve));
  for (const jobId of JOBS) await tell(replica, jobId, false);
  const { arrived } = replica.receiver;
  // One ends after the other, so that all places are nearly always taken.
  for (let i = 0; i < JOBS.length * ADDRESSES.length; i++) {
    await until("the next one has arrived", () => ends.length > i);
    ends[i]!(delivered);
    await until("it has ended", () => replica.statuses.filter((status) => status === "success").length === i + 1);
  }
  const isFirst = ({ attempt }: Prepared): boolean => JOBS.indexOf(attempt.push!.jobId) < 2;
  const before = arrived.slice(0, arrived.findLastIndex(isFirst)).filter((one) => !isFirst(one));
  // Those that were ready go before, and others while it has all its places.
  expect(before.length).toBeLessThan((JOBS.length - 3) * ADDRESSES.length);
  expect(replica.errors).toEqual([]);
  await replica.system.stop();
});

test("[DIA-18] a record of before, with one queue for both, is divided without losing an attempt", async () => {
  const { world, replica: first } = await inWorld(startWebhooks);
  await addAll(first);
  first.receiver.react = () => new Promise(() => {});
  await first.configure();
  await first.take(IN_FLIGHT_LIMIT + 4);
  for (const jobId of JOBS) await tell(first, jobId, true);
  await until("both are under way", () => first.receiver.underWay === 2 * IN_FLIGHT_LIMIT);
  first.crash();
  const { pushes, ...feed } = first.feed;
  const { inFlight, ready } = pushes!;
  const joined = {
    inFlight: [...feed.inFlight.slice(0, 4), ...inFlight.slice(0, 4)],
    ready: [...feed.ready, ...ready],
  };
  (world.database.records as Map<string, object>).set(`webhook_feed/${ORG}/webhook`, { ...feed, ...joined });
  const next = await startWebhooks(world);
  await next.take(1);
  await until("each attempt was made", () =>
    next.statuses.every((status) => status === "success" || status === "retrying"),
  );
  expect(next.statuses.filter((status) => status === "success").length).toBe(
    IN_FLIGHT_LIMIT + 4 + JOBS.length + 1 + JOBS.length * ADDRESSES.length,
  );
  expect(next.errors).toEqual([]);
  await next.system.stop();
});

test("[DIA-18] a late 410 of a former address does not remove the address that replaced it", async () => {
  const replica = await startWebhooks(new World());
  const set = async (url: string) => {
    const push = { id: "mine", url, scheme: null, sealed: null };
    const event = replica.news("resource.created");
    granted(await replica.ask({ kind: "set_push", jobId: JOBS[0]!, isOver: false, push, event }));
  };
  await set("https://former.test/");
  const gone = Promise.withResolvers<AttemptResult>();
  replica.receiver.react = () => gone.promise;
  await tell(replica, JOBS[0]!, false);
  await until("the former address is asked", () => replica.receiver.underWay === 1);
  await set("https://present.test/");
  gone.resolve(httpError(410));
  await idle(replica);
  expect(granted(await replica.ask({ kind: "read_pushes", jobId: JOBS[0]! }))).toMatchObject([
    { id: "mine", url: "https://present.test/" },
  ]);
  await replica.system.stop();
});
