/** What a provider wants back with its model's own output goes back as it came, and only to the model that sent it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { TranscriptEntry } from "../../../actors/job/ports.ts";
import type { Block } from "../../../actors/job/schema.ts";
import { transcriptPart, transcriptEventOf } from "../../../actors/job/transcript.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { MAX_STATE_CHARS } from "../../../src/runner/answer-limits.ts";
import { createModels } from "../../../src/runner/models.ts";
import { modelCall, NO_MODELS, run, WEATHER } from "../../support/model-calls.ts";
import { type FormatName, modelsBy, type Way, WAYS } from "../../support/model-ways.ts";
import { framesOf as frames, startStreamServer, type StreamServer } from "../../support/stream-server.ts";

let server: StreamServer;
beforeEach(() => void (server = startStreamServer()));
afterEach(() => server.stop());

const wayOf = (format: FormatName, isReference = false): Way =>
  WAYS.find((way) => way.format === format && way.isReference === isReference)!;
const chunk = (delta: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const callPiece = (more: object = {}): object => ({
  index: 0,
  id: "c1",
  type: "function",
  function: { name: "weather", arguments: '{"town":"Ulm"}' },
  ...more,
});
const BODY = (body: unknown): Record<string, JsonObject[]> => body as Record<string, JsonObject[]>;

/** The blocks of an answer, as a job stores and reads them again. */
async function stored(way: Way, answer: readonly string[], model = "fake-model"): Promise<Block[]> {
  server.answer = answer;
  const { outcome } = await run(modelsBy(way, server.baseUrl, { model }), modelCall("hi", { tools: [WEATHER] }));
  if (outcome.kind !== "finished") throw new Error(JSON.stringify(outcome));
  const events = outcome.blocks.map((block) => JSON.stringify(transcriptEventOf(block)));
  return events.map((event) => transcriptPart(JSON.parse(event) as JsonObject) as Block);
}

/** The messages of the next request, after the result of the call. */
async function next(way: Way, blocks: readonly Block[], model = "fake-model", more: readonly TranscriptEntry[] = []) {
  const made = blocks.filter((block) => block.type === "tool_use");
  const results = made.map(({ id }): Block => ({
    type: "tool_result",
    tool_use_id: id,
    content: "rain",
    is_error: false,
  }));
  const entries: TranscriptEntry[] = [
    { role: "user", text: "hi" },
    { role: "assistant", blocks: [...blocks, ...results] },
    ...more,
  ];
  server.answer = [];
  await run(modelsBy(way, server.baseUrl, { model }), modelCall(entries, { tools: [WEATHER] }));
  const body = BODY(server.bodies.at(-1));
  return body["messages"] ?? body["input"] ?? [];
}

describe("chat completions", () => {
  const way = wayOf("chat completions");
  const SIGNATURE = { google: { thought_signature: "c2lnbmF0dXJl+/=" } };
  const GEMINI = frames(
    chunk({ role: "assistant", tool_calls: [callPiece({ extra_content: SIGNATURE })] }),
    chunk({ tool_calls: [{ ...callPiece(), index: 1, id: "c2" }] }),
    chunk({}, "tool_calls"),
  );

  test("[RUN-22] the thought signature of a call goes back with that call", async () => {
    const [, said] = await next(way, await stored(way, GEMINI));
    expect(said).toMatchObject({ tool_calls: [{ extra_content: SIGNATURE }, {}] });
    expect(JSON.stringify(said).match(/extra_content/g)).toHaveLength(1);
  });

  test("[RUN-22] state of one model is not sent to another one", async () => {
    expect(JSON.stringify(await next(way, await stored(way, GEMINI), "another"))).not.toContain("extra_content");
  });

  test("[RUN-22] the reasoning of a turn with calls goes back under its own name, whole", async () => {
    const answer = frames(
      chunk({ reasoning_content: "First " }),
      chunk({ reasoning_content: " the  town.\n" }),
      chunk({ content: "I look.", tool_calls: [callPiece()] }),
      chunk({}, "tool_calls"),
    );
    const blocks = await stored(way, answer);
    expect((await next(way, blocks))[1]).toMatchObject({
      reasoning_content: "First  the  town.\n",
      content: "I look.",
    });
    // R1, which makes no calls, refuses reasoning.
    const plain = await stored(way, frames(chunk({ reasoning_content: "Hm." }), chunk({ content: "Hi." }, "stop")));
    expect((await next(way, plain))[1]).toEqual({ role: "assistant", content: "Hi." });
  });

  test("[RUN-22] unknown fields of a message go back, their pieces joined", async () => {
    const detail = (more: object): object => ({ type: "reasoning.text", index: 0, format: "x", ...more });
    const answer = frames(
      chunk({ reasoning_details: [detail({ text: "A" })], note: { a: 1 } }),
      chunk({ reasoning_details: [detail({ text: "B", signature: "s1" })], note: { b: [2] } }),
      chunk({ reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "ZZ" }], content: "Hi." }),
      chunk({ tool_calls: [callPiece({ function: { name: "weather", arguments: "{}", mark: "m" } })] }),
      chunk({}, "tool_calls"),
    );
    expect((await next(way, await stored(way, answer)))[1]).toMatchObject({
      content: "Hi.",
      note: { a: 1, b: [2] },
      reasoning_details: [
        detail({ text: "AB", signature: "s1" }),
        { type: "reasoning.encrypted", index: 1, data: "ZZ" },
      ],
      tool_calls: [{ function: { name: "weather", mark: "m" } }],
    });
  });

  test("[RUN-22] state up to its limit is kept; beyond it none of the answer's state is", async () => {
    const around = JSON.stringify({ note: "" }).length;
    const answer = (chars: number): string[] =>
      frames(chunk({ note: "n".repeat(chars - around), tool_calls: [callPiece()] }), chunk({}, "tool_calls"));
    expect((await next(way, await stored(way, answer(MAX_STATE_CHARS))))[1]).toHaveProperty("note");
    expect((await next(way, await stored(way, answer(MAX_STATE_CHARS + 1))))[1]).not.toHaveProperty("note");
  });

  test("[RUN-22] a provider that refuses its own state is called again without it, and does not get it later", async () => {
    const models = createModels({ ...NO_MODELS, model: "openai-compatible:m", openaiBaseUrl: server.baseUrl });
    server.answer = frames(chunk({ channel: "final", content: "Hi." }, "stop"));
    const { outcome } = await run(models, modelCall("hi"));
    const blocks = outcome.kind === "finished" ? outcome.blocks : [];
    server.refusal = (body) =>
      JSON.stringify(body).includes('"channel"') ? "property 'messages.1.channel' is unsupported" : null;
    const entries: TranscriptEntry[] = [
      { role: "user", text: "hi" },
      { role: "assistant", blocks },
      { role: "user", text: "so" },
    ];
    for (const asked of [3, 4]) {
      expect((await run(models, modelCall(entries))).outcome.kind).toBe("finished");
      expect(server.bodies).toHaveLength(asked);
    }
  });

  test("[RUN-22] calls of another model get placeholders for state that the provider requires", async () => {
    const foreign = await stored(way, frames(chunk({ tool_calls: [callPiece()] }), chunk({}, "tool_calls")), "another");
    server.refusal = (body) =>
      JSON.stringify(body).includes("thought_signature")
        ? null
        : "Function call is missing a thought_signature in functionCall parts.";
    expect((await next(way, foreign))[1]).toMatchObject({
      tool_calls: [{ extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } }],
    });
    server.refusal = (body) =>
      JSON.stringify(body).includes("reasoning_content")
        ? null
        : "Missing `reasoning_content` field in the assistant message at message index 1.";
    expect((await next(way, foreign))[1]).toMatchObject({ reasoning_content: " " });
  });
});

describe("messages", () => {
  const way = wayOf("messages");
  const event = (type: string, more: object): object => ({ type, ...more });
  const block = (index: number, content_block: object, ...deltas: readonly object[]): object[] => [
    event("content_block_start", { index, content_block }),
    ...deltas.map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
  const ANSWER = frames(
    event("message_start", { message: { usage: { input_tokens: 1 } } }),
    ...block(
      0,
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: " Hm,  " },
      { type: "thinking_delta", thinking: "Ulm.\n" },
      { type: "signature_delta", signature: "EqQBCg+/=" },
    ),
    ...block(1, { type: "redacted_thinking", data: "EmwKAhgB" }),
    ...block(2, { type: "text", text: "" }, { type: "text_delta", text: "I look." }),
    ...block(
      3,
      { type: "tool_use", id: "t1", name: "weather", input: {} },
      { type: "input_json_delta", partial_json: "{}" },
    ),
    event("message_delta", { delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } }),
    event("message_stop", {}),
  );

  for (const isReference of [false, true])
    test(`[RUN-22] signed and redacted thinking goes back as it was, before the text (${isReference ? "AI SDK" : "ours"})`, async () => {
      const one = wayOf("messages", isReference);
      const [, said] = await next(one, await stored(one, ANSWER));
      expect(said?.["content"]).toMatchObject([
        { type: "thinking", thinking: " Hm,  Ulm.\n", signature: "EqQBCg+/=" },
        { type: "redacted_thinking", data: "EmwKAhgB" },
        { type: "text", text: "I look." },
        { type: "tool_use", name: "weather" },
      ]);
    });

  test("[RUN-22] thinking is shown as reasoning, and redacted thinking is not shown", async () => {
    const shown = (await stored(way, ANSWER)).map((one) => [one.type, "text" in one ? one.text : ""]);
    expect(shown).toEqual([
      ["reasoning", "Hm,  Ulm."],
      ["text", "I look."],
      ["tool_use", ""],
    ]);
  });

  test("[RUN-22] another model gets only the text and the calls", async () => {
    const [, said] = await next(way, await stored(way, ANSWER), "claude-another");
    expect(said?.["content"]).toMatchObject([{ type: "text" }, { type: "tool_use" }]);
  });
});

describe("responses", () => {
  const way = wayOf("responses");
  const ITEM = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAAB+/=" };
  const ANSWER = frames(
    { type: "response.output_item.added", output_index: 0, item: { ...ITEM, encrypted_content: null } },
    { type: "response.output_item.done", output_index: 0, item: ITEM },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: { type: "message", id: "msg_1", phase: "commentary" },
    },
    { type: "response.output_text.delta", output_index: 1, delta: "I look." },
    {
      type: "response.output_item.done",
      output_index: 1,
      item: { type: "message", id: "msg_1", role: "assistant", status: "completed", phase: "commentary", content: [] },
    },
    {
      type: "response.output_item.added",
      output_index: 2,
      item: { type: "function_call", call_id: "c1", name: "weather", arguments: "" },
    },
    {
      type: "response.output_item.done",
      output_index: 2,
      item: { type: "function_call", id: "fc_1", call_id: "c1", name: "weather", arguments: "{}", status: "completed" },
    },
    { type: "response.completed", response: { usage: { input_tokens: 1, output_tokens: 2 } } },
  );

  test("[RUN-22] encrypted reasoning is requested, stored nowhere else, and goes back before its item", async () => {
    const input = await next(way, await stored(way, ANSWER, "gpt-5-mini"), "gpt-5-mini");
    expect(server.bodies.at(-1)).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(input.slice(1, 4)).toEqual([
      ITEM,
      { role: "assistant", content: "I look.", phase: "commentary" },
      { type: "function_call", call_id: "call00001", name: "weather", arguments: "{}" },
    ]);
  });

  test("[RUN-22] no encrypted reasoning is requested from a model that does not reason, or that refuses it", async () => {
    await stored(way, ANSWER, "gpt-4.1");
    expect(server.bodies.at(-1)).not.toHaveProperty("include");
    server.refusal = (body) =>
      "include" in (body as object) ? "Encrypted content is not supported with this model." : null;
    await stored(way, ANSWER, "gpt-next");
    expect(server.bodies.at(-1)).not.toHaveProperty("include");
  });
});
