/** The frames of an event stream, at each limit and one past it. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  AnswerRefused,
  MAX_MODEL_ANSWER_BYTES,
  MAX_FRAME_BYTES,
  MAX_FRAME_DEPTH,
  MAX_FRAME_VALUES,
} from "../../../src/runner/answer-limits.ts";
import { EventFrames } from "../../../src/runner/wire/event-frames.ts";
import { UnreadableFrame } from "../../../src/runner/wire/frame.ts";

function read(...chunks: readonly (string | Uint8Array)[]): unknown[] {
  const frames: unknown[] = [];
  const events = new EventFrames((frame) => frames.push(frame));
  for (const chunk of chunks) events.read(Buffer.from(chunk));
  return frames;
}
const isTaken = (...chunks: readonly string[]): boolean => {
  try {
    read(...chunks);
    return true;
  } catch (error) {
    if (error instanceof AnswerRefused) return false;
    throw error;
  }
};

describe("frames", () => {
  test("[RUN-1] are the data of their lines, without comments, other fields and what is still open", () => {
    expect(read(': hi\nevent: x\nid: 7\ndata: {"a":\ndata:1}\nretry: 5\n\n\n\ndata: 2\n\ndata: 3\n')).toEqual([
      { a: 1 },
      2,
    ]);
    expect(read("data:\n\ndata\n\ndata: 1\n\n")).toEqual([1]);
    expect(read("\ufeffdata: 1\n\n")).toEqual([1]);
  });

  test("[RUN-1] end with [DONE], whatever follows it", () => {
    expect(read("data: 1\n\ndata: [DONE]\n\ndata: 2\n\n", "data: {secret\n\n")).toEqual([1]);
    expect(read("data:[DONE] \r\n\r\ndata: 2\r\n\r\n")).toEqual([]);
  });

  test("[RUN-1] of an error event are the provider's fault, also as plain text", () => {
    expect(() => read('event: error\ndata: {"message":"out of memory"}\n\n')).toThrow("out of memory");
    expect(() => read("event: error\ndata: out of memory\n\n")).toThrow("out of memory");
    expect(read("event: errors\ndata: 1\n\n")).toEqual([1]);
  });

  test("[RUN-1] that are not JSON fail the stream, without quoting their text", () => {
    expect(() => read("data: {secret\n\n")).toThrow(UnreadableFrame);
    expect(() => read("data: {secret\n\n")).not.toThrow("secret");
  });

  test("[RUN-1] are the same however the bytes are split, and whatever ends their lines", () => {
    const line = fc.constantFrom("data: 1", 'data: "ä😀"', "data:", ": c", "", "", "event: x", "data: [1,\ndata: 2]");
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(200), { maxLength: 6 }),
        (lines, end, places) => {
          const text = [...lines, "", ""].join("\n");
          const bytes = Buffer.from(text.replaceAll("\n", end));
          const cuts = [0, ...places.map((at) => Math.min(at, bytes.length)).toSorted((a, b) => a - b), bytes.length];
          // A line of its own may be no JSON; then it is none in every cut.
          const outcome = (chunks: readonly Uint8Array[]): unknown => {
            try {
              return read(...chunks);
            } catch (error) {
              return String(error);
            }
          };
          expect(outcome(cuts.slice(1).map((to, at) => bytes.subarray(cuts[at], to)))).toEqual(
            outcome([Buffer.from(text)]),
          );
        },
      ),
    );
  });

  for (const [ends, end] of [
    ["line feeds", "\n"],
    ["returns", "\r"],
    ["pairs", "\r\n"],
  ] as const)
    test(`[GUARD-3] with ${ends} have 1 MiB each, over all of their lines`, () => {
      const half = "x".repeat(MAX_FRAME_BYTES / 2);
      expect(isTaken(half, end, half, end, end, half, end, half, end, end)).toBe(true);
      expect(isTaken(half, end, half, end, "x", end)).toBe(false);
      expect(isTaken(half, half)).toBe(true);
      expect(isTaken(half, half, "x")).toBe(false);
    });

  test("[GUARD-3] have a limit of values each, and text in strings is not counted", () => {
    const list = (count: number): string => `data: [${"1,".repeat(count - 1)}1]\n\n`;
    expect(isTaken(list(MAX_FRAME_VALUES), list(MAX_FRAME_VALUES))).toBe(true);
    expect(isTaken(list(MAX_FRAME_VALUES + 1))).toBe(false);
    expect(isTaken(`data: "${",[".repeat(MAX_FRAME_VALUES)}\\",["\n\n`)).toBe(true);
  });

  test("[GUARD-3] have a limit of nesting", () => {
    const nested = (depth: number): string => `data: ${"[".repeat(depth)}${"]".repeat(depth)}\n\n`;
    expect(isTaken(nested(MAX_FRAME_DEPTH))).toBe(true);
    expect(isTaken(nested(MAX_FRAME_DEPTH + 1))).toBe(false);
  });

  test("[GUARD-3] have at most 64 MiB in all", () => {
    const events = new EventFrames(() => {});
    const piece = Buffer.alloc(1024 * 1024, `: ${"x".repeat(60)}\n\n`);
    for (let taken = 0; taken < MAX_MODEL_ANSWER_BYTES; taken += piece.length) events.read(piece);
    expect(() => events.read(Buffer.from("x"))).toThrow(AnswerRefused);
  });

  test("[GUARD-3] cost by their bytes and values", () => {
    const events = new EventFrames(() => {});
    const plain = events.read(Buffer.from('data: {"a":1}\n\n'));
    const wide = events.read(Buffer.from(`data: [${"1,".repeat(5_000)}1]\n\n`));
    expect(plain).toBeLessThan(50);
    expect(wide).toBeGreaterThan(5_000 * 16);
  });

  test("[GUARD-3] a line that arrives byte by byte costs no more than its length", () => {
    const events = new EventFrames(() => {});
    const from = performance.now();
    for (let taken = 0; taken < MAX_FRAME_BYTES / 4; taken++) events.read(Buffer.from("x"));
    // What is quadratic takes minutes here.
    expect(performance.now() - from).toBeLessThan(60_000);
  });
});
