/** Calls that go well, over real sockets: the answer, the tools, the request that was sent. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ModelPort, TranscriptEntry } from "../../actors/job/ports.ts";
import { createModels } from "../../src/runner/models.ts";
import { loadModel } from "../../src/runner/providers.ts";
import { MAX_REASONING_CHARS, streamCall } from "../../src/runner/stream-call.ts";
import { UNPARSED_INPUT } from "../../src/runner/tool-input.ts";
import { realTimers } from "../../src/runner/watchdog.ts";
import { startFakeAnthropic } from "../support/fake-anthropic.ts";
import { startFakeOpenAi } from "../support/fake-openai.ts";
import type { FakeProvider } from "../support/fake-provider.ts";
import { modelCall, NO_MODELS, ORIGIN, run, textOf, WEATHER } from "../support/model-calls.ts";

const HISTORY: readonly TranscriptEntry[] = [
  { role: "user", text: "Weather?" },
  {
    role: "assistant",
    blocks: [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "x", name: "weather", input: { town: "Ulm" } },
      { type: "tool_result", tool_use_id: "x", content: "rain", is_error: false },
    ],
  },
];

for (const [dialect, start] of [
  ["openai", startFakeOpenAi],
  ["anthropic", startFakeAnthropic],
] as const) {
  describe(`calls of ${dialect}`, () => {
    let fake: FakeProvider;
    let models: ModelPort;
    beforeEach(async () => {
      fake = await start();
      models = createModels({
        ...NO_MODELS,
        model: `${dialect}:fake-model`,
        anthropicApiKey: "secret-key",
        openaiApiKey: "secret-key",
        openaiBaseUrl: `${fake.baseUrl}/`,
        anthropicBaseUrl: `${fake.baseUrl}/`,
      });
    });
    afterEach(async () => {
      await fake.stop();
    });

    test("[RUN-1] text is streamed piece by piece and comes whole with its usage", async () => {
      fake.answer({ kind: "stream", text: ["Hel", "lo ", "wor", "ld"], usage: { input: 11, output: 22 } });
      const { outcome, pieces } = await run(models, modelCall("hi"));
      expect(pieces).toEqual(["Hel", "lo ", "wor", "ld"]);
      expect(outcome).toEqual({
        kind: "finished",
        blocks: [{ type: "text", text: "Hello world" }],
        usage: { inputTokens: 11, outputTokens: 22 },
        finishReason: "stop",
      });
    });

    test("[RUN-1] calls come back in order, those with bad arguments too", async () => {
      const calls = [
        { id: "c1", name: "weather", input: '{"town":"Ulm \\ud83d"}' },
        { id: "c2", name: "unknown", input: '{"deep":{"a":[1,null]}}' },
        { id: "c3", name: "weather", input: '{"town":"Ul' },
        { id: "c4", name: "weather", input: "" },
      ];
      fake.answer({ kind: "stream", text: ["One moment."], calls });
      const { outcome } = await run(models, modelCall("hi", { tools: [WEATHER] }));
      expect(outcome).toMatchObject({
        kind: "finished",
        finishReason: "tool_use",
        blocks: [
          { type: "text", text: "One moment." },
          { type: "tool_use", id: "c1", name: "weather", input: { town: "Ulm \ufffd" } },
          { type: "tool_use", id: "c2", name: "unknown", input: { deep: { a: [1, null] } } },
          { type: "tool_use", id: "c3", name: "weather", input: { [UNPARSED_INPUT]: '{"town":"Ul' } },
          { type: "tool_use", id: "c4", name: "weather", input: {} },
        ],
      });
    });

    test("[RUN-1] an answer that reached its length is finished, and says so", async () => {
      fake.answer({ kind: "stream", text: ["half"], finishReason: dialect === "openai" ? "length" : "max_tokens" });
      expect((await run(models, modelCall("hi"))).outcome).toMatchObject({ kind: "finished", finishReason: "length" });
    });

    test("[RUN-1] the request holds model, instructions, tools, key and the transcript in order", async () => {
      await run(models, modelCall(HISTORY, { system: "Be brief.", tools: [WEATHER] }));
      const [request] = fake.requests;
      const body = JSON.stringify(request?.body);
      expect(request?.path).toBe(dialect === "openai" ? "/v1/chat/completions" : "/v1/messages");
      expect(JSON.stringify(request?.headers)).toContain("secret-key");
      expect(request?.body).toMatchObject({ model: "fake-model", stream: true, tools: [{}] });
      const places = ["Be brief.", "Weather?", "I look.", "Ulm", "rain"].map((words) => body.indexOf(words));
      expect(places.every((place) => place >= 0)).toBe(true);
      expect(body).toContain("weather");
    });

    test("[RUN-1] a hundred thousand characters in small pieces arrive whole", async () => {
      const text = Array.from({ length: 5_000 }, (_, index) => `piece number ${index} 😀`);
      fake.answer({ kind: "stream", text });
      const { outcome, pieces } = await run(models, modelCall("hi"));
      expect(textOf(outcome)).toBe(text.join(""));
      expect(pieces.join("")).toBe(text.join(""));
    });
  });
}

describe("what a model thinks", () => {
  test("[SSE-8] comes as a block of its own before the answer, and is bounded", async () => {
    const fake = await startFakeOpenAi();
    try {
      const models = createModels({ ...NO_MODELS, model: "openai-compatible:r1", openaiBaseUrl: `${fake.baseUrl}/` });
      fake.answer({ kind: "stream", thoughts: ["The user ", "greets."], text: ["Hello"] });
      const { outcome, pieces } = await run(models, modelCall("hi"));
      expect(pieces).toEqual(["Hello"]);
      expect(outcome).toMatchObject({
        kind: "finished",
        blocks: [
          { type: "reasoning", text: "The user greets." },
          { type: "text", text: "Hello" },
        ],
      });
      fake.answer({ kind: "stream", thoughts: Array.from({ length: 5 }, () => "x".repeat(MAX_REASONING_CHARS / 4)) });
      const long = await run(models, modelCall("hi"));
      expect(long.outcome).toMatchObject({ blocks: [{ type: "reasoning", text: "x".repeat(MAX_REASONING_CHARS) }] });
    } finally {
      await fake.stop();
    }
  });
});

describe("calls of OpenAI itself", () => {
  const event = (data: { readonly type: string; readonly [key: string]: unknown }): string =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const response = {
    id: "r1",
    created_at: 1,
    model: "gpt-5-mini",
    output: [],
    incomplete_details: null,
    usage: { input_tokens: 4, output_tokens: 2 },
  };
  const begin = [
    event({ type: "response.created", response }),
    event({ type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m1" } }),
    event({ type: "response.output_text.delta", item_id: "m1", delta: "Hello " }),
    event({ type: "response.output_text.delta", item_id: "m1", delta: "world" }),
  ];
  const end = [
    event({ type: "response.output_item.done", output_index: 0, item: { type: "message", id: "m1" } }),
    event({ type: "response.completed", response }),
  ];

  /** The responses API is asked where no other endpoint is set; here its address is given. */
  async function callResponses(frames: readonly string[]) {
    const bodies: unknown[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        bodies.push({ path: new URL(request.url).pathname, body: await request.json() });
        return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
      },
    });
    try {
      const target = {
        kind: "openai" as const,
        provider: "openai",
        name: "gpt-5-mini",
        apiKey: "k",
        baseUrl: `http://127.0.0.1:${server.port}/v1`,
      };
      const outcome = await streamCall({
        async open(abortSignal) {
          const { streamCall: open, model } = await loadModel(target);
          const { stream } = await open({
            model,
            prompt: "hi",
            abortSignal,
            providerOptions: { openai: { store: false } },
          });
          return stream;
        },
        onText: () => {},
        signal: new AbortController().signal,
        stalledStreamMs: 60_000,
        timers: realTimers,
        secrets: [],
        log: undefined,
        origin: ORIGIN,
      });
      return { outcome, bodies };
    } finally {
      await server.stop(true);
    }
  }

  test("[RUN-1] the responses API streams, and keeps nothing", async () => {
    const { outcome, bodies } = await callResponses([...begin, ...end]);
    expect(outcome).toEqual({
      kind: "finished",
      blocks: [{ type: "text", text: "Hello world" }],
      usage: { inputTokens: 4, outputTokens: 2 },
      finishReason: "stop",
    });
    expect(bodies).toMatchObject([{ path: "/v1/responses", body: { store: false, model: "gpt-5-mini" } }]);
  });

  test("[RUN-1] a stream of the responses API that ends early has failed", async () => {
    expect((await callResponses(begin)).outcome).toMatchObject({
      kind: "failed",
      error: { code: "provider_unreachable" },
      partialText: "Hello world",
    });
    expect((await callResponses([])).outcome).toMatchObject({ kind: "failed", error: { code: "provider_error" } });
  });
});

test("[RUN-1] the SDK is loaded by the first call of a provider, and not by the demo", async () => {
  const script = `
    const { createModels } = await import(${JSON.stringify(new URL("../../src/runner/models.ts", import.meta.url).pathname)});
    const settings = ${JSON.stringify({ ...NO_MODELS, openaiBaseUrl: "http://127.0.0.1:1/v1", models: ["openai:x"] })};
    const models = createModels(settings);
    const loaded = () => Object.keys(require.cache).filter((path) => /node_modules.(ai|@ai-sdk)./.test(path)).length > 0;
    const entries = [{ role: "user", text: "x" }];
    const call = (model) => models.call({ model, system: "", entries, tools: [] }, () => {}, new AbortController().signal);
    await call("demo:echo");
    const before = loaded();
    await call("openai:x");
    console.log(JSON.stringify([before, loaded()]));`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  expect(await child.stdout.text()).toBe("[false,true]\n");
});
