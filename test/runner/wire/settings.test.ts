/** Settings of a call in the request of each format, what a model does not take, and what a provider refuses. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { SetSettings } from "../../../actors/job/model-settings.ts";
import type { SettingProblem } from "../../../actors/job/ports.ts";
import type { ModelTarget } from "../../../src/runner/model-name.ts";
import { createModels } from "../../../src/runner/models.ts";
import { settingProblems } from "../../../src/runner/setting-support.ts";
import { type FormatName, modelsBy, WAYS } from "../../support/model-ways.ts";
import { modelCall, NO_MODELS, run } from "../../support/model-calls.ts";
import { framesOf, startStreamServer, type StreamServer } from "../../support/stream-server.ts";

let server: StreamServer;
beforeEach(() => {
  server = startStreamServer();
  server.answer = framesOf({ choices: [{ delta: { content: "ok" }, finish_reason: "stop" }] });
});
afterEach(() => server.stop());

/** The fields that a request has because of these settings. */
async function fieldsOf(format: FormatName, settings: SetSettings, isReference = false, model = "fake-model") {
  const way = WAYS.find((one) => one.format === format && one.isReference === isReference)!;
  const models = modelsBy(way, server.baseUrl, { model });
  await run(models, modelCall("hi"));
  const plain = server.bodies.at(-1) as Record<string, unknown>;
  await run(models, modelCall("hi", { settings }));
  const settled = Object.entries(server.bodies.at(-1) as object).filter(
    ([name, value]) => JSON.stringify(plain[name]) !== JSON.stringify(value),
  );
  return Object.fromEntries(settled) as Record<string, unknown>;
}

const SAMPLED: SetSettings = { effort: "high", maxOutputTokens: 500, temperature: 0.5, topP: 0.9, serviceTier: "auto" };

describe("the request", () => {
  test("[RUN-32] of messages has Anthropic's names", async () => {
    expect(await fieldsOf("messages", { ...SAMPLED, stop: ["END"] })).toEqual({
      max_tokens: 500,
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ["END"],
      service_tier: "auto",
      output_config: { effort: "high" },
    });
    expect(await fieldsOf("messages", { thinking: { type: "adaptive" } })).toEqual({ thinking: { type: "adaptive" } });
  });

  test("[RUN-32] of messages leaves room for an answer after the thoughts", async () => {
    const thinking = { type: "enabled", budgetTokens: 10_000 } as const;
    const sent = { type: "enabled", budget_tokens: 10_000 };
    expect(await fieldsOf("messages", { thinking })).toEqual({ max_tokens: 14_096, thinking: sent });
    expect(await fieldsOf("messages", { thinking }, false, "claude-sonnet-4-5")).toEqual({ thinking: sent });
    expect(await fieldsOf("messages", { thinking, maxOutputTokens: 20_000 })).toEqual({
      max_tokens: 20_000,
      thinking: sent,
    });
  });

  test("[RUN-32] of chat completions has the names that compatible servers know", async () => {
    expect(await fieldsOf("chat completions", { ...SAMPLED, stop: ["END"] })).toEqual({
      max_tokens: 500,
      temperature: 0.5,
      top_p: 0.9,
      stop: ["END"],
      service_tier: "auto",
      reasoning_effort: "high",
    });
  });

  test("[RUN-32] of responses has OpenAI's names", async () => {
    expect(await fieldsOf("responses", SAMPLED)).toEqual({
      max_output_tokens: 500,
      temperature: 0.5,
      top_p: 0.9,
      service_tier: "auto",
      reasoning: { effort: "high" },
    });
  });

  test("[RUN-32] is what the AI SDK makes of the same settings", async () => {
    const common: SetSettings = { maxOutputTokens: 500, temperature: 0.5, topP: 0.9 };
    for (const format of ["chat completions", "responses"] as const)
      expect(await fieldsOf(format, common)).toEqual(await fieldsOf(format, common, true));
    const stopped: SetSettings = { maxOutputTokens: 500, temperature: 0.5, stop: ["END"] };
    for (const format of ["chat completions", "messages"] as const)
      expect(await fieldsOf(format, stopped)).toEqual(await fieldsOf(format, stopped, true));
  });

  test("[RUN-32] has the provider's options as given, and they replace nothing that the service sets", async () => {
    const providerOptions = { seed: 7, reasoning: { summary: "auto", effort: "low" }, store: true, stream: false };
    expect(await fieldsOf("responses", { effort: "high", providerOptions })).toEqual({
      seed: 7,
      reasoning: { effort: "high", summary: "auto" },
    });
    expect(await fieldsOf("messages", { providerOptions: { metadata: { user_id: "u" }, model: "x" } })).toEqual({
      metadata: { user_id: "u" },
    });
  });
});

describe("a provider", () => {
  const models = () => createModels({ ...NO_MODELS, model: "openai-compatible:m", openaiBaseUrl: server.baseUrl });
  async function settled(asked: ReturnType<typeof models>, settings: SetSettings) {
    const left: SettingProblem[] = [];
    const { outcome } = await run(asked, modelCall("hi", { settings, onLeftSetting: (one) => void left.push(one) }));
    return { kind: outcome.kind, left: left.map(({ setting }) => setting) };
  }

  test("[RUN-32] that refuses a setting by its name is asked without it, which is reported each time, and each call remembers one", async () => {
    const refused = /"(temperature|reasoning_effort)":/;
    server.refusal = (body) => {
      const [, name] = refused.exec(JSON.stringify(body)) ?? [];
      return name === undefined ? null : `Unsupported parameter: '${name}' is not supported with this model.`;
    };
    const asked = models();
    const settings: SetSettings = { temperature: 0.5, effort: "low", maxOutputTokens: 9 };
    const left = ["temperature", "effort"] as const;
    expect(await settled(asked, settings)).toEqual({ kind: "finished", left: [...left] });
    expect(server.bodies).toHaveLength(3);
    expect(server.bodies.at(-1)).toMatchObject({ max_tokens: 9 });
    // The second refusal could have been the first one's reason too.
    for (const count of [5, 6]) {
      expect(await settled(asked, settings)).toEqual({ kind: "finished", left: [...left] });
      expect(server.bodies).toHaveLength(count);
    }
    // Another value may be taken.
    server.refusal = () => null;
    expect(await settled(asked, { ...settings, temperature: 1 })).toEqual({ kind: "finished", left: [] });
  });

  test("[RUN-32] that wants the newer name of the answer's length gets it, from then on at once", async () => {
    server.refusal = (body) =>
      "max_tokens" in (body as object)
        ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        : null;
    const asked = models();
    for (const count of [2, 3]) {
      expect(await settled(asked, { maxOutputTokens: 9 })).toEqual({ kind: "finished", left: [] });
      expect(server.bodies).toHaveLength(count);
      expect(server.bodies.at(-1)).toMatchObject({ max_completion_tokens: 9 });
    }
  });

  test("[RUN-32] that refuses an option as given, or a call that is too long, is not asked again", async () => {
    server.refusal = () => "Unknown parameter: 'sed'";
    expect(await settled(models(), { temperature: 0.5, providerOptions: { sed: 7 } })).toEqual({
      kind: "failed",
      left: [],
    });
    server.refusal = () => "max_tokens is too large: this model's maximum context length is 4096 tokens";
    expect(await settled(models(), { maxOutputTokens: 4_000 })).toEqual({ kind: "failed", left: [] });
    expect(server.bodies).toHaveLength(2);
  });
});

test("[RUN-32] a request with an image is made again without a refused setting", async () => {
  server.refusal = (body) => ("temperature" in (body as object) ? "temperature is not supported" : null);
  const parts = [{ type: "image", mediaType: "image/png", data: Buffer.from("png") }] as const;
  const call = modelCall([{ role: "user", text: "", parts }], { settings: { temperature: 0.5 } });
  const models = createModels({ ...NO_MODELS, model: "openai-compatible:m", openaiBaseUrl: server.baseUrl });
  let sent = 0;
  expect((await run(models, { ...call, onSent: () => void sent++ })).outcome.kind).toBe("finished");
  expect([server.bodies.length, sent > 0]).toEqual([2, true]);
  expect(JSON.stringify(server.bodies[1])).toContain("data:image/png;base64,cG5n");
});

test("[RUN-32] an answer that begins with thoughts does not continue a text that was shown", async () => {
  const models = modelsBy(
    WAYS.find(({ format }) => format === "messages")!,
    server.baseUrl,
    {
      model: "claude-haiku-4-5",
    },
  );
  const messagesWith = async (settings: SetSettings) => {
    await run(models, modelCall("hi", { settings, continues: "Hello" }));
    return (server.bodies.at(-1) as { messages: unknown[] }).messages.length;
  };
  expect([await messagesWith({}), await messagesWith({ thinking: ENABLED })]).toEqual([2, 1]);
});

test("[RUN-32] a setting that a package of the AI SDK leaves out is reported", async () => {
  const way = WAYS.find(({ format, isReference }) => format === "responses" && isReference)!;
  const left: SettingProblem[] = [];
  const onLeftSetting = (one: SettingProblem): void => void left.push(one);
  await run(modelsBy(way, server.baseUrl), modelCall("hi", { settings: { stop: ["END"] }, onLeftSetting }));
  expect(left).toEqual([{ setting: "stop", why: "the provider does not have it" }]);
});

const wire = (kind: "messages" | "responses" | "chat-completions", name: string) =>
  ({ kind, provider: "p", name, apiKey: null, baseUrl: "http://127.0.0.1:1" }) as const;
const CLAUDE = wire("messages", "claude-sonnet-4-5");
const NEWER = wire("messages", "claude-sonnet-5-5");
const GPT = wire("responses", "gpt-5-mini");
const CHAT = wire("chat-completions", "m");
const SDK = { kind: "ai-sdk", provider: "ai-sdk", name: "google:g", package: "@ai-sdk/google", model: "g" } as const;
const ENABLED = { type: "enabled", budgetTokens: 2_000 } as const;

test.each<[ModelTarget, SetSettings, string[]]>([
  [CLAUDE, { temperature: 1, stop: ["a"], effort: "low", serviceTier: "auto", thinking: ENABLED }, []],
  [CLAUDE, { temperature: 1.5 }, ["temperature"]],
  [CLAUDE, { temperature: 0.5, thinking: ENABLED }, ["temperature"]],
  [CLAUDE, { topP: 0.5, thinking: ENABLED }, ["topP"]],
  [CLAUDE, { topP: 0.5, temperature: 0.5 }, ["topP"]],
  [CLAUDE, { maxOutputTokens: 2_000, thinking: ENABLED }, ["thinking"]],
  [CLAUDE, { maxOutputTokens: 2_001, thinking: ENABLED }, []],
  [CLAUDE, { thinking: { type: "adaptive" } }, ["thinking"]],
  [CLAUDE, { effort: "minimal" }, ["effort"]],
  [CLAUDE, { serviceTier: "flex" }, ["serviceTier"]],
  [CLAUDE, { stop: [" "] }, ["stop"]],
  [NEWER, { temperature: 0.5, topP: 0.5, thinking: ENABLED }, ["temperature", "topP", "thinking"]],
  [NEWER, { thinking: { type: "adaptive" }, effort: "max" }, []],
  [wire("messages", "claude-opus-4-7"), { temperature: 0 }, ["temperature"]],
  [wire("messages", "claude-opus-4-6"), { temperature: 0, thinking: { type: "disabled" } }, []],
  [GPT, { stop: ["a"], thinking: { type: "adaptive" } }, ["stop", "thinking"]],
  [GPT, { temperature: 0.5, topP: 0.5 }, ["temperature", "topP"]],
  [GPT, { temperature: 0.5, effort: "none" }, []],
  [GPT, { effort: "max" }, ["effort"]],
  [GPT, { serviceTier: "standard_only" }, ["serviceTier"]],
  [wire("responses", "gpt-4.1"), { temperature: 1.5, serviceTier: "flex" }, []],
  [wire("responses", "gpt-5-chat-latest"), { temperature: 1.5 }, []],
  [CHAT, { temperature: 2, stop: ["a"], effort: "max", serviceTier: "on_demand" }, []],
  [CHAT, { thinking: ENABLED }, ["thinking"]],
  [SDK, { temperature: 1, effort: "low", thinking: ENABLED, serviceTier: "x" }, ["serviceTier", "thinking"]],
] as const)(
  "[RUN-32] what a model does not take is known before the call: %j with %j",
  (target, settings, problems) => {
    expect(settingProblems(target, settings).map(({ setting }) => String(setting))).toEqual(problems);
  },
);

test("[RUN-32] a value that the provider does not have is reported, with a similar one", () => {
  expect(settingProblems(GPT, { serviceTier: "flexx" })[0]?.why).toContain("did you mean `flex`?");
});

test("[RUN-32] the demo stops at a text and at a number of words, and says that it ignores the rest", async () => {
  const models = createModels({ ...NO_MODELS, model: "demo:echo", allowDemoModel: true });
  const said = async (settings: SetSettings) => {
    const left: SettingProblem[] = [];
    const { outcome, pieces } = await run(
      models,
      modelCall("/say one two three", { settings, onLeftSetting: (one) => void left.push(one) }),
    );
    return [pieces.join(""), outcome.kind === "finished" && outcome.finishReason, left.map(({ setting }) => setting)];
  };
  expect(await said({ maxOutputTokens: 2 })).toEqual(["one two", "length", []]);
  expect(await said({ maxOutputTokens: 3 })).toEqual(["one two three", "stop", []]);
  expect(await said({ stop: ["x", " three"], temperature: 0 })).toEqual(["one two", "stop", ["temperature"]]);
});
