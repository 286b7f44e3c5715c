/** Streams of chat completions. */
import { call, data, partlyCached, text, thought, tokens, type Recording } from "./recording.ts";

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
export const say = (content: string): string => chunk({ delta: { content } });
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

export const CHAT_RECORDINGS: readonly Omit<Recording, "format">[] = [
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
