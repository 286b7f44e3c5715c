/** The look at the bytes of a stream, at each limit and one past it. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  AnswerRefused,
  MAX_MODEL_ANSWER_BYTES,
  MAX_FRAME_BYTES,
  MAX_FRAME_DEPTH,
  MAX_FRAME_VALUES,
} from "../../src/runner/answer-limits.ts";
import { FrameGuard } from "../../src/runner/frame-guard.ts";
import { Slices } from "../../actors/runtime/fairness/slices.ts";
import { SLICE_COST } from "../../src/runner/provider-fetch.ts";

const look = (...texts: readonly string[]): FrameGuard => {
  const guard = new FrameGuard();
  for (const text of texts) guard.take(Buffer.from(text));
  return guard;
};
const isTaken = (...texts: readonly string[]): boolean => {
  try {
    look(...texts);
    return true;
  } catch (error) {
    if (error instanceof AnswerRefused) return false;
    throw error;
  }
};

describe("a stream", () => {
  for (const [ends, end] of [
    ["line feeds", "\n"],
    ["returns", "\r"],
    ["pairs", "\r\n"],
  ] as const) {
    test(`[GUARD-3] with ${ends} has 1 MiB for each frame, over all of its lines`, () => {
      const half = "x".repeat(MAX_FRAME_BYTES / 2);
      expect(isTaken(half, end, half, end, end, half, end, half, end, end)).toBe(true);
      expect(isTaken(half, end, half, end, "x")).toBe(false);
    });
  }

  test("[GUARD-3] has a limit of values in each frame, and text in strings is not counted", () => {
    const values = (count: number): string => `data: [${"1,".repeat(count - 1)}1]`;
    expect(isTaken(values(MAX_FRAME_VALUES), "\n\n", values(MAX_FRAME_VALUES), "\n\n")).toBe(true);
    expect(isTaken(values(MAX_FRAME_VALUES + 1))).toBe(false);
    expect(isTaken(values(MAX_FRAME_VALUES), "\ndata: ,")).toBe(false);
    expect(isTaken(`data: "${",[".repeat(MAX_FRAME_VALUES)}\\",["`)).toBe(true);
  });

  test("[GUARD-3] has a limit of nesting, and a quote in another line hides nothing", () => {
    const nested = (depth: number): string => `data: ${"[".repeat(depth)}`;
    expect(isTaken(nested(MAX_FRAME_DEPTH))).toBe(true);
    expect(isTaken(nested(MAX_FRAME_DEPTH + 1))).toBe(false);
    expect(isTaken(': "\n', nested(MAX_FRAME_DEPTH + 1))).toBe(false);
  });

  test("[GUARD-3] has 64 MiB in all", () => {
    const guard = new FrameGuard();
    const piece = Buffer.alloc(1024 * 1024, "\n");
    for (let taken = 0; taken < MAX_MODEL_ANSWER_BYTES; taken += piece.length) guard.take(piece);
    expect(() => guard.take(Buffer.from("x"))).toThrow(AnswerRefused);
  });

  test("[GUARD-3] costs the same however it is split", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("\n", "\r", "[", "]", ",", '"', "\\", "x") }),
        fc.nat(20),
        (text, at) => {
          const bytes = Buffer.from(text);
          const guard = new FrameGuard();
          const inTwo = guard.take(bytes.subarray(0, at)) + guard.take(bytes.subarray(at));
          expect(inTwo).toBe(new FrameGuard().take(bytes));
        },
      ),
    );
  });
});

test("[GUARD-3] many streams share the slices: the loop turns after the work of one, in the order of their arrival", async () => {
  const slices = new Slices(SLICE_COST, { later: setImmediate });
  const order: number[] = [];
  const stream = async (name: number): Promise<void> => {
    for (let piece = 0; piece < 4; piece++) {
      await slices.take(SLICE_COST / 2);
      order.push(name);
    }
  };
  await Promise.all([stream(1), stream(2), stream(3), stream(4)]);
  expect(slices.turns).toBe(7);
  expect(order.slice(0, 8).toSorted((a, b) => a - b)).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
});

test("[GUARD-3] work that costs more than a slice gets one alone", async () => {
  const slices = new Slices(SLICE_COST, { later: setImmediate });
  const turns: number[] = [];
  await Promise.all(
    [1, 10 * SLICE_COST, 1].map(async (cost) => {
      await slices.take(cost);
      turns.push(slices.turns);
    }),
  );
  expect(turns).toEqual([0, 1, 2]);
});
