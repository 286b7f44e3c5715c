/** What of which organization is in a commit: shares, and two statements, one of small groups and one of large ones. */
import { expect, test } from "bun:test";
import { ok } from "../../../actors/fault.ts";
import { type AnyDefinition, table, type Tx } from "../../../actors/runtime/actor.ts";
import {
  BATCH_BYTES,
  GROUP_COST,
  LARGE_BYTES,
  MANY_GROUPS,
  SHARED_BYTES,
} from "../../../actors/runtime/commit/flush-queue.ts";
import { type LaneTime, SMALL_MS } from "../../../actors/runtime/commit/flush.ts";
import { settle } from "../../support/fake-clock.ts";
import { FlushRig as Rig } from "../../support/flush-rig.ts";
import { type Ledger, ledgerRef } from "../../support/ledger-actor.ts";
import { startLedgers } from "../../support/ledger-replica.ts";
import { World } from "../../support/replica.ts";

const LARGE = LARGE_BYTES + 1;

/** With its cost, all that an organization may add to a commit. */
const SHARE = SHARED_BYTES - GROUP_COST;

/** Beside others, unless it is said that nobody is. */
const timeOf = (more: Partial<LaneTime> = {}): LaneTime => ({
  isShared: true,
  isOverShare: () => false,
  begin: () => 0,
  end: () => 0,
  charge() {},
  ...more,
});

/** What is sent of these groups, which have all waited for a statement of each size. */
async function sentOf(time: LaneTime, groups: readonly (readonly [of: string, name: string, bytes?: number])[]) {
  const rig = new Rig({ time });
  const gate = Promise.withResolvers<void>();
  rig.answer = async (batch) => {
    await gate.promise;
    return rig.stored(batch);
  };
  rig.of("before", "small");
  await settle();
  rig.of("before too", "large", LARGE);
  await settle();
  for (const [organizationId, name, bytes] of groups) rig.of(organizationId, name, bytes);
  await settle();
  gate.resolve();
  await settle();
  return rig.sent.slice(2);
}

test("[FAIR-3] beside others an organization adds a share to each commit, and alone it fills them", async () => {
  const groups = Array.from({ length: 40 }, (_, i) => ["a", `a${i}`, SHARE] as const);
  const sizes = (sent: readonly string[]) => sent.map((names) => names.split(" ").length);
  const full = Math.floor(BATCH_BYTES / SHARE);
  expect(sizes(await sentOf(timeOf(), groups))).toEqual(Array<number>(40).fill(1));
  expect(sizes(await sentOf(timeOf({ isShared: false }), groups))).toEqual([full, 40 - full]);
});

test("[FAIR-3] a group that is larger than a share is paid with the next shares while others wait, and delays nobody else", async () => {
  const larges = Array.from({ length: 3 }, (_, i) => ["a", `a${i}`, 5 * SHARED_BYTES] as const);
  expect(await sentOf(timeOf(), larges)).toEqual(["a0", "a1", "a2"]);
  const others = Array.from({ length: 8 }, (_, i) => ["b", `b${i}`, LARGE] as const);
  const sent = await sentOf(timeOf(), [...larges, ...others]);
  expect(sent).toEqual(["a0 b0", "b1", "b2", "b3", "a1", "b4", "b5", "b6", "a2", "b7"]);
});

test("[FAIR-3] a commit of many organizations keeps its limits, and those left out are first in the next one", async () => {
  const inBatch = Math.floor(BATCH_BYTES / SHARE);
  const groups = Array.from({ length: inBatch + 4 }, (_, i) => [`org_${i}`, `${i}`, SHARE] as const);
  const sent = await sentOf(timeOf(), [...groups, ["org_0", "again", SHARE]]);
  const names = groups.map(([, name]) => name);
  expect(sent).toEqual([names.slice(0, inBatch).join(" "), [...names.slice(inBatch), "again"].join(" ")]);
});

test("[FAIR-3] large is a group of more bytes, the next of many, and any of an organization over its share", async () => {
  const many = (of: string, count: number) => Array.from({ length: count }, (_, i) => [of, `${of}${i}`] as const);
  const [few, lots] = [many("few", MANY_GROUPS), many("many", MANY_GROUPS + 1)];
  const sent = await sentOf(timeOf({ isOverShare: (organizationId) => organizationId === "over" }), [
    ["mixed", "m0"],
    ["mixed", "m1", LARGE],
    ["mixed", "m2"],
    ["edge", "e0", LARGE_BYTES],
    ["over", "o0"],
    ...few,
    ...lots,
  ]);
  const names = (groups: readonly (readonly string[])[]) => groups.map(([, name]) => name).join(" ");
  expect(sent).toEqual([`m0 e0 ${names(few)}`, `o0 ${names(lots)}`, "m1", "m2"]);
});

test("[FAIR-3] small groups of other organizations are committed while a large one is in flight", async () => {
  const rig = new Rig();
  const open = rig.hold();
  rig.of("a", "large", LARGE);
  await settle();
  for (const name of ["b1", "b2"]) {
    rig.of("b", name);
    await settle();
  }
  expect(rig.sent).toEqual(["large", "b1", "b2"]);
  expect(rig.ended).toEqual(["b1 committed", "b2 committed"]);
  open();
  await settle();
  expect(rig.ended.at(-1)).toBe("large committed");
});

test("[FAIR-3] a small group of another organization waits for no statement of many groups", async () => {
  const rig = new Rig();
  const open = rig.hold();
  rig.of("a", "a0");
  await settle();
  for (let i = 1; i <= MANY_GROUPS + 1; i++) rig.of("a", `a${i}`);
  rig.of("b", "b1");
  await settle();
  const many = Promise.withResolvers<void>();
  rig.answer = async (batch) => {
    if (batch.length > MANY_GROUPS) await many.promise;
    return rig.stored(batch);
  };
  open();
  await settle();
  rig.of("b", "b2");
  await settle();
  expect(rig.sent.slice(0, 2)).toEqual(["a0", "b1"]);
  expect(rig.sent.slice(3)).toEqual(["b2"]);
  expect(rig.ended).toEqual(["a0", "b1", "b2"].map((name) => `${name} committed`));
  many.resolve();
  await settle();
  expect(rig.ended).toHaveLength(MANY_GROUPS + 4);
});

test("[FAIR-3] a small command that changes a large record makes a large group", async () => {
  const chats = table<Ledger>("chat");
  const grow: AnyDefinition = {
    kind: "ledger",
    needs: (ref) => [{ table: "chat", id: ref.id }],
    handlers: {
      write: (tx: Tx, { note }: { note: string }) =>
        ok(tx.create(chats, { id: tx.self.id, count: 0, lastSeq: 0, note }).note.length),
      touch: (tx: Tx) => ok(tx.update(chats, { ...tx.read(chats, tx.self.id)!, count: 1 }).count),
    },
  };
  const replica = await startLedgers(new World(), { definitions: [grow] });
  const ask = (organizationId: string, kind: string, note = "") =>
    replica.system.dispatchGroup([{ ref: ledgerRef(organizationId, "l1"), command: { kind, note } }]);
  await ask("org_a", "write", "x".repeat(LARGE_BYTES));
  await ask("org_b", "write", "x");
  const gate = replica.store.holdNext();
  const order: string[] = [];
  const large = ask("org_a", "touch").then(() => order.push("large"));
  await settle();
  await ask("org_b", "touch").then(() => order.push("small"));
  gate.open();
  await large;
  expect(order).toEqual(["small", "large"]);
});

test("[FAIR-3] one organization is in one statement at a time, and its groups stay in their order", async () => {
  const rig = new Rig();
  const open = rig.hold();
  rig.of("a", "a1", LARGE);
  await settle();
  rig.of("a", "a2");
  rig.of("a", "a3", LARGE);
  rig.of("b", "b1");
  await settle();
  expect(rig.sent).toEqual(["a1", "b1"]);
  open();
  await settle();
  expect(rig.sent).toEqual(["a1", "b1", "a2 a3"]);
  expect(rig.ended).toEqual(["b1", "a1", "a2", "a3"].map((name) => `${name} committed`));
});

test("[FAIR-3] two large groups of different organizations wait for each other, and no small one waits for either", async () => {
  const rig = new Rig();
  const opens = [rig.hold()];
  rig.of("a", "a1", LARGE);
  await settle();
  rig.of("c", "c1", LARGE);
  rig.of("b", "b1");
  await settle();
  opens.push(rig.hold());
  expect(rig.sent).toEqual(["a1", "b1"]);
  opens[0]?.();
  await settle();
  rig.of("b", "b2");
  await settle();
  expect(rig.sent).toEqual(["a1", "b1", "c1", "b2"]);
  opens[1]?.();
  await settle();
  expect(rig.ended).toEqual(["b1", "a1", "b2", "c1"].map((name) => `${name} committed`));
});

test("[RT-4] a caller that joins the next batch of an organization in flight joins the one after it", async () => {
  const rig = new Rig();
  const open = rig.hold();
  rig.of("a", "a1", LARGE);
  await settle();
  rig.lane.joinNext("a", () => void rig.of("a", "a2"));
  rig.lane.joinNext("b", () => void rig.of("b", "b1"));
  await settle();
  expect(rig.sent).toEqual(["a1", "b1"]);
  rig.of("b", "b2");
  await settle();
  expect(rig.sent).toEqual(["a1", "b1", "b2"]);
  open();
  await settle();
  expect(rig.sent.at(-1)).toBe("a2");
});

test("[RT-4] settled waits for both statements, or for that of the organization", async () => {
  const rig = new Rig();
  const open = rig.hold();
  rig.of("a", "a1", LARGE);
  await settle();
  const all = rig.lane.settled().then(() => [...rig.ended]);
  await rig.lane.settled("b");
  rig.of("b", "b1");
  await rig.lane.settled("b");
  expect(rig.ended).toEqual(["b1 committed"]);
  open();
  expect(await all).toContain("a1 committed");
});

test("[RT-4] settled waits for groups that will join the next batch", async () => {
  const rig = new Rig();
  rig.lane.joinNext("a", () => void rig.of("a", "a1"));
  await rig.lane.settled();
  expect(rig.ended).toEqual(["a1 committed"]);
  const open = rig.hold();
  rig.of("a", "a2", LARGE);
  await settle();
  rig.lane.joinNext("a", () => void rig.of("a", "a3"));
  await rig.lane.settled("b");
  const all = rig.lane.settled("a");
  open();
  await all;
  expect(rig.ended.at(-1)).toBe("a3 committed");
});

test("[RT-5] a statement that is answered after its shard's epoch has risen fences no shard again", async () => {
  const rig = new Rig();
  const open = rig.hold();
  const stored = rig.stored.bind(rig);
  rig.of("a", "a1", LARGE);
  await settle();
  rig.answer = () => ({ kind: "unknown", cause: null });
  rig.of("b", "b1");
  await settle();
  expect(rig.told).toEqual(["unknown 1 after 0"]);
  // Raised: the one in flight comes too late.
  rig.epochs.set(1, 2);
  rig.stored = () => ({ kind: "answered", live: new Set() });
  open();
  await settle();
  expect(rig.ended).toEqual(["b1 unknown", "a1 fenced"]);
  expect(rig.told).toEqual(["unknown 1 after 0"]);
  rig.stored = stored;
});

test("[RT-14] a failing lane ends the groups in flight in the other statement once", async () => {
  const rig = new Rig();
  const open = rig.hold();
  rig.of("a", "a1", LARGE);
  await settle();
  rig.onFenced = () => {
    throw new Error("a bug of the lane");
  };
  rig.answer = () => ({ kind: "answered", live: new Set() });
  rig.of("b", "b1");
  await settle();
  open();
  await settle();
  expect(rig.ended).toEqual(["b1 unknown", "a1 unknown"]);
  expect(rig.told).toEqual(["failed: a bug of the lane"]);
  expect(rig.lane.statements).toBe(2);
});

test("[FAIR-11] beside others, large work rests after a statement for as long as that took beyond a small one, and small work does not", async () => {
  const time = { ...timeOf(), isShared: true };
  const rig = new Rig({ time });
  rig.answer = async (batch) => {
    if (rig.namesOf(batch).startsWith("large")) await new Promise<void>((end) => rig.clock.after(7, end));
    return rig.stored(batch);
  };
  rig.of("a", "large1", LARGE);
  await settle();
  rig.of("a", "large2", LARGE);
  await rig.clock.advance(7);
  rig.of("b", "b1");
  await settle();
  expect(rig.sent).toEqual(["large1", "b1"]);
  await rig.clock.advance(7 - SMALL_MS - 1);
  expect(rig.sent).toEqual(["large1", "b1"]);
  await rig.clock.advance(1);
  expect(rig.sent).toEqual(["large1", "b1", "large2"]);
  // Alone it does not rest.
  time.isShared = false;
  rig.of("a", "large3", LARGE);
  await rig.clock.advance(7);
  expect(rig.sent.at(-1)).toBe("large3");
});

test("[FAIR-3] a group that was left to the statement of large ones is committed even if its organization is no longer over its share", async () => {
  let looks = 0;
  // Over its share at the first look alone.
  const rig = new Rig({ time: timeOf({ isOverShare: () => looks++ === 0 }) });
  rig.of("a", "a0");
  await settle();
  expect(rig.ended).toEqual(["a0 committed"]);
});
