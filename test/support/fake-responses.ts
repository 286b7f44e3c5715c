/** A server with the responses of OpenAI. */
import { type FakeProvider, type FakeStream, startFakeProvider } from "./fake-provider.ts";

const event = (data: { readonly type: string; readonly [key: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const about = { id: "resp_1", created_at: 1, model: "fake-model" };
const item = (type: "added" | "done", index: number, value: object): string =>
  event({ type: `response.output_item.${type}`, output_index: index, item: value });

function* head({ thoughts }: FakeStream): Iterable<string> {
  yield event({ type: "response.created", response: about });
  yield event({ type: "response.in_progress", response: about });
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: null };
  if (thoughts !== undefined) {
    yield item("added", 0, reasoning);
    yield event({ type: "response.reasoning_summary_part.added", item_id: "rs_1", output_index: 0, summary_index: 0 });
    for (const delta of thoughts)
      yield event({
        type: "response.reasoning_summary_text.delta",
        item_id: "rs_1",
        output_index: 0,
        summary_index: 0,
        delta,
      });
    yield item("done", 0, reasoning);
  }
  yield item("added", 1, { type: "message", id: "msg_1" });
}

function* tail({ calls = [], usage = { input: 3, output: 5 }, finishReason }: FakeStream): Iterable<string> {
  yield item("done", 1, { type: "message", id: "msg_1" });
  for (const [at, { id, name, input }] of calls.entries()) {
    const made = { type: "function_call", id: `fc_${at}`, call_id: id, name };
    const half = Math.floor(input.length / 2);
    yield item("added", at + 2, { ...made, arguments: "" });
    for (const delta of [input.slice(0, half), input.slice(half)])
      yield event({
        type: "response.function_call_arguments.delta",
        item_id: made.id,
        output_index: at + 2,
        delta,
      });
    yield item("done", at + 2, { ...made, arguments: input, status: "completed" });
  }
  const details = finishReason === undefined ? null : { reason: finishReason };
  yield event({
    type: details === null ? "response.completed" : "response.incomplete",
    response: {
      ...about,
      incomplete_details: details,
      usage: { input_tokens: usage.input, output_tokens: usage.output },
    },
  });
}

/** Starts one on a free port of 127.0.0.1; `stop` it at the end. */
export const startFakeResponses = (): Promise<FakeProvider> =>
  startFakeProvider({
    head,
    piece: (text) => event({ type: "response.output_text.delta", item_id: "msg_1", output_index: 1, delta: text }),
    tail,
    errorFrame: () =>
      event({
        type: "error",
        sequence_number: 3,
        code: "server_error",
        message: "The fake is out of memory at http://gpu-7.internal:9000/v1",
        param: null,
      }),
    models: JSON.stringify({ object: "list", data: [{ id: "fake-model", object: "model" }] }),
  });
