/** Streams of OpenAI's responses. */
import { say } from "./recorded-chat.ts";
import { call, event, partlyCached, text, thought, type Recording } from "./recording.ts";

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

export const RESPONSES_RECORDINGS: readonly Omit<Recording, "format">[] = [
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
