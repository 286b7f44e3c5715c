/** Servers of models of one's own. */
import type { ProviderWire } from "./provider-wire.ts";
import { calledTool, chunkOf, DONE_FRAME, refusal, sseFrame } from "./wire-frames.ts";

const COUNTS = [120, 9] as const;
const USAGE = { prompt_tokens: 120, completion_tokens: 9, total_tokens: 129 };

/** None of them needs a key; none may get one that was meant for another provider. */
const wantsNoKey: ProviderWire["refuses"] = ({ headers }) =>
  headers.has("authorization") ? refusal(401, "A key came that was not set for this server") : null;

const vllmChunk = chunkOf({ id: "chatcmpl-v", created: 1, model: "Qwen/Qwen3-32B" });
/** Reasoning under its newer name, and the counts at the end alone. */
const vllm: ProviderWire = {
  path: "/v1/chat/completions",
  refuses: ({ body, ...request }) =>
    body["tools"] !== undefined && body["tool_choice"] !== "auto"
      ? refusal(400, "tool_choice must either be a named tool, 'auto', or 'none'")
      : wantsNoKey({ body, ...request }),
  calls: [
    vllmChunk({ role: "assistant", content: "" }, null, {}, { logprobs: null, token_ids: null }),
    vllmChunk({ reasoning: "A clock." }),
    vllmChunk({ tool_calls: [calledTool("chatcmpl-tool-1", { function: { name: "current_time" } })] }),
    vllmChunk({ tool_calls: [{ index: 0, function: { arguments: "{" } }] }),
    vllmChunk({ tool_calls: [{ index: 0, function: { arguments: "}" } }] }),
    vllmChunk({ content: "" }, "tool_calls", {}, { stop_reason: null }),
    vllmChunk({}, null, { choices: [], usage: USAGE }),
    DONE_FRAME,
  ],
  says: [
    vllmChunk({ role: "assistant", content: "" }),
    vllmChunk({ reasoning: "Noon." }),
    vllmChunk({ content: "It is " }),
    vllmChunk({ content: "noon." }),
    vllmChunk({ content: "" }, "stop", {}, { stop_reason: null }),
    vllmChunk({}, null, { choices: [], usage: USAGE }),
    DONE_FRAME,
  ],
  counts: COUNTS,
};

const llamaChunk = chunkOf({ id: "chatcmpl-l", created: 1, model: "qwen3-8b", system_fingerprint: "b9465-23e6dab86" });
const TIMINGS = { cache_n: 0, prompt_n: 120, prompt_ms: 900.5, predicted_n: 9, predicted_ms: 300.1 };
/** Empty comments while it reads the prompt, and its timings beside the counts. */
const llamaCpp: ProviderWire = {
  path: "/v1/chat/completions",
  refuses: wantsNoKey,
  calls: [
    ":\n\n",
    ":\n\n",
    llamaChunk({ role: "assistant", content: null }),
    llamaChunk({ reasoning_content: "A clock." }),
    llamaChunk({
      tool_calls: [
        calledTool("Wb2k7QzXy0aBcDeFgHiJkLmNoPqRsTuV", { function: { name: "current_time", arguments: "{" } }),
      ],
    }),
    llamaChunk({ tool_calls: [{ index: 0, function: { arguments: "}" } }] }),
    llamaChunk({}, "tool_calls"),
    llamaChunk({}, null, { choices: [], usage: USAGE, timings: TIMINGS }),
    DONE_FRAME,
  ],
  says: [
    ":\n\n",
    llamaChunk({ role: "assistant", content: null }),
    llamaChunk({ content: "It is " }),
    llamaChunk({ content: "noon." }),
    llamaChunk({}, "stop"),
    llamaChunk({}, null, { choices: [], usage: USAGE, timings: TIMINGS }),
    DONE_FRAME,
  ],
  counts: COUNTS,
};

const ollamaChunk = chunkOf({ id: "chatcmpl-o", created: 1, model: "qwen3:8b", system_fingerprint: "fp_ollama" });
/** A whole call in one frame, whose id may be missing. */
const ollama: ProviderWire = {
  path: "/v1/chat/completions",
  refuses: wantsNoKey,
  calls: [
    ollamaChunk({ role: "assistant", content: "", reasoning: "A clock." }),
    ollamaChunk({ role: "assistant", content: "", tool_calls: [calledTool(undefined)] }),
    ollamaChunk({ role: "assistant", content: "" }, "stop"),
    ollamaChunk({}, null, { choices: [], usage: USAGE }),
    DONE_FRAME,
  ],
  says: [
    ollamaChunk({ role: "assistant", content: "It is " }),
    ollamaChunk({ role: "assistant", content: "noon." }),
    ollamaChunk({ role: "assistant", content: "" }, "stop"),
    ollamaChunk({}, null, { choices: [], usage: USAGE }),
    DONE_FRAME,
  ],
  counts: COUNTS,
};

const studioChunk = chunkOf({
  id: "chatcmpl-s",
  created: 1,
  model: "qwen/qwen3-8b",
  system_fingerprint: "qwen/qwen3-8b",
});
/** The name of a call in a frame of its own, and tags of reasoning in the text. */
const lmStudio: ProviderWire = {
  path: "/v1/chat/completions",
  refuses: wantsNoKey,
  calls: [
    studioChunk({ role: "assistant", content: "<think>" }),
    studioChunk({ role: "assistant", content: "A clock.</think>" }),
    studioChunk({ tool_calls: [calledTool("365174485", { function: { name: "current_time", arguments: "" } })] }),
    studioChunk({ tool_calls: [{ index: 0, type: "function", function: { name: "", arguments: "{}" } }] }),
    studioChunk({}, "tool_calls"),
    sseFrame({ id: "chatcmpl-s", object: "chat.completion.chunk", choices: [], usage: USAGE }),
    DONE_FRAME,
  ],
  says: [
    studioChunk({ role: "assistant", content: "It is " }),
    studioChunk({ role: "assistant", content: "noon." }),
    studioChunk({}, "stop"),
    sseFrame({ id: "chatcmpl-s", object: "chat.completion.chunk", choices: [], usage: USAGE }),
    DONE_FRAME,
  ],
  counts: COUNTS,
};

export const LOCAL_WIRES: Readonly<Record<string, ProviderWire>> = {
  vllm,
  "llama-cpp": llamaCpp,
  ollama,
  "lm-studio": lmStudio,
};
