/**
 * Streams as providers send them: whole, with all that we do not read, in each format. `reads` is what
 * a call makes of it, or the code with which it fails.
 */
import type { ModelOutcome } from "../../actors/job/ports.ts";
import type { Citation } from "../../actors/job/citation.ts";
import type { RunErrorCode, ToolUseBlock, Usage } from "../../actors/job/schema.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { FormatName } from "./model-ways.ts";

type Finished = Extract<ModelOutcome, { readonly kind: "finished" }>;

export interface Recording {
  readonly format: FormatName;
  readonly about: string;
  readonly stream: string;
  readonly reads: Omit<Finished, "kind"> | RunErrorCode;
  /** Where the reference does worse, and we do not follow it. */
  readonly referenceReads?: Omit<Finished, "kind"> | RunErrorCode;
}

const data = (frame: object | string): string =>
  `data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`;
const chunk = (choice: object, more: object = {}): string =>
  data({
    id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
    object: "chat.completion.chunk",
    created: 1741570283,
    model: "gpt-5-mini-2026-08-07",
    service_tier: "default",
    system_fingerprint: "fp_06737a9306",
    choices: [{ index: 0, logprobs: null, finish_reason: null, ...choice }],
    usage: null,
    obfuscation: "kX1",
    ...more,
  });
const say = (content: string): string => chunk({ delta: { content } });
const callPiece = (call: object): string => chunk({ delta: { tool_calls: [call] } });
const usage = (prompt: number, completion: number): string =>
  data({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: 1, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  });
const DONE = data("[DONE]");
const ended = (reason: string): string => chunk({ delta: {}, finish_reason: reason });

const text = (words: string) => ({ type: "text", text: words }) as const;
const thought = (words: string) => ({ type: "reasoning", text: words }) as const;
const call = (id: string, name: string, input: JsonObject): ToolUseBlock => ({ type: "tool_use", id, name, input });
export const cited = (start: number, end: number, of: Partial<Citation>): Citation => ({
  start,
  end,
  type: "url",
  title: null,
  url: null,
  document_index: null,
  first_page: null,
  last_page: null,
  cited_text: null,
  ...of,
});
const tokens = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });
const partlyCached = (input: number, output: number, cachedInputTokens: number, cacheWriteTokens = 0): Usage => ({
  ...tokens(input, output),
  cachedInputTokens,
  ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
});

const CHAT: readonly Omit<Recording, "format">[] = [
  {
    about: "text as OpenAI sends it",
    stream:
      chunk({ delta: { role: "assistant", content: "", refusal: null } }) +
      say("Grüß ") +
      say("dich 😀") +
      ended("stop") +
      usage(19, 10) +
      DONE,
    reads: { blocks: [text("Grüß dich 😀")], usage: partlyCached(19, 10, 1), finishReason: "stop" },
  },
  {
    about: "comments and empty deltas of OpenRouter, and reasoning under its other name",
    stream:
      ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" +
      chunk({ delta: { role: "assistant", content: "", reasoning: "We need", reasoning_details: [] } }) +
      chunk({ delta: { role: "assistant", content: "", reasoning: " to greet." } }) +
      chunk({ delta: { role: "assistant", content: "Hi", reasoning: null } }) +
      chunk({ delta: { role: "assistant", content: "" }, finish_reason: "stop", native_finish_reason: "stop" }) +
      usage(3, 4) +
      DONE,
    reads: { blocks: [thought("We need to greet."), text("Hi")], usage: partlyCached(3, 4, 1), finishReason: "stop" },
  },
  {
    about: "two calls whose pieces are told apart by their indices",
    stream:
      say("I look.") +
      callPiece({ index: 0, id: "call_a", type: "function", function: { name: "weather", arguments: "" } }) +
      callPiece({ index: 0, function: { arguments: '{"town":' } }) +
      callPiece({ index: 1, id: "call_b", type: "function", function: { name: "time", arguments: "" } }) +
      callPiece({ index: 0, function: { arguments: '"Ulm"}' } }) +
      callPiece({ index: 1, function: { arguments: "{}" } }) +
      ended("tool_calls") +
      usage(5, 6) +
      DONE,
    reads: {
      blocks: [text("I look."), call("call_a", "weather", { town: "Ulm" }), call("call_b", "time", {})],
      usage: partlyCached(5, 6, 1),
      finishReason: "tool_use",
    },
  },
  {
    about: "whole calls of Ollama and Gemini: no index, or the same for all",
    stream:
      callPiece({ id: "call_a", type: "function", function: { name: "weather", arguments: '{"town":"Ulm"}' } }) +
      callPiece({ id: "call_b", type: "function", function: { name: "weather", arguments: '{"town":"Bern"}' } }) +
      ended("stop") +
      DONE,
    reads: {
      blocks: [call("call_a", "weather", { town: "Ulm" }), call("call_b", "weather", { town: "Bern" })],
      usage: tokens(0, 0),
      finishReason: "tool_use",
    },
  },
  {
    about: "two calls at index 0",
    stream:
      callPiece({ index: 0, id: "call_a", function: { name: "weather", arguments: '{"town":"Ulm"}' } }) +
      callPiece({ index: 0, id: "call_b", function: { name: "weather", arguments: '{"town":"Bern"}' } }) +
      ended("tool_calls") +
      DONE,
    reads: {
      blocks: [call("call_a", "weather", { town: "Ulm" }), call("call_b", "weather", { town: "Bern" })],
      usage: tokens(0, 0),
      finishReason: "tool_use",
    },
  },
  {
    about: "a call whose name comes after its first arguments, and whose pieces repeat id and name",
    stream:
      callPiece({ index: 0, id: "call_a", function: { arguments: '{"to' } }) +
      callPiece({ index: 0, id: "call_a", function: { name: "weather", arguments: 'wn":' } }) +
      callPiece({ index: 0, id: "call_a", function: { name: "weather", arguments: "1}" } }) +
      ended("tool_calls") +
      DONE,
    reads: { blocks: [call("call_a", "weather", { town: 1 })], usage: tokens(0, 0), finishReason: "tool_use" },
  },
  {
    about: "a refusal",
    stream: chunk({ delta: { role: "assistant", refusal: "I can't help" } }) + ended("stop") + DONE,
    reads: { blocks: [text("I can't help")], usage: tokens(0, 0), finishReason: "refusal" },
  },
  {
    about: "parts of Mistral",
    stream:
      chunk({ delta: { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }] } }) +
      chunk({ delta: { content: [{ type: "text", text: "Yes" }] } }) +
      ended("stop") +
      DONE,
    reads: { blocks: [thought("Hm."), text("Yes")], usage: tokens(0, 0), finishReason: "stop" },
  },
  {
    about: "a placeholder of Azure before the first choice, and a filter at the end",
    stream:
      data({ choices: [], created: 0, id: "", model: "", object: "", prompt_filter_results: [{ prompt_index: 0 }] }) +
      say("Well") +
      ended("content_filter") +
      DONE,
    reads: { blocks: [text("Well")], usage: tokens(0, 0), finishReason: "content_filter" },
  },
  {
    about: "an error of OpenRouter in the middle, beside a choice",
    stream:
      say("Well") +
      data({
        id: "c",
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
        error: { code: 429, message: "Rate limit" },
      }) +
      DONE,
    reads: "provider_rate_limited",
  },
  {
    about: "an end without a reason",
    stream: say("Well") + DONE,
    reads: { blocks: [text("Well")], usage: tokens(0, 0), finishReason: "other" },
    referenceReads: "provider_unreachable",
  },
  { about: "nothing", stream: "", reads: "provider_error" },
  { about: "a list for a frame", stream: data("[]"), reads: "provider_error" },
  { about: "null for a frame", stream: data("null"), reads: "provider_error" },
  {
    about: "a number for text",
    stream: chunk({ delta: { content: 5 } }) + DONE,
    reads: { blocks: [text("5")], usage: tokens(0, 0), finishReason: "other" },
    referenceReads: "provider_error",
  },
  { about: "text for choices", stream: data({ choices: "x" }), reads: "provider_error" },
  { about: "frames of another format", stream: data({ type: "ping" }), reads: "provider_error" },
  {
    about: "text for tokens",
    stream: say("a") + ended("stop") + data({ choices: [], usage: { prompt_tokens: "1" } }),
    reads: { blocks: [text("a")], usage: tokens(1, 0), finishReason: "stop" },
    referenceReads: "provider_error",
  },
  {
    about: "arguments that would change a prototype",
    stream:
      callPiece({ index: 0, id: "a", function: { name: "f", arguments: '{"\\u005f_proto__":{"x":1}}' } }) +
      callPiece({ index: 1, id: "b", function: { name: "f", arguments: '{"a":[{"constructor":{"prototype":1}}]}' } }) +
      ended("tool_calls") +
      DONE,
    reads: {
      blocks: [
        call("a", "f", { _unparsed_input: '{"\\u005f_proto__":{"x":1}}' }),
        call("b", "f", { _unparsed_input: '{"a":[{"constructor":{"prototype":1}}]}' }),
      ],
      usage: tokens(0, 0),
      finishReason: "tool_use",
    },
  },
];

const event = (frame: { readonly type: string; readonly [name: string]: unknown }): string =>
  `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
const messageStart = event({
  type: "message_start",
  message: {
    model: "claude-sonnet-5-5",
    id: "msg_01",
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 3,
      output_tokens: 1,
      service_tier: "standard",
    },
  },
});
const blockStart = (index: number, content_block: object): string =>
  event({ type: "content_block_start", index, content_block });
const blockDelta = (index: number, delta: object): string => event({ type: "content_block_delta", index, delta });
const blockStop = (index: number): string => event({ type: "content_block_stop", index });
const messageEnd = (stop_reason: string, output_tokens: number): string =>
  event({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } }) +
  event({ type: "message_stop" });

const MESSAGES: readonly Omit<Recording, "format">[] = [
  {
    about: "thoughts, text and a call",
    stream:
      messageStart +
      event({ type: "ping" }) +
      blockStart(0, { type: "thinking", thinking: "", signature: "" }) +
      blockDelta(0, { type: "thinking_delta", thinking: "Let me " }) +
      blockDelta(0, { type: "thinking_delta", thinking: "see." }) +
      blockDelta(0, { type: "signature_delta", signature: "EqoBCkgIARABGAIiQ" }) +
      blockStop(0) +
      blockStart(1, { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" }) +
      blockStop(1) +
      blockStart(2, { type: "text", text: "" }) +
      blockDelta(2, { type: "text_delta", text: "Grüß " }) +
      blockDelta(2, { type: "text_delta", text: "dich 😀" }) +
      blockStop(2) +
      blockStart(3, { type: "tool_use", id: "toolu_01", name: "weather", input: {} }) +
      blockDelta(3, { type: "input_json_delta", partial_json: "" }) +
      blockDelta(3, { type: "input_json_delta", partial_json: '{"town": "U' }) +
      blockDelta(3, { type: "input_json_delta", partial_json: 'lm"}' }) +
      blockStop(3) +
      messageEnd("tool_use", 89),
    reads: {
      blocks: [thought("Let me see."), text("Grüß dich 😀"), call("toolu_01", "weather", { town: "Ulm" })],
      usage: partlyCached(15, 89, 3, 2),
      finishReason: "tool_use",
    },
  },
  {
    about: "text between calls, and arguments that come at once",
    stream:
      messageStart +
      blockStart(0, { type: "tool_use", id: "a", name: "time", input: { zone: "UTC" } }) +
      blockStop(0) +
      blockStart(1, { type: "text", text: "" }) +
      blockDelta(1, { type: "text_delta", text: "and" }) +
      blockStop(1) +
      blockStart(2, { type: "tool_use", id: "b", name: "time", input: {} }) +
      blockStop(2) +
      messageEnd("tool_use", 7),
    reads: {
      blocks: [call("a", "time", { zone: "UTC" }), text("and"), call("b", "time", {})],
      usage: partlyCached(15, 7, 3, 2),
      finishReason: "tool_use",
    },
  },
  {
    about: "a refusal",
    stream: messageStart + messageEnd("refusal", 1),
    reads: { blocks: [], usage: partlyCached(15, 1, 3, 2), finishReason: "refusal" },
  },
  {
    about: "an answer that reached its length",
    stream: messageStart + messageEnd("max_tokens", 1),
    reads: { blocks: [], usage: partlyCached(15, 1, 3, 2), finishReason: "length" },
  },
  {
    about: "an answer that filled the context window",
    stream: messageStart + messageEnd("model_context_window_exceeded", 1),
    reads: { blocks: [], usage: partlyCached(15, 1, 3, 2), finishReason: "length" },
  },
  {
    about: "a reason that is new",
    stream: messageStart + messageEnd("compaction", 1),
    reads: { blocks: [], usage: partlyCached(15, 1, 3, 2), finishReason: "other" },
  },
  {
    about: "a search of the provider's own, with a citation of its result",
    stream:
      messageStart +
      blockStart(0, { type: "text", text: "" }) +
      blockDelta(0, { type: "text_delta", text: "It rains." }) +
      blockDelta(0, {
        type: "citations_delta",
        citation: {
          type: "web_search_result_location",
          cited_text: "rain",
          url: "https://weather.example",
          title: "W",
          encrypted_index: "x",
        },
      }) +
      blockStop(0) +
      messageEnd("end_turn", 2),
    reads: {
      blocks: [
        {
          ...text("It rains."),
          citations: [cited(0, 9, { url: "https://weather.example/", title: "W", cited_text: "rain" })],
        },
      ],
      usage: partlyCached(15, 2, 3, 2),
      finishReason: "stop",
    },
  },
  {
    about: "events, blocks and deltas that are new",
    stream:
      messageStart +
      event({ type: "message_mood", mood: "fine" }) +
      blockStart(0, { type: "hologram" }) +
      blockDelta(0, { type: "hologram_delta", x: 1 }) +
      blockStop(0) +
      blockStart(1, { type: "text", text: "" }) +
      blockDelta(1, { type: "text_delta", text: "Hi" }) +
      blockStop(1) +
      messageEnd("end_turn", 2),
    reads: { blocks: [text("Hi")], usage: partlyCached(15, 2, 3, 2), finishReason: "stop" },
    referenceReads: "provider_error",
  },
  {
    about: "an overload before any output",
    stream: event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_1" }),
    reads: "provider_error",
  },
  {
    about: "a limit in the middle",
    stream: messageStart + event({ type: "error", error: { type: "rate_limit_error", message: "Slow down" } }),
    reads: "provider_rate_limited",
  },
  { about: "an end without a stop", stream: messageStart + event({ type: "message_stop" }), reads: "provider_error" },
  { about: "nothing", stream: "", reads: "provider_error" },
  { about: "a frame without a type", stream: data({}), reads: "provider_error" },
  {
    about: "text for an index",
    stream: messageStart + event({ type: "content_block_stop", index: "0" }),
    reads: "provider_error",
  },
  {
    about: "an object for text",
    stream: messageStart + blockStart(0, { type: "text", text: "" }) + blockDelta(0, { type: "text_delta", text: {} }),
    reads: "provider_error",
  },
];

const about = { id: "resp_67c9fdcecf488190", object: "response", created_at: 1741290958, model: "gpt-5-mini" };
const added = (output_index: number, item: object): string =>
  event({ type: "response.output_item.added", sequence_number: 2, output_index, item });
const done = (output_index: number, item: object): string =>
  event({ type: "response.output_item.done", sequence_number: 9, output_index, item });
const outputText = (delta: string): string =>
  event({
    type: "response.output_text.delta",
    sequence_number: 4,
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    delta,
    logprobs: [],
    obfuscation: "aOGq1",
  });
const begun =
  event({ type: "response.created", sequence_number: 0, response: { ...about, status: "in_progress", output: [] } }) +
  event({ type: "response.in_progress", sequence_number: 1, response: { ...about, status: "in_progress" } });
const counted = {
  input_tokens: 37,
  input_tokens_details: { cached_tokens: 8, cache_write_tokens: 16 },
  output_tokens: 11,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 48,
};
const finished = (more: object = {}, type = "response.completed"): string =>
  event({
    type,
    sequence_number: 20,
    response: { ...about, status: "completed", incomplete_details: null, error: null, usage: counted, ...more },
  });
const argumentsDelta = (output_index: number, delta: string): string =>
  event({
    type: "response.function_call_arguments.delta",
    sequence_number: 5,
    item_id: "fc_1",
    output_index,
    delta,
  });
const made = { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", status: "in_progress" };

const RESPONSES: readonly Omit<Recording, "format">[] = [
  {
    about: "text as OpenAI sends it",
    stream:
      begun +
      added(0, { type: "message", id: "msg_1", status: "in_progress", role: "assistant", content: [] }) +
      event({
        type: "response.content_part.added",
        sequence_number: 3,
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        part: { type: "output_text", text: "", annotations: [] },
      }) +
      outputText("Grüß ") +
      outputText("dich 😀") +
      event({
        type: "response.output_text.done",
        sequence_number: 7,
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        text: "Grüß dich 😀",
      }) +
      done(0, { type: "message", id: "msg_1", status: "completed", role: "assistant", content: [] }) +
      finished(),
    reads: { blocks: [text("Grüß dich 😀")], usage: partlyCached(37, 11, 8, 16), finishReason: "stop" },
  },
  {
    about: "a summary of its reasoning, then a call",
    stream:
      begun +
      added(0, { type: "reasoning", id: "rs_1", summary: [] }) +
      event({
        type: "response.reasoning_summary_part.added",
        sequence_number: 3,
        item_id: "rs_1",
        output_index: 0,
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      }) +
      event({
        type: "response.reasoning_summary_text.delta",
        sequence_number: 4,
        item_id: "rs_1",
        output_index: 0,
        summary_index: 0,
        delta: "I look.",
      }) +
      done(0, { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "I look." }] }) +
      added(1, { ...made, arguments: "" }) +
      argumentsDelta(1, '{"town":') +
      argumentsDelta(1, '"Ulm"}') +
      event({
        type: "response.function_call_arguments.done",
        sequence_number: 7,
        item_id: "fc_1",
        output_index: 1,
        arguments: '{"town":"Ulm"}',
      }) +
      done(1, { ...made, arguments: '{"town":"Ulm"}', status: "completed" }) +
      finished(),
    reads: {
      blocks: [thought("I look."), call("call_1", "weather", { town: "Ulm" })],
      usage: partlyCached(37, 11, 8, 16),
      finishReason: "tool_use",
    },
  },
  {
    about: "a call whose arguments come at once",
    stream: begun + added(0, { ...made, arguments: "" }) + done(0, { ...made, arguments: "{}" }) + finished(),
    reads: { blocks: [call("call_1", "weather", {})], usage: partlyCached(37, 11, 8, 16), finishReason: "tool_use" },
  },
  {
    about: "a refusal",
    stream:
      begun +
      added(0, { type: "message", id: "msg_1" }) +
      event({ type: "response.refusal.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "I can't" }) +
      event({
        type: "response.refusal.done",
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        refusal: "I can't",
      }) +
      finished(),
    reads: { blocks: [text("I can't")], usage: partlyCached(37, 11, 8, 16), finishReason: "refusal" },
  },
  {
    about: "an answer that reached its length",
    stream:
      begun +
      outputText("half") +
      finished({ incomplete_details: { reason: "max_output_tokens" } }, "response.incomplete"),
    reads: { blocks: [text("half")], usage: partlyCached(37, 11, 8, 16), finishReason: "length" },
  },
  {
    about: "an answer that was filtered",
    stream:
      begun +
      outputText("half") +
      finished({ incomplete_details: { reason: "content_filter" } }, "response.incomplete"),
    reads: { blocks: [text("half")], usage: partlyCached(37, 11, 8, 16), finishReason: "content_filter" },
  },
  {
    about: "a failure in the middle",
    stream:
      begun +
      outputText("half") +
      finished({ error: { code: "server_error", message: "Sorry" }, usage: null }, "response.failed"),
    reads: "provider_error",
  },
  {
    about: "a quota that is used up, before any output",
    stream:
      begun +
      event({
        type: "error",
        sequence_number: 2,
        error: {
          type: "insufficient_quota",
          code: "insufficient_quota",
          message: "You exceeded your quota",
          param: null,
        },
      }),
    reads: "provider_rate_limited",
  },
  { about: "an end without its last event", stream: begun + outputText("half"), reads: "provider_unreachable" },
  { about: "nothing", stream: "", reads: "provider_error" },
  { about: "frames of chat completions", stream: say("Hi"), reads: "provider_error" },
  {
    about: "an object for text",
    stream: begun + event({ type: "response.output_text.delta", item_id: "m", output_index: 0, delta: {} }),
    reads: "provider_error",
  },
  {
    about: "events that are new",
    stream: begun + event({ type: "response.hologram", x: 1 }) + outputText("Hi") + finished(),
    reads: { blocks: [text("Hi")], usage: partlyCached(37, 11, 8, 16), finishReason: "stop" },
  },
];

export const RECORDINGS: readonly Recording[] = [
  ...CHAT.map((recording) => ({ ...recording, format: "chat completions" as const })),
  ...MESSAGES.map((recording) => ({ ...recording, format: "messages" as const })),
  ...RESPONSES.map((recording) => ({ ...recording, format: "responses" as const })),
];
