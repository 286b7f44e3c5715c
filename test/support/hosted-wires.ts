/** Providers over the internet. */
import type { ProviderWire } from "./provider-wire.ts";
import {
  allOf,
  calledTool,
  chunkOf,
  DONE_FRAME,
  refusal,
  sseEvent,
  sseFrame,
  wantsKey,
  wantsOfCallers,
} from "./wire-frames.ts";

/** What Google documents for calls of other models. */
const FOREIGN = "skip_thought_signature_validator";
const GOOGLE = "c2lnbmF0dXJlIG9mIGEgdGhvdWdodA==";
const SIGNED = "c2lnbmVkIHRoaW5raW5n";
const ENCRYPTED = "ZW5jcnlwdGVkIHJlYXNvbmluZw==";
const COUNTS = [120, 9] as const;
const USAGE = { prompt_tokens: 120, completion_tokens: 9, total_tokens: 129 };
const bearer = (name: string) => wantsKey("authorization", `Bearer key-of-${name}`);

const block = (index: number, content_block: object, delta: object): string =>
  [
    sseEvent({ type: "content_block_start", index, content_block }),
    sseEvent({ type: "content_block_delta", index, delta }),
    sseEvent({ type: "content_block_stop", index }),
  ].join("");
const message = (stopReason: string, ...blocks: readonly string[]): readonly string[] => [
  sseEvent({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [],
      usage: { input_tokens: 120, cache_read_input_tokens: 0, output_tokens: 1 },
    },
  }),
  sseEvent({ type: "ping" }),
  ...blocks,
  sseEvent({ type: "message_delta", delta: { stop_reason: stopReason }, usage: { output_tokens: 9 } }),
  sseEvent({ type: "message_stop" }),
];

/** Thinks before the call, and wants the signed block back. */
const anthropic: ProviderWire = {
  path: "/v1/messages",
  refuses: allOf(wantsKey("x-api-key", "key-of-anthropic"), wantsKey("anthropic-version", "2023-06-01"), ({ body }) =>
    Number.isInteger(body["max_tokens"]) ? null : refusal(400, "max_tokens: Field required"),
  ),
  calls: message(
    "tool_use",
    sseEvent({
      type: "content_block_start",
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    }) +
      sseEvent({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "A clock." } }) +
      sseEvent({ type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: SIGNED } }) +
      sseEvent({ type: "content_block_stop", index: 0 }),
    block(
      1,
      { type: "tool_use", id: "toolu_1", name: "current_time", input: {} },
      { type: "input_json_delta", partial_json: "{}" },
    ),
  ),
  says: message(
    "end_turn",
    sseEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...["It is ", "noon."].map((text) =>
      sseEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    ),
    sseEvent({ type: "content_block_stop", index: 0 }),
  ),
  counts: COUNTS,
  returned: (body) => JSON.stringify(body).includes(SIGNED),
};

const response = { id: "resp_1", created_at: 1, model: "gpt-5-mini" };
const item = (type: "added" | "done", output_index: number, value: object): string =>
  sseEvent({ type: `response.output_item.${type}`, output_index, item: value });
const completed = sseEvent({
  type: "response.completed",
  response: { ...response, usage: { input_tokens: 120, input_tokens_details: { cached_tokens: 0 }, output_tokens: 9 } },
});

/** Sends events that its documentation does not name, and wants its reasoning back, which it has encrypted. */
const openai: ProviderWire = {
  path: "/v1/responses",
  refuses: allOf(bearer("openai"), ({ body }) => (body["store"] === false ? null : refusal(400, "store"))),
  calls: [
    sseEvent({ type: "response.created", response }),
    sseEvent({ type: "keepalive", sequence_number: 2 }),
    item("added", 0, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "" }),
    sseEvent({ type: "keepalive", sequence_number: 4 }),
    item("done", 0, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: ENCRYPTED }),
    item("added", 1, { type: "function_call", id: "fc_1", call_id: "call_1", name: "current_time", arguments: "" }),
    sseEvent({ type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: "{}" }),
    item("done", 1, {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: "current_time",
      arguments: "{}",
      status: "completed",
    }),
    completed,
  ],
  says: [
    sseEvent({ type: "response.created", response }),
    item("added", 0, { type: "message", id: "msg_1", role: "assistant", content: [] }),
    ...["It is ", "noon."].map((delta) =>
      sseEvent({ type: "response.output_text.delta", item_id: "msg_1", output_index: 0, delta }),
    ),
    item("done", 0, {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "It is noon." }],
    }),
    completed,
  ],
  counts: COUNTS,
  returned: (body) => JSON.stringify(body["input"]).includes(ENCRYPTED),
};

const azureChunk = chunkOf({ id: "chatcmpl-az", created: 1, model: "gpt-5-mini", system_fingerprint: "fp_1" });
const SAFE = { content_filter_results: { hate: { filtered: false, severity: "safe" } } };
/** Begins with a frame about its filters, and sends others in between, without a delta. */
const azure: ProviderWire = {
  path: "/openai/v1/chat/completions",
  refuses: allOf(wantsKey("api-key", "key-of-azure"), ({ headers }) =>
    headers.has("authorization") ? refusal(401, "Access denied due to invalid subscription key") : null,
  ),
  calls: [
    sseFrame({
      id: "",
      object: "",
      created: 0,
      model: "",
      choices: [],
      prompt_filter_results: [{ prompt_index: 0, ...SAFE }],
    }),
    azureChunk({
      role: "assistant",
      content: null,
      tool_calls: [calledTool("call_1", { function: { name: "current_time", arguments: "" } })],
    }),
    azureChunk({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }),
    azureChunk({}, "tool_calls"),
    azureChunk({}, null, { choices: [], usage: USAGE }),
    DONE_FRAME,
  ],
  says: [
    sseFrame({
      id: "",
      object: "",
      created: 0,
      model: "",
      choices: [],
      prompt_filter_results: [{ prompt_index: 0, ...SAFE }],
    }),
    azureChunk({ role: "assistant", content: "" }, null, {}, SAFE),
    azureChunk({ content: "It is " }, null, {}, SAFE),
    sseFrame({
      id: "",
      object: "",
      created: 0,
      model: "",
      choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 1 }, ...SAFE }],
    }),
    azureChunk({ content: "noon." }, null, {}, SAFE),
    azureChunk({}, "stop", {}, SAFE),
    azureChunk({}, null, { choices: [], usage: USAGE }),
    DONE_FRAME,
  ],
  counts: COUNTS,
};

const geminiChunk = chunkOf({ id: "g1", created: 1, model: "gemini-3-pro-preview" });
const NO_SIGNATURE =
  "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly";
/** Ends a call with `stop`, counts in every frame, and wants the signature of its thought back with the call. */
const gemini: ProviderWire = {
  path: "/v1beta/openai/chat/completions",
  refuses: allOf(bearer("gemini"), (request) => {
    const refused = wantsOfCallers(
      (message) => [GOOGLE, FOREIGN].some((mark) => JSON.stringify(message.tool_calls).includes(mark)),
      NO_SIGNATURE,
    )(request);
    return refused === null
      ? null
      : { status: 400, error: [{ error: { code: 400, message: NO_SIGNATURE, status: "INVALID_ARGUMENT" } }] };
  }),
  calls: [
    geminiChunk(
      {
        role: "assistant",
        tool_calls: [calledTool("function-call-1", { extra_content: { google: { thought_signature: GOOGLE } } })],
      },
      null,
      { usage: { ...USAGE, completion_tokens: 4 } },
    ),
    geminiChunk({ role: "assistant", content: "" }, "stop", { usage: USAGE }),
    DONE_FRAME,
  ],
  says: [
    geminiChunk({ role: "assistant", content: "It is " }, null, { usage: { ...USAGE, completion_tokens: 4 } }),
    geminiChunk({ role: "assistant", content: "noon." }, "stop", { usage: USAGE }),
    DONE_FRAME,
  ],
  counts: COUNTS,
};

const openrouterChunk = chunkOf({
  id: "gen-1",
  provider: "Anthropic",
  created: 1,
  model: "anthropic/claude-sonnet-4.5",
});
const DETAIL = { type: "reasoning.text", text: "A clock.", signature: SIGNED, format: "anthropic-claude-v1", index: 0 };
/** Comments while it looks for a provider; reasoning under two names, one of which it wants back. */
const openrouter: ProviderWire = {
  path: "/api/v1/chat/completions",
  refuses: bearer("openrouter"),
  calls: [
    ": OPENROUTER PROCESSING\n\n",
    ": OPENROUTER PROCESSING\n\n",
    openrouterChunk({ role: "assistant", content: "", reasoning: "A clock.", reasoning_details: [DETAIL] }),
    openrouterChunk({ role: "assistant", content: null, tool_calls: [calledTool("toolu_1")] }),
    openrouterChunk({ role: "assistant", content: "" }, "tool_calls", {}, { native_finish_reason: "tool_use" }),
    openrouterChunk({ role: "assistant", content: "" }, null, { usage: { ...USAGE, cost: 0.000_5 } }),
    DONE_FRAME,
  ],
  says: [
    ": OPENROUTER PROCESSING\n\n",
    openrouterChunk({ role: "assistant", content: "It is " }),
    openrouterChunk({ role: "assistant", content: "noon." }),
    openrouterChunk({ role: "assistant", content: "" }, "stop", {}, { native_finish_reason: "end_turn" }),
    openrouterChunk({ role: "assistant", content: "" }, null, { usage: { ...USAGE, cost: 0.000_5 } }),
    DONE_FRAME,
  ],
  counts: COUNTS,
  returned: (body) => [SIGNED, '"cache_control"'].every((part) => JSON.stringify(body.messages).includes(part)),
};

const deepseekChunk = chunkOf({ id: "ds1", created: 1, model: "deepseek-v4-pro", system_fingerprint: "fp_ds" });
const DEEPSEEK_USAGE = { ...USAGE, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 56 };
/** Comments while it waits, and reasoning that it wants back with the calls. */
const deepseek: ProviderWire = {
  path: "/chat/completions",
  refuses: allOf(
    bearer("deepseek"),
    wantsOfCallers(
      ({ reasoning_content: text }) => typeof text === "string" && text !== "",
      "The reasoning_content in the thinking mode must be passed back to the API.",
    ),
  ),
  calls: [
    ": keep-alive\n\n",
    deepseekChunk({ role: "assistant", content: null, reasoning_content: "A " }),
    deepseekChunk({ content: null, reasoning_content: "clock." }),
    deepseekChunk({ tool_calls: [calledTool("call_00_a", { function: { name: "current_time", arguments: "" } })] }),
    deepseekChunk({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }),
    deepseekChunk({ content: "", reasoning_content: null }, "tool_calls", { usage: DEEPSEEK_USAGE }),
    DONE_FRAME,
  ],
  says: [
    ": keep-alive\n\n",
    deepseekChunk({ role: "assistant", content: null, reasoning_content: "Noon." }),
    deepseekChunk({ content: "It is ", reasoning_content: null }),
    deepseekChunk({ content: "noon.", reasoning_content: null }),
    deepseekChunk({ content: "", reasoning_content: null }, "stop", { usage: DEEPSEEK_USAGE }),
    DONE_FRAME,
  ],
  counts: COUNTS,
};

const mistralChunk = chunkOf({ id: "m1", created: 1, model: "magistral-medium-latest" });
const thinking = (text: string): object => ({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] });
/** Content in lists, and ids of nine characters. */
const mistral: ProviderWire = {
  path: "/v1/chat/completions",
  refuses: allOf(
    bearer("mistral"),
    wantsOfCallers(
      ({ tool_calls: calls = [] }) => calls.every(({ id }) => /^[a-zA-Z0-9]{9}$/.test(id)),
      "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
    ),
  ),
  calls: [
    mistralChunk({ role: "assistant", content: "" }, null, { p: "abcde" }),
    mistralChunk(thinking("A clock.")),
    mistralChunk({ content: "", tool_calls: [calledTool("D681PevKs")] }, "tool_calls", { usage: USAGE }),
    DONE_FRAME,
  ],
  says: [
    mistralChunk({ role: "assistant", content: "" }),
    mistralChunk(thinking("Noon.")),
    mistralChunk({ content: [{ type: "text", text: "It is " }] }),
    mistralChunk({ content: "noon." }, null, { p: "abcdefgh" }),
    mistralChunk({ content: "" }, "stop", { usage: USAGE }),
    DONE_FRAME,
  ],
  counts: COUNTS,
};

const groqChunk = chunkOf({ id: "chatcmpl-gq", created: 1, model: "openai/gpt-oss-120b", system_fingerprint: "fp_gq" });
const GROQ_USAGE = { queue_time: 0.1, prompt_time: 0.01, completion_time: 0.02, total_time: 0.03, ...USAGE };
const GROQ_FIELDS: ReadonlySet<string> = new Set(["role", "content", "name", "tool_calls", "tool_call_id"]);
/** Counts in a field of its own, and refuses every field that it does not know, reasoning among them. */
const groq: ProviderWire = {
  path: "/openai/v1/chat/completions",
  refuses: allOf(bearer("groq"), ({ body }) => {
    for (const [at, message] of (body.messages ?? []).entries()) {
      const unknown = Object.keys(message).find((name) => !GROQ_FIELDS.has(name));
      if (unknown !== undefined)
        return refusal(
          400,
          `'messages.${at}' : for 'role:${message.role}' the following must be satisfied[('messages.${at}' : property '${unknown}' is unsupported)]`,
        );
    }
    return null;
  }),
  calls: [
    groqChunk({ role: "assistant", content: null }, null, { x_groq: { id: "req_1" } }),
    groqChunk({ channel: "analysis", reasoning: "A clock." }),
    groqChunk({ tool_calls: [calledTool("fc_1")] }),
    groqChunk({}, "tool_calls", { x_groq: { id: "req_1", usage: GROQ_USAGE } }),
    DONE_FRAME,
  ],
  says: [
    groqChunk({ role: "assistant", content: null }, null, { x_groq: { id: "req_2" } }),
    groqChunk({ channel: "analysis", reasoning: "Noon." }),
    groqChunk({ content: "It is " }),
    groqChunk({ content: "noon." }),
    groqChunk({}, "stop", { x_groq: { id: "req_2", usage: GROQ_USAGE } }),
    DONE_FRAME,
  ],
  counts: COUNTS,
};

const bedrockChunk = chunkOf({
  id: "chatcmpl-br",
  created: 1,
  model: "openai.gpt-oss-120b-1:0",
  service_tier: "default",
});
/** The reasoning is in the text, between tags of its own. */
const bedrock: ProviderWire = {
  path: "/openai/v1/chat/completions",
  refuses: bearer("bedrock"),
  calls: [
    bedrockChunk({ role: "assistant", content: "" }),
    bedrockChunk({ content: "<reason" }),
    bedrockChunk({ content: "ing>A clock.</reasoning>" }),
    bedrockChunk({ tool_calls: [calledTool("chatcmpl-tool-1")] }),
    bedrockChunk({}, "tool_calls"),
    bedrockChunk({}, null, { choices: [], usage: USAGE }),
    DONE_FRAME,
  ],
  says: [
    bedrockChunk({ role: "assistant", content: "" }),
    bedrockChunk({ content: "<reasoning>Noon.</reasoning>" }),
    bedrockChunk({ content: "It is " }),
    bedrockChunk({ content: "noon." }),
    bedrockChunk({}, "stop"),
    bedrockChunk({}, null, { choices: [], usage: USAGE }),
    DONE_FRAME,
  ],
  counts: COUNTS,
};

/** Azure's older addresses, of which each is a deployment of its own. */
const azureDeployment: ProviderWire = {
  ...azure,
  path: "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
};

export const HOSTED_WIRES: Readonly<Record<string, ProviderWire>> = {
  anthropic,
  openai,
  azure,
  "azure-deployment": azureDeployment,
  gemini,
  openrouter,
  deepseek,
  mistral,
  groq,
  bedrock,
};
