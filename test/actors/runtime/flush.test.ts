/** Group commit alone: a lane between turn groups that the tests make and a store that they answer for. */
import { describe, expect, test } from "bun:test";
import type { LiveActor } from "../../../actors/runtime/turns/live-actor.ts";
import { BATCH_BYTES, BATCH_GROUPS } from "../../../actors/runtime/commit/flush-queue.ts";
import { type CommitResult, noWrites } from "../../../actors/runtime/store.ts";
import { PATIENCE_MS } from "../../../actors/runtime/commit/patience.ts";
import { TurnGroup } from "../../../actors/runtime/commit/group.ts";
import { settle } from "../../support/fake-clock.ts";
import { FlushRig as Rig } from "../../support/flush-rig.ts";

const followed = (group: TurnGroup): CommitResult[] => {
  const results: CommitResult[] = [];
  group.follow((result) => void results.push(result));
  return results;
};

describe("batches", () => {
  test("[RT-4] a caller that joins the next batch is called when that batch is taken, at once or after the one in flight", async () => {
    const rig = new Rig();
    const join = (name: string): void => rig.lane.joinNext("org", () => void rig.push(name, [rig.actor(name)]));
    join("a");
    await settle();
    expect(rig.sent).toEqual(["a"]);
    const letGo = rig.hold();
    rig.push("b", [rig.actor("b")]);
    await settle();
    rig.push("c", [rig.actor("c")]);
    join("d");
    rig.lane.joinNext("org", () => void rig.told.push("nothing to push"));
    await settle();
    expect([rig.sent, rig.told]).toEqual([["a", "b"], []]);
    letGo();
    await settle();
    expect([rig.sent, rig.told]).toEqual([["a", "b", "c d"], ["nothing to push"]]);
    expect(rig.ended).toEqual(["a committed", "b committed", "c committed", "d committed"]);
  });

  test("[RT-4] groups of one tick are one statement; groups that arrive while it is in flight are the next", async () => {
    const rig = new Rig();
    const actor = rig.actor("a");
    const open = rig.hold();
    for (const name of ["a", "b"]) rig.push(name, [actor]);
    await settle();
    for (const name of ["c", "d", "e"]) rig.push(name, [actor]);
    await settle();
    expect([rig.sent, rig.ended]).toEqual([["a b"], []]);
    open();
    await settle();
    expect(rig.sent).toEqual(["a b", "c d e"]);
    expect(rig.ended).toEqual(["a", "b", "c", "d", "e"].map((name) => `${name} committed`));
    expect(rig.lane.statements).toBe(2);
  });

  test("[RT-4] a batch holds 500 groups, and the next one goes into the next batch", async () => {
    const rig = new Rig();
    for (let i = 0; i <= BATCH_GROUPS; i++) rig.push(`${i}`, []);
    await settle();
    expect(rig.sent.map((names) => names.split(" ").length)).toEqual([BATCH_GROUPS, 1]);
  });

  test("[RT-4] a batch holds 1 MiB, one byte more goes into the next, and a single group may be larger", async () => {
    const rig = new Rig();
    rig.push("a", [], { bytes: BATCH_BYTES - 10 });
    rig.push("b", [], { bytes: 10 });
    rig.push("c", [], { bytes: BATCH_BYTES - 10 });
    rig.push("d", [], { bytes: 11 });
    rig.push("e", [], { bytes: 2 * BATCH_BYTES });
    await settle();
    expect(rig.sent).toEqual(["a b", "c", "d", "e"]);
  });

  test("[RT-4] settled resolves when all groups pushed before have ended, and at once when nothing is in progress", async () => {
    const rig = new Rig();
    await rig.lane.settled();
    const open = rig.hold();
    rig.push("a", []);
    await settle();
    const inFlight = rig.lane.settled().then(() => [...rig.ended]);
    rig.push("b", []);
    const queued = rig.lane.settled().then(() => [...rig.ended]);
    open();
    expect(await inFlight).toContain("a committed");
    expect(await queued).toEqual(["a committed", "b committed"]);
  });
});

describe("patient groups", () => {
  const patient = (rig: Rig, name: string): TurnGroup => rig.push(name, [rig.actor(name)], { isPatient: true });

  test("[RT-4] a patient group causes no batch, and is sent with the next one, in order", async () => {
    const rig = new Rig();
    patient(rig, "a");
    await settle();
    expect(rig.sent).toEqual([]);
    rig.push("b", [rig.actor("b")]);
    await settle();
    expect([rig.sent, rig.ended]).toEqual([["a b"], ["a committed", "b committed"]]);
  });

  test("[RT-4] a patient group that arrives while a statement is in flight causes no batch after it either", async () => {
    const rig = new Rig();
    const letGo = rig.hold();
    rig.push("a", [rig.actor("a")]);
    await settle();
    patient(rig, "b");
    letGo();
    await settle();
    expect(rig.sent).toEqual(["a"]);
    rig.of("another", "c");
    await settle();
    expect(rig.sent).toEqual(["a", "b c"]);
  });

  test("[RT-4] a patient group waits at most for its patience, and later ones no longer", async () => {
    const rig = new Rig();
    for (const name of ["a", "c"]) {
      patient(rig, name);
      await rig.clock.advance(PATIENCE_MS - 1);
      expect(rig.sent).not.toContain(name);
      await rig.clock.advance(1);
      expect(rig.sent).toContain(name);
    }
  });

  test("[RT-4] a patient group that a full batch leaves out waits for its patience too", async () => {
    const rig = new Rig();
    for (let i = 0; i < BATCH_GROUPS; i++) rig.push(`${i}`, []);
    rig.push("left", [], { isPatient: true });
    await settle();
    expect([rig.sent.length, rig.ended.length]).toEqual([1, BATCH_GROUPS]);
    await rig.clock.advance(PATIENCE_MS);
    expect(rig.sent[1]).toBe("left");
  });

  test("[RT-4] a patient group waits no longer when it gets a follower, or when somebody waits for everything in progress", async () => {
    const rig = new Rig();
    const results = followed(patient(rig, "a"));
    await settle();
    expect([rig.sent, results]).toEqual([["a"], [{ kind: "committed" }]]);
    patient(rig, "b");
    await rig.lane.settled();
    patient(rig, "c");
    await rig.lane.settled("org");
    expect(rig.sent).toEqual(["a", "b", "c"]);
    patient(rig, "d");
    await settle();
    expect(rig.sent).toEqual(["a", "b", "c"]);
  });

  test("[RT-4] a patient group that is hurried while its organization is in flight is in the next batch", async () => {
    const rig = new Rig();
    const letGo = rig.hold();
    rig.push("a", [rig.actor("a")]);
    await settle();
    const results = followed(patient(rig, "b"));
    letGo();
    await settle();
    expect([rig.sent, results]).toEqual([["a", "b"], [{ kind: "committed" }]]);
  });
});

describe("bugs in callbacks", () => {
  const plant = (message: string) => (): void => {
    throw new Error(message);
  };

  test("[RT-14] a follower that throws is reported; the other followers and groups end, and the lane continues", async () => {
    const rig = new Rig();
    const actor = rig.actor("a");
    const open = rig.hold();
    const first = rig.push("a", [actor]);
    first.follow(plant("a follower"));
    const after = followed(first);
    rig.push("b", [rig.actor("b")]);
    open();
    await settle();
    expect(rig.told).toEqual(["bug: a follower"]);
    expect([after, rig.ended]).toEqual([[{ kind: "committed" }], ["a committed", "b committed"]]);
    rig.push("c", [actor]);
    await rig.lane.settled();
    expect(rig.ended.at(-1)).toBe("c committed");
  });

  test("[RT-14] an exception at the end of a group is reported, and its followers still learn the result", async () => {
    const rig = new Rig();
    const group = new TurnGroup({ shard: 1, epoch: 1 }, { writes: noWrites(), drafts: [], bytes: 1 }, plant("an end"));
    const after = followed(group);
    rig.lane.push(group);
    rig.push("next", []);
    await rig.lane.settled();
    expect([rig.told, after, rig.ended]).toEqual([["bug: an end"], [{ kind: "committed" }], ["next committed"]]);
  });

  test("[RT-14] a callback that joins a batch and throws is reported, and the batch is sent", async () => {
    const rig = new Rig();
    rig.lane.joinNext("org", plant("a join"));
    rig.lane.joinNext("org", () => void rig.push("a", []));
    await settle();
    expect([rig.told, rig.ended]).toEqual([["bug: a join"], ["a committed"]]);
  });

  test("[RT-14] a lane that fails itself ends everything in it and everything that arrives later, and reports it once", async () => {
    const rig = new Rig();
    const open = rig.hold();
    rig.push("sent", [rig.actor("a")]);
    await settle();
    rig.push("queued", [rig.actor("b")]);
    const settled = rig.lane.settled();
    rig.onFenced = plant("a bug of the lane");
    rig.answer = () => ({ kind: "answered", live: new Set() });
    rig.stored = () => ({ kind: "answered", live: new Set() });
    open();
    await settled;
    expect(rig.told).toEqual(["failed: a bug of the lane"]);
    expect(rig.ended).toEqual(["sent unknown", "queued unavailable"]);
    rig.push("late", []);
    rig.lane.joinNext("org", () => void rig.push("later", []));
    await settle();
    await rig.lane.settled();
    expect(rig.ended.slice(2)).toEqual(["late unavailable", "later unavailable"]);
    expect([rig.told.length, rig.lane.statements]).toEqual([1, 1]);
  });
});

describe("a certain abort", () => {
  test("[RT-4] breaks only the group at fault: the others are sent again, each alone and in order", async () => {
    const rig = new Rig();
    rig.poison.add("bad");
    for (const name of ["a", "bad", "b"]) rig.push(name, [rig.actor(name)]);
    await settle();
    expect(rig.sent).toEqual(["a bad b", "a", "bad", "b"]);
    expect(rig.ended).toEqual(["a committed", "bad broken", "b committed"]);
  });

  test("[RT-4] evicts the groups that read the broken group's changes, in this batch and in the queue, and sends none of them", async () => {
    const rig = new Rig();
    rig.poison.add("bad");
    const [x, y, z] = ["x", "y", "z"].map((id) => rig.actor(id)) as [LiveActor, LiveActor, LiveActor];
    const open = rig.hold();
    rig.push("bad", [x]);
    rig.push("on it", [x, y]);
    await settle();
    rig.push("on that", [y]);
    rig.push("apart", [z]);
    open();
    await settle();
    expect(rig.sent).toEqual(["bad on it", "bad", "apart"]);
    expect(rig.ended).toEqual(["bad broken", "on it evicted", "on that evicted", "apart committed"]);
    expect([x.isEvicted, y.isEvicted, z.isEvicted]).toEqual([true, true, false]);
  });

  test("[RT-3] groups end in the order of their arrival, also if one is refused before its statement", async () => {
    const rig = new Rig();
    rig.poison.add("bad");
    const [x, y] = [rig.actor("x"), rig.actor("y")];
    const open = rig.hold();
    rig.push("bad", [x]);
    await settle();
    rig.push("before", [y]);
    const stands = rig.push("on both", [x, y]);
    rig.push("after", [rig.actor("z")]);
    const seen: string[][] = [];
    stands.follow(() => seen.push([...rig.ended]));
    open();
    await settle();
    expect(rig.ended).toEqual(["bad broken", "before committed", "on both evicted", "after committed"]);
    // "on both" runs again and loads y now: "before" must be in the table by then.
    expect(seen).toEqual([["bad broken", "before committed", "on both evicted"]]);
  });

  test("[RT-4] a failure of the whole statement breaks no group: the whole batch may be retried", async () => {
    for (const code of ["40P01", "53100", "55P03", "25006"]) {
      const rig = new Rig();
      rig.answer = () => ({ kind: "aborted", code, cause: null });
      rig.push("a", [rig.actor("a")]);
      rig.push("b", [rig.actor("b")]);
      await settle();
      expect(rig.sent).toEqual(["a b"]);
      expect(rig.ended).toEqual(["a unavailable", "b unavailable"]);
    }
  });
});

describe("fenced and unknown", () => {
  test("[RT-5] a shard that is missing from the answer is fenced: the host knows before its groups end", async () => {
    const rig = new Rig();
    rig.answer = () => ({ kind: "answered", live: new Set([2]) });
    rig.push("a", [], { shard: 1 });
    rig.push("b", [], { shard: 2 });
    await settle();
    expect(rig.ended).toEqual(["a fenced", "b committed"]);
    expect(rig.told).toEqual(["fenced 1 after 0"]);
  });

  test("[RT-5] a group of an older epoch is refused before the statement is built", async () => {
    const rig = new Rig();
    rig.epochs.set(1, 3);
    rig.push("old", [], { epoch: 1 });
    rig.push("new", [], { epoch: 3 });
    rig.push("gone", [], { shard: 9 });
    await settle();
    expect(rig.sent).toEqual(["new"]);
    expect(rig.ended.toSorted()).toEqual(["gone fenced", "new committed", "old fenced"]);
  });

  test("[RT-5] one batch never mixes two epochs of a shard that was lost and regained", async () => {
    const rig = new Rig();
    const open = rig.hold();
    rig.push("first", []);
    await settle();
    rig.push("old", [], { epoch: 1 });
    rig.epochs.set(1, 2);
    rig.push("new", [], { epoch: 2 });
    open();
    await settle();
    expect(rig.sent).toEqual(["first", "new"]);
  });

  test("[RT-4] an unknown outcome is reported to the host first, and ends every group of the batch as unknown", async () => {
    const rig = new Rig();
    rig.answer = () => ({ kind: "unknown", cause: null });
    const a = rig.push("a", [rig.actor("a")]);
    const follower = followed(a);
    rig.push("b", [rig.actor("b", 2)], { shard: 2 });
    await settle();
    expect(rig.told).toEqual(["unknown 1,2 after 0"]);
    expect(rig.ended).toEqual(["a unknown", "b unknown"]);
    expect(follower).toEqual([{ kind: "unknown" }]);
  });

  test("[RT-4] an unknown outcome in the middle of a split refuses the rest before their statements", async () => {
    const rig = new Rig();
    rig.answer = (batch) => {
      const names = rig.namesOf(batch);
      if (names === "a") return { kind: "unknown", cause: null };
      return { kind: "aborted", code: "23505", cause: null };
    };
    for (const name of ["a", "b", "c"]) rig.push(name, []);
    await settle();
    expect(rig.sent).toEqual(["a b c", "a"]);
    expect(rig.ended).toEqual(["a unknown", "b fenced", "c fenced"]);
  });

  test("[RT-4] a store that throws leaves the outcome unknown, and the lane continues", async () => {
    const rig = new Rig();
    rig.answer = () => {
      throw new Error("a bug in the store");
    };
    rig.push("a", []);
    await settle();
    expect(rig.ended).toEqual(["a unknown"]);
    rig.epochs.set(1, 2);
    rig.answer = (batch) => rig.stored(batch);
    rig.push("b", [], { epoch: 2 });
    await settle();
    expect(rig.ended).toEqual(["a unknown", "b committed"]);
  });
});

describe("followers", () => {
  test("[RT-3] followers of a group end after it, in order; followers of a broken group are evicted", async () => {
    const rig = new Rig();
    rig.poison.add("bad");
    const order: string[] = [];
    const good = rig.push("good", []);
    const bad = rig.push("bad", []);
    for (const name of ["first", "second"])
      good.follow((e) => order.push(`${name} ${e.kind} after ${rig.ended.length}`));
    bad.follow((e) => order.push(`on bad ${e.kind}`));
    await settle();
    expect(order).toEqual(["first committed after 1", "second committed after 1", "on bad evicted"]);
  });

  test("[RT-7] a committed group marks its records clean; its actor waits only for the last group", async () => {
    const rig = new Rig();
    const actor = rig.actor("a");
    const open = rig.hold();
    rig.push("one", [actor]);
    await settle();
    const two = rig.push("two", [actor]);
    expect(actor.lastPending).toBe(two);
    open();
    await settle();
    expect(actor.isQuiet).toBe(true);
  });
});
