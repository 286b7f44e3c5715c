/** The finish reasons of chat completions. */
import type { EndReason } from "../answer.ts";

/** Maps the finish reasons of OpenAI, and of servers that pass on those of other providers. */
export const FINISH_REASONS: Readonly<Record<string, EndReason>> = {
  stop: "stop",
  stop_sequence: "stop",
  end_turn: "stop",
  eos: "stop",
  eos_token: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "content_filter",
  safety: "content_filter",
  recitation: "content_filter",
  prohibited_content: "content_filter",
  sensitive: "content_filter",
  refusal: "refusal",
  tool_calls: "tool_use",
  tool_use: "tool_use",
  function_call: "tool_use",
};
