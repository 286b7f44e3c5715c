/** Streams of Anthropic's messages. */
import { call, cited, data, event, partlyCached, text, thought, type Recording } from "./recording.ts";

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

export const MESSAGES_RECORDINGS: readonly Omit<Recording, "format">[] = [
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
