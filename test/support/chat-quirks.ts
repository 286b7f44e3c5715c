/**
 * Quirks of servers with OpenAI's chat completions: what they send, and what comes of it here and in the usual clients.
 * The rows are data (`chat-quirks.jsonl`); a new one needs nothing else.
 */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { ModelOutcome } from "../../actors/job/ports.ts";
import type { FakeAnswer } from "./fake-provider.ts";

/**
 * What is read, in one line: `~"a thought" "text" tool({"its":"arguments"})#id =stop 3+5`, the tokens last; or `!` with
 * the failure. A client that waits for more than there is `hangs`.
 */
export type Told = string;

export interface Quirk {
  readonly about: string;
  /** The data of each frame, as `frameOf` reads it; or the whole body, whose `GZIP:` is packed. */
  readonly frames?: readonly unknown[];
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the connection does after the body; by default the body ends. */
  readonly after?: "open" | "reset";
  readonly ours: Told;
  /** `openai`, by `chat.completions.stream`. */
  readonly openai: Told;
  /** The AI SDK, by `@ai-sdk/openai-compatible`. */
  readonly aiSdk: Told;
  /** LangChain, by `ChatOpenAI.stream` of `@langchain/openai` 1.6.0; recorded, because it is not installed here. */
  readonly langchain: Told;
  /** Why we differ from some of them. */
  readonly why?: string;
}

export const CHAT_QUIRKS: readonly Quirk[] = readFileSync(new URL("./chat-quirks.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Quirk);

const CHUNK = { id: "c1", object: "chat.completion.chunk", created: 1, model: "m" };
const USAGE = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
const chunk = (delta: unknown, reason: unknown = null, more: object = {}): object => ({
  ...CHUNK,
  choices: [{ index: 0, delta, finish_reason: reason }],
  ...more,
});
const NAMED: Readonly<Record<string, object>> = {
  STOP: chunk({}, "stop"),
  TOOLS: chunk({}, "tool_calls"),
  USAGE: { ...CHUNK, choices: [], usage: USAGE },
};

/** A frame by its name, by its text (`say`), or by its `delta` and `reason`; anything else is sent as it is. */
function frameOf(frame: unknown): string {
  if (typeof frame === "string") return frame in NAMED ? JSON.stringify(NAMED[frame]) : frame;
  const { say, delta, reason, ...more } = (frame ?? {}) as Readonly<Record<string, unknown>>;
  if (say !== undefined) return JSON.stringify(chunk({ role: "assistant", content: say }));
  if (delta === undefined) return JSON.stringify(frame);
  return JSON.stringify(chunk(delta, reason, more["usage"] === "USAGE" ? { usage: USAGE } : more));
}

export function answerOf({ frames = [], body, headers = {}, after }: Quirk): FakeAnswer {
  const text = body ?? frames.map((frame) => `data: ${frameOf(frame)}\n\n`).join("");
  const isPacked = text.startsWith("GZIP:");
  return { kind: "body", headers, body: isPacked ? gzipSync(text.slice(5)) : text, after };
}

export interface ReadParts {
  readonly thoughts?: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly reason: string | null | undefined;
  readonly tokens?: readonly [number | undefined, number | undefined];
}

export function told({ thoughts = "", text, calls, reason, tokens = [0, 0] }: ReadParts): Told {
  return [
    ...(thoughts === "" ? [] : [`~${JSON.stringify(thoughts)}`]),
    ...(text === "" && calls.length > 0 ? [] : [JSON.stringify(text)]),
    ...calls.map(({ id, name, input }) => `${name}(${input})#${id}`),
    `=${reason ?? "none"}`,
    `${tokens[0] ?? 0}+${tokens[1] ?? 0}`,
  ].join(" ");
}

export function toldOf(outcome: ModelOutcome): Told {
  if (outcome.kind !== "finished") return outcome.kind === "failed" ? `!${outcome.error.message}` : "!aborted";
  const { blocks, finishReason, usage } = outcome;
  const textOf = (type: "text" | "reasoning") =>
    blocks.map((block) => (block.type === type ? block.text : "")).join("");
  return told({
    thoughts: textOf("reasoning"),
    text: textOf("text"),
    calls: blocks.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, input: JSON.stringify(block.input) }] : [],
    ),
    reason: finishReason,
    tokens: [usage.inputTokens, usage.outputTokens],
  });
}
