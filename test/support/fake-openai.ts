/** A server with the chat completions of OpenAI, as Ollama, vLLM, llama-server and LM Studio have them. */
import { type FakeProvider, type FakeStream, startFakeProvider } from "./fake-provider.ts";

const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta: object, finishReason: string | null = null, more: object = {}): string =>
  frame({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "fake-model",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
    ...more,
  });

function* tail({ calls = [], usage = { input: 3, output: 5 }, finishReason }: FakeStream): Iterable<string> {
  for (const [index, { id, name, input }] of calls.entries()) {
    const half = Math.floor(input.length / 2);
    yield chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    yield chunk({ tool_calls: [{ index, function: { arguments: input.slice(0, half) } }] });
    yield chunk({ tool_calls: [{ index, function: { arguments: input.slice(half) } }] });
  }
  yield chunk({}, finishReason ?? (calls.length > 0 ? "tool_calls" : "stop"));
  const { input, output } = usage;
  yield frame({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "fake-model",
    choices: [],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
  yield "data: [DONE]\n\n";
}

/** Starts one on a free port of 127.0.0.1; `stop` it at the end. */
export const startFakeOpenAi = (): Promise<FakeProvider> =>
  startFakeProvider({
    head: ({ thoughts = [] }) => [
      chunk({ role: "assistant", content: "" }),
      ...[...thoughts].map((text) => chunk({ reasoning_content: text })),
    ],
    piece: (text) => chunk({ content: text }),
    tail,
    errorFrame: () =>
      frame({ error: { message: "The fake is out of memory at http://gpu-7.internal:9000/v1", type: "server_error" } }),
    models: JSON.stringify({ object: "list", data: [{ id: "fake-model", object: "model" }] }),
  });
