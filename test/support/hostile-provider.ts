/** What a hostile model provider answers, in the dialect of chat completions. */
import { gzipSync } from "node:zlib";
import { damaged, seedOf } from "./hostile-fuzz.ts";
import { chunks, pouring } from "./hostile-streams.ts";

const STREAM = { headers: { "content-type": "text/event-stream" } };
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const delta = (content: object, finish: string | null = null): string =>
  frame({ id: "c", choices: [{ index: 0, delta: content, finish_reason: finish }] });
const call = (index: number, input: string): string =>
  delta({
    tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name: "weather", arguments: input } }],
  });
const more = (input: string): string => delta({ tool_calls: [{ index: 0, function: { arguments: input } }] });
const usage = (counted: string): string => `data: {"id":"c","choices":[],"usage":${counted}}\n\n`;

function* calls(count: number): Generator<string> {
  for (let index = 0; index < count; index++) yield call(index, "{}");
  yield `${delta({}, "tool_calls")}data: [DONE]\n\n`;
}

/** One call whose arguments come in `pieces`. */
function* longInput(pieces: Iterable<string>): Generator<string> {
  yield call(0, '{"a":');
  for (const piece of pieces) yield more(piece);
  yield `${more("}")}${delta({}, "tool_calls")}data: [DONE]\n\n`;
}

function* repeated(piece: string, bytes: number): Generator<string> {
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
}

/** What each attack answers; others get a good answer. */
const ATTACKS: Readonly<Record<string, () => Response>> = {
  /** 1.5 GiB, as the body of an error. */
  "error-body": () => new Response(pouring("x", 1.5 * GIB), { status: 500 }),
  "error-json": () => new Response(`{"error":${"[".repeat(60_000)}`, { status: 400 }),
  "gzip-bomb": () => {
    const packed = gzipSync(Buffer.alloc(64 * MIB, `${delta({ content: "x" })}`));
    return new Response(packed, { headers: { ...STREAM.headers, "content-encoding": "gzip" } });
  },
  "endless-line": () => new Response(pouring("x", 2 * GIB), STREAM),
  "endless-frame": () => new Response(pouring(`data: ${"x".repeat(1_000)}\n`, 2 * GIB), STREAM),
  "endless-frame-of-pairs": () => new Response(pouring(`data: ${"x".repeat(1_000)}\r\n`, 2 * GIB), STREAM),
  "endless-frames": () => new Response(pouring(delta({ content: "" }), 2 * GIB), STREAM),
  "frames-without-content": () => new Response(chunks([frame({ id: "c" }).repeat(10_000)]), STREAM),
  "long-answer": () =>
    new Response(pouring(delta({ content: "" }), 4 * MIB, `${delta({}, "stop")}data: [DONE]\n\n`), STREAM),
  "many-choices": () => new Response(chunks([`data: {"choices":[${"{},".repeat(100_000)}{}]}\n\n`]), STREAM),
  "deep-frame": () => new Response(chunks([`data: {"choices":${"[".repeat(100_000)}\n\n`]), STREAM),
  "many-calls": () => new Response(chunks(calls(5_000)), STREAM),
  "many-calls-in-a-frame": () => {
    const list = Array.from({ length: 5_000 }, (_, index) => ({
      index,
      id: `c${index}`,
      function: { name: "weather", arguments: "{}" },
    }));
    return new Response(chunks([delta({ tool_calls: list }), delta({}, "tool_calls")]), STREAM);
  },
  "long-input": () => new Response(chunks(longInput(repeated(`"${"x".repeat(998)}"`, 3 * MIB))), STREAM),
  "deep-input": () => new Response(chunks(longInput(repeated("[".repeat(1_000), MIB - 10_000))), STREAM),
  "wide-input": () => new Response(chunks(longInput(repeated("[[],[],[]],".repeat(90), MIB - 10_000))), STREAM),
  "deep-input-in-a-frame": () =>
    new Response(
      chunks([call(0, `{"a":${"[".repeat(400_000)}${"]".repeat(400_000)}}`), delta({}, "tool_calls")]),
      STREAM,
    ),
  "long-id": () => {
    const made = { index: 0, id: "i".repeat(100_000), function: { name: "n".repeat(100_000), arguments: "{}" } };
    return new Response(chunks([delta({ tool_calls: [made] }), `${delta({}, "tool_calls")}data: [DONE]\n\n`]), STREAM);
  },
  "long-head": () =>
    new Response("data: [DONE]\n\n", { headers: { ...STREAM.headers, "x-long": "x".repeat(200_000) } }),
  "huge-usage": () =>
    new Response(
      chunks([
        delta({ content: "hi" }, "stop"),
        usage('{"prompt_tokens":1e308,"completion_tokens":1e300}'),
        "data: [DONE]\n\n",
      ]),
      STREAM,
    ),
};

/** Text, two calls and a count of tokens, for the fuzzer to damage. */
const GOOD = [
  delta({ content: "Hello " }),
  delta({ content: "world" }),
  call(0, '{"town":"Ulm","days":[1,2,3]}'),
  call(1, '{"a":{"b":{"c":[]}}}'),
  delta({}, "tool_calls"),
  usage('{"prompt_tokens":12,"completion_tokens":34}'),
  "data: [DONE]\n\n",
].join("");

export function providerAnswer(model: string): Response {
  const seed = seedOf(model);
  if (seed !== null) return new Response(damaged(GOOD, seed), STREAM);
  return (
    ATTACKS[model] ?? (() => new Response(chunks([delta({ content: "hi" }, "stop"), "data: [DONE]\n\n"]), STREAM))
  )();
}

export const PROVIDER_ATTACKS: readonly string[] = Object.keys(ATTACKS);
