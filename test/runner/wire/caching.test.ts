/** What is asked of providers' caches, in each format, and what is done if they refuse it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { CacheWish, ModelCall, TranscriptEntry } from "../../../actors/job/ports.ts";
import type { ModelFormat, PromptCaching } from "../../../actors/job/model-provider.ts";
import { sdkCaching } from "../../../src/runner/ai-sdk/caching.ts";
import { answerSourceOfSdk } from "../../../src/runner/ai-sdk/source.ts";
import { askedCaching, keyFields } from "../../../src/runner/prompt-caching.ts";
import { type AnswerSource, streamCall } from "../../../src/runner/stream-call.ts";
import { ModelMemory } from "../../../src/runner/wire/concessions.ts";
import { wireSource } from "../../../src/runner/wire/source.ts";
import { fakeTimers } from "../../support/fake-timers.ts";
import { modelCall, run, WEATHER } from "../../support/model-calls.ts";
import { referenceModel } from "../../support/reference-models.ts";
import { startStreamServer, type StreamServer } from "../../support/stream-server.ts";

let server: StreamServer;
beforeEach(() => void (server = startStreamServer()));
afterEach(() => server.stop());

const AUTO: CacheWish = { key: "cht_a", lifetime: null, pauses: false };
const FIVE_MINUTES = { type: "ephemeral" };
const AN_HOUR = { type: "ephemeral", ttl: "1h" };
const said = (text: string): TranscriptEntry => ({ role: "user", text });
const looked: TranscriptEntry = {
  role: "assistant",
  blocks: [
    { type: "tool_use", id: "a", name: "weather", input: { town: "Bern" } },
    { type: "tool_result", tool_use_id: "a", content: "rain", is_error: false },
    { type: "text", text: "It rains." },
  ],
};

interface Target {
  readonly kind: ModelFormat;
  readonly caching?: PromptCaching;
  readonly name?: string;
}
const targetOf = ({ kind, caching, name = "m" }: Target) =>
  ({ kind, provider: "test", name, apiKey: null, baseUrl: server.baseUrl, ...(caching && { caching }) }) as const;
const byWire = (call: ModelCall, target: Target, memory = new ModelMemory()): AnswerSource =>
  wireSource(call, targetOf(target), { memory, thinking: "tags" });
const bySdk = (call: ModelCall, target: Target): AnswerSource =>
  answerSourceOfSdk(call, "test:m", () => Promise.resolve(referenceModel(targetOf(target))));

interface Body {
  readonly system?: unknown;
  readonly tools?: readonly object[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly object[] }[];
}
/** The newest body that the provider got. */
async function bodyOf(by: (call: ModelCall, target: Target) => AnswerSource, target: Target, more: Partial<ModelCall>) {
  await run(
    {
      call: (call, onText, signal) =>
        streamCall({
          origin: call.origin,
          model: "test:m",
          source: by(call, target),
          onText,
          signal,
          stalledStreamMs: 60_000,
          timers: fakeTimers(),
          secrets: [],
          log: undefined,
        }),
    },
    modelCall("hi", { system: "Be brief.", tools: [WEATHER], ...more }),
  );
  return server.bodies.at(-1) as Body;
}
/** Where a body has breakpoints: `system`, `tools`, or the number of a message, and that of its block. */
const breakpointsIn = ({ system, tools = [], messages }: Body): string[] => {
  const marked = (place: string, blocks: unknown) =>
    Array.isArray(blocks) ? blocks.flatMap((block, at) => ("cache_control" in block ? [`${place}.${at}`] : [])) : [];
  return [
    ...marked("tools", tools),
    ...marked("system", system),
    ...messages.flatMap(({ content }, at) => marked(`${at}`, content)),
  ];
};

describe("breakpoints of messages", () => {
  const messages = { kind: "messages" } as const;

  test("[RUN-30] are behind the instructions, at the end of the call and at that of the call before", async () => {
    const entries = [said("Bern?"), looked, said("And now?")];
    const body = await bodyOf(byWire, messages, { entries, cache: AUTO });
    expect(breakpointsIn(body)).toEqual(["system.0", "2.0", "4.0"]);
    expect(body.messages[2]?.content[0]).toMatchObject({ type: "tool_result", cache_control: FIVE_MINUTES });
    expect(body).toEqual(await bodyOf(bySdk, messages, { entries, cache: AUTO }));
  });

  test("[RUN-30] are behind the tools if there are no instructions, and nowhere before the first answer", async () => {
    const body = await bodyOf(byWire, messages, { system: "", cache: AUTO });
    expect(breakpointsIn(body)).toEqual(["tools.0", "0.0"]);
  });

  test("[RUN-30] are in the request only: calls with the same conversation never have more than three", async () => {
    const seen = (text: string): TranscriptEntry => ({
      role: "user",
      text,
      parts: [
        { type: "image", mediaType: "image/png", data: new Uint8Array(3) },
        { type: "text", text },
      ],
    });
    const entries: TranscriptEntry[] = [];
    for (const text of ["One?", "Two?", "Three?"]) {
      entries.push(seen(text), looked);
      const asked = [...entries, seen("And now?")];
      const before = JSON.stringify(asked);
      const body = await bodyOf(byWire, messages, { entries: asked, cache: AUTO });
      expect(breakpointsIn(body).length).toBe(3);
      expect(JSON.stringify(asked)).toBe(before);
    }
  });

  test("[RUN-30] are at the end of the call before also if one step has added more than a provider looks back", async () => {
    const ids = Array.from({ length: 40 }, (_, i) => `${i}`);
    const blocks = [
      ...ids.map((id) => ({ type: "tool_use", id, name: "weather", input: {} }) as const),
      ...ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "rain", is_error: false }) as const),
    ];
    const entries = [said("All?"), { role: "assistant", blocks } as const];
    const body = await bodyOf(byWire, messages, { entries, cache: AUTO });
    expect(breakpointsIn(body)).toEqual(["system.0", "0.0", "2.39"]);
  });

  test.each([
    [{ ...AUTO, pauses: true }, AN_HOUR],
    [{ ...AUTO, lifetime: "1h" }, AN_HOUR],
    [{ ...AUTO, lifetime: "5m", pauses: true }, FIVE_MINUTES],
  ] as const)("[RUN-30] of %j all have the lifetime %j", async (cache, lifetime) => {
    const body = await bodyOf(byWire, messages, { cache });
    expect(body.system).toEqual([{ type: "text", text: "Be brief.", cache_control: lifetime }]);
    expect(body.messages).toEqual([{ role: "user", content: [{ type: "text", text: "hi", cache_control: lifetime }] }]);
    expect(body).toEqual(await bodyOf(bySdk, messages, { cache }));
  });

  test("[RUN-30] are not in a summary's call, nor in one that asks for nothing", async () => {
    for (const more of [{}, { cache: AUTO, purpose: "summary" }] as const)
      expect(breakpointsIn(await bodyOf(byWire, messages, more))).toEqual([]);
  });

  test("[RUN-30] are in text parts for a server of chat completions that is said to take them", async () => {
    const entries = [said("Bern?"), looked, said("And now?")];
    const target = { kind: "chat-completions", caching: "breakpoints" } as const;
    const body = await bodyOf(byWire, target, { entries, cache: AUTO });
    expect(breakpointsIn(body)).toEqual(["0.0", "3.0", "5.0"]);
    expect(body.messages[3]?.content).toEqual([{ type: "text", text: "rain", cache_control: FIVE_MINUTES }]);
  });
});

describe("a key", () => {
  test("[RUN-30] is sent to OpenAI, and to others only if they are said to take it", async () => {
    const ofUrl = (kind: ModelFormat, baseUrl: string) =>
      askedCaching({ cache: AUTO }, { ...targetOf({ kind }), baseUrl })?.by ?? "none";
    expect(ofUrl("responses", "https://api.openai.com/v1")).toBe("key");
    expect(ofUrl("chat-completions", "https://api.openai.com/v1/")).toBe("key");
    for (const host of ["https://openai.example/v1", "http://127.0.0.1:11434/v1", "https://api.openai.com.example/v1"])
      expect([ofUrl("chat-completions", host), ofUrl("responses", host)]).toEqual(["none", "none"]);
    for (const kind of ["chat-completions", "responses"] as const) {
      expect(await bodyOf(byWire, { kind }, { cache: AUTO })).not.toHaveProperty("prompt_cache_key");
      const asked = await bodyOf(byWire, { kind, caching: "key" }, { cache: AUTO });
      expect(asked).toMatchObject({ prompt_cache_key: "cht_a" });
      expect(asked).not.toHaveProperty("prompt_cache_retention");
    }
    expect(await bodyOf(bySdk, { kind: "responses" }, { cache: AUTO })).toMatchObject({ prompt_cache_key: "cht_a" });
  });

  test.each([
    ["gpt-5.1", "1h", "24h"],
    ["gpt-5.1-codex", "1h", "24h"],
    ["gpt-4.1-2025-04-14", "1h", "24h"],
    ["gpt-5.5", "1h", "24h"],
    ["gpt-5.1", "5m", "in_memory"],
    // It takes a day only.
    ["gpt-5.5", "5m", undefined],
    // Its caches live for 30 minutes, and the field is not for it.
    ["gpt-5.6", "1h", undefined],
    ["gpt-5.10", "1h", undefined],
    ["gpt-5-mini", "1h", undefined],
    ["gpt-4o", "1h", undefined],
    ["o3", "1h", undefined],
    // What is kept for a day is stored, so it takes the agent's word.
    ["gpt-5.1", null, undefined],
  ] as const)("[RUN-30] of %s with the lifetime %s has the retention %s", (model, lifetime, retention) => {
    const fields = keyFields(model, { key: "k", lifetime, pauses: true, by: "key" });
    expect(fields.prompt_cache_retention).toBe(retention);
  });
});

const CACHE_POINT = { bedrock: { cachePoint: { type: "default" } } };
const ANTHROPIC_POINT = { anthropic: { cacheControl: FIVE_MINUTES } };
test.each([
  ["amazon-bedrock", "anthropic.claude-sonnet-5", CACHE_POINT],
  ["amazon-bedrock", "us.anthropic.claude-3-7-sonnet-20250219-v1:0", CACHE_POINT],
  ["amazon-bedrock", "anthropic.claude-3-5-haiku-20241022-v1:0", CACHE_POINT],
  ["amazon-bedrock", "global.anthropic.claude-opus-4-5-20251101-v1:0", CACHE_POINT],
  ["amazon-bedrock", "amazon.nova-lite-v1:0", CACHE_POINT],
  ["amazon-bedrock", "amazon.nova-sonic-v1:0", null],
  ["amazon-bedrock", "anthropic.claude-3-5-sonnet-20240620-v1:0", null],
  ["amazon-bedrock", "anthropic.claude-3-haiku-20240307-v1:0", null],
  ["amazon-bedrock", "anthropic.claude-v2:1", null],
  ["amazon-bedrock", "arn:aws:bedrock:us-west-2:1:application-inference-profile/x1", null],
  ["amazon-bedrock", "meta.llama4", null],
  ["bedrock.anthropic.messages", "anthropic.claude-sonnet-4-20250514-v1:0", ANTHROPIC_POINT],
  ["bedrock.anthropic.messages", "anthropic.claude-3-opus-20240229-v1:0", null],
  ["google.vertex.anthropic.messages", "claude-sonnet-5", ANTHROPIC_POINT],
  ["openrouter.chat", "anthropic/claude-sonnet-5", { openrouter: { cacheControl: FIVE_MINUTES } }],
  ["google.generative-ai", "gemini-3-pro", null],
])("[RUN-30] a package of the AI SDK for %s gets the options for %s that it reads", (provider, modelId, options) => {
  const { ofMessage, ofCall } = sdkCaching(modelCall("hi", { cache: AUTO }), { provider, modelId } as never);
  expect([ofMessage, ofCall] as unknown).toEqual([options, {}]);
});

describe("a refusal", () => {
  test.each([
    ["messages", "system.0.cache_control: Extra inputs are not permitted", "cache_control"],
    ["responses", "Unknown parameter: 'prompt_cache_key'.", "prompt_cache_key"],
    ["chat-completions", "prompt_cache_key: extra fields not permitted", "prompt_cache_key"],
  ] as const)("[RUN-30] by a server of %s takes the field away, from then on at once", async (kind, words, field) => {
    server.refusal = (body) => (JSON.stringify(body).includes(field) ? words : null);
    const memory = new ModelMemory();
    const by = (call: ModelCall, target: Target) => byWire(call, target, memory);
    const target = kind === "messages" ? { kind } : ({ kind, caching: "key" } as const);
    for (const count of [2, 3]) {
      expect(JSON.stringify(await bodyOf(by, target, { cache: AUTO }))).not.toContain(field);
      expect(server.bodies).toHaveLength(count);
    }
  });

  test("[RUN-30] that only quotes the name of the field, as one in a schema, takes nothing away from later calls", async () => {
    server.refusal = (body) =>
      "output_config" in (body as object) ? "Invalid schema: 'cache_control' has no type (request 1a2b3c4d)" : null;
    const memory = new ModelMemory();
    const by = (call: ModelCall, target: Target) => byWire(call, target, memory);
    const properties = { cache_control: {} };
    const outputSchema = { type: "object", properties, required: ["cache_control"], additionalProperties: false };
    await bodyOf(by, { kind: "messages" }, { cache: AUTO, outputSchema });
    expect(server.bodies).toHaveLength(3);
    expect(breakpointsIn(await bodyOf(by, { kind: "messages" }, { cache: AUTO }))).toEqual(["system.0", "0.0"]);
  });

  test("[RUN-30] of the lifetime alone takes only that away", async () => {
    server.refusal = (body) =>
      JSON.stringify(body).includes("ttl") ? "system.0.cache_control.ttl: Extra inputs are not permitted" : null;
    const body = await bodyOf(byWire, { kind: "messages" }, { cache: { ...AUTO, pauses: true } });
    expect(body.system).toEqual([{ type: "text", text: "Be brief.", cache_control: FIVE_MINUTES }]);
    server.refusal = (asked) =>
      JSON.stringify(asked).includes("retention")
        ? "This model is compatible only with 24h extended prompt caching"
        : null;
    const keyed = { kind: "responses", caching: "key", name: "gpt-5.1" } as const;
    const again = await bodyOf(byWire, keyed, { cache: { ...AUTO, lifetime: "5m" } });
    expect(again).toMatchObject({ prompt_cache_key: "cht_a" });
    expect(again).not.toHaveProperty("prompt_cache_retention");
  });
});
