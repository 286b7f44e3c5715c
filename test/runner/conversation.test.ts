import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Block } from "../../actors/job/schema.ts";
import { conversation } from "../../src/runner/conversation.ts";

const text = (words: string): Block => ({ type: "text", text: words });
const use = (id: string, name = "weather"): Block => ({ type: "tool_use", id, name, input: { id } });
const result = (id: string, content = `result of ${id}`, isError = false): Block => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  is_error: isError,
});

/** One line for each message, short enough to compare. */
const lines = (blocks: readonly Block[]): string[] =>
  conversation([
    { role: "user", text: "hi" },
    { role: "assistant", blocks },
  ])
    .slice(1)
    .map((message) => {
      if (message.role === "user") return `user: ${String(message.content)}`;
      const parts =
        message.role === "tool"
          ? message.results.map(({ id, text, isError }) => `${id}→${isError ? "error-text" : "text"} ${text}`)
          : message.parts.map((part) => (part.kind === "text" ? part.text : `${part.id}=${part.name}`));
      return `${message.role}: ${parts.join(" | ")}`;
    });

describe("the transcript as messages", () => {
  test("[JOB-7] a step with two calls is one message, its results the next", () => {
    expect(
      lines([text("Let me look."), use("a"), use("b"), result("a"), result("b", "no", true), text("Rain.")]),
    ).toEqual([
      "assistant: Let me look. | call_1=weather | call_2=weather",
      "tool: call_1→text result of a | call_2→error-text no",
      "assistant: Rain.",
    ]);
  });

  test("[SSE-8] what a model thought is not sent back, and parts nothing", () => {
    const thought: Block = { type: "reasoning", text: "hm" };
    expect(lines([thought, text("I look."), thought, use("a"), result("a"), thought, text("Rain.")])).toEqual([
      "assistant: I look. | call_1=weather",
      "tool: call_1→text result of a",
      "assistant: Rain.",
    ]);
    expect(lines([thought])).toEqual([]);
  });

  test("[JOB-7] a result that comes late follows its call all the same", () => {
    expect(lines([use("a"), use("b"), result("a"), text("then"), result("b")])).toEqual([
      "assistant: call_1=weather | call_2=weather",
      "tool: call_1→text result of a | call_2→text result of b",
      "assistant: then",
    ]);
  });

  test("[JOB-7] a call that was never finished gets a result that says so, and a result without a call is dropped", () => {
    expect(lines([result("z"), use("a"), text("end")])).toEqual([
      "assistant: call_1=weather | end",
      "tool: call_1→error-text There is no result: the call was not finished.",
    ]);
  });

  test("[JOB-7] ids that a server repeats, and names that no provider takes, are made fit", () => {
    expect(lines([use("call_0"), result("call_0", "1"), use("call_0", "a b.c"), result("call_0", "2")])).toEqual([
      "assistant: call_1=weather",
      "tool: call_1→text 1",
      "assistant: call_2=a_b_c",
      "tool: call_2→text 2",
    ]);
  });

  test("[JOB-7] blank text and empty answers leave no message", () => {
    expect(lines([text(" \n")])).toEqual([]);
    expect(lines([])).toEqual([]);
  });

  test("[JOB-7] whatever the blocks, each call has one result, in the message right after it", () => {
    const id = fc.constantFrom("a", "b", "c");
    const block = fc.oneof(
      fc.constantFrom("x", " ").map(text),
      id.map((name) => use(name)),
      id.map((name) => result(name)),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), (blocks) => {
        const messages = conversation([
          { role: "user", text: "hi" },
          { role: "assistant", blocks },
        ]);
        for (const [index, message] of messages.entries()) {
          if (message.role === "tool") expect(messages[index - 1]?.role).toBe("assistant");
          if (message.role !== "assistant") continue;
          const calls = message.parts.flatMap((part) => (part.kind === "call" ? [part.id] : []));
          const next = messages[index + 1];
          expect(next?.role === "tool" ? next.results.map(({ id }) => id) : []).toEqual(calls);
        }
      }),
    );
  });
});
