import { describe, expect, test } from "bun:test";
import { LOST_READERS_MS } from "../../../actors/runtime/placement/ownership.ts";
import { LEASE_RENEW_MS, LEASE_TERM_MS, shardOf } from "../../../actors/runtime/placement/placement.ts";
import { ledgerRef } from "../../support/ledger-actor.ts";
import { settle } from "../../support/fake-clock.ts";
import {
  faultOf,
  type LedgerReplica,
  LedgerReplica as Ledgers,
  ORG,
  said,
  startLedgers,
} from "../../support/ledger-replica.ts";
import { Gate } from "../../support/memory-store.ts";
import { World } from "../../support/replica.ts";

const SHARD = shardOf(ORG);
const started = async (world = new World()) => ({ world, replica: await startLedgers(world) });
const epochOf = (replica: LedgerReplica) => replica.system.shards.epochOf(SHARD);

/** Another replica's row, without a process behind it, takes the shard. */
function steal(world: World): void {
  const row = world.database.shards[SHARD]!;
  Object.assign(row, { owner: "thief", epoch: row.epoch + 1 });
  world.database.replicas.set("thief", { leaseUntil: Infinity, dead: false });
}
const giveBack = (world: World): void => void (world.database.replicas.get("thief")!.dead = true);

describe("taking up", () => {
  test("[RT-11] a shard serves only after the unfinished work of its former owner has been taken up", async () => {
    const world = new World();
    const replica = new Ledgers(world);
    const gate = new Gate();
    world.database.pace = async (operation) => {
      if (operation === "undone") await gate.pass();
    };
    const starting = replica.system.start();
    await gate.reached;
    expect(faultOf(await replica.add("l1"))).toBe("unavailable");
    expect(faultOf(await replica.system.settled(ORG))).toBe("unavailable");
    gate.open();
    await starting;
    expect(replica.system.isReady).toBe(true);
    expect(faultOf(await replica.add("l1"))).toBe("ok");
  });

  test("[OPS-6] nothing is stored for an organization that was erased before its shard was taken up", async () => {
    const { world, replica } = await started();
    expect(faultOf(await replica.add("l1"))).toBe("ok");
    world.database.erased.add(ORG);
    world.database.shards[SHARD]!.epoch++;
    await world.clock.advance(LEASE_RENEW_MS);
    expect(faultOf(await replica.add("l1"))).toBe("unauthenticated");
    expect(faultOf(await replica.system.settled(ORG))).toBe("unauthenticated");
  });

  test("[RT-12] the lease is renewed while a shard is being taken up, however long it takes", async () => {
    for (const takeOver of [false, true]) {
      const { world, replica } = await started();
      if (takeOver) {
        steal(world);
        await world.clock.advance(LEASE_RENEW_MS);
      }
      const other = takeOver ? replica : new Ledgers(world);
      if (!takeOver) replica.crash();
      const gate = new Gate();
      world.database.pace = async (operation) => {
        if (operation === "undone") await gate.pass();
      };
      if (takeOver) giveBack(world);
      const starting = takeOver ? Promise.resolve() : other.system.start();
      const renewals = other.placement.renewals;
      await world.clock.advance(3 * LEASE_TERM_MS);
      expect(other.placement.renewals).toBeGreaterThan(renewals + 8);
      gate.open();
      await starting;
      await settle();
      expect(faultOf(await other.add("l1"))).toBe("ok");
    }
  });

  test("[RT-11] when unfinished work cannot be read, the shard is not served, and is taken up later", async () => {
    const { world, replica } = await started();
    await replica.add("l1");
    steal(world);
    await world.clock.advance(LEASE_RENEW_MS);
    giveBack(world);
    replica.store.isCut = true;
    await world.clock.advance(2 * LEASE_RENEW_MS);
    expect(faultOf(await replica.add("l1"))).toBe("unavailable");
    replica.store.isCut = false;
    await world.clock.advance(LEASE_RENEW_MS);
    expect((await replica.read("l1"))?.count).toBe(1);
  });

  test("[RT-11] a shard that could not be taken up is claimed again soon, and not at the next renewal", async () => {
    const { world, replica } = await started();
    await replica.add("l1", 1);
    steal(world);
    await world.clock.advance(LEASE_RENEW_MS);
    giveBack(world);
    replica.store.isCut = true;
    await world.clock.advance(LEASE_RENEW_MS);
    replica.store.isCut = false;
    await world.clock.advance(LEASE_RENEW_MS / 5);
    expect((await replica.read("l1"))?.count).toBe(1);
  });

  test("[RT-11] a start that cannot read unfinished work fails, and leaves no timer behind", async () => {
    const world = new World();
    const replica = new Ledgers(world);
    replica.store.isCut = true;
    await expect(replica.system.start()).rejects.toThrow("cannot be reached");
    expect(world.clock.pending).toBe(0);
  });
});

describe("an unknown outcome", () => {
  test("[RT-4] stored after all: the epoch rises, the actor is loaded again, and the write is there once", async () => {
    const { replica } = await started();
    await replica.add("l1", 1);
    replica.store.failNext({ kind: "lost_reply" });
    const [unknown, behind] = await Promise.all([replica.add("l1", 10), replica.ask("l1", { kind: "read" })]);
    expect([faultOf(unknown), faultOf(behind)]).toEqual(["outcome_unknown", "outcome_unknown"]);
    await settle();
    expect(epochOf(replica)).toBe(2);
    expect((await replica.read("l1"))?.count).toBe(11);
    expect((await replica.add("l1", 1)).ok).toBe(true);
    expect(replica.storedSeqs("l1")).toEqual([1, 2, 3]);
  });

  test("[REP-2] news of the placement while the epoch is raised is checked afterwards, not at the next renewal", async () => {
    const world = new World();
    const other = `org_${Array.from({ length: 1_000 }, (_, i) => i).find((i) => shardOf(`org_${i}`) !== SHARD)}`;
    const { replica } = await started(world);
    Object.assign(world.database.shards[shardOf(other)]!, { owner: "thief", epoch: 2 });
    world.database.replicas.set("thief", { leaseUntil: Infinity, dead: false });
    await world.clock.advance(LEASE_RENEW_MS);
    expect(replica.system.serves(other)).toBe(false);
    const gate = new Gate();
    world.database.pace = async (operation) => {
      if (operation === "raise") await gate.pass();
    };
    replica.store.failNext({ kind: "lost_reply" });
    await replica.add("l1", 10);
    await gate.reached;
    giveBack(world);
    replica.system.lookAtPlacement();
    gate.open();
    await settle();
    expect(replica.system.serves(other)).toBe(true);
  });

  test("[RT-4] never stored: no trace of it is left in memory", async () => {
    const { replica } = await started();
    await replica.add("l1", 1);
    replica.store.failNext({ kind: "lost_request" });
    await replica.add("l1", 10);
    await settle();
    expect(await replica.read("l1")).toMatchObject({ count: 1, lastSeq: 1 });
  });

  test("[RT-4] the shard is not served while the statement may still commit, and a late commit is loaded", async () => {
    const { replica } = await started();
    await replica.add("l1", 1);
    const gate = new Gate();
    replica.store.failNext({ kind: "zombie", gate });
    await replica.add("l1", 10);
    await settle();
    expect([faultOf(await replica.ask("l1", { kind: "read" })), replica.system.isReady]).toEqual([
      "unavailable",
      false,
    ]);
    gate.open();
    await settle();
    expect([(await replica.read("l1"))?.count, replica.system.isReady]).toEqual([11, true]);
  });

  test("[RT-8] a reader gets an event that was stored late without any later event", async () => {
    const { replica } = await started();
    await replica.add("l1", 1);
    const reader = replica.subscribe("l1");
    expect(said(await reader.next())).toEqual(["1"]);
    const next = reader.next();
    const gate = new Gate();
    replica.store.failNext({ kind: "zombie", gate });
    await replica.add("l1", 10);
    await settle();
    gate.open();
    await settle();
    reader.close();
    expect(said(await next)).toEqual(["2"]);
  });

  test("[RT-4] a queue behind an unknown batch is refused before its statement", async () => {
    const { replica } = await started();
    await replica.add("l1", 1);
    const gate = replica.store.holdNext();
    const unknown = replica.add("l1", 10);
    await gate.reached;
    const queued = [replica.add("l1", 1), replica.add("l2", 1)];
    const statements = replica.store.flushed.length;
    gate.break();
    expect(faultOf(await unknown)).toBe("outcome_unknown");
    expect((await Promise.all(queued)).map(faultOf)).toEqual(["unavailable", "unavailable"]);
    expect(replica.store.flushed.length).toBe(statements);
  });

  test("[RT-12] while the authority cannot be reached the epoch is tried again; then everything is served", async () => {
    const { world, replica } = await started();
    replica.placement.isCut = true;
    replica.store.failNext({ kind: "lost_request" });
    await replica.add("l1", 1);
    await world.clock.advance(1_000);
    expect(faultOf(await replica.add("l1"))).toBe("unavailable");
    replica.placement.isCut = false;
    // The pauses have doubled meanwhile, to a second at most.
    await world.clock.advance(1_000);
    expect(faultOf(await replica.add("l1"))).toBe("ok");
    expect(epochOf(replica)).toBe(2);
  });

  test("[RT-5] a claim that was answered before the epoch rose does not bring the old epoch back", async () => {
    const { world, replica } = await started();
    await replica.add("l1", 1);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    world.database.reply = (operation) => (operation === "claim" ? held : Promise.resolve());
    await world.clock.advance(LEASE_RENEW_MS);
    world.database.reply = () => Promise.resolve();
    replica.store.failNext({ kind: "lost_request" });
    await replica.add("l1", 1);
    await settle();
    release();
    await settle();
    expect(epochOf(replica)).toBe(2);
    expect(faultOf(await replica.add("l1"))).toBe("ok");
    expect(replica.log.filter((line) => line.message.includes("another epoch"))).toEqual([]);
  });
});

test("[RT-5] [RT-11] a take-up that a later epoch overtakes leaves nothing of its own epoch behind", async () => {
  const recovered: number[] = [];
  const aborted: number[] = [];
  const world = new World();
  const replica = await startLedgers(world, {
    effects: {
      count: {
        run: async () => {},
        recover: (_, { epoch, signal }) => {
          recovered.push(epoch);
          return new Promise((resolve) =>
            signal.addEventListener("abort", () => {
              aborted.push(epoch);
              resolve();
            }),
          );
        },
      },
    },
  });
  await replica.ask("l1", { kind: "add_with_effect", by: 1 });
  const reads = Array.from({ length: 3 }, () => new Gate());
  let asked = 0;
  world.database.pace = async (operation) => {
    const gate = operation === "undone" ? reads[asked++] : undefined;
    if ((await gate?.pass()) === false) throw new Error("the read has failed");
  };
  replica.store.failNext({ kind: "lost_reply" });
  await replica.add("l1", 1);
  await reads[0]!.reached;
  // A claim takes the raised shard up as well; the first take-up fails, and raises the epoch once more.
  replica.system.lookAtPlacement();
  await reads[1]!.reached;
  reads[0]!.break();
  await world.clock.advance(1_000);
  await reads[2]!.reached;
  reads[1]!.open();
  await settle();
  reads[2]!.open();
  await settle();
  expect(epochOf(replica)).toBe(3);
  expect(recovered.at(-1)).toBe(3);
  expect(aborted).toEqual(recovered.slice(0, -1));
});

describe("lost shards", () => {
  test("[RT-5] a fenced shard is dropped with its actors and its queue, and served again after a claim at a higher epoch", async () => {
    const { world, replica } = await started();
    await replica.add("l1", 1);
    steal(world);
    const outcomes = await Promise.all([replica.add("l1", 10), replica.ask("l1", { kind: "read" })]);
    expect(outcomes.map(faultOf)).toEqual(["unavailable", "unavailable"]);
    expect(epochOf(replica)).toBeNull();
    giveBack(world);
    await world.clock.advance(LEASE_RENEW_MS);
    expect([(await replica.read("l1"))?.count, epochOf(replica)]).toEqual([1, 3]);
  });

  test("[RT-5] a shard that a claim no longer returns is dropped", async () => {
    const { world, replica } = await started();
    await replica.add("l1", 1);
    steal(world);
    await world.clock.advance(LEASE_RENEW_MS);
    expect(epochOf(replica)).toBeNull();
    expect(replica.system.actors.count).toBe(0);
  });

  test("[RT-8] readers get events that another owner has written meanwhile", async () => {
    const { world, replica } = await started();
    await replica.add("l1", 1);
    const reader = replica.subscribe("l1");
    await reader.next();
    const next = reader.next();
    steal(world);
    await world.clock.advance(LEASE_RENEW_MS);
    const events = [{ organizationId: ORG, stream: "l1", seq: 2, type: "added", at: "", data: {} }];
    world.database.commit(
      [
        {
          shard: SHARD,
          epoch: 2,
          writes: {
            records: [],
            events,
            messages: [],
            consumed: [],
            effects: [],
            settled: [],
            alarms: [],
            cleared: [],
          },
        },
      ],
      new Set([SHARD]),
    );
    giveBack(world);
    await world.clock.advance(LEASE_RENEW_MS);
    reader.close();
    expect(said(await next)).toEqual(["2"]);
  });

  test("[RT-8] readers of a shard that does not return are ended, and those of the others read on", async () => {
    const { world, replica } = await started();
    await replica.add("l1", 1);
    const reader = replica.subscribe("l1");
    const other = replica.system.subscribe(ledgerRef("org_b", "l1"), 0);
    await reader.next();
    const [next, others] = [reader.next(), other.next()];
    steal(world);
    await world.clock.advance(LEASE_RENEW_MS + LOST_READERS_MS);
    expect(await next).toEqual([]);
    expect([reader.isLost, reader.seq, other.isLost]).toEqual([true, 1, false]);
    other.close();
    expect(await others).toEqual([]);
    // Who comes after that waits for the shard's return like any other.
    expect(replica.subscribe("l1").isLost).toBe(false);
  });

  test("[RT-8] a replica that is declared dead ends all its readers", async () => {
    const { world, replica } = await started();
    await replica.add("l1", 1);
    const reader = replica.subscribe("l1");
    await reader.next();
    const next = reader.next();
    world.database.replicas.get(replica.placement.id)!.dead = true;
    await world.clock.advance(LEASE_RENEW_MS);
    expect([await next, reader.isLost, replica.lost.length]).toEqual([[], true, 1]);
  });

  test("[RT-12] two replicas never both serve an organization, and nothing acknowledged is lost in a handover", async () => {
    const world = new World();
    const first = await startLedgers(world);
    for (let i = 0; i < 5; i++) await first.add("l1");
    await first.system.stop();
    expect(faultOf(await first.add("l1"))).toBe("unavailable");
    const second = await startLedgers(world);
    for (let i = 0; i < 5; i++) await second.add("l1");
    expect(second.storedSeqs("l1")).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(world.clock.pending).toBeGreaterThan(0);
    await second.system.stop();
    expect(world.clock.pending).toBe(0);
  });
});

test("[RT-12] a stop refuses new commands, lets what is in progress commit, and ends the lease", async () => {
  const { world, replica } = await started();
  const gate = replica.store.holdNext();
  const underWay = replica.add("l1", 1);
  await gate.reached;
  const stopping = replica.system.stop();
  expect(faultOf(await replica.add("l1", 1))).toBe("shutting_down");
  gate.open();
  await stopping;
  expect(faultOf(await underWay)).toBe("ok");
  expect([world.database.replicas.get("r1")?.dead, world.database.shards[SHARD]?.owner]).toEqual([true, null]);
});

test("[RT-4] lists: settled resolves after everything that was pending at the call is in the tables", async () => {
  const { replica } = await started();
  const gate = replica.store.holdNext();
  void replica.add("l1", 7);
  await gate.reached;
  const seen = replica.system.settled(ORG).then((outcome) => [outcome.ok, replica.stored("l1")?.count]);
  gate.open();
  expect(await seen).toEqual([true, 7]);
});
