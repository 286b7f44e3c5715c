/** Arguments that a provider sends as a value, or in an answer that is one value: their numbers keep all digits. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseExact } from "../../../actors/exact-json.ts";
import { modelCall, run, WEATHER } from "../../support/model-calls.ts";
import { modelsBy, WAYS } from "../../support/model-ways.ts";
import { type StreamServer, startStreamServer } from "../../support/stream-server.ts";

const DIGITS = '{"id":9007199254740993,"half":0.1000000000000000055511151231257827}';

let server: StreamServer;
beforeAll(() => void (server = startStreamServer()));
afterAll(() => server.stop());

const call = (given: string): string =>
  `{"index":0,"id":77,"type":"function","function":{"name":"weather","arguments":${given}}}`;
const streamed = (given: string): readonly string[] => [
  `data: {"choices":[{"index":0,"delta":{"tool_calls":[${call(given)}]}}]}\n\n`,
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\n',
  "data: [DONE]\n\n",
];
const whole = (given: string): readonly string[] => [
  `{"choices":[{"index":0,"message":{"role":"assistant","tool_calls":[${call(given)}]},"finish_reason":"tool_calls"}]}`,
];
const message = (given: string): readonly string[] => [
  `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"a","name":"weather","input":${given}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`,
];

async function answered(format: "chat completions" | "messages", answer: readonly string[]) {
  server.answer = answer;
  const way = WAYS.find((one) => one.format === format && !one.isReference)!;
  return (await run(modelsBy(way, server.baseUrl), modelCall("go", { tools: [WEATHER] }))).outcome;
}

test("[GEN-18] arguments that come as a value keep their digits", async () => {
  for (const [format, answer] of [
    ["chat completions", streamed(DIGITS)],
    ["chat completions", streamed(JSON.stringify(DIGITS))],
    ["chat completions", whole(DIGITS)],
    ["messages", message(DIGITS)],
  ] as const) {
    const outcome = await answered(format, answer);
    expect(outcome).toMatchObject({ kind: "finished", blocks: [{ name: "weather", input: parseExact(DIGITS) }] });
    expect(JSON.stringify(outcome)).toContain(DIGITS);
  }
});

test("[GEN-18] a number that cannot be kept fails the call with a message, if it comes as a value", async () => {
  for (const answer of [streamed('{"a":1e400}'), whole('{"a":1e400}')])
    expect(await answered("chat completions", answer)).toMatchObject({
      kind: "failed",
      error: { message: expect.stringContaining("cannot be kept") as string },
    });
});
