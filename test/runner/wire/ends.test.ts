/** How answers end in each format: cut, silent, whole at once, and over connections that stay open or break. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startFakeOpenAi } from "../../support/fake-openai.ts";
import type { FakeAnswer, FakeProvider } from "../../support/fake-provider.ts";
import { fakeTimers } from "../../support/fake-timers.ts";
import { toldOf } from "../../support/chat-quirks.ts";
import { modelCall, run, WEATHER } from "../../support/model-calls.ts";
import { type FormatName, modelsBy, WAYS } from "../../support/model-ways.ts";

let server: FakeProvider;
beforeAll(async () => void (server = await startFakeOpenAi()));
afterAll(() => server.stop());

const frames = (...data: readonly unknown[]): string =>
  data.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("");

async function read(format: FormatName, answer: Partial<Extract<FakeAnswer, { kind: "body" }>>): Promise<string> {
  server.answer({ kind: "body", body: "", ...answer });
  const way = WAYS.find((one) => one.format === format && !one.isReference)!;
  const { outcome } = await run(modelsBy(way, server.baseUrl), modelCall("hi", { tools: [WEATHER] }));
  return toldOf(outcome);
}

const start = { type: "message_start", message: { usage: { input_tokens: 3, output_tokens: 1 } } };
const text = (index: number, words: string): unknown[] => [
  { type: "content_block_start", index, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index, delta: { type: "text_delta", text: words } },
  { type: "content_block_stop", index },
];
const ends = (stop_reason: string) => ({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 5 } });

describe("messages", () => {
  for (const after of ["open", "reset", undefined] as const)
    test(`[RUN-26] a stop reason with its tokens is the end, and the connection does not matter: ${after}`, async () => {
      const body = frames(start, ...text(0, "Hi"), ends("end_turn"));
      expect(await read("messages", { body, after })).toBe('"Hi" =stop 3+5');
    });

  test("[RUN-26] a call that the token limit cuts is reported with the part that has arrived", async () => {
    const block = { type: "tool_use", id: "a", name: "weather", input: {} };
    const body = frames(
      start,
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"to' } },
      ends("max_tokens"),
      { type: "message_stop" },
    );
    expect(await read("messages", { body })).toBe('weather({"_unparsed_input":"{\\"to"})#a =length 3+5');
  });

  test("[RUN-26] a whole JSON answer, and a JSON error, are read", async () => {
    const headers = { "content-type": "application/json" };
    const content = [
      { type: "thinking", thinking: "Hm.", signature: "x" },
      { type: "text", text: "Hi" },
      { type: "tool_use", id: "a", name: "weather", input: { town: "Ulm" } },
    ];
    const usage = { input_tokens: 3, output_tokens: 5 };
    const answer = { type: "message", role: "assistant", content, stop_reason: "tool_use", usage };
    expect(await read("messages", { headers, body: JSON.stringify(answer) })).toBe(
      '~"Hm." "Hi" weather({"town":"Ulm"})#a =tool_use 3+5',
    );
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(await read("messages", { headers, body: JSON.stringify(error) })).toBe(
      "!The model provider answered with an error (HTTP 529). It said: Overloaded",
    );
  });

  test("[RUN-26] pings, null and frames without a type are ignored", async () => {
    const body = frames("null", {}, { type: "ping" }, start, ...text(0, "Hi"), [], ends("end_turn"));
    expect(await read("messages", { body })).toBe('"Hi" =stop 3+5');
  });
});

const delta = (words: string) => ({ type: "response.output_text.delta", output_index: 0, delta: words });
const usage = { input_tokens: 3, output_tokens: 5 };
const made = { type: "function_call", call_id: "a", name: "weather" };

describe("responses", () => {
  for (const after of ["open", "reset"] as const)
    test(`[RUN-26] the last event is the end, and the connection does not matter: ${after}`, async () => {
      const body = frames(delta("Hi"), { type: "response.completed", response: { usage } });
      expect(await read("responses", { body, after })).toBe('"Hi" =stop 3+5');
    });

  test("[RUN-26] [DONE] of a proxy is the end too", async () => {
    expect(await read("responses", { body: frames(delta("Hi"), "[DONE]"), after: "open" })).toBe('"Hi" =other 0+0');
  });

  test("[RUN-26] a call that was cut before its item was done is reported with what there is of it", async () => {
    const body = frames(
      { type: "response.output_item.added", output_index: 0, item: { ...made, arguments: "" } },
      { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"to' },
      {
        type: "response.incomplete",
        response: { usage, incomplete_details: { reason: "max_output_tokens" } },
      },
    );
    expect(await read("responses", { body })).toBe('weather({"_unparsed_input":"{\\"to"})#a =length 3+5');
  });

  test("[RUN-26] a whole JSON answer is read", async () => {
    const output = [
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [] }] },
      { ...made, arguments: '{"town":"Ulm"}' },
    ];
    const answer = { object: "response", status: "completed", output, usage, error: null };
    expect(await read("responses", { body: JSON.stringify(answer) })).toBe(
      '~"Hm." "Hi" weather({"town":"Ulm"})#a =tool_use 3+5',
    );
    const failed = { object: "response", status: "failed", output: [], error: { code: "server_error", message: "No" } };
    expect(await read("responses", { body: JSON.stringify(failed) })).toBe(
      "!The model provider answered with an error (HTTP 500). It said: No",
    );
  });
});

test("[RUN-26] an answer counts soon after its finish reason, even if the server then stays silent", async () => {
  const timers = fakeTimers();
  const body = frames(
    { choices: [{ index: 0, delta: { content: "Hi" } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  );
  server.answer({ kind: "body", body, after: "open" });
  const way = WAYS.find(({ format, isReference }) => format === "chat completions" && !isReference)!;
  const seen = Promise.withResolvers<void>();
  const call = modelsBy(way, server.baseUrl, { timers }).call(
    modelCall("hi"),
    () => seen.resolve(),
    new AbortController().signal,
  );
  await seen.promise;
  timers.advance(5_000);
  expect(toldOf(await call)).toBe('"Hi" =stop 0+0');
  await server.requests.at(-1)?.closed;
});

test("[RUN-26] the connection of an answer that has ended is used again", async () => {
  const done = frames({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] }, "[DONE]");
  const before = server.connections;
  await read("chat completions", { body: done });
  await read("chat completions", { body: done });
  await read("chat completions", { body: done });
  expect(server.connections - before).toBeLessThanOrEqual(1);
});
