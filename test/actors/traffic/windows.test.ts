/** Rate windows on the model: time, crashes and restarts in the test's hands. */
import { expect, test } from "bun:test";
import { trafficActor } from "../../../actors/traffic/actor.ts";
import { RATE_WINDOW_MS, rateLimit } from "../../../actors/traffic/policy.ts";
import type { RateState, TrafficProtocol } from "../../../actors/traffic/protocol.ts";
import { rateWindowTable, trafficRef } from "../../../actors/traffic/schema.ts";
import { settle } from "../../support/fake-clock.ts";
import { erased, Replica, type ReplicaOptions, World } from "../../support/replica.ts";

type Protocols = { traffic: TrafficProtocol };
interface Sender {
  readonly organizationId?: string;
  readonly identity?: string;
  readonly budget?: number;
  readonly requests?: number;
}

async function started(world = new World(), options: Partial<ReplicaOptions> = {}): Promise<Replica<Protocols>> {
  const replica = new Replica<Protocols>(world, { definitions: [erased(trafficActor)], ...options });
  await replica.system.start();
  return replica;
}

async function admit(
  { system }: Replica<Protocols>,
  { organizationId = "org_1", identity = "tok_1", budget = 3_000, requests = 1 }: Sender = {},
): Promise<RateState> {
  const command = { kind: "admit_request", identity, limit: rateLimit(budget), requests } as const;
  const outcome = await system.dispatch(trafficRef(organizationId), command);
  if (!outcome.ok) throw new Error(outcome.fault.kind);
  return outcome.value;
}

/** How many of so many requests, sent at once, are admitted. */
async function admitted(replica: Replica<Protocols>, count: number, sender: Sender = {}): Promise<number> {
  const states = await Promise.all(Array.from({ length: count }, () => admit(replica, sender)));
  return states.filter((state) => state.isAdmitted).length;
}

test("[RATE-1] of 3,100 concurrent requests exactly 3,000 are admitted", async () => {
  const replica = await started();
  expect(await admitted(replica, 3_100)).toBe(3_000);
  expect(await admitted(replica, 10)).toBe(0);
});

test("[RATE-1] requests that arrive together are admitted together or not at all, with any size of reservation", async () => {
  for (const budget of [100, 3_000]) {
    const replica = await started();
    const rest = budget % 32;
    for (let left = budget; left >= 32; left -= 32)
      expect(await admit(replica, { budget, requests: 32 })).toMatchObject({ isAdmitted: true, remaining: left - 32 });
    expect(await admit(replica, { budget, requests: 32 })).toMatchObject({ isAdmitted: false, remaining: rest });
    expect(await admit(replica, { budget, requests: rest })).toMatchObject({ isAdmitted: true, remaining: 0 });
    expect(await admit(replica, { budget })).toMatchObject({ isAdmitted: false, remaining: 0 });
  }
});

test("[RATE-1] one of some 30 requests writes, and the others do not", async () => {
  const replica = await started();
  let flushes = 0;
  replica.world.database.pace = (operation) => Promise.resolve(void (flushes += operation === "flush" ? 1 : 0));
  for (let i = 0; i < 3_000; i++) await admit(replica);
  expect(flushes).toBeLessThan((2 * 3_000) / rateLimit(3_000).reservation + 4);
});

test("[RATE-1] a request is admitted only after its reservation is stored", async () => {
  const replica = await started();
  let store = (): void => {};
  replica.world.database.pace = (operation) =>
    operation === "flush" ? new Promise((resolve) => (store = resolve)) : Promise.resolve();
  let answers = 0;
  const [first, second] = [admit(replica), admit(replica)].map((answer) => answer.finally(() => answers++));
  await settle();
  expect(answers).toBe(0);
  store();
  await Promise.all([first, second]);
  expect((await admit(replica)).remaining).toBe(2_997);
});

test("[RATE-1] during the next reservation, requests within the stored one are admitted at once", async () => {
  const replica = await started();
  for (let i = 0; i < 29; i++) await admit(replica);
  const gate = replica.store.holdNext();
  let answers = 0;
  const sent = Array.from({ length: 40 }, () => admit(replica).then(() => answers++));
  await gate.reached;
  await settle();
  // 59 were stored; the one that reserves waits too.
  expect(answers).toBe(59 - 29 - 1);
  gate.open();
  await Promise.all(sent);
  expect((await admit(replica)).remaining).toBe(3_000 - 29 - 40 - 1);
});

test("[RATE-1] one commit reserves for all identities of an organization that need a reservation soon", async () => {
  const replica = await started();
  const identities = Array.from({ length: 20 }, (_, i) => `tok_${i}`);
  for (let i = 0; i < 25; i++) for (const identity of identities) await admit(replica, { identity });
  const before = replica.store.flushed.length;
  for (let i = 0; i < 10; i++) for (const identity of identities) await admit(replica, { identity });
  expect(replica.store.flushed.length - before).toBeLessThanOrEqual(3);
  for (const identity of identities) expect(await admitted(replica, 3_100, { identity })).toBe(3_000 - 35);
});

test("[RATE-1] a reservation in progress is not repeated by the next commit", async () => {
  const replica = await started();
  for (let i = 0; i < 20; i++) await admit(replica, { identity: "tok_b" });
  const gate = replica.store.holdNext();
  const first = admit(replica, { identity: "tok_a" });
  await gate.reached;
  // It needs the next ones soon again, while those before are not stored yet.
  for (let i = 0; i < 20; i++) await admit(replica, { identity: "tok_b" });
  const second = admit(replica, { identity: "tok_c" });
  await settle();
  gate.open();
  await Promise.all([first, second]);
  // Once for its own first request, and once by the first of the two commits.
  expect(replica.world.database.record(rateWindowTable.name, "org_1", "tok_b")?.version).toBe(2);
});

test("[RATE-1] the window is fixed: the whole budget is available again when the next window begins", async () => {
  const replica = await started();
  const { clock } = replica.world;
  await clock.advance(RATE_WINDOW_MS - 1);
  expect(await admitted(replica, 3_100)).toBe(3_000);
  expect((await admit(replica)).resetAtMs).toBe(clock.now() + 1);
  await clock.advance(1);
  expect(await admitted(replica, 3_100)).toBe(3_000);
});

test("[RATE-6] a replica whose clock is slightly behind stays in the window that another one has started", async () => {
  const world = new World();
  const replica = await started(world);
  await world.clock.advance(RATE_WINDOW_MS);
  expect(await admitted(replica, 2_000)).toBe(2_000);
  await replica.system.stop();
  const now = world.clock.now.bind(world.clock);
  world.clock.now = () => now() - 1;
  const behind = await started(world);
  expect(await admitted(behind, 2_000)).toBe(1_000);
  await behind.system.stop();
  world.clock.now = () => now() - 2 * RATE_WINDOW_MS;
  expect(await admitted(await started(world), 1)).toBe(1);
});

test("[RATE-1] a graceful restart within the window loses nothing", async () => {
  const world = new World();
  const former = await started(world);
  expect(await admitted(former, 1_010)).toBe(1_010);
  await former.system.stop();
  const next = await started(world);
  expect((await admit(next)).remaining).toBe(1_989);
  expect(await admitted(next, 2_100)).toBe(1_989);
});

test("[RATE-1] an actor that is evicted within the window loses nothing", async () => {
  const replica = await started(new World(), { liveActors: 2 });
  const organizations = ["org_1", "org_2", "org_3", "org_4"];
  const counts = new Map<string, number>();
  for (let round = 0; round < 31; round++) {
    for (const organizationId of organizations) {
      const count = await admitted(replica, 100, { organizationId });
      counts.set(organizationId, (counts.get(organizationId) ?? 0) + count);
      await settle();
      expect(replica.system.actors.count).toBeLessThanOrEqual(3);
    }
  }
  expect([...counts.values()]).toEqual([3_000, 3_000, 3_000, 3_000]);
});

test("[RATE-1] after kill -9 never more than the budget is admitted, and at least 98 %", async () => {
  for (const before of [1, 59, 60, 1_500, 2_990]) {
    const world = new World();
    const former = await started(world);
    expect(await admitted(former, before)).toBe(before);
    former.crash();
    const all = before + (await admitted(await started(world), 3_100));
    expect(all).toBeLessThanOrEqual(3_000);
    expect(all).toBeGreaterThan(2_940);
  }
});

test("[RATE-1] a returned reservation is not used twice, even if the process was killed meanwhile", async () => {
  const world = new World();
  const former = await started(world);
  await admitted(former, 10);
  await former.system.stop();
  const second = await started(world);
  await admitted(second, 10);
  second.crash();
  const all = 20 + (await admitted(await started(world), 3_100));
  expect(all).toBeLessThanOrEqual(3_000);
  expect(all).toBeGreaterThan(2_940);
});

test("[RATE-1] the use of a raised budget is stored: after kill -9 no more than the budget is admitted", async () => {
  const world = new World();
  const former = await started(world);
  expect(await admitted(former, 10, { budget: 100 })).toBe(10);
  const used = await admitted(former, 900, { budget: 1_000 });
  former.crash();
  expect(used + 10 + (await admitted(await started(world), 1_000, { budget: 1_000 }))).toBeLessThanOrEqual(1_000);
});

test("[RATE-1] a lower budget holds at once, and a raised one too", async () => {
  const replica = await started();
  expect(await admitted(replica, 3_100)).toBe(3_000);
  expect(await admitted(replica, 3_100, { budget: 5_000 })).toBe(2_000);
  expect((await admit(replica)).remaining).toBe(0);
});

test("[RATE-3] identities and organizations do not share a budget", async () => {
  const replica = await started();
  expect(await admitted(replica, 3_100)).toBe(3_000);
  expect(await admitted(replica, 3_100, { identity: "tok_2" })).toBe(3_000);
  expect(await admitted(replica, 3_100, { organizationId: "org_2" })).toBe(3_000);
});
