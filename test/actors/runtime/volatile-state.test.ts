/** The volatile state of actors: counters of calls, of which every third or so is stored. */
import { expect, test } from "bun:test";
import { invalid, ok } from "../../../actors/fault.ts";
import type { AnyDefinition, Tx } from "../../../actors/runtime/actor.ts";
import { IDLE_MS } from "../../../actors/runtime/turns/live-actors.ts";
import { VOLATILE_VALUES, VolatileState, volatileTable } from "../../../actors/runtime/turns/volatile-state.ts";
import { settle } from "../../support/fake-clock.ts";
import { ledgerActor } from "../../support/ledger-actor.ts";
import { ORG } from "../../support/ledger-replica.ts";
import { erased, Replica, type ReplicaOptions, World } from "../../support/replica.ts";

const calls = volatileTable<number>("calls");

interface Counted {
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly note: string;
}
const records = { name: "agent" } as { readonly name: string; readonly record?: Counted };

/** Counts calls in volatile state. Its command before eviction stores the count, unless that has been stored. */
const counter: AnyDefinition = {
  kind: "counter",
  needs: () => [],
  handlers: {
    count: (tx: Tx) => ok(count(tx)),
    count_and_refuse: (tx: Tx) => (count(tx), invalid("/", "no")),
    count_and_look: (tx: Tx, { at }: { readonly at: string }) => {
      const counted = count(tx);
      tx.read(records, at);
      return ok(counted);
    },
    count_and_write: (tx: Tx, { note }: { readonly note: string }) => {
      const record = tx.read(records, tx.self.id);
      if (record === null) tx.create(records, { id: tx.self.id, note });
      else tx.update(records, { ...record, note });
      return ok(count(tx));
    },
    store: (tx: Tx) => {
      tx.create(records, { id: `${tx.self.id} at the end`, note: String(tx.recall(calls, "all")) });
      tx.remember(calls, "is stored", 1);
      return ok(null);
    },
  },
  beforeEviction: (state) =>
    state.get(calls, "all") === null || state.get(calls, "is stored") === 1 ? null : { kind: "store" },
};
function count(tx: Tx): number {
  const counted = (tx.recall(calls, "all") ?? 0) + 1;
  tx.remember(calls, "all", counted);
  return counted;
}

type Protocols = Record<string, never>;
async function start(options: Partial<ReplicaOptions> = {}): Promise<Replica<Protocols>> {
  const replica = new Replica<Protocols>(new World(), { definitions: [counter, erased(ledgerActor())], ...options });
  await replica.system.start();
  return replica;
}
const member = (id: string, kind = "count", more: object = {}) => ({
  ref: { kind: "counter", organizationId: ORG, id },
  command: { kind, ...more },
});
const add = (id: string, note = "") => ({
  ref: { kind: "ledger", organizationId: ORG, id },
  command: { kind: "add", by: 1, note },
});
const BREAKS = "\u0000";
const ask = async ({ system }: Replica<Protocols>, ...members: ReturnType<typeof member>[]): Promise<unknown> => {
  const outcome = await system.dispatchGroup(members);
  return outcome.ok ? outcome.value : outcome.fault.kind;
};
const stored = ({ world }: Replica<Protocols>, id: string) =>
  (world.database.record("agent", ORG, `${id} at the end`) as Counted | null)?.note;

test("[RT-13] remembered values are visible to the next turns at once, and nothing is written", async () => {
  const replica = await start();
  expect(await ask(replica, member("a"), member("b"), member("a"))).toEqual([1, 1, 2]);
  expect(await ask(replica, member("a"))).toEqual([3]);
  expect(replica.store.flushed).toEqual([]);
});

test("[RT-13] a group that refuses leaves no volatile state, and one that is run again counts once", async () => {
  const replica = await start();
  expect(await ask(replica, member("a"), member("b", "count_and_refuse"))).toBe("invalid_request");
  expect(await ask(replica, member("a", "count_and_look", { at: "x" }), member("a"))).toEqual([1, 2]);
  expect(await ask(replica, member("b"))).toEqual([1]);
});

test("[RT-13] turns on an uncommitted change remember values, and forget them if it is not stored", async () => {
  const replica = await start();
  expect(await ask(replica, member("a", "count_and_write", { note: "1" }))).toEqual([1]);
  const gate = replica.store.holdNext();
  const first = ask(replica, add("l1"));
  await gate.reached;
  const broken = ask(replica, member("a", "count_and_write", { note: BREAKS })).catch(() => "broken");
  const [after, last] = [ask(replica, member("a", "count_and_look", { at: "a" })), ask(replica, member("a", "count"))];
  // This one has seen no record that is not stored.
  expect(await last).toEqual([4]);
  gate.open();
  expect([await first, await broken, await after]).toEqual([[1], "broken", [1]]);
});

test("[RT-13] a group that runs again because another actor's change was not stored is not remembered twice", async () => {
  const replica = await start();
  await ask(replica, add("l1"));
  await ask(replica, member("a"), member("a"));
  const gate = replica.store.holdNext();
  const first = ask(replica, add("l2"));
  await gate.reached;
  const broken = ask(replica, add("l1", BREAKS)).catch(() => "broken");
  const read = { ref: add("l1").ref, command: { kind: "read" } };
  const both = ask(replica, read, member("a"));
  gate.open();
  expect([await first, await broken]).toEqual([[1], "broken"]);
  expect(((await both) as unknown[])[1]).toBe(1);
  expect(await ask(replica, member("a"))).toEqual([2]);
});

test("[RT-13] an actor keeps 10,000 values of one volatile table, and forgets the oldest for one more", () => {
  const state = new VolatileState();
  for (let i = 0; i < VOLATILE_VALUES; i++) state.set({ table: calls, key: `${i}`, value: i });
  expect([state.get(calls, "0"), state.all(calls).size]).toEqual([0, VOLATILE_VALUES]);
  state.set({ table: calls, key: "new", value: 1 });
  expect([state.get(calls, "0"), state.get(calls, "1"), state.all(calls).size]).toEqual([null, 1, VOLATILE_VALUES]);
});

test("[RT-13] an actor gets a last command before it is dropped, and before the service stops", async () => {
  const replica = await start();
  await ask(replica, member("a"), member("a"));
  await replica.world.clock.advance(IDLE_MS + 20_000);
  expect([stored(replica, "a"), replica.system.actors.count]).toEqual(["2", 0]);
  await ask(replica, member("b"));
  await ask(replica, member("idle", "count_and_refuse"));
  await replica.system.stop();
  expect([stored(replica, "b"), stored(replica, "idle")]).toEqual(["1", undefined]);
  expect(replica.errors).toEqual([]);
});

test("[RT-13] an actor that is evicted leaves when its last command is stored, and stays if it is used meanwhile", async () => {
  const replica = await start({ liveActors: 2 });
  for (const id of ["a", "b"]) await ask(replica, member(id));
  const gate = replica.store.holdNext();
  expect(await ask(replica, member("c"))).toEqual([1]);
  await gate.reached;
  expect(replica.system.actors.count).toBe(3);
  expect(await ask(replica, member("b"))).toEqual([2]);
  gate.open();
  await settle();
  expect([stored(replica, "a"), stored(replica, "b"), replica.system.actors.count]).toEqual(["1", undefined, 2]);
  expect(await ask(replica, member("b"))).toEqual([3]);
});

test("[RT-13] a last command that fails does not prevent a stop", async () => {
  const replica = await start();
  await ask(replica, member("a"));
  replica.store.isCut = true;
  await replica.system.stop();
  expect(stored(replica, "a")).toBeUndefined();
});
