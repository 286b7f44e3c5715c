/**
 * How much of each request to a provider repeats the one before it: the bytes of their common beginning, as a part of
 * the request before, in the order in which providers read a request (tools, instructions, messages), whatever the order
 * of its JSON is. Breakpoints of the cache are no content.
 */
import { startFakeAnthropic } from "./fake-anthropic.ts";
import { startFakeOpenAi } from "./fake-openai.ts";
import type { FakeAnswer, FakeProvider } from "./fake-provider.ts";
import { startFakeResponses } from "./fake-responses.ts";

export const PREFIX_FORMATS = ["messages", "responses", "chat-completions"] as const;
export type PrefixFormat = (typeof PREFIX_FORMATS)[number];

export const startFakeOf: Readonly<Record<PrefixFormat, () => Promise<FakeProvider>>> = {
  messages: startFakeAnthropic,
  responses: startFakeResponses,
  "chat-completions": startFakeOpenAi,
};

interface RequestBody {
  readonly tools?: readonly object[];
  readonly system?: unknown;
  readonly instructions?: unknown;
  readonly messages?: readonly Said[];
  readonly input?: readonly Said[];
}
interface Said {
  readonly role?: string;
  readonly type?: string;
  readonly content?: unknown;
}

/** The request in the order in which a provider reads it. */
export function readOrder(body: unknown): string {
  const { tools = [], system, instructions, messages, input } = body as RequestBody;
  const parts = [...tools, system ?? instructions ?? "", ...(messages ?? input ?? [])];
  return parts
    .map((part) => JSON.stringify(part, (name, value: unknown) => (name === "cache_control" ? undefined : value)))
    .join("\n");
}

/** For each request but the first, which part of the one before it repeats. */
export function repeatedParts(bodies: readonly unknown[]): number[] {
  const texts = bodies.map((body) => Buffer.from(readOrder(body)));
  return texts.slice(1).map((text, at) => {
    const before = texts[at]!;
    let same = 0;
    while (same < before.length && before[same] === text[same]) same++;
    return same / before.length;
  });
}

/** The text of the request's newest message, and whether it is the result of a tool. */
export function newestOf(body: unknown): { readonly text: string; readonly isResult: boolean } {
  const { messages, input } = body as RequestBody;
  const newest = (messages ?? input ?? []).at(-1)!;
  const text = JSON.stringify(newest);
  // A message that steers follows the results within one message of Anthropic's.
  const content = Array.isArray(newest.content) ? (newest.content.at(-1) as Said) : newest;
  return {
    text,
    isResult: content.type === "tool_result" || newest.type === "function_call_output" || newest.role === "tool",
  };
}

/** Words that no other answer has, of about so many bytes. */
export const longWords = (about: string, bytes: number): string =>
  `${about}: ${"the quick brown fox jumps over the lazy dog ".repeat(Math.ceil(bytes / 44))}`;

/** A provider's answers in a conversation whose messages are `turn N`: the calls of that turn, and then words. */
export function conversationAnswers(
  callsOf: (turn: number) => readonly (readonly [string, object])[],
  holdOf: (turn: number) => Promise<void> = () => Promise.resolve(),
): (body: unknown) => FakeAnswer {
  let calls = 0;
  return (body) => {
    const { text, isResult } = newestOf(body);
    const turn = isResult ? 0 : Number(/turn (\d+)/.exec(text)?.[1] ?? 0);
    const said = async function* () {
      await holdOf(turn);
      yield longWords(`answer of ${turn}`, 600);
    };
    return {
      kind: "stream",
      thoughts: ["Well. "],
      text: said(),
      calls: callsOf(turn).map(([name, input]) => ({ id: `c${++calls}`, name, input: JSON.stringify(input) })),
    };
  };
}
