/** Calls that go well, over real sockets: the answer, the tools, the request that was sent. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ModelPort, TranscriptEntry } from "../../actors/job/ports.ts";
import { MAX_REASONING_CHARS } from "../../src/runner/answer.ts";
import { UNPARSED_INPUT } from "../../src/runner/tool-input.ts";
import { startFakeAnthropic } from "../support/fake-anthropic.ts";
import type { FakeProvider } from "../support/fake-provider.ts";
import { modelCall, NO_MODELS, run, textOf, WEATHER, withoutState } from "../support/model-calls.ts";
import { KEY, modelsBy, WAYS } from "../support/model-ways.ts";

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

for (const way of WAYS) {
  describe(`calls of ${way.name}`, () => {
    let fake: FakeProvider;
    let models: Pick<ModelPort, "call">;
    beforeEach(async () => {
      fake = await way.start();
      models = modelsBy(way, `${fake.baseUrl}/`);
    });
    afterEach(async () => {
      await fake.stop();
    });

    test("[RUN-1] text is streamed as it arrives, and is complete at the end, with its usage", async () => {
      fake.answer({ kind: "stream", text: ["Hel", "lo ", "wor", "ld"], usage: { input: 11, output: 22 } });
      const { outcome, pieces } = await run(models, modelCall("hi"));
      expect(pieces.join("")).toBe("Hello world");
      expect(withoutState(outcome)).toEqual({
        kind: "finished",
        blocks: [{ type: "text", text: "Hello world" }],
        usage: { inputTokens: 11, outputTokens: 22 },
        finishReason: "stop",
      });
    });

    test("[RUN-1] calls return in order, those with bad arguments too", async () => {
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

    test("[RUN-1] an answer that reached the length limit is finished, and says so", async () => {
      fake.answer({ kind: "stream", text: ["half"], finishReason: way.lengthReason });
      expect((await run(models, modelCall("hi"))).outcome).toMatchObject({ kind: "finished", finishReason: "length" });
    });

    test("[RUN-1] the request holds model, instructions, tools, key and the transcript in order", async () => {
      await run(models, modelCall(HISTORY, { system: "Be brief.", tools: [WEATHER] }));
      const [request] = fake.requests;
      const body = JSON.stringify(request?.body);
      expect(request?.path).toBe(way.path);
      expect(JSON.stringify(request?.headers)).toContain(KEY);
      expect(request?.body).toMatchObject({ model: "fake-model", stream: true, tools: [{}] });
      const places = ["Be brief.", "Weather?", "I look.", "Ulm", "rain"].map((words) => body.indexOf(words));
      expect(places.every((place) => place >= 0)).toBe(true);
      expect(body).toContain("weather");
    });

    test("[RUN-1] a hundred thousand characters in small pieces arrive completely", async () => {
      const text = Array.from({ length: 5_000 }, (_, index) => `piece number ${index} 😀`);
      fake.answer({ kind: "stream", text });
      const { outcome, pieces } = await run(models, modelCall("hi"));
      expect(textOf(outcome)).toBe(text.join(""));
      expect(pieces.join("")).toBe(text.join(""));
    });

    test("[SSE-8] a model's reasoning is a separate block before the answer, and is limited", async () => {
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
    });
  });
}

describe("a model by a package of the AI SDK", () => {
  /** In a process of its own: the package reads the environment. Answers the outcome, and whether the SDK was loaded before. */
  async function callIn(env: Readonly<Record<string, string>>, model: string) {
    const script = `
      const { createModels } = await import(${JSON.stringify(new URL("../../src/runner/models.ts", import.meta.url).pathname)});
      const models = createModels(${JSON.stringify({ ...NO_MODELS, model, openaiBaseUrl: "http://127.0.0.1:1/v1", models: ["openai:x"] })});
      const loaded = () => Object.keys(require.cache).some((path) => /node_modules.(ai|@ai-sdk)./.test(path));
      await models.call(${JSON.stringify(modelCall("hi", { model: "demo:echo" }))}, () => {}, new AbortController().signal);
      await models.call(${JSON.stringify(modelCall("hi", { model: "openai:x" }))}, () => {}, new AbortController().signal);
      const before = loaded();
      const outcome = await models.call(${JSON.stringify(modelCall("hi"))}, () => {}, new AbortController().signal);
      console.log(JSON.stringify({ before, outcome, after: loaded() }));`;
    const child = Bun.spawn([process.execPath, "-e", script], {
      stdout: "pipe",
      stderr: "inherit",
      env,
    });
    return (await child.stdout.json()) as { before: boolean; outcome: unknown; after: boolean };
  }

  test("[RUN-7] is called with the key of its package's own variable, and nothing else loads the SDK", async () => {
    const fake = await startFakeAnthropic();
    try {
      fake.answer({ kind: "stream", text: ["Hello"] });
      const env = { ANTHROPIC_BASE_URL: fake.baseUrl, ANTHROPIC_API_KEY: KEY };
      expect(await callIn(env, "ai-sdk:anthropic:fake-model")).toMatchObject({
        before: false,
        outcome: { kind: "finished", blocks: [{ type: "text", text: "Hello" }] },
        after: true,
      });
      expect(fake.requests[0]).toMatchObject({ headers: { "x-api-key": KEY, "accept-encoding": "identity" } });
    } finally {
      await fake.stop();
    }
  });

  test("[RUN-7] says what is missing: the package, or its key", async () => {
    expect(await callIn({}, "ai-sdk:not-there:x")).toMatchObject({
      outcome: { error: { code: "model_unavailable", message: expect.stringContaining("bun add @ai-sdk/not-there") } },
    });
    expect(await callIn({}, "ai-sdk:mcp:x")).toMatchObject({
      outcome: { error: { code: "model_unavailable", message: expect.stringContaining("not an AI SDK provider") } },
    });
    expect(await callIn({}, "ai-sdk:anthropic:x")).toMatchObject({
      outcome: { error: { code: "provider_unauthorized" } },
    });
  });
});
