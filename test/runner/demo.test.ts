import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import type { MessagePart, ModelOutcome, TranscriptEntry } from "../../actors/job/ports.ts";
import { type Block, RUN_ERROR_CODES } from "../../actors/job/schema.ts";
import { COUNTED_CHARS, MAX_DEMO_CHARS } from "../../src/runner/demo.ts";
import { MAX_REPEAT, MAX_SLOW_MS } from "../../src/runner/demo-grammar.ts";
import { createModels } from "../../src/runner/models.ts";
import { fakeTimers } from "../support/fake-timers.ts";
import { modelCall, NO_MODELS, run, textOf } from "../support/model-calls.ts";

const demo = createModels(NO_MODELS);

/** Runs a message with tools that answer their own name, until an answer without calls. */
async function play(message: string): Promise<{ answers: readonly ModelOutcome[]; blocks: readonly Block[] }> {
  const answers: ModelOutcome[] = [];
  const blocks: Block[] = [];
  for (let step = 0; step < 5; step += 1) {
    const entries: TranscriptEntry[] = [{ role: "user", text: message }];
    if (step > 0) entries.push({ role: "assistant", blocks });
    const { outcome } = await run(demo, modelCall(entries));
    answers.push(outcome);
    if (outcome.kind !== "finished") break;
    blocks.push(...outcome.blocks);
    const calls = outcome.blocks.filter((block) => block.type === "tool_use");
    if (calls.length === 0) break;
    blocks.push(
      ...calls.map(({ id, name }): Block => ({
        type: "tool_result",
        tool_use_id: id,
        content: `${name} is fine`,
        is_error: name === "bad",
      })),
    );
  }
  return { answers, blocks };
}

describe("the demo model", () => {
  test("[RUN-1] says that it is not a language model, and repeats the message", async () => {
    const { outcome, pieces } = await run(demo, modelCall("How are you?"));
    expect(textOf(outcome)).toBe(
      "This is the built-in demo. It is not a language model; it repeats its input. You wrote: How are you?",
    );
    expect(pieces.length).toBeGreaterThan(10);
    expect(outcome).toMatchObject({
      kind: "finished",
      finishReason: "stop",
      usage: { inputTokens: 3, outputTokens: 20 },
    });
  });

  test("[FAIR-7] counts the words of a long message in slices, each word once", async () => {
    // A word over the end of a slice, and one that ends with it.
    const message = `/say ${"word ".repeat(COUNTED_CHARS / 5)}${"long".repeat(10)} ${"x".repeat(COUNTED_CHARS)}\n/slow 0`;
    const matched = spyOn(String.prototype, "match");
    const { outcome } = await run(demo, modelCall(message));
    const longest = Math.max(...matched.mock.contexts.map(String).map(({ length }) => length));
    matched.mockRestore();
    expect(longest).toBeLessThanOrEqual(COUNTED_CHARS);
    const words = (text: string): number => text.split(/\s+/).length;
    expect(outcome).toMatchObject({ usage: { inputTokens: words(message), outputTokens: words(textOf(outcome)) } });
  });

  test("[RUN-15] reports the images and files that it received", async () => {
    const parts: readonly MessagePart[] = [
      { type: "text", text: "What is it?" },
      { type: "image", mediaType: "image/png", name: "plan.png", data: new Uint8Array(12) },
      { type: "file", mediaType: "application/pdf", data: new Uint8Array(3) },
    ];
    const { outcome } = await run(demo, modelCall([{ role: "user", text: "What is it?", parts }]));
    expect(textOf(outcome)).toEndWith(
      "You sent: an image (plan.png, image/png, 12 bytes), a file (application/pdf, 3 bytes). You wrote: What is it?",
    );
    expect(outcome).toMatchObject({ usage: { inputTokens: 5 } });
  });

  test("[RUN-1] streams any message in short pieces, which joined are the same answer each time", async () => {
    const text = fc.string({ unit: "binary", maxLength: 60 });
    const message = fc.oneof(
      text,
      text.map((words) => `/say ${words}`),
      text.map((words) => `/call ${words}`),
    );
    await fc.assert(
      fc.asyncProperty(message, async (words) => {
        const first = await run(demo, modelCall(words));
        const second = await run(demo, modelCall(words));
        expect(second).toEqual(first);
        if (first.outcome.kind === "finished") expect(first.pieces.join("")).toBe(textOf(first.outcome));
        for (const piece of first.pieces)
          expect(piece.length > 0 && piece.length <= 16 && piece.isWellFormed() && !piece.includes("\0")).toBe(true);
      }),
    );
  });

  test("[RUN-1] lets other work run between two pieces", async () => {
    let others = 0;
    const seen: number[] = [];
    const other = setInterval(() => {
      others += 1;
    }, 0);
    await demo.call(modelCall(`/say ${"word ".repeat(2_000)}`), () => seen.push(others), new AbortController().signal);
    clearInterval(other);
    expect(new Set(seen).size).toBeGreaterThan(1);
  });

  test("[RUN-1] /say answers exactly, over several lines", async () => {
    expect(textOf((await run(demo, modelCall("/say  one\ntwo\n/say three"))).outcome)).toBe(" one\ntwo\nthree");
  });

  test("[RUN-1] /repeat repeats the text, up to its limits", async () => {
    expect(textOf((await run(demo, modelCall("/say ab\n/repeat 3"))).outcome)).toBe("ababab");
    expect(textOf((await run(demo, modelCall(`/say ab\n/repeat ${MAX_REPEAT + 1}`))).outcome)).toMatch(
      /^\/repeat needs a whole number from 1 to 10000/,
    );
    const long = textOf((await run(demo, modelCall(`/say ${"x".repeat(1_000)}\n/repeat ${MAX_REPEAT}`))).outcome);
    expect(long.length).toBeLessThanOrEqual(MAX_DEMO_CHARS);
    expect(long.length).toBeGreaterThan(MAX_DEMO_CHARS - 1_000);
  });

  test("[RUN-1] /call really calls tools, several in one step, and the results are reported", async () => {
    const { answers, blocks } = await play('/call good {"a": [1, "x"]}\n/call bad');
    expect(answers[0]).toMatchObject({
      kind: "finished",
      finishReason: "tool_use",
      blocks: [
        { type: "tool_use", id: "demo_call_1", name: "good", input: { a: [1, "x"] } },
        { type: "tool_use", id: "demo_call_2", name: "bad", input: {} },
      ],
    });
    expect(answers).toHaveLength(2);
    expect(blocks.at(-1)).toEqual({ type: "text", text: "good answered: good is fine\nbad failed: bad is fine" });
  });

  test("[RUN-1] /then separates steps; ids continue over the whole chat", async () => {
    const { blocks } = await play("first\n/call a\n/then\n/call b\n/then\n/say done");
    expect(blocks.filter((block) => block.type === "tool_use").map(({ id, name }) => `${id} ${name}`)).toEqual([
      "demo_call_1 a",
      "demo_call_2 b",
    ]);
    expect(blocks[0]?.type === "text" && blocks[0].text).toMatch(/You wrote: first$/);
    expect(blocks.at(-1)).toEqual({ type: "text", text: "done" });
    const next = await run(
      demo,
      modelCall([
        { role: "user", text: "x" },
        { role: "assistant", blocks },
        { role: "user", text: "/call c" },
      ]),
    );
    expect(next.outcome).toMatchObject({ blocks: [{ id: "demo_call_3" }] });
  });

  test("[RUN-1] /loop calls forever", async () => {
    const { answers } = await play("/call a\n/loop");
    expect(answers).toHaveLength(5);
    expect(answers.every((answer) => answer.kind === "finished" && answer.finishReason === "tool_use")).toBe(true);
  });

  for (const code of RUN_ERROR_CODES) {
    test(`[RUN-1] /fail ${code} fails with it, after the text`, async () => {
      const { outcome, pieces } = await run(demo, modelCall(`/say some text\n/fail ${code} 1500`));
      expect(outcome).toMatchObject({ kind: "failed", error: { code, retryAfterMs: 1_500 }, partialText: "some text" });
      expect(pieces.join("")).toBe("some text");
    });
  }

  test("[RUN-1] /fail without a text fails before any output", async () => {
    const { outcome, pieces } = await run(demo, modelCall("/fail provider_error"));
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "provider_error" }, partialText: "" });
    expect(pieces).toEqual([]);
  });

  test("[RUN-3] /stall sends nothing until the limit", async () => {
    const timers = fakeTimers();
    const said = Promise.withResolvers<void>();
    const call = createModels(NO_MODELS, undefined, { timers }).call(
      modelCall("/say x\n/stall"),
      () => said.resolve(),
      new AbortController().signal,
    );
    await said.promise;
    await armed(timers);
    timers.advance(60_000);
    expect(await call).toMatchObject({ kind: "failed", error: { code: "provider_stalled" }, partialText: "x" });
  });

  test("[RUN-3] /slow waits between the pieces, and an abort ends the wait", async () => {
    const timers = fakeTimers();
    const controller = new AbortController();
    const pieces: string[] = [];
    const call = createModels(NO_MODELS, undefined, { timers }).call(
      modelCall("/slow 500\n/say a b c"),
      (piece) => pieces.push(piece),
      controller.signal,
    );
    timers.advance(499);
    await Promise.resolve();
    expect(pieces).toEqual([]);
    timers.advance(1);
    await armed(timers);
    expect(pieces).toEqual(["a"]);
    controller.abort();
    expect(await call).toEqual({ kind: "aborted", partialText: "a" });
    expect(timers.pending()).toBe(0);
  });

  test("[RUN-3] a call that is already aborted sends nothing", async () => {
    expect(await run(demo, modelCall("/stall"), AbortSignal.abort())).toEqual({
      outcome: { kind: "aborted", partialText: "" },
      pieces: [],
    });
  });

  test("[RUN-1] a receiver that throws fails the call", async () => {
    const outcome = await demo.call(
      modelCall("hi"),
      () => {
        throw new Error("secret");
      },
      new AbortController().signal,
    );
    expect(outcome).toMatchObject({
      kind: "failed",
      error: { code: "internal_error", message: expect.not.stringContaining("secret") },
    });
  });

  const mistakes: readonly (readonly [string, RegExp])[] = [
    ["/nonsense", /^There is no command \/nonsense\./],
    ["/", /^There is no command \/\./],
    ["/constructor", /^There is no command \/constructor\./],
    ["/call", /^\/call needs the name of a tool/],
    ["/call a b", /^The arguments of \/call a are not a JSON object\./],
    ["/call a [1]", /^The arguments of \/call a are not a JSON object\./],
    ["/fail me", /^\/fail needs one of these codes: provider_unreachable/],
    ["/fail timeout soon", /^The wait of \/fail needs a whole number/],
    [`/slow ${MAX_SLOW_MS + 1}`, /^\/slow needs a whole number from 0 to 10000/],
    ["/help", /^This is the built-in demo/],
  ];
  for (const [message, words] of mistakes) {
    test(`[RUN-1] answers ${message} with the grammar`, async () => {
      const text = textOf((await run(demo, modelCall(message))).outcome);
      expect(text).toMatch(words);
      expect(text).toContain("/call NAME {json}");
    });
  }
});

/** Resolves when the call waits on a timer: it gets there over turns of the event loop. */
async function armed(timers: { pending(): number }): Promise<void> {
  while (timers.pending() === 0)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}
