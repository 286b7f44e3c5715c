import { expect, test } from "bun:test";
import { ok, type Outcome } from "../../../actors/fault.ts";
import { table, type Tx } from "../../../actors/runtime/actor.ts";
import { LiveActor, WORKING_SET_RECORDS } from "../../../actors/runtime/turns/live-actor.ts";
import { uncaught } from "../../../actors/runtime/isolate.ts";
import { IDLE_MS, LiveActors, PASSIVATION_LOOKS } from "../../../actors/runtime/turns/live-actors.ts";
import { ActorDraft } from "../../../actors/runtime/turns/draft.ts";
import { TurnGroup } from "../../../actors/runtime/commit/group.ts";
import { noWrites } from "../../../actors/runtime/store.ts";
import { ledgerActor, ledgerRef } from "../../support/ledger-actor.ts";
import { idleEffect, ORG, startLedgers } from "../../support/ledger-replica.ts";
import { erased, inWorld, World } from "../../support/replica.ts";

const definition = erased(ledgerActor());
const GRANT = { shard: 1, epoch: 1 };
const ref = (id: string) => ledgerRef(ORG, id);
const record = (id: string, version = 1) => ({ id, organizationId: ORG, version, createdAt: "", updatedAt: "" });
const group = () => new TurnGroup(GRANT, { writes: noWrites(), bytes: 0, drafts: [] }, () => {});
const newActor = () => new LiveActor(ref("l1"), definition, GRANT);
const present = (actor: LiveActor, count: number) =>
  Array.from({ length: count }, (_, i) => `t/${i}`).filter((key) => actor.get(key) !== undefined);

test("[RT-7] a working set of 1,000 records is kept completely, and one more drops the oldest unused record", () => {
  const actor = newActor();
  for (let i = 0; i < WORKING_SET_RECORDS; i++) actor.loaded(`t/${i}`, record(`${i}`));
  actor.trim();
  actor.get("t/0");
  actor.loaded("t/new", record("new"));
  actor.trim();
  expect(actor.get("t/1")).toBeUndefined();
  expect(actor.get("t/0")).toEqual(record("0"));
  expect(present(actor, WORKING_SET_RECORDS).length).toBe(WORKING_SET_RECORDS - 1);
});

test("[RT-7] frequently used records stay, whatever else is loaded", () => {
  const actor = newActor();
  for (let i = 0; i < 3 * WORKING_SET_RECORDS; i++) {
    actor.get("t/0");
    actor.loaded(`t/${i}`, record(`${i}`));
    actor.trim();
  }
  expect(actor.get("t/0")).toEqual(record("0"));
  expect(present(actor, 3 * WORKING_SET_RECORDS).length).toBe(WORKING_SET_RECORDS);
});

test("[RT-7] a kind may set how many records its actors keep", () => {
  const actor = new LiveActor(ref("l1"), { ...definition, workingSet: 10 }, GRANT);
  for (let i = 0; i < 30; i++) actor.loaded(`t/${i}`, record(`${i}`));
  actor.trim();
  expect(present(actor, 30)).toEqual(Array.from({ length: 10 }, (_, i) => `t/${i + 20}`));
});

test("[RT-7] a record that two groups have changed waits for the commit of the second one", () => {
  const actor = new LiveActor(ref("l1"), { ...definition, workingSet: 1 }, GRANT);
  const [first, second] = [group(), group()];
  actor.changed("t/0", record("0"), first);
  actor.changed("t/0", record("0", 2), second);
  actor.committed("t/0", first);
  expect(actor.find("t/0")?.pending).toBe(second);
  actor.committed("t/0", second);
  expect(actor.find("t/0")?.pending).toBeNull();
});

test("[RT-7] a record that a group waits for never leaves the set before the group's turn", () => {
  const actor = new LiveActor(ref("l1"), { ...definition, workingSet: 10 }, GRANT);
  const waited = ["t/0", "t/1"];
  for (const key of waited) actor.pin(key);
  actor.pin("t/1");
  for (let i = 0; i < 30; i++) actor.loaded(`t/${i}`, record(`${i}`));
  actor.trim();
  actor.trim();
  expect(waited.filter((key) => actor.get(key) !== undefined)).toEqual(waited);
  // The second group that waits for it is still there.
  for (const key of waited) actor.unpin(key);
  // Twice: what was used has a second chance.
  for (const from of [30, 60]) {
    for (let i = from; i < from + 30; i++) actor.loaded(`t/${i}`, record(`${i}`));
    actor.trim();
  }
  expect([actor.get("t/0"), actor.get("t/1")]).toEqual([undefined, record("1")]);
  expect(present(actor, 90).length).toBe(10);
});

test("[RT-7] a record with an unflushed change never leaves the set, however far over the limit", () => {
  const actor = newActor();
  const count = WORKING_SET_RECORDS + 500;
  const [first, second] = [group(), group()];
  for (let i = 0; i < count; i++) actor.changed(`t/${i}`, record(`${i}`), first);
  actor.trim();
  expect(present(actor, count).length).toBe(count);
  for (let i = 0; i < 600; i++) actor.committed(`t/${i}`, first);
  actor.changed("t/0", record("0", 2), second);
  actor.trim();
  expect(present(actor, count).length).toBe(WORKING_SET_RECORDS);
  expect(actor.get("t/0")?.version).toBe(2);
});

test("[RT-7] a loaded record never replaces one in the set", () => {
  const actor = newActor();
  const changing = group();
  actor.changed("t/1", record("1", 5), changing);
  actor.committed("t/1", changing);
  actor.loaded("t/1", record("1", 4));
  actor.loaded("t/1", null);
  expect(actor.get("t/1")?.version).toBe(5);
});

test("[RT-7] a record that was requested before it was created is found afterwards", () => {
  const actors = new LiveActors([definition]);
  actors.get(ref("l1"), GRANT, 0).loaded("chat/l1", null);
  actors.born({ ref: ref("l1"), table: "chat", record: record("l1"), events: [] }, GRANT, 0);
  expect(actors.get(ref("l1"), GRANT, 0).get("chat/l1")).toEqual(record("l1"));
});

test("[RT-7] reads alone keep the working set within its limit too", async () => {
  const world = new World();
  const replica = await startLedgers(world, {
    definitions: [{ ...definition, needs: readsOf, handlers: { look: () => ({ ok: true, value: null }) } }],
  });
  for (let i = 0; i < WORKING_SET_RECORDS + 50; i++) await replica.system.dispatchGroup([look(`r${i}`)]);
  const before = replica.store.recordsRead;
  await replica.system.dispatchGroup([look("r0")]);
  expect(replica.store.recordsRead).toBe(before + 1);
});

test("[RT-7] records that a turn requests stay until it has run, however small the set and busy the actor", async () => {
  const world = new World();
  const gather = (tx: Tx): Outcome<number> => ok(GATHERED.filter((id) => tx.read(table("chat"), id) === null).length);
  const replica = await startLedgers(world, {
    definitions: [
      { ...definition, workingSet: 4, needs: readsOf, handlers: { look: () => ok(null), gather: gather as never } },
    ],
  });
  const ask = (kind: string, of: string) => ({ ref: ref("l1"), command: { kind, of } });
  let isOver = false;
  const gathering = replica.system.dispatchGroup([ask("gather", "g")]).finally(() => (isOver = true));
  for (let i = 0; !isOver; i++) await replica.system.dispatchGroup([ask("look", `r${i}`)]);
  expect(await gathering).toEqual(ok([GATHERED.length]));
  await replica.system.dispatchGroup([ask("look", "last")]);
  const before = replica.store.recordsRead;
  await replica.system.dispatchGroup([ask("look", GATHERED[0]!)]);
  expect(replica.store.recordsRead).toBe(before + 1);
});
/** More than the set holds, and fewer than the times that a turn may ask. */
const GATHERED = Array.from({ length: 40 }, (_, i) => `gathered${i}`);
const readsOf = (_: unknown, command: object) => [{ table: "chat", id: (command as { of: string }).of }];
const look = (of: string) => ({ ref: ref("l1"), command: { kind: "look", of } });

test("[RT-9] an actor is dropped when it has been idle for more than 60 s, and not before", () => {
  const actors = new LiveActors([definition]);
  actors.get(ref("l1"), GRANT, 0);
  expect(actors.passivate(IDLE_MS)).toBe(0);
  expect(actors.passivate(IDLE_MS + 1)).toBe(1);
  expect(actors.count).toBe(0);
});

test("[RT-9] idle actors are searched for in pieces, and recently used ones are not examined", () => {
  const actors = new LiveActors([definition]);
  for (let i = 0; i < 2 * PASSIVATION_LOOKS; i++) actors.get(ref(`old${i}`), GRANT, 0);
  const late = IDLE_MS + 1;
  for (let i = 0; i < 3 * PASSIVATION_LOOKS; i++) actors.get(ref(`young${i}`), GRANT, late);
  const pieces = actors.passivating(late);
  expect(pieces.next()).toEqual({ done: false, value: undefined });
  expect(actors.count).toBe(4 * PASSIVATION_LOOKS + 1);
  expect(pieces.next()).toEqual({ done: false, value: undefined });
  expect(pieces.next()).toEqual({ done: true, value: 2 * PASSIVATION_LOOKS });
  expect(actors.count).toBe(3 * PASSIVATION_LOOKS);
});

test("[RT-9] an actor with a caller, an unflushed turn, a reader or live text is not dropped", () => {
  const actors = new LiveActors([definition]);
  const late = 10 * IDLE_MS;
  const actor = actors.get(ref("l1"), GRANT, 0);
  const ticket = actor.mailbox.enter(0, 1)!;
  expect(actors.passivate(late)).toBe(0);
  actor.mailbox.leave(ticket);

  const pending = new TurnGroup(GRANT, { writes: noWrites(), bytes: 0, drafts: [new ActorDraft(actor)] }, () => {});
  expect(actors.passivate(late)).toBe(0);
  pending.end({ kind: "committed" }, uncaught);

  const replay = actors.stream(ref("l1"), GRANT.shard);
  replay.readers++;
  expect(actors.passivate(late)).toBe(0);
  replay.readers--;

  replay.beginText("m", 1, "");
  expect(actors.passivate(late)).toBe(0);
  replay.endText("m");
  expect(actors.passivate(late)).toBe(1);
});

test("[RT-9] a stream is evicted with its actor, but not while it has a reader; then nothing is left", () => {
  const actors = new LiveActors([definition]);
  const replay = actors.stream(ref("l1"), GRANT.shard);
  replay.readers++;
  actors.passivate(10 * IDLE_MS);
  expect(actors.stream(ref("l1"), GRANT.shard)).toBe(replay);
  replay.readers--;
  actors.passivate(10 * IDLE_MS);
  expect(actors.stream(ref("l1"), GRANT.shard)).not.toBe(replay);
});

test("[RT-9] past the budget the least recently used quiet actor is evicted at once, and never the requested one", () => {
  const actors = new LiveActors([definition], 2);
  const first = actors.get(ref("a"), GRANT, 0);
  const second = actors.get(ref("b"), GRANT, 1);
  actors.get(ref("a"), GRANT, IDLE_MS / 2);
  const third = actors.get(ref("c"), GRANT, IDLE_MS / 2);
  expect([first.isEvicted, second.isEvicted, third.isEvicted, actors.count]).toEqual([false, true, false, 2]);
  first.mailbox.enter(0, 1);
  third.mailbox.enter(0, 1);
  expect(actors.get(ref("d"), GRANT, IDLE_MS).isEvicted).toBe(false);
});

test("[RT-9] actors that must stay do not use up the budget of the others", () => {
  const actors = new LiveActors([definition], 100);
  for (let i = 0; i < 80; i++) {
    actors.get(ref(`watched${i}`), GRANT, 0);
    actors.stream(ref(`watched${i}`), GRANT.shard).readers++;
  }
  for (let i = 0; i < 500; i++) actors.get(ref(`quiet${i}`), GRANT, 0);
  expect(actors.count).toBeLessThanOrEqual(110);
});

test("[RT-5] a actor of another epoch is replaced by an empty one", () => {
  const actors = new LiveActors([definition]);
  const actor = actors.get(ref("l1"), GRANT, 0);
  actor.loaded("chat/l1", record("l1"));
  const next = actors.get(ref("l1"), { shard: 1, epoch: 2 }, 0);
  expect(next).not.toBe(actor);
  expect(next.get("chat/l1")).toBeUndefined();
});

test("[RT-9] an actor is loaded again after its eviction, with nothing lost", async () => {
  const { world, replica } = await inWorld((of) => startLedgers(of, { effects: { count: idleEffect() } }));
  await replica.add("l1", 7);
  await world.clock.advance(IDLE_MS + 10_001);
  expect(replica.system.actors.count).toBe(0);
  const fields = { dropped: 1, live: 0 };
  expect(replica.log).toEqual([{ level: "debug", message: "idle actors were evicted", fields }]);
  const before = replica.store.recordsRead;
  expect((await replica.read("l1"))?.count).toBe(7);
  expect(replica.store.recordsRead).toBe(before + 1);
});

test("[RT-1] one id in two organizations names two actors", async () => {
  const replica = await startLedgers(new World());
  await replica.add("same", 5);
  const other = await replica.system.dispatch(ledgerRef("org_b", "same"), { kind: "read" });
  expect(other).toEqual({ ok: true, value: null });
});
