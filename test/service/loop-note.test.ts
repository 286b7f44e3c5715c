/** What the watchdog's thread can read of the work of the event loop. */
import { expect, test } from "bun:test";
import { LoopTime } from "../../actors/runtime/fairness/loop-time.ts";
import { LoopNote, readLoopNote } from "../../src/service/loop-note.ts";

function rig() {
  const note = new LoopNote();
  return { time: new LoopTime(() => 0, note), read: () => readLoopNote(note.memory) };
}

test("[GUARD-6] the section that the loop is in is noted, and stays as the last one afterwards", () => {
  const { time, read } = rig();
  expect(read()).toBeNull();
  const from = time.begin("turns", "org_a", "task");
  const section = { work: "turns", organization: "org_a", subject: "task" } as const;
  expect(read()).toEqual({ ...section, isOpen: true });
  // A section within it is part of it.
  time.measure("org_b", "commits", () => expect(read()).toEqual({ ...section, isOpen: true }));
  time.end(from, "org_a", "turns");
  expect(read()).toEqual({ ...section, isOpen: false });
});

test("[GUARD-6] a section without an organization or a subject keeps none of the section before it", () => {
  const { time, read } = rig();
  time.end(time.begin("requests", "org_long", "listTasks"), null, "requests");
  time.end(time.begin("requests", "org_b", null), null, "requests");
  expect(read()).toMatchObject({ organization: "org_b", subject: null });
  time.end(time.begin("commits", null), null, "commits");
  expect(read()).toEqual({ isOpen: false, work: "commits", organization: null, subject: null });
});

test("[GUARD-6] a text of 63 characters is noted whole, and a longer one is cut", () => {
  const { time, read } = rig();
  time.end(time.begin("requests", "o".repeat(63), "s".repeat(64)), null, "requests");
  expect(read()).toMatchObject({ organization: "o".repeat(63), subject: "s".repeat(63) });
});
