/** The neutral sequence of a run: every kind of job event has an answer, and pieces add up. */
import { expect, test } from "bun:test";
import { JOB_EVENTS } from "../../actors/job/events.ts";
import type { StreamItem } from "../../actors/runtime/streams/replay.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { RunItem } from "../../src/dialects/runs/run-item.ts";
import { JOB_EVENT_ITEMS, RunTranslation } from "../../src/dialects/runs/run-translation.ts";

const CLIENT = { name: "client_shell", clientName: "shell", kind: "client", description: "", inputSchema: {} } as const;
const readingOf = (afterCalls: readonly string[] = []): RunTranslation =>
  new RunTranslation({ agent: { tools: [CLIENT] } } as never, { afterCalls });
let seq = 0;
const event = (type: string, data: JsonObject): StreamItem =>
  ({ kind: "event", event: { seq: ++seq, type, at: "", data } }) as unknown as StreamItem;
const transcript = (data: JsonObject): StreamItem => event("transcript.event", data);
const text = (position: number, added: string, attempt = 1): StreamItem =>
  ({ kind: "text", messageId: "m", attempt, afterSeq: seq, position, text: added }) as StreamItem;
const read = (reading: RunTranslation, ...items: readonly StreamItem[]): RunItem[] =>
  items.flatMap((item) => [...reading.itemsOf(item)]);
const usage = { inputTokens: 9, outputTokens: 4, cachedInputTokens: 2, cacheWriteTokens: 0 };

test("[DIA-4] every kind of job event has an answer in the neutral sequence", () => {
  expect(Object.keys(JOB_EVENT_ITEMS).toSorted()).toEqual(Object.keys(JOB_EVENTS).toSorted());
  // A kind of a newer replica is passed over.
  expect(read(readingOf(), event("job.newer_than_this", {}))).toEqual([]);
});

test("[DIA-4] live text and committed blocks add up, without the blank line between blocks", () => {
  const items = read(
    readingOf(),
    text(3, "one"),
    transcript({ kind: "assistant_text", text: "one!" }),
    text(8, "\n\ntw"),
    transcript({ kind: "assistant_text", text: "two" }),
  );
  expect(items).toEqual([
    { kind: "text", block: 0, at: 0, offset: 0, text: "one" },
    { kind: "text", block: 0, at: 3, offset: 3, text: "!" },
    { kind: "text_done", block: 0, text: "one!", citations: [] },
    { kind: "text", block: 1, at: 0, offset: 6, text: "tw" },
    { kind: "text", block: 1, at: 2, offset: 8, text: "o" },
    { kind: "text_done", block: 1, text: "two", citations: [] },
  ]);
});

test("[DIA-4] a step that begins again repeats nothing, and says where its text differs", () => {
  const reading = readingOf();
  expect(read(reading, text(5, "Hello"), text(5, "Hello", 2))).toEqual([
    { kind: "text", block: 0, at: 0, offset: 0, text: "Hello" },
    { kind: "attempt", attempt: 2 },
  ]);
  expect(read(reading, text(4, "Help", 3))).toEqual([
    { kind: "attempt", attempt: 3 },
    { kind: "restarted", block: 0, at: 3, offset: 3, kept: "Hel" },
    { kind: "text", block: 0, at: 3, offset: 3, text: "p" },
  ]);
});

test("[DIA-3] calls of the client's tools have the client's names and all of their arguments", () => {
  const long = { command: "x".repeat(5_000) };
  const items = read(
    readingOf(),
    transcript({ kind: "tool_use", id: "c1", name: "client_shell", input: long }),
    event("job.blocked", { reason: "tool_result_required", toolCalls: [{ id: "c1", name: "client_shell" }] }),
  );
  expect(items).toMatchObject([
    { kind: "tool_call", name: "shell", by: "client" },
    { kind: "client_calls", calls: [{ id: "c1", name: "shell", arguments: long }] },
  ]);
});

test("[DIA-3] the part after results begins behind them, and counts its own tokens", () => {
  const items = read(
    readingOf(["c1"]),
    transcript({ kind: "tool_use", id: "c1", name: "client_shell", input: {} }),
    event("usage.updated", usage),
    transcript({ kind: "tool_result", toolUseId: "c1", content: "done", isError: false }),
    event("job.completed", { usage: { ...usage, inputTokens: 20, outputTokens: 7 }, stopReason: "stop" }),
  );
  expect(items).toEqual([
    {
      kind: "end",
      status: "completed",
      stopReason: "stop",
      usage: { inputTokens: 11, outputTokens: 3, cachedInputTokens: 0, cacheWriteTokens: 0 },
      error: null,
    },
  ]);
});
