/** Small pieces of work in slices, between which the event loop turns. */
import { expect, test } from "bun:test";
import { Slices } from "../../../actors/runtime/fairness/slices.ts";

test("[FAIR-9] organizations take turns: a later one waits for one piece of each other organization, not for all waiting pieces", async () => {
  const slices = new Slices(2, { later: setImmediate });
  const order: string[] = [];
  const piece = async (lane: string): Promise<void> => {
    await slices.take(1, lane);
    order.push(lane);
  };
  const asked = [...Array<string>(8).fill("a"), "b", "c", "b"];
  await Promise.all(asked.map((lane) => piece(lane)));
  expect(order.join("")).toBe("aaabcabaaaa");
});

test("[FAIR-9] the cost of a piece beyond its estimate counts in its slice: the next one waits for a turn", async () => {
  const slices = new Slices(10, { later: setImmediate });
  expect(slices.take(1)).toBeNull();
  slices.add(9);
  const next = slices.take(1);
  expect(next).not.toBeNull();
  expect(slices.turns).toBe(0);
  await next;
  expect(slices.turns).toBe(1);
  expect(slices.take(9)).toBeNull();
});

test("[FAIR-9] however many pieces wait, they cost the loop one turn for each slice", async () => {
  const turns: (() => void)[] = [];
  const slices = new Slices(2, { later: (run) => void turns.push(run) });
  const pieces = Array.from({ length: 7 }, () => slices.take(1));
  for (let count = 1; turns.length > 0; count++) {
    expect([turns.length, count]).toEqual([1, Math.min(count, 3)]);
    turns.shift()!();
  }
  await Promise.all(pieces);
});

test("[FAIR-9] while slices are not needed, pieces begin at once, but after waiting ones", async () => {
  let isNeeded = true;
  const slices = new Slices(1, { later: setImmediate, isNeeded: () => isNeeded });
  expect(slices.take(1)).toBeNull();
  const waits = slices.take(1);
  isNeeded = false;
  const behind = slices.take(1);
  expect([waits, behind]).not.toContain(null);
  await Promise.all([waits, behind]);
  expect(Array.from({ length: 100 }, () => slices.take(1))).toEqual(Array(100).fill(null));
});

test("[FAIR-11] a lane that has to wait because of its use is skipped, and delays no other one", async () => {
  const waits: Record<string, number> = { a: 40 };
  const timers: { readonly delayMs: number; readonly run: () => void }[] = [];
  const pace = {
    waitMs: (lane: string) => waits[lane] ?? 0,
    after(delayMs: number, run: () => void) {
      timers.push({ delayMs, run });
      return () => void timers.splice(0);
    },
  };
  const slices = new Slices(4, { later: setImmediate, pace });
  const order: string[] = [];
  const piece = async (lane: string): Promise<void> => {
    await slices.take(4, lane);
    order.push(lane);
  };
  const first = piece("a");
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([40]);
  await Promise.all([piece("b"), piece("b"), piece("c")]);
  expect(order.toSorted()).toEqual(["b", "b", "c"]);
  expect(timers).toHaveLength(1);
  waits["a"] = 0;
  timers[0]!.run();
  await first;
  expect(order.at(-1)).toBe("a");
});
