/** What commits let go of, beside others: a few groups in each turn of the event loop. */
import { expect, test } from "bun:test";
import { LARGE_BYTES } from "../../../actors/runtime/commit/flush-queue.ts";
import type { LaneTime } from "../../../actors/runtime/commit/flush.ts";
import { settle } from "../../support/fake-clock.ts";
import { FlushRig } from "../../support/flush-rig.ts";

const LARGE = LARGE_BYTES + 1;
/** Groups that end in one turn of the loop, where they take no time; those of `flooded` fit into one statement. */
const AT_ONCE = 3;

/** A lane beside several organizations, of which "a" has used more than its part; `turn` is the next turn of the loop. */
function sharedRig() {
  const time: LaneTime = {
    isShared: true,
    isOverShare: (organizationId) => organizationId.startsWith("a"),
    begin: () => 0,
    end: () => 0,
    charge() {},
  };
  let planned: (() => void)[] = [];
  const rig = new FlushRig({ time, later: (run) => void planned.push(run) });
  const turn = async (): Promise<void> => {
    const now = planned;
    planned = [];
    for (const run of now) run();
    await settle();
  };
  const committed = (): readonly string[] => rig.ended.map((one) => one.replace(" committed", ""));
  return { rig, turn, committed, isPlanned: () => planned.length > 0 };
}

/** So many groups of an organization, all in one statement. */
async function flooded({ rig }: ReturnType<typeof sharedRig>, organizationId: string, count: number) {
  const open = rig.hold();
  rig.of("z", "first");
  await settle();
  const names = Array.from({ length: count }, (_, i) => `${organizationId}${i}`);
  for (const name of names) rig.of(organizationId, name);
  open();
  await settle();
  return names;
}

test("[FAIR-3] groups of an organization over its share end a few per turn of the loop, in order", async () => {
  const stage = sharedRig();
  const names = await flooded(stage, "a", 8);
  expect(stage.committed()).toEqual(["first"]);
  for (const count of [AT_ONCE, 2 * AT_ONCE, 8]) {
    // oxlint-disable-next-line no-await-in-loop -- one turn after the other
    await stage.turn();
    expect(stage.committed()).toEqual(["first", ...names.slice(0, count)]);
  }
  expect(stage.isPlanned()).toBe(false);
});

test("[FAIR-3] groups of others end at once", async () => {
  const stage = sharedRig();
  const open = stage.rig.hold();
  stage.rig.of("z", "first");
  await settle();
  for (const name of ["a1", "a2"]) stage.rig.of("a", name);
  stage.rig.of("b", "b1");
  open();
  await settle();
  expect(stage.rig.sent.slice(1)).toEqual(["b1", "a1 a2"]);
  expect(stage.committed()).toEqual(["first", "b1"]);
  await stage.turn();
  expect(stage.committed()).toEqual(["first", "b1", "a1", "a2"]);
});

test("[FAIR-3] organizations whose groups wait for their end take turns", async () => {
  const stage = sharedRig();
  const open = stage.rig.hold();
  stage.rig.of("z", "first");
  await settle();
  for (let i = 0; i < 2; i++)
    for (const organization of ["a1", "a2"]) stage.rig.of(organization, `${organization}.${i}`);
  open();
  await settle();
  await stage.turn();
  expect(stage.committed().slice(1)).toEqual(["a1.0", "a2.0", "a1.1"]);
  await stage.turn();
  expect(stage.committed().slice(-1)).toEqual(["a2.1"]);
});

test("[FAIR-3] an organization is in flight until the last of its groups has ended; others are not delayed", async () => {
  const stage = sharedRig();
  await flooded(stage, "a", 5);
  const before = stage.rig.sent.length;
  stage.rig.of("a", "later");
  stage.rig.of("a", "large", LARGE);
  stage.rig.of("b", "b1");
  await settle();
  expect(stage.rig.sent.slice(before)).toEqual(["b1"]);
  await stage.turn();
  expect(stage.rig.sent.slice(before)).toEqual(["b1"]);
  await stage.turn();
  expect(stage.rig.sent.slice(before)).toEqual(["b1", "later large"]);
  expect(stage.committed().at(-1)).toBe("a4");
});

test("[RT-4] callers that join the next batch of an organization, or wait for all of it, wait for its releases", async () => {
  const stage = sharedRig();
  await flooded(stage, "a", 5);
  const seen: string[] = [];
  stage.rig.lane.joinNext("a", () => seen.push("joined"));
  void stage.rig.lane.settled("a").then(() => seen.push("settled"));
  await stage.turn();
  expect(seen).toEqual([]);
  await stage.turn();
  expect(seen).toEqual(["joined", "settled"]);
});

test("[RT-4] if a batch is divided, each group ends before the next one is sent", async () => {
  const stage = sharedRig();
  stage.rig.poison.add("a3");
  const names = await flooded(stage, "a", 6);
  expect(stage.rig.ended.slice(1)).toEqual(names.map((name) => `${name} ${name === "a3" ? "broken" : "committed"}`));
  expect(stage.isPlanned()).toBe(false);
});

test("[RT-14] a failing lane ends committed groups as committed, and the rest as unknown", async () => {
  const stage = sharedRig();
  const names = await flooded(stage, "a", 10);
  stage.rig.onFenced = () => {
    throw new Error("a bug of the lane");
  };
  stage.rig.answer = () => ({ kind: "answered", live: new Set() });
  stage.rig.of("b", "b1");
  await settle();
  expect(stage.rig.told).toEqual(["failed: a bug of the lane"]);
  expect(stage.rig.ended.slice(1)).toEqual([...names.map((name) => `${name} committed`), "b1 unknown"]);
});
