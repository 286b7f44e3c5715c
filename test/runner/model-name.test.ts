import { describe, expect, test } from "bun:test";
import { DEFAULT_ANTHROPIC_MODEL, DEFAULT_OPENAI_MODEL, type ModelSettings } from "../../src/runner/model-name.ts";
import { createModels } from "../../src/runner/models.ts";
import { modelCall, NO_MODELS, run } from "../support/model-calls.ts";

const LOCAL = { server: "ollama", baseUrl: "http://127.0.0.1:11434/v1", model: "qwen2.5:7b" };

/** `provider:name`, or the words of the refusal. */
function named(settings: Partial<ModelSettings>, model: string | null = null): string {
  const outcome = createModels({ ...NO_MODELS, ...settings }).describe(model);
  if (outcome.ok) return `${outcome.value.provider}:${outcome.value.name}${outcome.value.demo ? " (demo)" : ""}`;
  return outcome.fault.kind === "provider_error" ? outcome.fault.message : outcome.fault.kind;
}

describe("which model a name means", () => {
  const cases: readonly (readonly [string, Partial<ModelSettings>, string | null, string])[] = [
    ["no key gives the demo", {}, null, "demo:echo (demo)"],
    ["a key of Anthropic gives its default", { anthropicApiKey: "k" }, null, `anthropic:${DEFAULT_ANTHROPIC_MODEL}`],
    [
      "Anthropic comes first",
      { anthropicApiKey: "k", openaiApiKey: "k" },
      null,
      `anthropic:${DEFAULT_ANTHROPIC_MODEL}`,
    ],
    ["a key of OpenAI gives its default", { openaiApiKey: "k" }, null, `openai:${DEFAULT_OPENAI_MODEL}`],
    ["an empty key is none", { anthropicApiKey: "", openaiApiKey: " " }, null, "demo:echo (demo)"],
    ["MODEL is the default", { model: "openai:gpt-x", openaiApiKey: "k" }, null, "openai:gpt-x"],
    [
      "a call's own model goes before MODEL",
      { model: "openai:a", models: ["openai:b"], openaiApiKey: "k" },
      "openai:b",
      "openai:b",
    ],
    [
      "a name keeps its colons",
      { models: ["openai:qwen2.5:7b"], openaiBaseUrl: "http://x/v1" },
      "openai:qwen2.5:7b",
      "openai:qwen2.5:7b",
    ],
    [
      "a compatible endpoint needs no key",
      { models: ["openai-compatible:m"], openaiBaseUrl: "http://x/v1" },
      "openai-compatible:m",
      "openai-compatible:m",
    ],
    ["auto takes the first local model", { model: "auto", localModels: [LOCAL] }, null, "ollama:qwen2.5:7b"],
    ["auto without one gives the demo", { model: "auto" }, null, "demo:echo (demo)"],
    ["a local model is not used without auto", { localModels: [LOCAL] }, null, "demo:echo (demo)"],
    ["the demo can be named", { anthropicApiKey: "k" }, "demo:echo", "demo:echo (demo)"],
    ["production allows the demo when told so", { production: true, allowDemoModel: true }, null, "demo:echo (demo)"],
  ];
  for (const [what, settings, model, expected] of cases) {
    test(`[RUN-1] ${what}`, () => expect(named(settings, model)).toBe(expected));
  }

  const refusals: readonly (readonly [string, Partial<ModelSettings>, string | null, RegExp])[] = [
    ["an unknown provider", {}, "acme:x", /provider "acme" is unknown/],
    ["a name without a provider", {}, "gpt-5", /not of the form/],
    ["a provider without a name", {}, "openai:", /not of the form/],
    ["Anthropic without its key", {}, "anthropic:x", /needs ANTHROPIC_API_KEY/],
    ["OpenAI without its key", {}, "openai:x", /needs OPENAI_API_KEY/],
    [
      "a compatible endpoint without its address",
      { openaiApiKey: "k" },
      "openai-compatible:x",
      /needs OPENAI_BASE_URL/,
    ],
    ["an endpoint without a model", { openaiBaseUrl: "http://x/v1" }, null, /set MODEL/],
    ["another demo", {}, "demo:other", /one model/],
    ["auto as an agent's model", { localModels: [LOCAL] }, "auto", /MODEL setting only/],
    ["production without a model", { production: true }, null, /No model is configured.*ALLOW_DEMO_MODEL=1/],
    ["production with auto that finds nothing", { production: true, model: "auto" }, null, /No model is configured/],
    [
      "production with the demo by name",
      { production: true, anthropicApiKey: "k" },
      "demo:echo",
      /No model is configured/,
    ],
  ];
  for (const [what, settings, model, expected] of refusals) {
    test(`[RUN-1] refuses ${what}`, () => expect(named(settings, model)).toMatch(expected));
  }

  test("[RUN-1] a call of a refused model fails with the same message", async () => {
    const { outcome, pieces } = await run(createModels({ ...NO_MODELS, production: true }), modelCall("hi"));
    expect(outcome).toMatchObject({
      kind: "failed",
      error: { code: "model_unavailable", message: expect.stringMatching(/No model/) },
    });
    expect(pieces).toEqual([]);
  });
});

describe("which models are allowed", () => {
  const allowed = (settings: Partial<ModelSettings>): string[] =>
    createModels({ ...NO_MODELS, ...settings })
      .allowed()
      .map(
        ({ provider, name, isDefault, demo }) =>
          `${provider}:${name}${isDefault ? " default" : ""}${demo ? " demo" : ""}`,
      );

  test("[RUN-4] lists the default, those of MODELS and the demo, each once", () => {
    const models = ["openai:b", "openai:a", "demo:echo", "openai:b"];
    expect(allowed({ model: "openai:a", models, openaiApiKey: "k" })).toEqual([
      "openai:a default",
      "openai:b",
      "demo:echo demo",
    ]);
    expect(allowed({})).toEqual(["demo:echo default demo"]);
  });

  test("[RUN-4] production has the demo only if it is allowed, and omits models without a key", () => {
    const settings = { anthropicApiKey: "k", models: ["openai:gpt-x"], production: true };
    expect(allowed(settings)).toEqual([`anthropic:${DEFAULT_ANTHROPIC_MODEL} default`]);
    expect(allowed({ ...settings, allowDemoModel: true })).toContain("demo:echo demo");
    expect(allowed({ production: true })).toEqual([]);
  });

  test("[RUN-4] a provider's key does not allow all of its models", () => {
    expect(named({ anthropicApiKey: "k" }, "anthropic:claude-dear")).toMatch(/is not allowed here/);
    expect(named({ anthropicApiKey: "k", models: ["anthropic:claude-dear"] }, "anthropic:claude-dear")).toBe(
      "anthropic:claude-dear",
    );
  });

  test("[RUN-5] models of OWN_KEY_MODELS need no key of the operator, and those of providers without keys are omitted", () => {
    const settings = { ownKeyModels: ["anthropic:claude-x", "openai:gpt-x", "demo:echo", "openai-compatible:y"] };
    expect(allowed(settings)).toEqual(["demo:echo default demo", "anthropic:claude-x", "openai:gpt-x"]);
    expect(named(settings, "anthropic:claude-y")).toMatch(/ANTHROPIC_API_KEY/);
    expect(named({ ...settings, openaiBaseUrl: "http://x/v1", model: "openai:a" }, "openai-compatible:y")).toBe(
      "openai-compatible:y",
    );
  });

  test("[RUN-4] the local model of MODEL=auto has the name under which it is listed", () => {
    const settings = { model: "auto", localModels: [LOCAL] };
    expect(allowed(settings)[0]).toBe("ollama:qwen2.5:7b default");
    expect(named(settings, "ollama:qwen2.5:7b")).toBe("ollama:qwen2.5:7b");
  });
});
