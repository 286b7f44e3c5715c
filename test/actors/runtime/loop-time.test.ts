/** The account of the event loop's time, on a clock that the test moves. */
import { expect, test } from "bun:test";
import { LOOP_ACCOUNTS, LOOP_WINDOW_MS, LoopTime } from "../../../actors/runtime/fairness/loop-time.ts";

function rig() {
  let now = 0;
  const time = new LoopTime(() => now);
  return { time, pass: (ms: number) => void (now += ms), work: (ms: number) => () => void (now += ms) };
}

test("[FAIR-1] the loop's work is counted for each organization, by kind", () => {
  const { time, work } = rig();
  time.measure("a", "requests", work(5));
  time.measure("a", "streams", work(2));
  time.measure("b", "turns", work(1));
  const { total, leading } = time.reading(10);
  expect(leading.map(({ organizationId, totalMs }) => [organizationId, totalMs])).toEqual([
    ["a", { requests: 5, uploads: 0, pages: 0, turns: 0, commits: 0, runs: 0, streams: 2 }],
    ["b", { requests: 0, uploads: 0, pages: 0, turns: 1, commits: 0, runs: 0, streams: 0 }],
  ]);
  expect(total).toMatchObject({ recentMs: 8, upMs: 8, totalMs: { requests: 5, turns: 1, streams: 2 } });
  expect(time.reading(1).leading).toHaveLength(1);
});

test("[FAIR-1] a section within another one is part of it, also when it throws", () => {
  const { time, work } = rig();
  time.measure("a", "requests", () => {
    work(1)();
    time.measure("b", "turns", work(4));
  });
  expect(time.recentMs("a")).toBe(5);
  expect(time.recentMs("b")).toBe(0);
  const fail = (): void => {
    work(2)();
    throw new Error("a bug");
  };
  expect(() => time.measure("b", "turns", fail)).toThrow("a bug");
  expect(time.recentMs("b")).toBe(2);
  expect(time.end(time.begin("turns", "b"), "b", "turns")).toBe(0);
});

test("[FAIR-1] recent use covers the last second, and is then forgotten", () => {
  const { time, pass } = rig();
  time.charge("a", "requests", 100);
  pass(LOOP_WINDOW_MS);
  expect(time.recentMs("a")).toBe(100);
  pass(LOOP_WINDOW_MS / 4);
  expect(time.recentMs("a")).toBe(75);
  pass(LOOP_WINDOW_MS);
  expect(time.recentMs("a")).toBe(0);
  expect(time.reading(1).leading[0]?.totalMs.requests).toBe(100);
});

test("[FAIR-10] uploads, turns and commits do not count as direct work of others", () => {
  const { time } = rig();
  for (const work of ["uploads", "turns", "commits"] as const) time.charge("a", work, 100);
  expect(time.directPart).toBe(0);
  for (const work of ["requests", "pages", "runs", "streams"] as const) time.charge("a", work, 100);
  expect(time.directPart).toBeCloseTo(0.4);
  expect(time.reading(1).total.totalMs).toMatchObject({ uploads: 100, requests: 100 });
});

test("[FAIR-1] the loop is shared while several organizations were active within a second or two", () => {
  const { time, pass } = rig();
  time.charge("a", "requests", 1);
  expect(time.isShared).toBe(false);
  time.charge("b", "requests", 1);
  expect(time.isShared).toBe(true);
  pass(LOOP_WINDOW_MS);
  expect(time.isShared).toBe(true);
  time.charge("a", "requests", 1);
  pass(LOOP_WINDOW_MS);
  expect(time.isShared).toBe(false);
  time.charge("b", "requests", 1);
  expect(time.isShared).toBe(true);
});

test("[FAIR-4] an organization is over its share when it used more than the others of a busy loop", () => {
  const { time } = rig();
  time.charge("a", "runs", 190);
  time.charge("b", "runs", 9);
  // 199 ms of a second: not busy.
  expect(time.isOverShare("a")).toBe(false);
  time.charge("a", "runs", 2);
  expect(time.isOverShare("a")).toBe(true);
  expect(time.isOverShare("b")).toBe(false);
  expect(time.isOverShare("nobody")).toBe(false);
});

test("[FAIR-1] the number of accounts is limited, and the longest idle ones are forgotten", () => {
  const { time } = rig();
  for (let i = 0; i <= LOOP_ACCOUNTS; i++) time.charge(`org_${i}`, "turns", 1);
  expect(time.recentMs("org_0")).toBe(0);
  expect(time.recentMs("org_1")).toBe(1);
  expect(time.reading(2 * LOOP_ACCOUNTS).leading).toHaveLength(LOOP_ACCOUNTS);
});
