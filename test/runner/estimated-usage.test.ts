/** Calls that their provider has not counted. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { inputEstimate, withEstimate } from "../../src/runner/estimated-usage.ts";
import { createModels } from "../../src/runner/models.ts";
import { startFakeOpenAi } from "../support/fake-openai.ts";
import type { FakeProvider } from "../support/fake-provider.ts";
import { modelCall, NO_MODELS, run } from "../support/model-calls.ts";

let fake: FakeProvider;
beforeAll(async () => void (fake = await startFakeOpenAi()));
afterAll(() => fake.stop());

const frames = (...data: readonly unknown[]): string =>
  data.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("");
const say = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
const STOP = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };

async function usageOf(body: string, more = {}) {
  fake.answer({ kind: "body", body, ...more });
  const models = createModels({ ...NO_MODELS, model: "openai-compatible:m", openaiBaseUrl: fake.baseUrl });
  const { outcome } = await run(models, modelCall("x".repeat(300), { system: "y".repeat(300) }));
  return outcome.kind === "aborted" ? null : { kind: outcome.kind, ...outcome.usage };
}

test("[RUN-28] without token counts are estimated, and the estimate is marked", async () => {
  const usage = await usageOf(frames(say("z".repeat(300)), STOP, "[DONE]"));
  expect(usage).toMatchObject({ kind: "finished", outputTokens: 100 });
  expect(usage!.inputTokens).toBeWithin(200, 230);
  expect(usage!.estimatedTokens).toBe(usage!.inputTokens + 100);
});

test("[RUN-28] with token counts keep them, and only a missing count or one of 0 is estimated", async () => {
  const counted = (usage: object) => usageOf(frames(say("z".repeat(300)), STOP, { choices: [], usage }, "[DONE]"));
  expect(await counted({ prompt_tokens: 7, completion_tokens: 5 })).toEqual({
    kind: "finished",
    inputTokens: 7,
    outputTokens: 5,
  });
  expect(await counted({ prompt_tokens: 7, completion_tokens: 0 })).toEqual({
    kind: "finished",
    inputTokens: 7,
    outputTokens: 100,
    estimatedTokens: 100,
  });
});

test("[RUN-28] that broke off count as paid, and those without an answer may not", async () => {
  expect(await usageOf(frames(say("z".repeat(300))))).toMatchObject({ kind: "failed", outputTokens: 100 });
  expect(await usageOf("")).toEqual({ kind: "failed", inputTokens: 0, outputTokens: 0 });
});

test("[RUN-28] with a beginning that the provider has in its cache are estimated with it, up to their length", () => {
  const usage = { inputTokens: 0, outputTokens: 0 };
  const broken = { kind: "aborted", partialText: "z".repeat(30), usage } as const;
  const estimated = (cached: number) => withEstimate(broken, () => 100, cached).usage;
  expect(estimated(80)).toEqual({ inputTokens: 100, outputTokens: 10, cachedInputTokens: 80, estimatedTokens: 110 });
  expect(estimated(101)).toMatchObject({ inputTokens: 100, cachedInputTokens: 100 });
  expect(estimated(0)).toEqual({ inputTokens: 100, outputTokens: 10, estimatedTokens: 110 });
  // A count of the provider says for itself how much of it was cached.
  const counted = { ...broken, usage: { inputTokens: 7, outputTokens: 0 } };
  expect(withEstimate(counted, () => 100, 80).usage).toEqual({ inputTokens: 7, outputTokens: 10, estimatedTokens: 10 });
});

test("[RUN-28] with only a call are estimated by its arguments", () => {
  const blocks = [{ type: "tool_use", id: "a", name: "f", input: { text: "z".repeat(300) } }] as const;
  const none = { inputTokens: 0, outputTokens: 0 };
  const outcome = withEstimate({ kind: "finished", blocks, usage: none, finishReason: "tool_use" }, () => 1);
  expect(outcome.kind === "finished" && outcome.usage.outputTokens).toBeGreaterThan(100);
});

test("[RUN-28] that were cancelled after some output count as paid", async () => {
  const abort = new AbortController();
  fake.answer({ kind: "stream", text: ["z".repeat(300)], end: "stall" });
  const models = createModels({ ...NO_MODELS, model: "openai-compatible:m", openaiBaseUrl: fake.baseUrl });
  const call = modelCall("x".repeat(300));
  const outcome = await models.call(call, () => abort.abort(), abort.signal);
  expect(outcome).toMatchObject({ kind: "aborted", usage: { outputTokens: 100 } });
  expect(outcome.usage?.estimatedTokens).toBe(outcome.usage!.inputTokens + 100);
});

test("[RUN-28] that broke off during reasoning, or had images, count these", () => {
  const none = { inputTokens: 0, outputTokens: 0 };
  const broken = { kind: "aborted", partialText: "", usage: none, answeredChars: 300 } as const;
  expect(withEstimate(broken, () => 7).usage).toEqual({ inputTokens: 7, outputTokens: 100, estimatedTokens: 107 });
  expect(withEstimate({ ...broken, answeredChars: 0 }, () => 7).usage).toEqual(none);
  expect(withEstimate({ kind: "aborted", partialText: "" }, () => 7).usage).toBeUndefined();
  const image = { type: "image", media_type: "image/png", name: null, size: 3, sha256: "a" } as const;
  const source = { kind: "url", url: "https://a.test/" } as const;
  const entries = [{ role: "user" as const, text: "", blocks: [{ ...image, source }] }];
  const input = inputEstimate({ system: "", tools: [], entries, onSent: () => {} });
  entries.length = 0;
  expect(input()).toBeGreaterThan(1_000);
});
