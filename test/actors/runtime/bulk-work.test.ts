/** Work in slices. */
import { expect, test } from "bun:test";
import { AT_ONCE, AT_ONCE_BYTES, LEAST_PART } from "../../../actors/runtime/fairness/bulk-work.ts";
import { bulkRig as rig, ITEM_MS } from "../../support/bulk-rig.ts";

test("[FAIR-7] a small piece is done at once, of a large one only the beginning", async () => {
  const { bulk, begin, done, time } = rig({ isShared: false });
  let seen = 0;
  await bulk.each("a", [1, 2, 3], (item) => (seen += item));
  expect(seen).toBe(6);
  void begin("a", "x", 9);
  expect(done).toEqual(["x0"]);
  expect(time.reading(1).leading[0]).toMatchObject({ organizationId: "a", totalMs: { pages: ITEM_MS } });
});

test("[FAIR-7] the rest is done in slices, and the event loop turns between them", async () => {
  const { begin, done, turn, time } = rig({ isShared: false });
  const piece = begin("a", "x", 9);
  const after: number[] = [];
  for (let i = 0; i < 12; i++) {
    await turn();
    after.push(done.length);
  }
  expect(done).toHaveLength(9);
  const slices = after.map((count, i) => count - (after[i - 1] ?? 1)).filter((count) => count > 0);
  expect(slices).toEqual([2, 2, 2, 2]);
  await piece;
  expect(time.recentMs("a")).toBeCloseTo(9 * ITEM_MS);
});

test("[FAIR-7] organizations take slices in turn; each finishes started work before it starts more", async () => {
  const { begin, done, turn } = rig();
  void begin("a", "first", 7);
  void begin("a", "second", 5);
  void begin("b", "other", 5);
  for (let i = 0; i < 40; i++) {
    await turn(5);
  }
  const order = done.slice(3);
  expect(order.slice(0, 6)).toEqual(["first1", "first2", "other1", "other2", "first3", "first4"]);
  expect(order.indexOf("second1")).toBeGreaterThan(order.indexOf("first6"));
  expect(order).toHaveLength(4 + 6 + 4);
});

test("[FAIR-7] indivisible work has its own slice, before work that has not begun", async () => {
  const { begin, whole, done, turn } = rig();
  void begin("a", "x", 4);
  const last = whole("a", "whole", AT_ONCE_BYTES);
  void begin("a", "y", 3);
  const turns: string[][] = [];
  for (let i = 0; i < 12; i++) {
    const before = done.length;
    await turn(5);
    turns.push(done.slice(before));
  }
  expect(await last).toBe("whole");
  expect(turns.filter((names) => names.length > 0)).toContainEqual(["whole"]);
  expect(done.indexOf("whole")).toBeLessThan(done.indexOf("y1"));
});

test("[FAIR-7] few bytes are done at once, and an exception becomes a rejection", async () => {
  const { bulk, whole, begin, done, turn } = rig();
  expect(await whole("a", "small", AT_ONCE_BYTES - 1)).toBe("small");
  const broken = bulk.whole("a", AT_ONCE_BYTES, () => {
    throw new Error("too long");
  });
  const outcome = broken.catch((cause: unknown) => String(cause));
  const next = begin("a", "x", 2);
  for (let i = 0; i < 8; i++) await turn(5);
  expect(await outcome).toBe("Error: too long");
  await next;
  expect(done).toEqual(["small", "x0", "x1"]);
});

test("[FAIR-7] a slice is followed by a pause for the costs of its bytes that arise outside of it", async () => {
  const { whole, done, turn } = rig({ smallMs: 900 });
  const first = whole("a", "first", 1024 * 1024);
  await turn();
  const second = whole("a", "second", 1024 * 1024);
  expect(done).toEqual(["first"]);
  // The slice has taken a quarter of a millisecond, and its bytes five thirds more: of an eighth of the loop that is 15.
  await turn(12);
  await turn();
  expect(done).toEqual(["first"]);
  await turn(4);
  await turn();
  expect(done).toEqual(["first", "second"]);
  expect(await Promise.all([first, second])).toEqual(["first", "second"]);
});

/** Which part of the loop's time a long piece has, where the loop has nothing else to do. */
async function partOf(options: Parameters<typeof rig>[0]): Promise<number> {
  const { begin, done, turn, clock } = rig(options);
  void begin("a", "x", 10_000);
  const from = clock.monotonic();
  for (let i = 0; i < 200; i++) await turn(0.25);
  return (done.length * ITEM_MS) / (clock.monotonic() - from);
}

test("[FAIR-7] beside small work, slices get the rest of the loop, but at least an eighth", async () => {
  const alone = await partOf({ isShared: false, smallMs: 0 });
  const quiet = await partOf({ smallMs: 1 });
  const busy = await partOf({ smallMs: 900 });
  expect(quiet).toBeGreaterThan(0.9 * alone);
  expect(busy).toBeLessThan(1.2 * LEAST_PART);
  expect(busy).toBeGreaterThan(LEAST_PART / 4);
});

test("[FAIR-7] work that throws rejects its piece, and the next one continues", async () => {
  const { bulk, begin, done, turn } = rig({ isShared: false });
  let at = 0;
  const broken = bulk.each("a", [0, 1, 2, 3], () => {
    if (at++ === 2) throw new Error("no JSON");
    return AT_ONCE_BYTES;
  });
  const outcome = broken.catch((cause: unknown) => String(cause));
  const next = begin("a", "x", 3);
  for (let i = 0; i < 12; i++) await turn();
  expect(await outcome).toBe("Error: no JSON");
  await next;
  expect(done).toEqual(["x0", "x1", "x2"]);
  expect(at).toBe(3);
  expect(AT_ONCE.each("a", [1], () => JSON.parse("{") as number)).rejects.toThrow();
});
