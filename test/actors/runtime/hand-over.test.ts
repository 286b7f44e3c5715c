/** Several replicas over one database in memory: even parts, and shards that move while both owners live. */
import { expect, test } from "bun:test";
import type { EffectHandler } from "../../../actors/runtime/outputs/effects.ts";
import { LEASE_RENEW_MS, SHARD_COUNT, shardOf } from "../../../actors/runtime/placement/placement.ts";
import { settle } from "../../support/fake-clock.ts";
import { ledgerRef } from "../../support/ledger-actor.ts";
import { faultOf, idleEffect, LedgerReplica, said } from "../../support/ledger-replica.ts";
import { Gate } from "../../support/memory-store.ts";
import { MemoryPeers } from "../../support/memory-peers.ts";
import { World } from "../../support/replica.ts";

/** Replicas that join one after the other, and organizations that the second one gets. */
class Group {
  readonly world = new World();
  readonly all: LedgerReplica[] = [];
  readonly peers: MemoryPeers[] = [];
  /** Of each replica, the shards of which its guard has been told to forget all. */
  readonly guards: Set<number>[] = [];
  readonly recovered: string[] = [];
  /** What the effects do. */
  readonly counting = { run: idleEffect().run };

  async join(): Promise<LedgerReplica> {
    const name = `r${this.all.length + 1}`;
    const peers = new MemoryPeers(this.all);
    const recover: EffectHandler["recover"] = (effect) =>
      Promise.resolve(void this.recovered.push(`${name} ${effect.kind}`));
    const forgotten = new Set<number>();
    this.guards.push(forgotten);
    const forget = (shards: ReadonlySet<number>): void => shards.forEach((shard) => void forgotten.add(shard));
    const guard = { admit: () => null, forget };
    const replica = new LedgerReplica(this.world, {
      peers,
      guard,
      effects: { count: { run: (...of) => this.counting.run(...of), recover } },
    });
    this.all.push(replica);
    this.peers.push(peers);
    await replica.system.start();
    peers.announce();
    await settle();
    return replica;
  }

  get owned(): number[] {
    return this.all.map(({ system }) => system.shards.count);
  }

  /** An organization that this replica serves. */
  organizationOf(replica: LedgerReplica): string {
    for (let i = 0; ; i++) if (replica.system.serves(`org_${i}`)) return `org_${i}`;
  }
}

test("[REP-1] a joining replica gets an even share of the shards, and the shards of a leaving one are taken at once", async () => {
  const group = new Group();
  const first = await group.join();
  expect(group.owned).toEqual([SHARD_COUNT]);
  await group.join();
  expect(group.owned).toEqual([64, 64]);
  await group.join();
  expect(group.owned.toSorted((a, b) => a - b)).toEqual([42, 43, 43]);
  await first.system.stop();
  group.peers[0]!.announce();
  await settle();
  expect(group.owned).toEqual([0, 64, 64]);
  expect(group.all.flatMap(({ errors }) => errors)).toEqual([]);
});

test("[REP-1] the shards of a replica that dies are taken at the next renewal", async () => {
  const group = new Group();
  await group.join();
  const second = await group.join();
  second.crash();
  await group.world.clock.advance(LEASE_RENEW_MS);
  expect(group.owned[0]).toBe(SHARD_COUNT);
});

test("[REP-2] committed work of a shard continues at its new owner, effects too, and the former owner sends its readers there", async () => {
  const group = new Group();
  const first = await group.join();
  const organizations = Array.from({ length: 40 }, (_, i) => `org_${i}`);
  const begin = (id: string) => first.system.dispatch(ledgerRef(id, "l1"), { kind: "add_with_effect", by: 1 });
  for (const id of organizations) expect(faultOf(await begin(id))).toBe("ok");
  const readers = new Map(organizations.map((id) => [id, first.system.subscribe(ledgerRef(id, "l1"), 0)]));
  for (const reader of readers.values()) expect(said((await reader.next()) ?? [])).toEqual(["1"]);
  const waiting = new Map([...readers].map(([id, reader]) => [id, reader.next()]));
  const second = await group.join();
  const moved = organizations.filter((id) => second.system.serves(id));
  expect(moved.length).toBeGreaterThan(5);
  for (const id of moved) {
    expect(await waiting.get(id)).toEqual([]);
    expect(readers.get(id)!.isLost).toBe(true);
    expect(await second.system.dispatch(ledgerRef(id, "l1"), { kind: "add", by: 1 })).toEqual({ ok: true, value: 2 });
  }
  expect(group.recovered).toEqual(moved.map(() => "r2 count"));
  const [kept] = organizations.filter((id) => first.system.serves(id));
  expect(readers.get(kept!)!.isLost).toBe(false);
  for (const reader of readers.values()) reader.close();
  expect(group.peers[0]!.said).toEqual(["held 64", "let go"]);
});

test("[REP-2] effects end before clients are held, and none starts on a shard that leaves", async () => {
  const group = new Group();
  const first = await group.join();
  const said = group.peers[0]!.said;
  const organizations = Array.from({ length: 40 }, (_, i) => `org_${i}`);
  group.counting.run = (_, { signal }) =>
    new Promise((resolve) => {
      said.push("begun");
      signal.addEventListener("abort", () => resolve(void said.push("ended")), { once: true });
    });
  const begin = (id: string) => first.system.dispatch(ledgerRef(id, "l1"), { kind: "add_with_effect", by: 1 });
  for (const id of organizations) expect(faultOf(await begin(id))).toBe("ok");
  said.length = 0;
  group.peers[0]!.onHold = () => {
    for (const id of organizations) void begin(id);
  };
  const second = await group.join();
  const moved = organizations.filter((id) => second.system.serves(id));
  const before = said.slice(0, said.indexOf("held 64"));
  expect(before).toEqual(moved.map(() => "ended"));
  expect(said.filter((word) => word === "begun")).toHaveLength(organizations.length - moved.length);
});

test("[REP-2] a guard of writes forgets a shard when the shard is handed over and when it returns", async () => {
  const group = new Group();
  const first = await group.join();
  const forgotten = group.guards[0]!;
  forgotten.clear();
  const second = await group.join();
  expect(forgotten.size).toBe(64);
  const given = new Set(forgotten);
  forgotten.clear();
  await second.system.stop();
  group.peers[0]!.announce();
  await settle();
  expect([forgotten, first.system.shards.count]).toEqual([given, SHARD_COUNT]);
});

test("[REP-2] a hand-over that cannot reach the placement leaves the shards to their owners", async () => {
  const group = new Group();
  const first = await group.join();
  group.world.database.pace = (operation) =>
    operation === "release" ? Promise.reject(new Error("cut")) : Promise.resolve();
  await group.join();
  expect(group.owned).toEqual([SHARD_COUNT, 0]);
  expect(faultOf(await first.system.dispatch(ledgerRef("org_a", "l1"), { kind: "add", by: 1 }))).toBe("ok");
  group.world.database.pace = () => Promise.resolve();
  await group.world.clock.advance(LEASE_RENEW_MS);
  await group.world.clock.advance(LEASE_RENEW_MS);
  expect(group.owned).toEqual([64, 64]);
});

test("[REP-2] shards that were handed over, but whose release was not answered, are taken at once", async () => {
  const group = new Group();
  await group.join();
  const { database } = group.world;
  database.pace = (operation) => {
    if (operation !== "release") return Promise.resolve();
    for (const row of database.shards.slice(SHARD_COUNT / 2)) row.owner = null;
    return Promise.reject(new Error("the answer is lost"));
  };
  await group.join();
  await settle();
  expect(group.owned).toEqual([64, 64]);
});

for (const isLate of [false, true])
  test(`[REP-2] a shard whose epoch rises while it is handed over has one owner${isLate ? ", also if it is taken up late" : ""}`, async () => {
    const group = new Group();
    const first = await group.join();
    const organizations = Array.from({ length: 20 }, (_, i) => `org_${i}`);
    const gate = new Gate();
    group.world.database.pace = async (operation) => {
      if (isLate && operation === "undone") await gate.pass();
    };
    const unknown: Promise<unknown>[] = [];
    group.peers[0]!.onHold = () => {
      group.peers[0]!.onHold = () => {};
      first.store.failNext({ kind: "lost_reply" });
      unknown.push(...organizations.map((id) => first.system.dispatch(ledgerRef(id, "l1"), { kind: "add", by: 1 })));
    };
    const joined = group.join();
    await settle();
    gate.open();
    await joined;
    expect((await Promise.all(unknown)).map((outcome) => faultOf(outcome as never))).toContain("outcome_unknown");
    await settle();
    const owners = () => organizations.map((id) => group.all.filter(({ system }) => system.serves(id)).length);
    expect(Math.max(...owners())).toBe(1);
    for (let i = 0; i < 4; i++) await group.world.clock.advance(LEASE_RENEW_MS);
    expect(owners()).toEqual(organizations.map(() => 1));
    expect(group.owned).toEqual([64, 64]);
  });

test("[REP-2] a shard that leaves at an epoch that has passed stays open", async () => {
  const { system } = await new Group().join();
  const shard = shardOf("org_1");
  const epoch = system.shards.epochOf(shard)!;
  system.shards.leave([{ shard, epoch: epoch - 1 }]);
  expect(system.serves("org_1")).toBe(true);
  system.shards.leave([{ shard, epoch }]);
  expect(system.serves("org_1")).toBe(false);
});

test("[REP-2] a started group that waits for records when its shard is handed over is answered", async () => {
  const group = new Group();
  const first = await group.join();
  const organizations = Array.from({ length: 20 }, (_, i) => `org_${i}`);
  const gate = new Gate();
  group.world.database.pace = async (operation) => {
    if (operation === "read") await gate.pass();
  };
  const begun = organizations.map((id) => {
    const step = { ref: ledgerRef(id, "l1"), command: { kind: "add", by: 1 } } as const;
    // What cannot travel to the next owner.
    return first.system.dispatchGroup([() => step]);
  });
  await gate.reached;
  const second = await group.join();
  expect(group.owned).toEqual([SHARD_COUNT, 0]);
  gate.open();
  expect((await Promise.all(begun)).map(faultOf)).toEqual(organizations.map(() => "ok"));
  await settle();
  expect(group.owned).toEqual([64, 64]);
  expect(organizations.filter((id) => second.system.serves(id)).length).toBeGreaterThan(2);
});

test("[REP-2] while a shard is handed over, new commands are refused, and none is committed after its release", async () => {
  const group = new Group();
  const first = await group.join();
  const organizations = Array.from({ length: 20 }, (_, i) => `org_${i}`);
  const add = (id: string) => {
    const step = { ref: ledgerRef(id, "l1"), command: { kind: "add", by: 1 } } as const;
    // What cannot travel to the next owner.
    return first.system.dispatchGroup([() => step]);
  };
  for (const id of organizations) expect(faultOf(await add(id))).toBe("ok");
  const gate = new Gate();
  group.world.database.pace = async (operation) => {
    if (operation === "release") await gate.pass();
  };
  const joined = group.join();
  await gate.reached;
  const answers = (await Promise.all(organizations.map(add))).map(faultOf);
  gate.open();
  const second = await joined;
  await settle();
  const moved = organizations.map((id) => second.system.serves(id));
  expect(moved).toContain(true);
  expect(answers).toEqual(moved.map((isMoved) => (isMoved ? "unavailable" : "ok")));
});

test("[REP-8] a replica leaves after its last claim has ended, so that claimed shards are released with the rest", async () => {
  const group = new Group();
  const first = await group.join();
  const { database, clock } = group.world;
  const held = Promise.withResolvers<void>();
  const operations: string[] = [];
  database.pace = (operation) => Promise.resolve(void operations.push(operation));
  database.reply = (operation) => (operation === "claim" ? held.promise : Promise.resolve());
  await clock.advance(LEASE_RENEW_MS);
  const stopped = first.system.stop();
  await settle();
  expect(operations).not.toContain("leave");
  held.resolve();
  await stopped;
  expect(operations.at(-1)).toBe("leave");
});

test("[REP-3] a command for another replica's organization runs there once; one that cannot be sent is refused", async () => {
  const group = new Group();
  const first = await group.join();
  const second = await group.join();
  const id = group.organizationOf(second);
  const ref = ledgerRef(id, "l1");
  expect(await first.system.dispatch(ref, { kind: "add", by: 1 })).toEqual({ ok: true, value: 1 });
  expect(await first.system.dispatchGroup([{ ref, command: { kind: "add", by: 1 } }])).toEqual({
    ok: true,
    value: [2],
  });
  expect(await first.system.dispatchSync([{ ref, command: { kind: "add", by: 1 } }])).toEqual({ ok: true, value: [3] });
  expect((await first.system.settled(id)).ok).toBe(true);
  expect(group.peers[0]!.asked).toBe(3);
  expect(faultOf(await first.system.dispatchGroup([() => ({ ref, command: { kind: "add", by: 1 } })]))).toBe(
    "unavailable",
  );
  // What carries an epoch is the runtime's own: it counts where it was begun, or nowhere.
  expect(faultOf(await first.system.dispatch(ref, { kind: "add", by: 1 }, { epoch: 1 }))).toBe("unavailable");
  expect(group.peers[0]!.asked).toBe(3);
  expect(group.world.database.record("chat", id, "l1")).toMatchObject({ count: 3 });
});
