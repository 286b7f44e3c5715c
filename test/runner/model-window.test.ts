/** How much models take, and how providers say that something is too much. */
import { expect, test } from "bun:test";
import { windowEntry } from "../../actors/job/model-entry.ts";
import { createModels } from "../../src/runner/models.ts";
import { ProviderAnswer, providerFault, frameFault } from "../../src/runner/provider-faults.ts";
import { NO_MODELS } from "../support/model-calls.ts";

const settings = {
  ...NO_MODELS,
  anthropicApiKey: "a",
  openaiBaseUrl: "http://127.0.0.1:1/v1",
  models: ["anthropic:claude-sonnet-4-5", "openai-compatible:qwen3", "openai-compatible:gpt-4o", "demo:echo"],
};
const contextOf = (model: string, windows = new Map<string, number>()): number =>
  createModels({ ...settings, windows }).windowOf(model).contextTokens;

test("[CHAT-8] a model's window is the operator's setting, else the known one, else a small default", () => {
  expect(contextOf("anthropic:claude-sonnet-4-5")).toBe(200_000);
  expect(contextOf("openai-compatible:gpt-4o")).toBe(128_000);
  expect(contextOf("openai-compatible:qwen3")).toBe(32_768);
  expect(contextOf("openai-compatible:qwen3", new Map([["openai-compatible:qwen3", 40_960]]))).toBe(40_960);
  expect(createModels(settings).windowOf("openai-compatible:qwen3").answerTokens).toBe(8_192);
  for (const entry of ["x=5000", "a:b=1023", "a:b", "a:b=1e6", "a:b=100000001", "a b:c=5000"])
    expect(windowEntry(entry)).toBeNull();
  expect([windowEntry("a:b:7b=1024"), windowEntry("a:b=100000000")]).toEqual([
    ["a:b:7b", 1_024],
    ["a:b", 100_000_000],
  ]);
});

const code = (body: object, status = 400): string =>
  providerFault(new ProviderAnswer(status, {}, JSON.stringify(body)), [], 0).code;

test("[CHAT-8] a refusal of a too long context is recognized by its code or by the messages of providers and servers", () => {
  const error = (message: string, more: object = {}) => ({ error: { message, ...more } });
  for (const body of [
    error("no", { code: "context_length_exceeded" }),
    error("prompt is too long: 210000 tokens > 200000 maximum", { type: "invalid_request_error" }),
    error("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
    error("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"),
    error("the request exceeds the available context size", { type: "exceed_context_size_error" }),
    error("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
  ])
    expect(code(body)).toBe("context_length_exceeded");
  expect(code(error("temperature is too high"))).toBe("provider_rejected");
  expect(code(error("context length", {}), 500)).toBe("provider_error");
  const inStream = frameFault({ error: { code: "context_length_exceeded", message: "Your input is too long." } });
  expect(providerFault(inStream, [], 0).code).toBe("context_length_exceeded");
});
