import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TranscriptEntry } from "../../actors/job/ports.ts";
import type { Block } from "../../actors/job/schema.ts";
import { conversation as conversationFor } from "../../src/runner/conversation.ts";

const conversation = (entries: readonly TranscriptEntry[]) =>
  conversationFor(entries, { model: "test:model", hasTools: true });

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
  test("[JOB-7] a step with two calls is one message, and its results are the next", () => {
    expect(
      lines([text("Let me look."), use("a"), use("b"), result("a"), result("b", "no", true), text("Rain.")]),
    ).toEqual([
      "assistant: Let me look. | call00001=weather | call00002=weather",
      "tool: call00001→text result of a | call00002→error-text no",
      "assistant: Rain.",
    ]);
  });

  test("[SSE-8] a model's reasoning is not sent back, and separates nothing", () => {
    const thought: Block = { type: "reasoning", text: "hm" };
    expect(lines([thought, text("I look."), thought, use("a"), result("a"), thought, text("Rain.")])).toEqual([
      "assistant: I look. | call00001=weather",
      "tool: call00001→text result of a",
      "assistant: Rain.",
    ]);
    expect(lines([thought])).toEqual([]);
  });

  test("[JOB-7] a late result still follows its call", () => {
    expect(lines([use("a"), use("b"), result("a"), text("then"), result("b")])).toEqual([
      "assistant: call00001=weather | call00002=weather",
      "tool: call00001→text result of a | call00002→text result of b",
      "assistant: then",
    ]);
  });

  test("[JOB-7] a call that was never finished gets a result that says so, and a result without a call is dropped", () => {
    expect(lines([result("z"), use("a"), text("end")])).toEqual([
      "assistant: call00001=weather | end",
      "tool: call00001→error-text There is no result: the call was not finished.",
    ]);
  });

  test("[JOB-7] ids that a server repeats, and names that providers refuse, are adapted", () => {
    expect(
      lines([use("call00000"), result("call00000", "1"), use("call00000", "a b.c"), result("call00000", "2")]),
    ).toEqual([
      "assistant: call00001=weather",
      "tool: call00001→text 1",
      "assistant: call00002=a_b_c",
      "tool: call00002→text 2",
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

const spoken = (entries: readonly TranscriptEntry[], hasTools = true) =>
  conversationFor(entries, { model: "test:model", hasTools }).map((message) => {
    if (message.role === "user") return `user: ${JSON.stringify(message.content)}`;
    if (message.role === "tool") return `tool: ${message.results.map(({ id }) => id).join(" ")}`;
    return `assistant: ${message.parts.map((part) => (part.kind === "text" ? part.text : part.id)).join(" | ")}`;
  });
const user = (words: string): TranscriptEntry => ({ role: "user", text: words });
const assistant = (...blocks: Block[]): TranscriptEntry => ({ role: "assistant", blocks });

describe("neighbours", () => {
  test("[RUN-23] messages of the user around a turn without an answer become one", () => {
    expect(spoken([user("a"), assistant(), user("b"), assistant(text(" ")), user("c")])).toEqual([
      'user: "a\\n\\nb\\n\\nc"',
    ]);
  });

  test("[RUN-23] their images and files stay with them", () => {
    const image = { type: "image", mediaType: "image/png", data: new Uint8Array(1) } as const;
    const [message] = conversation([
      user("a"),
      { role: "user", text: "b", parts: [{ type: "text", text: "b" }, image] },
    ]);
    expect(message).toEqual({
      role: "user",
      content: [{ type: "text", text: "a" }, { type: "text", text: "b" }, image],
    });
  });

  test("[RUN-23] texts of the assistant become one, including those that were cancelled halfway", () => {
    expect(spoken([user("a"), assistant(text("b")), assistant(text("c")), user("d")])).toEqual([
      'user: "a"',
      "assistant: b\n\nc",
      'user: "d"',
    ]);
  });

  test("[RUN-23] the user begins, even if the beginning is omitted", () => {
    expect(spoken([assistant(text("b")), user("c")])[0]).toStartWith("user: ");
  });

  test("[RUN-23] roles alternate, and results follow their calls in order, for any conversation", () => {
    const anyBlock = fc.constantFrom(text("x"), text(""), use("a"), use("b"), result("a"), result("b"));
    const anyEntry = fc.oneof(
      fc.constant(user("u")),
      fc.array(anyBlock, { maxLength: 6 }).map((all) => assistant(...all)),
    );
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 8 }), (entries) => {
        const messages = conversation(entries);
        expect(messages[0]?.role ?? "user").toBe("user");
        for (const [at, message] of messages.entries()) {
          const before = messages[at - 1];
          expect(message.role).not.toBe(before?.role as "user");
          if (message.role !== "tool") continue;
          const calls = before?.role === "assistant" ? before.parts.filter((part) => part.kind === "call") : [];
          expect(message.results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
        }
      }),
    );
  });

  test("[RUN-24] without tools, calls and results are reported as text", () => {
    expect(spoken([user("a"), assistant(text("I look."), use("a"), result("a"), text("Rain."))], false)).toEqual([
      'user: "a"',
      'assistant: I look.\n\n[Call to weather]\n{"id":"a"}',
      'user: "[Result of weather]\\nresult of a"',
      "assistant: Rain.",
    ]);
  });

  test("[RUN-23] ids of calls are nine letters and digits, which Mistral requires", () => {
    expect(spoken([user("a"), assistant(use("some-very-long-id"))])[1]).toMatch(/^assistant: [a-z0-9]{9}$/);
  });
});
