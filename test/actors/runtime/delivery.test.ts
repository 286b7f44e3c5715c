import { expect, test } from "bun:test";
import { MESSAGE_TRIES } from "../../../actors/runtime/outputs/delivery.ts";
import { PATIENCE_MS } from "../../../actors/runtime/commit/patience.ts";
import { MAILBOX_MESSAGES } from "../../../actors/runtime/turns/mailbox.ts";
import { settle } from "../../support/fake-clock.ts";
import { faultOf, type LedgerReplica, startLedgers } from "../../support/ledger-replica.ts";
import { World } from "../../support/replica.ts";

const tell = (replica: LedgerReplica, from: string, to: string, by = 5) =>
  replica.ask(from, { kind: "add_and_tell", by, to });
const started = async (world = new World()) => ({ world, replica: await startLedgers(world) });

test("[RT-10] a message is delivered after the sender's commit, and its row is deleted with the receiver's", async () => {
  const { world, replica } = await started();
  const gate = replica.store.holdNext();
  const sent = tell(replica, "a", "b");
  await gate.reached;
  await settle();
  expect(await replica.read("b")).toBeNull();
  const delivery = replica.store.holdNext();
  gate.open();
  await sent;
  await delivery.reached;
  expect(world.database.messages().length).toBe(1);
  delivery.open();
  await settle();
  expect([world.database.messages(), replica.stored("b")?.count]).toEqual([[], 5]);
});

const tellPatiently = (replica: LedgerReplica, from: string, to: string) =>
  replica.ask(from, { kind: "add_and_tell", by: 5, to, mayWait: true });

test("[RT-4] a message whose turn may wait is stored with the next commit, in order", async () => {
  const { world, replica } = await started();
  await tellPatiently(replica, "a", "b");
  await settle();
  expect([world.database.messages().length, replica.stored("b")]).toEqual([1, null]);
  await replica.ask("c", { kind: "add", by: 1 });
  expect([world.database.messages(), replica.stored("b")?.count]).toEqual([[], 5]);
});

test("[RT-4] it is stored in the end, and at once if a read depends on it", async () => {
  const { world, replica } = await started();
  await tellPatiently(replica, "a", "b");
  expect((await replica.read("b"))?.count).toBe(5);
  await tellPatiently(replica, "a", "b");
  await world.clock.advance(PATIENCE_MS);
  expect([world.database.messages(), replica.stored("b")?.count]).toEqual([[], 10]);
});

test("[RT-4] neither a caller nor a take-up waits for the patience of a turn", async () => {
  const { world, replica } = await started();
  await replica.ask("b", { kind: "add_patiently", by: 1 });
  await tellPatiently(replica, "a", "b");
  await settle();
  replica.crash();
  const next = await startLedgers(world);
  expect([world.database.messages(), next.stored("b")?.count]).toEqual([[], 6]);
});

test("[RT-10] a message whose sender broke was never sent", async () => {
  const { world, replica } = await started();
  replica.store.failNext({ kind: "abort", code: "22P05" });
  await expect(tell(replica, "a", "b")).rejects.toThrow("refused the group");
  await world.clock.advance(10_000);
  expect([await replica.read("b"), replica.storedSeqs("b")]).toEqual([null, []]);
});

test("[RT-10] a message that the receiver refuses counts as handled: its row is deleted, and it is not delivered again", async () => {
  const { world, replica } = await started();
  world.database.commit(
    [
      {
        shard: 105,
        epoch: 1,
        writes: {
          records: [],
          events: [],
          consumed: [],
          effects: [],
          settled: [],
          alarms: [],
          cleared: [],
          messages: [
            {
              id: "m1",
              organizationId: "org_a",
              actorKind: "ledger",
              actorId: "b",
              command: { kind: "refuse_after_writing" },
            },
          ],
        },
      },
    ],
    new Set([105]),
  );
  replica.crash();
  const second = await startLedgers(world);
  expect(world.database.messages()).toEqual([]);
  expect(await second.read("b")).toBeNull();
  expect(second.log.map((line) => line.message)).toContain("a message was refused");
});

test("[RT-10] a message to an overloaded actor is retried until it is accepted, and takes effect once", async () => {
  const { world, replica } = await started();
  await replica.add("b", 0);
  const gate = replica.store.holdNext();
  const flood = Array.from({ length: MAILBOX_MESSAGES }, () => replica.add("b", 0));
  await gate.reached;
  const sent = tell(replica, "a", "b");
  gate.open();
  await sent;
  await Promise.all(flood);
  await world.clock.advance(10_000);
  expect([(await replica.read("b"))?.count, world.database.messages().length]).toEqual([5, 0]);
});

test("[RT-10] while the receiver stays overloaded, the message waits longer and longer, up to 5 s", async () => {
  const { world, replica } = await started();
  await replica.add("b", 0);
  await replica.ask("a", { kind: "add", by: 0 });
  const actor = replica.system.actors.get(
    { kind: "ledger", organizationId: "org_a", id: "b" },
    { shard: 105, epoch: 1 },
    world.clock.monotonic(),
  );
  const tickets = Array.from({ length: MAILBOX_MESSAGES }, () => actor.mailbox.enter(world.clock.monotonic(), 1)!);
  const tries = () => replica.turns.length;
  const before = tries();
  await tell(replica, "a", "b");
  await world.clock.advance(60_000);
  expect(tries()).toBe(before + 1);
  expect(world.clock.nextInMs).toBeLessThanOrEqual(5_000);
  for (const ticket of tickets) actor.mailbox.leave(ticket);
  await world.clock.advance(5_000);
  expect((await replica.read("b"))?.count).toBe(5);
});

test("[RT-10] after a lost reply the message is delivered by the next epoch, once", async () => {
  const { world, replica } = await started();
  replica.store.failNext({ kind: "lost_reply" });
  expect(faultOf(await tell(replica, "a", "b"))).toBe("outcome_unknown");
  await world.clock.advance(30_000);
  expect([(await replica.read("a"))?.count, (await replica.read("b"))?.count]).toEqual([5, 5]);
  expect(world.database.messages()).toEqual([]);
});

test("[RT-10] when the receiver's commit is unknown, stored or not, the message takes effect once", async () => {
  for (const kind of ["lost_reply", "lost_request"] as const) {
    const { world, replica } = await started();
    let struck = false;
    replica.store.onFlush = (batch) => {
      if (struck || batch[0]!.writes.consumed.length === 0) return null;
      struck = true;
      return { kind };
    };
    expect(faultOf(await tell(replica, "a", "b"))).toBe("ok");
    await world.clock.advance(30_000);
    expect([struck, (await replica.read("b"))?.count, world.database.messages().length]).toEqual([true, 5, 0]);
    expect(replica.storedSeqs("b")).toEqual([1]);
  }
});

test("[RT-10] a crash between the sender's commit and the delivery delivers after the restart, in the order of the commits", async () => {
  const { world, replica } = await started();
  replica.store.onFlush = (batch) =>
    batch.some((g) => g.writes.consumed.length > 0) ? { kind: "lost_request" } : null;
  await tell(replica, "a", "b", 1);
  await tell(replica, "c", "b", 2);
  replica.crash();
  const messages = world.database.messages().map((m) => (m.command as unknown as { by: number }).by);
  const second = await startLedgers(world);
  const applied = world.database.stream("org_a", "b").map((event) => event.data["by"] as number);
  expect(applied).toEqual(messages);
  expect((await second.read("b"))?.count).toBe(messages.reduce((sum, by) => sum + by, 0));
  expect(world.database.messages()).toEqual([]);
});

/** A message that its receiver's turn throws at, and one after it. */
function falling(world: World): void {
  world.database.commit(
    [
      {
        shard: 105,
        epoch: 0,
        writes: {
          records: [],
          events: [],
          consumed: [],
          effects: [],
          settled: [],
          alarms: [],
          cleared: [],
          messages: [{ kind: "fall" }, { kind: "add", by: 3 } as { kind: string }].map((command, i) => ({
            id: `m${i}`,
            organizationId: "org_a",
            actorKind: "ledger",
            actorId: "b",
            command,
          })),
        },
      },
    ],
    new Set([105]),
  );
}

test("[RT-10] a bug in the receiver's turn is logged, the row stays, and the others are delivered", async () => {
  const world = new World();
  falling(world);
  const replica = await startLedgers(world);
  expect((await replica.read("b"))?.count).toBe(3);
  expect(world.database.messages().map((m) => m.id)).toEqual(["m0"]);
  expect(replica.errors).toEqual(["a message's turn failed"]);
});

test("[RT-10] a message whose turn throws is retried a few times, then parked: kept, counted, and blocking nothing", async () => {
  const world = new World();
  falling(world);
  const replica = await startLedgers(world);
  await world.clock.advance(60_000);
  expect(replica.errors.length).toBe(MESSAGE_TRIES);
  expect(replica.errors.at(-1)).toContain("parked");
  expect([world.database.messages().length, replica.system.parkedMessages(null)]).toEqual([1, 1]);
  expect(faultOf(await replica.add("b", 1))).toBe("ok");
  await world.clock.advance(600_000);
  expect(replica.errors.length).toBe(MESSAGE_TRIES);
  // The next start offers it again.
  replica.crash();
  const second = await startLedgers(world);
  await world.clock.advance(1);
  expect([second.errors, second.system.parkedMessages(null)]).toEqual([["a message's turn failed"], 0]);
});

test("[RT-10] a message whose turn throws once is delivered by the next try, once", async () => {
  const { world, replica } = await started();
  let isBroken = true;
  replica.store.onFlush = (batch) =>
    isBroken && batch.some((g) => g.writes.consumed.length > 0) ? { kind: "abort", code: "22P05" } : null;
  await tell(replica, "a", "b");
  await settle();
  expect([replica.errors, world.database.messages().length]).toEqual([["a message's turn failed"], 1]);
  isBroken = false;
  await world.clock.advance(1_000);
  expect([(await replica.read("b"))?.count, world.database.messages(), replica.system.parkedMessages(null)]).toEqual([
    5,
    [],
    0,
  ]);
});
