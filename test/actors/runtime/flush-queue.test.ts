/** What of which organization is in the next batch. */
import { expect, test } from "bun:test";
import { LiveActor } from "../../../actors/runtime/turns/live-actor.ts";
import { ActorDraft } from "../../../actors/runtime/turns/draft.ts";
import {
  BATCH_BYTES,
  FlushQueue,
  GROUP_COST,
  type GroupSize,
  LARGE_BYTES,
  MANY_GROUPS,
  SHARED_BYTES,
} from "../../../actors/runtime/commit/flush-queue.ts";
import { TurnGroup } from "../../../actors/runtime/commit/group.ts";
import { noWrites } from "../../../actors/runtime/store.ts";
import { ledgerActor, ledgerRef } from "../../support/ledger-actor.ts";
import { erased } from "../../support/replica.ts";

const definition = erased(ledgerActor());
const GRANT = { shard: 1, epoch: 1 };

function rig() {
  const queue = new FlushQueue();
  const names = new Map<TurnGroup, string>();
  const organizationOf = new Map<string, string>();
  const refused: string[] = [];
  const stale = new Set<string>();
  const push = (organizationId: string, name: string, bytes = 100): void => {
    const drafts = [new ActorDraft(new LiveActor(ledgerRef(organizationId, name), definition, GRANT))];
    const group = new TurnGroup(GRANT, { writes: noWrites(), drafts, bytes }, () => {});
    names.set(group, name);
    organizationOf.set(name, organizationId);
    queue.push(group);
  };
  const nameOf = (group: TurnGroup): string => names.get(group) ?? "";
  const inFlight = new Set<string>();
  /** Those that have used more than their share of the event loop. */
  const heavy = new Set<string>();
  const takeOf = (isShared: boolean, size: GroupSize): string[] =>
    queue
      .take(isShared, size, {
        isInFlight: (organizationId) => inFlight.has(organizationId),
        isOverShare: (organizationId) => heavy.has(organizationId),
        mayBeSent: (group) => !stale.has(nameOf(group)),
        refuse: (group) => void refused.push(nameOf(group)),
      })
      .map(nameOf);
  /** What is sent when nothing is in flight: large groups, then small ones of others. */
  const take = (isShared: boolean): string[] => {
    const large = takeOf(isShared, "large");
    for (const name of large) inFlight.add(organizationOf.get(name) ?? "");
    const small = takeOf(isShared, "small");
    inFlight.clear();
    return [...large, ...small];
  };
  return { queue, push, take, takeOf, inFlight, heavy, refused, stale };
}

const KIB = 1024;

test("[FAIR-3] alone, an organization fills the batch; beside others, it adds its share to each", () => {
  const alone = rig();
  const shared = rig();
  for (const { push } of [alone, shared]) for (let i = 0; i < 20; i++) push("a", `a${i}`, 60 * KIB);
  expect(alone.take(false)).toHaveLength(Math.floor(BATCH_BYTES / (60 * KIB)));
  // Another one is at work, although nothing of it waits now.
  expect(shared.take(true)).toHaveLength(1);
  shared.push("b", "b0");
  expect(shared.take(true)).toContain("b0");
});

test("[FAIR-3] the waiting groups of one organization delay another one by a share, not by all of them", () => {
  const { push, take } = rig();
  for (let i = 0; i < 100; i++) push("a", `a${i}`, SHARED_BYTES - GROUP_COST);
  push("b", "b0");
  push("b", "b1");
  expect(take(true)).toEqual(["a0", "b0", "b1"]);
  expect(take(true)).toEqual(["a1"]);
});

test("[FAIR-3] a group that is larger than a share is paid with the next shares while others wait", () => {
  const { push, take } = rig();
  for (let i = 0; i < 4; i++) push("a", `a${i}`, 5 * SHARED_BYTES);
  const batches: string[][] = [];
  for (let i = 0; i < 8; i++) {
    push("b", `b${i}`, LARGE_BYTES + 1);
    batches.push(take(true));
  }
  expect(batches.flat().filter((name) => name.startsWith("a"))).toEqual(["a0", "a1"]);
  expect(batches.flat().filter((name) => name.startsWith("b"))).toHaveLength(7);
});

test("[FAIR-3] if only organizations with a deficit wait, the lane does not pause", () => {
  const { push, take, queue } = rig();
  for (let i = 0; i < 3; i++) push("a", `a${i}`, 5 * SHARED_BYTES);
  expect([take(true), take(true), take(true)]).toEqual([["a0"], ["a1"], ["a2"]]);
  expect(queue.length).toBe(0);
});

test("[FAIR-3] the groups of an organization stay in order, and a refused group ends after all earlier ones", () => {
  const { push, take, refused, stale } = rig();
  for (const name of ["a0", "a1", "a2"]) push("a", name);
  for (const name of ["b0", "b1"]) push("b", name);
  stale.add("a1").add("b0");
  expect(take(true)).toEqual(["a0", "b1"]);
  expect(refused).toEqual(["b0"]);
  expect(take(true)).toEqual(["a2"]);
  expect(refused).toEqual(["b0", "a1"]);
});

test("[FAIR-3] a batch of many organizations keeps its limits, and those left out are first in the next one", () => {
  const { push, take } = rig();
  const bytes = SHARED_BYTES - GROUP_COST;
  const inBatch = Math.floor(BATCH_BYTES / bytes);
  for (let i = 0; i < inBatch + 4; i++) push(`org_${i}`, `${i}`, bytes);
  expect(take(true)).toEqual(Array.from({ length: inBatch }, (_, i) => `${i}`));
  push("org_0", "again", bytes);
  expect(take(true)).toEqual([0, 1, 2, 3].map((i) => `${inBatch + i}`).concat("again"));
});

test("[FAIR-3] a batch takes organizations whose next group is small, with their small groups, or the others with their large ones", () => {
  const { push, takeOf } = rig();
  push("a", "a0");
  push("a", "a1", LARGE_BYTES + 1);
  push("a", "a2");
  push("b", "b0", LARGE_BYTES + 1);
  push("c", "c0", LARGE_BYTES);
  expect(takeOf(true, "small")).toEqual(["a0", "c0"]);
  expect(takeOf(true, "small")).toEqual([]);
  expect(takeOf(true, "large")).toEqual(["b0", "a1"]);
});

test("[FAIR-3] many small groups of one organization count as large beside others, until few of them are left", () => {
  const { push, takeOf, queue, inFlight } = rig();
  for (let i = 0; i < MANY_GROUPS + 1; i++) push("a", `a${i}`);
  for (let i = 0; i < MANY_GROUPS; i++) push("b", `b${i}`);
  expect(queue.hasLarge).toBe(false);
  expect(takeOf(true, "small")).toEqual(Array.from({ length: MANY_GROUPS }, (_, i) => `b${i}`));
  // So the statement of large ones is begun.
  expect(queue.hasLarge).toBe(true);
  expect(takeOf(true, "large")).toHaveLength(MANY_GROUPS + 1);
  inFlight.add("a");
  push("a", "few");
  expect(takeOf(true, "small")).toEqual([]);
  expect(queue.hasLarge).toBe(false);
  inFlight.clear();
  expect(takeOf(true, "small")).toEqual(["few"]);
});

test("[FAIR-3] when no other organization is active, either free statement takes many small groups", () => {
  for (const size of ["small", "large"] as const) {
    const { push, takeOf } = rig();
    for (let i = 0; i < MANY_GROUPS + 1; i++) push("a", `a${i}`);
    expect(takeOf(true, "small")).toEqual([]);
    expect(takeOf(false, size)).toHaveLength(MANY_GROUPS + 1);
  }
});

test("[FAIR-3] groups of an organization that is in flight are neither taken nor refused", () => {
  const { push, takeOf, inFlight, stale, refused } = rig();
  push("a", "a0");
  push("a", "a1");
  push("b", "b0");
  stale.add("a0");
  inFlight.add("a");
  expect([takeOf(true, "small"), refused]).toEqual([["b0"], []]);
  inFlight.clear();
  expect([takeOf(true, "small"), refused]).toEqual([["a1"], ["a0"]]);
});

test("[FAIR-3] beside others, small groups of an organization over its share of the loop count as large", () => {
  const { push, takeOf, queue, heavy } = rig();
  heavy.add("a");
  push("a", "a0");
  push("b", "b0");
  expect(takeOf(true, "small")).toEqual(["b0"]);
  expect(queue.hasLarge).toBe(true);
  expect(takeOf(true, "large")).toEqual(["a0"]);
  push("a", "a1");
  expect(takeOf(false, "small")).toEqual(["a1"]);
});

test("[FAIR-3] a group that was counted as large stays so, even if it would count as small later", () => {
  const { push, takeOf, heavy } = rig();
  heavy.add("a");
  push("a", "a0");
  expect(takeOf(true, "small")).toEqual([]);
  heavy.delete("a");
  expect(takeOf(true, "large")).toEqual(["a0"]);
  push("a", "a1");
  expect(takeOf(true, "large")).toEqual([]);
  expect(takeOf(true, "small")).toEqual(["a1"]);
});
