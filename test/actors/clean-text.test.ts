import { contentText as contentOf } from "../../actors/job/schema.ts";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AnswerSink } from "../../src/runner/answer.ts";
import { cleanJson, cleanText, MAX_JSON_DEPTH, TextPieces } from "../../actors/clean-text.ts";
import { visibleText } from "../../actors/visible-text.ts";
import { streamCall } from "../../src/runner/stream-call.ts";
import { MAX_UNPARSED_CHARS, toolInput, UNPARSED_INPUT } from "../../src/runner/tool-input.ts";
import { fakeTimers } from "../support/fake-timers.ts";
import { ORIGIN } from "../support/model-calls.ts";

/** Any code units, with surrogates and NUL more often than chance has them. */
const anyUnits = fc
  .array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0xd83d, 0xde00, 0xdbff, 0xdc00, 0x61)), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));

describe("text of a model", () => {
  test("[JOB-7] any text, split anywhere, results in the whole text cleaned and marked", () => {
    fc.assert(
      fc.property(fc.array(anyUnits, { maxLength: 8 }), (parts) => {
        const pieces = new TextPieces();
        const handed = [...parts.map((part) => pieces.take(part)), pieces.end()];
        expect(handed.join("")).toBe(visibleText(cleanText(parts.join(""))));
        for (const piece of handed) expect(piece.isWellFormed() && !piece.includes("\0")).toBe(true);
      }),
    );
  });

  test("[JOB-7] a surrogate pair that is split over two pieces survives", () => {
    const pieces = new TextPieces();
    expect([pieces.take("a\ud83d"), pieces.take("\ude00b"), pieces.end()]).toEqual(["a", "😀b", ""]);
  });

  test("[JOB-7] the pieces joined are the text blocks joined, for any stream of parts", async () => {
    const part = fc.oneof(
      anyUnits.map((text) => (sink: AnswerSink) => sink.text(text)),
      anyUnits.map((text) => (sink: AnswerSink) => sink.reasoning(text)),
      anyUnits.map((name) => (sink: AnswerSink) => sink.call({ id: "c", name, input: { [name]: name } })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
        const handed: string[] = [];
        const outcome = await streamCall({
          model: "test:fake-model",
          source: async ({ sink }) => {
            for (const tell of parts) tell(sink);
            sink.end("stop");
          },
          onText: (text) => handed.push(text),
          signal: new AbortController().signal,
          stalledStreamMs: 1_000,
          timers: fakeTimers(),
          secrets: [],
          log: undefined,
          origin: ORIGIN,
        });
        if (outcome.kind !== "finished") throw new Error(outcome.kind);
        const whole = JSON.stringify(outcome.blocks);
        expect(handed.join("")).toBe(contentOf(outcome.blocks));
        expect(handed).not.toContain("");
        expect(whole.includes("\\u0000") || /\\ud[89a-f]/i.test(whole)).toBe(false);
        expect(outcome.blocks.every((block) => block.type !== "text" || block.text !== "")).toBe(true);
      }),
    );
  });
});

describe("input of a tool", () => {
  test("[JOB-7] any JSON object keeps its content, cleaned", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (input) => {
        fc.pre(!Object.hasOwn(input, UNPARSED_INPUT));
        const plain: unknown = JSON.parse(JSON.stringify(input));
        expect(JSON.stringify(toolInput(plain))).toBe(JSON.stringify(plain).replaceAll("\\u0000", "\ufffd"));
      }),
    );
  });

  test("[JOB-7] a value that is not an object is kept under the reserved key, cut", () => {
    expect(toolInput('{"town":')).toEqual({ [UNPARSED_INPUT]: '{"town":' });
    expect(toolInput([1, 2])).toEqual({ [UNPARSED_INPUT]: "[1,2]" });
    expect(toolInput(null)).toEqual({ [UNPARSED_INPUT]: "null" });
    expect(toolInput(undefined)).toEqual({ [UNPARSED_INPUT]: "" });
    expect(toolInput("x".repeat(5_000))[UNPARSED_INPUT]).toBe("x".repeat(MAX_UNPARSED_CHARS));
  });

  test("[JOB-7] nesting at the limit is kept, one level more is not", () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(cleanJson(nested(MAX_JSON_DEPTH))).toEqual(JSON.parse(JSON.stringify(nested(MAX_JSON_DEPTH))));
    expect(cleanJson(nested(MAX_JSON_DEPTH + 1))).toBeUndefined();
    expect(Object.keys(toolInput({ a: nested(MAX_JSON_DEPTH) }))).toEqual([UNPARSED_INPUT]);
  });
});
