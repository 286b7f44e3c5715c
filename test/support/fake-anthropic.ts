/** A server with the messages of Anthropic. */
import { type FakeProvider, type FakeStream, startFakeProvider } from "./fake-provider.ts";

const frame = (data: { readonly type: string; readonly [key: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Any index that no other block has. */
const THINKING = 99;

function* head({ usage = { input: 3, output: 5 }, thoughts }: FakeStream): Iterable<string> {
  yield frame({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "fake-model",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: usage.input, output_tokens: 0 },
    },
  });
  yield frame({ type: "ping" });
  if (thoughts !== undefined) {
    const index = THINKING;
    yield frame({
      type: "content_block_start",
      index,
      content_block: { type: "thinking", thinking: "", signature: "" },
    });
    for (const thinking of thoughts)
      yield frame({ type: "content_block_delta", index, delta: { type: "thinking_delta", thinking } });
    yield frame({ type: "content_block_delta", index, delta: { type: "signature_delta", signature: "c2ln" } });
    yield frame({ type: "content_block_stop", index });
  }
  yield frame({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
}

function* tail({ calls = [], usage = { input: 3, output: 5 }, finishReason }: FakeStream): Iterable<string> {
  yield frame({ type: "content_block_stop", index: 0 });
  for (const [at, { id, name, input }] of calls.entries()) {
    const index = at + 1;
    yield frame({ type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } });
    yield frame({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: input } });
    yield frame({ type: "content_block_stop", index });
  }
  const stopReason = finishReason ?? (calls.length > 0 ? "tool_use" : "end_turn");
  yield frame({
    type: "message_delta",
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: usage.output },
  });
  yield frame({ type: "message_stop" });
}

/** Starts one on a free port of 127.0.0.1; `stop` it at the end. */
export const startFakeAnthropic = (): Promise<FakeProvider> =>
  startFakeProvider({
    head,
    piece: (text) => frame({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    tail,
    errorFrame: () => frame({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    models: JSON.stringify({ data: [{ id: "fake-model", type: "model" }] }),
  });
