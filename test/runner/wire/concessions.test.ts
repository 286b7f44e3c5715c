/** What models refuse, and how they are asked then. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { TranscriptEntry } from "../../../actors/job/ports.ts";
import { createModels } from "../../../src/runner/models.ts";
import { ProviderAnswer } from "../../../src/runner/provider-faults.ts";
import { ruleFor, takesPrefill } from "../../../src/runner/wire/concessions.ts";
import type { Concession, WireCall } from "../../../src/runner/wire/wire-format.ts";
import { modelCall, NO_MODELS, ORIGIN, run, WEATHER } from "../../support/model-calls.ts";
import { framesOf, startStreamServer, type StreamServer } from "../../support/stream-server.ts";

let server: StreamServer;
beforeEach(() => {
  server = startStreamServer();
  server.answer = framesOf({ choices: [{ delta: { content: " world" }, finish_reason: "stop" }] });
});
afterEach(() => server.stop());

const models = (name = "m") =>
  createModels({ ...NO_MODELS, model: `openai-compatible:${name}`, openaiBaseUrl: server.baseUrl });
const messages = (): Record<string, unknown>[] =>
  (server.bodies.at(-1) as { messages: Record<string, unknown>[] }).messages;
const CALLED: TranscriptEntry = {
  role: "assistant",
  blocks: [
    { type: "tool_use", id: "a", name: "weather", input: {} },
    { type: "tool_result", tool_use_id: "a", content: "rain", is_error: false },
  ],
};

test("[RUN-23] a model without a system role gets the instructions at the head of the first message, from then on at once", async () => {
  server.refusal = (body) =>
    JSON.stringify(body).includes('"system"') ? "Error rendering prompt: System role not supported" : null;
  const asked = models();
  for (const count of [2, 3]) {
    expect((await run(asked, modelCall("hi", { system: "Be brief." }))).outcome.kind).toBe("finished");
    expect(server.bodies).toHaveLength(count);
    expect(messages()).toEqual([{ role: "user", content: "Be brief.\n\nhi" }]);
  }
});

test("[RUN-23] what did not help is not remembered, whatever the words of the next refusal", async () => {
  server.refusal = (body) =>
    "response_format" in (body as object)
      ? `Request ${server.bodies.length}: "System role not supported" is no schema`
      : null;
  const asked = models();
  const outputSchema = { description: "System role not supported" };
  expect((await run(asked, modelCall("hi", { system: "Be brief.", outputSchema }))).outcome.kind).toBe("finished");
  expect(server.bodies).toHaveLength(3);
  await run(asked, modelCall("hi", { system: "Be brief." }));
  expect(messages()[0]).toEqual({ role: "system", content: "Be brief." });
});

test("[RUN-23] a model that refuses a user's message after results gets an assistant's message between them", async () => {
  server.refusal = (body) => {
    const roles = (body as { messages: { role: string }[] }).messages.map(({ role }) => role).join(" ");
    return roles.includes("tool user") ? "Unexpected role 'user' after role 'tool'" : null;
  };
  await run(
    models(),
    modelCall([{ role: "user", text: "a" }, CALLED, { role: "user", text: "b" }], { tools: [WEATHER] }),
  );
  expect(messages().map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
});

test("[RUN-8] a model that accepts the beginning of its answer continues it, and the answer has both parts", async () => {
  const { outcome, pieces } = await run(models("mistral-small"), modelCall("hi", { continues: "Hello" }));
  expect(messages().at(-1)).toEqual({ role: "assistant", content: "Hello", prefix: true });
  expect(pieces.join("")).toBe("Hello world");
  expect(outcome).toMatchObject({ kind: "finished", blocks: [{ type: "text", text: "Hello world" }] });
});

test("[RUN-8] a model that does not, or refuses it, starts over", async () => {
  await run(models(), modelCall("hi", { continues: "Hello" }));
  expect(messages().at(-1)).toEqual({ role: "user", content: "hi" });
  server.refusal = (body) => (JSON.stringify(body).includes("prefix") ? "prefill is not supported" : null);
  const { pieces } = await run(models("mistral-small"), modelCall("hi", { continues: "Hello" }));
  expect([messages().at(-1), pieces.join("")]).toEqual([{ role: "user", content: "hi" }, " world"]);
});

test.each([
  ["claude-3-5-sonnet-latest", true],
  ["claude-sonnet-4-20250514", true],
  ["claude-opus-4-1-20250805", true],
  ["claude-haiku-4-5", true],
  ["claude-opus-4-6", false],
  ["claude-sonnet-5-5", false],
])("[RUN-8] %s takes the beginning of its answer: %p", (name, takes) => {
  expect(takesPrefill({ kind: "messages", name })).toBe(takes);
});

const CALL: WireCall = {
  model: "m",
  system: "Be brief.",
  messages: [{ role: "assistant", parts: [{ kind: "text", text: "a", fields: { signature: "s" } }] }],
  tools: [WEATHER],
  outputSchema: null,
  settings: {
    effort: "low",
    temperature: 0.5,
    maxOutputTokens: 9,
    thinking: { type: "enabled", budgetTokens: 2_000 },
    stop: ["END"],
  },
  caching: { by: "key", key: "k", lifetime: "1h", pauses: false },
  concessions: new Set(),
  prefill: "",
  base64: () => "",
};
const conceded = (body: unknown) =>
  ruleFor(new ProviderAnswer(400, {}, typeof body === "string" ? body : JSON.stringify(body)), CALL)?.concession;
/** A prompt that has the words of many refusals. */
const PROMPT = "temperature, stop, prompt_cache_key, signature, extra fields, system role not supported";

test.each<[string, unknown]>([
  ["another field", { error: { message: "Something else is wrong", request: { messages: [{ content: PROMPT }] } } }],
  ["FastAPI's input", { detail: [{ type: "missing", loc: ["body", "user"], msg: "Required", input: PROMPT }] }],
  ["the message", { error: { message: `[{'type': 'missing', 'loc': ('body', 'user'), 'input': '${PROMPT}'}]` } }],
  ["pydantic's text", { message: `Value error [type=value_error, input_value='${PROMPT}', input_type=str]` }],
  ["a body too long to parse", `{"detail":[{"msg":"Required","input":{"a":"${PROMPT.repeat(800)}"}}]`],
  ["Groq's answer", { error: { message: "Failed to call a function.", failed_generation: PROMPT } }],
])("[RUN-23] [RUN-32] a prompt that a provider repeats in %s is no reason to concede anything", (_, body) => {
  expect(conceded(body)).toBeUndefined();
});

const refusedAs = (message: string, more: object = {}) => ({ error: { message, ...more } });
test.each<[unknown, Concession | undefined]>([
  [refusedAs("Unsupported value: use stop or temperature", { param: "stop" }), "no_setting stop"],
  [refusedAs("Invalid type: stop is wrong", { param: "messages[1].content" }), undefined],
  [refusedAs("max_tokens: must be greater than thinking.budget_tokens"), "no_setting maxOutputTokens"],
  [refusedAs("thinking.budget_tokens: Input should be less than max_tokens"), "no_setting thinking"],
  [refusedAs("messages.1.content.0: Invalid `signature` in `thinking` block"), "no_state"],
  [refusedAs("messages.1.content.0.thinking.signature: Field required"), "no_state"],
  [refusedAs("messages.1.content.0.type: Expected `thinking`, but found `tool_use`"), "no_setting thinking"],
  [refusedAs("Unknown parameter: 'prompt_cache_retention'", { code: "unknown_parameter" }), "no_cache_lifetime"],
  [{ detail: [{ loc: ["body", "temperature"], msg: "Extra inputs are not permitted" }] }, "no_setting temperature"],
  [{ message: { detail: [{ loc: ["body", "messages", 0, "x"], msg: "Extra inputs are not permitted" }] } }, "no_state"],
  [
    refusedAs("Provider returned error", { metadata: { raw: '{"error":{"message":"temperature is not supported"}}' } }),
    "no_setting temperature",
  ],
  [refusedAs("output_config: Extra inputs are not permitted"), "no_setting effort"],
  [refusedAs("tools.0.eager_input_streaming: Extra inputs are not permitted"), "no_eager_arguments"],
  [refusedAs("Unrecognized request argument supplied: stream_options"), "no_stream_options"],
  [refusedAs("Input should be 'message.output_text'", { param: "include[0]" }), "no_encrypted_reasoning"],
  [refusedAs("temperature: the prompt is too long"), undefined],
  ["temperature is not supported", "no_setting temperature"],
])("[RUN-23] [RUN-32] of the refusal %j the field counts before the words: %s", (body, concession) => {
  expect(conceded(body)).toBe(concession);
});

test.each([
  "registry.ollama.ai/library/gemma:2b does not support tools",
  '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  "tools param requires --jinja flag",
  "`tool calling` is not supported with this model",
  "Function calling is not enabled for this model",
])(
  "[RUN-24] %j says that the model takes no tools, which is remembered once it answers without them",
  async (words) => {
    server.refusal = () => words;
    const asked = models();
    const { outcome } = await run(asked, modelCall("hi", { tools: [WEATHER] }));
    expect(outcome).toMatchObject({ kind: "failed", refusesTools: true });
    await run(asked, modelCall("hi", { afterToolRefusal: true }));
    expect(asked.takesTools?.(null)).toBe(true);
    server.refusal = () => null;
    await run(asked, modelCall("hi", { afterToolRefusal: true }));
    expect(asked.takesTools?.(null)).toBe(false);
  },
);

test("[RUN-24] [RUN-32] a provider's refusal of an author's options counts for that call only", async () => {
  server.refusal = (body) => (JSON.stringify(body).includes("parallel") ? "m does not support tools" : null);
  const asked = models();
  const settings = { providerOptions: { parallel: false } };
  const { outcome } = await run(asked, modelCall("hi", { tools: [WEATHER], settings }));
  expect(outcome).not.toHaveProperty("refusesTools");
});

test("[RUN-29] no key in the query of an address, no password and no value of a header is in the words of a refusal", async () => {
  const provider = {
    name: "asked",
    format: "chat-completions",
    baseUrl: `${server.baseUrl.replace("//", "//user:pass-word@")}?code=open-sesame&api-version=2024-10-21`,
    apiKey: "the-key",
    headers: { "x-project": "header-value", "x-auth": "Basic basic-value" },
  } as const;
  server.refusal = () => "2024-10-21 open-sesame pass-word the-key header-value (basic-value)";
  const { outcome } = await run(
    createModels({ ...NO_MODELS, model: "asked:m", providers: [provider] }),
    modelCall("hi"),
  );
  expect(outcome).toMatchObject({
    kind: "failed",
    error: { message: expect.stringMatching(/It said: 2024-10-21( \[hidden\]){4} \(\[hidden\]\)$/) },
  });
});

test.each([
  ["messages", "eager_input_streaming"],
  ["chat-completions", "stream_options"],
] as const)(
  "[RUN-23] a server of %s that does not know %s is asked without it, from then on at once",
  async (format, field) => {
    server.refusal = (body) => (JSON.stringify(body).includes(field) ? `${field}: extra fields not permitted` : null);
    const provider = { name: "asked", format, baseUrl: server.baseUrl, apiKey: null } as const;
    const asked = createModels({ ...NO_MODELS, model: "asked:m", providers: [provider] });
    for (const count of [2, 3]) {
      await run(asked, modelCall("hi", { tools: [WEATHER] }));
      expect([server.bodies.length, JSON.stringify(server.bodies.at(-1)).includes(field)]).toEqual([count, false]);
    }
  },
);

test("[RUN-24] a refusal of a call with an organization's own key holds for this organization", async () => {
  const asked = models();
  await run(asked, modelCall("hi", { afterToolRefusal: true, apiKey: "own" }));
  expect([ORIGIN.organizationId, "org_other"].map((id) => asked.takesTools?.(null, id))).toEqual([false, true]);
});

test("[RUN-24] a refusal of one tool, of the conversation, or of a call without tools, does not mark the model", async () => {
  const asked = models();
  for (const words of [
    "Invalid schema for function 'weather': the type is not supported",
    "Invalid schema for function 'a': oneOf is not supported",
    "tools.0.custom.input_schema: oneOf is not supported",
    "tools[0].type: unsupported",
    "Invalid 'tools[0].function.name': unsupported",
    "Image content is not supported in tool messages",
    "Unsupported parameter: 'parallel_tool_calls' is not supported with this model",
  ]) {
    server.refusal = () => words;
    const { outcome } = await run(asked, modelCall("hi", { tools: [WEATHER] }));
    expect(outcome).not.toHaveProperty("refusesTools");
  }
  server.refusal = () => "m does not support tools";
  expect((await run(asked, modelCall("hi"))).outcome).not.toHaveProperty("refusesTools");
  expect(asked.takesTools?.(null)).toBe(true);
});
