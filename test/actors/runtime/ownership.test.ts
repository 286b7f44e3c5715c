/** Who serves a shard, and when: taking up, unknown outcomes, stops. Shards that are lost: `lost-shards.test.ts`. */
import { describe, expect, test } from "bun:test";
import { LEASE_RENEW_MS, LEASE_TERM_MS, shardOf } from "../../../actors/runtime/placement/placement.ts";
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
        world.steal(SHARD);
        await world.clock.advance(LEASE_RENEW_MS);
      }
      const other = takeOver ? replica : new Ledgers(world);
      if (!takeOver) replica.crash();
      const gate = new Gate();
      world.database.pace = async (operation) => {
        if (operation === "undone") await gate.pass();
      };
      if (takeOver) world.giveBack();
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
    world.steal(SHARD);
    await world.clock.advance(LEASE_RENEW_MS);
    world.giveBack();
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
    world.steal(SHARD);
    await world.clock.advance(LEASE_RENEW_MS);
    world.giveBack();
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
    world.steal(shardOf(other));
    await world.clock.advance(LEASE_RENEW_MS);
    expect(replica.system.serves(other)).toBe(false);
    const gate = new Gate();
    world.database.pace = async (operation) => {
      if (operation === "raise") await gate.pass();
    };
    replica.store.failNext({ kind: "lost_reply" });
    await replica.add("l1", 10);
    await gate.reached;
    world.giveBack();
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

test("[RT-5] [RT-11] a take-up leaves nothing of its epoch behind when a later epoch overtakes it", async () => {
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

test("[RT-12] a list that waited for commits is refused when the lease or the epoch has gone meanwhile", async () => {
  for (const loss of ["lease", "epoch"] as const) {
    const { world, replica } = await started();
    await replica.add("l1");
    const gate = replica.store.holdNext();
    const add = replica.add("l1");
    await gate.reached;
    const settled = replica.system.settled(ORG);
    if (loss === "lease") {
      replica.placement.isCut = true;
      await world.clock.advance(9_000);
    } else {
      const { shards } = replica.system;
      const epoch = shards.epochOf(SHARD)!;
      shards.lose(SHARD);
      shards.grant(SHARD, epoch + 1);
      shards.open(SHARD, epoch + 1);
    }
    gate.open();
    expect([loss, faultOf(await settled)]).toEqual([loss, "unavailable"]);
    await add;
  }
});
