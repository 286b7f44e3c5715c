/** What providers report of their prompt caches, in the words of each. */
import { expect, test } from "bun:test";
import type { LanguageModelUsage } from "ai";
import { createModels } from "../../../src/runner/models.ts";
import { type AnswerSink, CollectedAnswer } from "../../../src/runner/answer.ts";
import { reportPart } from "../../../src/runner/ai-sdk/source.ts";
import { ChatChunks } from "../../../src/runner/wire/chat-chunks.ts";
import { MessageEvents } from "../../../src/runner/wire/message-events.ts";
import { ResponseEvents } from "../../../src/runner/wire/response-events.ts";
import { parsePrices, PriceTable } from "../../../src/settings/price-table.ts";
import { systemClock } from "../../../src/wiring/clock.ts";
import { pricedModels } from "../../../src/wiring/priced.ts";
import { startFakeAnthropic } from "../../support/fake-anthropic.ts";
import { modelCall, NO_MODELS, run } from "../../support/model-calls.ts";
import { framesOf, startStreamServer } from "../../support/stream-server.ts";

/** The usage that is collected from these frames, and how often the provider counted more than is possible. */
function usageOf(read: (sink: AnswerSink) => void) {
  let impossible = 0;
  const nothing = (): void => {};
  const receiver = { onText: nothing, onChars: nothing, onLongState: nothing, onWhole: nothing };
  const answer = new CollectedAnswer({ ...receiver, onImpossibleUsage: () => impossible++ }, "a:b");
  read(answer);
  return { ...answer.counted, ...(impossible === 0 ? {} : { impossible }) };
}
const messages = (...frames: readonly object[]) =>
  usageOf((sink) => {
    const reader = new MessageEvents(sink);
    for (const frame of frames) reader.take(frame);
  });
const chat = (usage: object, choice: object = {}) =>
  usageOf((sink) =>
    new ChatChunks(sink, "tags").take({ choices: [{ delta: {}, finish_reason: "stop", ...choice }], usage }),
  );
const responses = (usage: object) =>
  usageOf((sink) => new ResponseEvents(sink).take({ type: "response.completed", response: { usage } }));
const sdk = (usage: Partial<LanguageModelUsage>) =>
  usageOf((sink) => {
    const part = { type: "model-call-end", finishReason: "stop", rawFinishReason: "stop", usage };
    reportPart(part as unknown as Parameters<typeof reportPart>[0], sink);
  });

test("[RUN-33] Anthropic counts cached and written tokens beside the others, and says which stay for an hour", () => {
  const usage = {
    input_tokens: 100,
    cache_read_input_tokens: 9_000,
    cache_creation_input_tokens: 900,
    cache_creation: { ephemeral_5m_input_tokens: 600, ephemeral_1h_input_tokens: 300 },
    output_tokens: 1,
  };
  const start = { type: "message_start", message: { type: "message", usage } };
  const counted = {
    inputTokens: 10_000,
    outputTokens: 1,
    cachedInputTokens: 9_000,
    cacheWriteTokens: 900,
    hourWriteTokens: 300,
  };
  expect(messages(start)).toEqual({ ...counted, outputTokens: 0 });
  const end = { type: "message_delta", delta: { stop_reason: "end_turn" } };
  expect(messages(start, { ...end, usage: { output_tokens: 7 } })).toEqual({ ...counted, outputTokens: 7 });
  // Counts of the end replace those of the beginning, one by one.
  expect(messages(start, { ...end, usage: { output_tokens: 7, cache_read_input_tokens: 8_000 } })).toEqual({
    ...counted,
    inputTokens: 9_000,
    cachedInputTokens: 8_000,
    outputTokens: 7,
  });
  const nulls = { input_tokens: 5, cache_read_input_tokens: null, cache_creation_input_tokens: null };
  expect(messages({ type: "message_start", message: { usage: { ...nulls, cache_creation: null } } })).toEqual({
    inputTokens: 5,
    outputTokens: 0,
  });
});

test.each([
  ["OpenAI", { prompt_tokens_details: { cached_tokens: 1_024, audio_tokens: 0 } }, [1_024, 0]],
  [
    "OpenAI and OpenRouter, with written tokens",
    { prompt_tokens_details: { cached_tokens: 1_000, cache_write_tokens: 200 } },
    [1_000, 200],
  ],
  ["Gemini", { prompt_tokens_details: { cached_tokens: 1_500 }, total_tokens: 2_010 }, [1_500, 0]],
  ["DeepSeek", { prompt_cache_hit_tokens: 1_920, prompt_cache_miss_tokens: 80 }, [1_920, 0]],
  ["Moonshot", { cached_tokens: 512 }, [512, 0]],
  ["Mistral before it had details", { num_cached_tokens: 768 }, [768, 0]],
  ["LiteLLM, all in details", { prompt_tokens_details: { cached_tokens: 7, cache_creation_tokens: 3 } }, [7, 3]],
  [
    "Qwen with a cache of its own",
    { prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 1_605 } },
    [0, 1_605],
  ],
  [
    "LiteLLM before Anthropic",
    { prompt_tokens_details: null, cache_read_input_tokens: 700, cache_creation_input_tokens: 300 },
    [700, 300],
  ],
  ["vLLM without details", { prompt_tokens_details: null }, [0, 0]],
  ["a server with other words", { prompt_tokens_details: { cached_tokens: "many" } }, [0, 0]],
] as const)("[RUN-33] chat completions of %s", (_, more, [cached, written]) => {
  expect(chat({ prompt_tokens: 2_000, completion_tokens: 10, ...more })).toEqual({
    inputTokens: 2_000,
    outputTokens: 10,
    ...(cached === 0 ? {} : { cachedInputTokens: cached }),
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
  });
});

test("[RUN-33] the responses format and packages of the AI SDK report both counts", () => {
  const parts = { inputTokens: 2_000, outputTokens: 10, cachedInputTokens: 1_500, cacheWriteTokens: 400 };
  const details = { cached_tokens: 1_500, cache_write_tokens: 400 };
  expect(responses({ input_tokens: 2_000, output_tokens: 10, input_tokens_details: details })).toEqual(parts);
  const { cacheWriteTokens: _, ...withoutWrites } = parts;
  expect(responses({ input_tokens: 2_000, output_tokens: 10, input_tokens_details: { cached_tokens: 1_500 } })).toEqual(
    withoutWrites,
  );
  const inputTokenDetails = { noCacheTokens: 100, cacheReadTokens: 1_500, cacheWriteTokens: 400 };
  expect(sdk({ inputTokens: 2_000, outputTokens: 10, inputTokenDetails })).toEqual(parts);
  const unknown = { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined };
  expect(sdk({ inputTokens: 2_000, outputTokens: 10, inputTokenDetails: unknown })).toEqual({
    inputTokens: 2_000,
    outputTokens: 10,
  });
});

test("[RUN-33] the parts are never more than the input, nor less than nothing", () => {
  const of = (cached_tokens: number, cache_write_tokens: number, prompt_tokens = 10) =>
    chat({ prompt_tokens, completion_tokens: 1, prompt_tokens_details: { cached_tokens, cache_write_tokens } });
  const whole = { inputTokens: 10, outputTokens: 1 };
  expect(of(8, 5)).toEqual({ ...whole, cachedInputTokens: 8, cacheWriteTokens: 2 });
  expect(of(11, 1)).toEqual({ ...whole, cachedInputTokens: 10 });
  expect(of(-5, -1)).toEqual(whole);
  expect(of(2.7, 0)).toEqual({ ...whole, cachedInputTokens: 2 });
  expect(of(1e308, 0)).toEqual({ ...whole, cachedInputTokens: 10, impossible: 1 });
  const negative = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: -9, cache_creation_input_tokens: -9 };
  const hour = { ephemeral_1h_input_tokens: 99 };
  expect(messages({ type: "message_start", message: { usage: { ...negative, cache_creation: hour } } })).toEqual({
    inputTokens: 10,
    outputTokens: 0,
  });
});

test("[RUN-33] [OPS-8] a call costs what its cached and written tokens cost, also if it breaks off", async () => {
  const prices = { input: "3", output: "15", cached_input: "0.3", cache_write: "3.75", cache_write_1h: "6" };
  const table = parsePrices(
    JSON.stringify({ currency: "USD", prices: [{ model: "anthropic:m", from: "2020-01-01", ...prices }] }),
  );
  if (!(table instanceof PriceTable)) throw new Error(table.join("; "));
  const fake = await startFakeAnthropic();
  const { baseUrl: anthropicBaseUrl } = fake;
  const settings = { ...NO_MODELS, model: "anthropic:m", anthropicApiKey: "key", anthropicBaseUrl };
  const models = pricedModels(createModels(settings), table, systemClock);
  try {
    const usage = {
      input_tokens: 100,
      cache_read_input_tokens: 9_000,
      cache_creation_input_tokens: 900,
      cache_creation: { ephemeral_5m_input_tokens: 600, ephemeral_1h_input_tokens: 300 },
    };
    const frames = (...all: readonly { readonly type: string }[]): string =>
      all.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join("");
    const start = { type: "message_start", message: { type: "message", role: "assistant", content: [], usage } };
    const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 500 } };
    fake.answer({ kind: "body", body: frames(start, end, { type: "message_stop" }) });
    const whole = await run(models, modelCall("hi"));
    const counted = { inputTokens: 10_000, cachedInputTokens: 9_000, cacheWriteTokens: 900 };
    // 100 × 3 + 9,000 × 0.3 + 600 × 3.75 + 300 × 6 + 500 × 15 = 14,550
    expect(whole.outcome).toMatchObject({
      kind: "finished",
      usage: { ...counted, outputTokens: 500, cost: "0.01455" },
    });
    fake.answer({ kind: "body", body: frames(start) });
    const broken = await run(models, modelCall("hi"));
    expect(broken.outcome).toMatchObject({ kind: "failed", usage: { ...counted, outputTokens: 0, cost: "0.00705" } });
  } finally {
    await fake.stop();
  }
});

test.each([
  ["flex", "flex", "0.5"],
  // The provider had no room in the tier, and charges the usual price.
  ["priority", "default", "1"],
  // It does not say.
  ["flex", undefined, "0.5"],
  // The provider refuses the setting, and the call is made without it.
  ["priority", "refused", "1"],
  // The tier is a setting of the project.
  [undefined, "flex", "0.5"],
  ["auto", "auto", "1"],
])("[OPS-8] a call in the tier %s that the provider reports as %s costs %s", async (asked, reported, cost) => {
  const server = startStreamServer();
  try {
    const usage = { prompt_tokens: 1_000_000, completion_tokens: 0 };
    const tier = reported === undefined || reported === "refused" ? {} : { service_tier: reported };
    if (reported === "refused") server.refusal = (body) => ("service_tier" in (body as object) ? "service_tier" : null);
    server.answer = framesOf({ choices: [{ delta: { content: "x" }, finish_reason: "stop" }], usage, ...tier });
    const model = { model: "openai:m", from: "2020-01-01", input: "1", output: "0" };
    const prices = [
      model,
      { ...model, service_tier: "flex", input: "0.5" },
      { ...model, service_tier: "priority", input: "2" },
    ];
    const table = parsePrices(JSON.stringify({ currency: "USD", prices }));
    if (!(table instanceof PriceTable)) throw new Error(table.join("; "));
    const models = createModels({ ...NO_MODELS, model: "openai:m", openaiBaseUrl: server.baseUrl });
    const settings = asked === undefined ? {} : { serviceTier: asked };
    const { outcome } = await run(pricedModels(models, table, systemClock), modelCall("hi", { settings }));
    expect(outcome.usage?.cost).toBe(cost);
  } finally {
    await server.stop();
  }
});

test("[OPS-8] every format reports the tier", () => {
  const usage = { input_tokens: 1, output_tokens: 1 };
  expect(messages({ type: "message_start", message: { usage: { ...usage, service_tier: "priority" } } })).toMatchObject(
    {
      serviceTier: "priority",
    },
  );
  const completed = { type: "response.completed", response: { usage, service_tier: "flex" } };
  expect(usageOf((sink) => new ResponseEvents(sink).take(completed))).toMatchObject({ serviceTier: "flex" });
});
