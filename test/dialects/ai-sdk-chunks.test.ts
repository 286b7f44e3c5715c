/** A run as chunks, and what a client that has a part of them still gets. AI SDK's own reader builds the messages. */
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { expect, test } from "bun:test";
import { MessageContinuation } from "../../src/dialects/ai-sdk/continuation.ts";
import type { UiChunk } from "../../src/dialects/ai-sdk/message-parts.ts";
import { UiMessage } from "../../src/dialects/ai-sdk/run-chunks.ts";
import type { RunItem } from "../../src/dialects/runs/run-item.ts";

const USAGE = { inputTokens: 3, outputTokens: 2, cachedInputTokens: 0, cacheWriteTokens: 0 };
const text = (block: number, said: string): RunItem => ({ kind: "text", block, at: 0, offset: 0, text: said });
const textDone = (block: number): RunItem => ({ kind: "text_done", block, text: "", citations: [] });
const call = (id: string, by: "agent" | "client" = "agent"): RunItem => ({
  kind: "tool_call",
  id,
  name: "look",
  input: { at: id },
  by,
});
const result = (callId: string, content = "seen", isError = false): RunItem => ({
  kind: "tool_result",
  callId,
  content,
  isError,
  attachments: [],
});
const approval = (callId: string): RunItem => ({
  kind: "approval",
  approvalId: `apr-${callId}`,
  callId,
  name: "look",
  arguments: {},
  message: "The agent asks to use look",
  expiresAt: "2026-11-26T00:00:00.000Z",
});
const END: RunItem = { kind: "end", status: "completed", stopReason: "stop", usage: USAGE, error: null };

function chunksOf(items: readonly RunItem[], known?: { steps: number; answered: readonly string[] }): UiChunk[] {
  const message = new UiMessage();
  const continuation = new MessageContinuation(known ?? { steps: 0, answered: [] });
  return items.flatMap((item) => [...continuation.newChunks(item, message.chunksOf(item))]);
}

/** The client's message after these chunks, which continue what it has. */
async function messageOf(chunks: readonly UiChunk[], message?: UIMessage): Promise<UIMessage> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of [{ type: "start", messageId: "job_1" }, ...chunks])
        controller.enqueue(chunk as UIMessageChunk);
      controller.close();
    },
  });
  let last = message ?? { id: "job_1", role: "assistant" as const, parts: [] };
  for await (const next of readUIMessageStream({ stream, ...(message === undefined ? {} : { message }) })) last = next;
  return structuredClone(last);
}

const shown = ({ parts }: UIMessage) =>
  parts.map((part) => ("text" in part ? part.text : "state" in part ? `${part.type} ${part.state}` : part.type));
const stepsOf = ({ parts }: UIMessage): number => parts.filter(({ type }) => type === "step-start").length;

const TWO_STEPS = [text(0, "Let me. "), textDone(0), call("c1"), result("c1"), text(1, "Done."), textDone(1), END];

test("[DIA-6] text, calls and results of a run are the parts of one message, in steps", async () => {
  const message = await messageOf(chunksOf(TWO_STEPS));
  expect(shown(message)).toEqual(["step-start", "Let me. ", "dynamic-tool output-available", "step-start", "Done."]);
  expect(message.parts[2]).toMatchObject({
    toolName: "look",
    input: { at: "c1" },
    output: "seen",
    providerExecuted: true,
  });
  expect(message.metadata).toMatchObject({ stop_reason: "stop", usage: { input_tokens: 3, output_tokens: 2 } });
});

test("[DIA-7] a step that begins again with other text replaces its text, and keeps its other parts", async () => {
  const restarted: RunItem = { kind: "restarted", block: 1, at: 5, offset: 13, kept: "Done " };
  const items: RunItem[] = [
    text(0, "Let me. "),
    textDone(0),
    call("c1"),
    result("c1"),
    { kind: "reasoning", text: "Hm." },
    text(1, "Done and dus"),
    restarted,
    text(1, "with it."),
    textDone(1),
    END,
  ];
  const expected = ["step-start", "Let me. ", "dynamic-tool output-available", "step-start", "Hm.", "Done with it."];
  expect(shown(await messageOf(chunksOf(items)))).toEqual(expected);
});

test("[DIA-6] a call of the client's tool is handed over only while its result is missing", async () => {
  const wait: RunItem = {
    kind: "client_calls",
    calls: [{ id: "c1", name: "look", arguments: { at: "c1" } }],
    usage: USAGE,
  };
  const waiting = chunksOf([text(0, "Let me. "), textDone(0), call("c1", "client"), wait]);
  expect(waiting.slice(-3).map(({ type }) => type)).toEqual(["tool-input-available", "finish-step", "finish"]);
  const message = await messageOf(waiting);
  expect(message.parts.at(-1)).toMatchObject({ type: "tool-look", state: "input-available", input: { at: "c1" } });
  const answered = chunksOf([call("c1", "client"), result("c1", '{"price":7}'), text(0, "Done."), textDone(0), END]);
  expect(answered.map(({ type }) => type)).not.toContain("tool-input-available");
  expect((await messageOf(answered)).parts[1]).toMatchObject({ state: "output-available", output: { price: 7 } });
});

test("[DIA-6] a denied call is denied, and a failed one has its error", async () => {
  const denied: RunItem = {
    kind: "approval_resolved",
    approvalId: "apr-c1",
    callId: "c1",
    isApproved: false,
    arguments: null,
  };
  const items = [
    call("c1"),
    call("c2"),
    result("c2", "broken", true),
    approval("c1"),
    denied,
    result("c1"),
    text(0, "So be it."),
    END,
  ];
  const { parts } = await messageOf(chunksOf(items));
  expect(parts[1]).toMatchObject({ state: "output-denied", approval: { approved: false } });
  expect(parts[2]).toMatchObject({ state: "output-error", errorText: "broken" });
});

test("[DIA-7] whatever a client has of a run, its continuation completes it, and repeats nothing", async () => {
  const approved: RunItem = {
    kind: "approval_resolved",
    approvalId: "apr-c2",
    callId: "c2",
    isApproved: true,
    arguments: null,
  };
  const before: RunItem[] = [
    text(0, "One. "),
    textDone(0),
    call("c1"),
    result("c1"),
    { kind: "reasoning", text: "Hm." },
  ];
  const waiting: RunItem[] = [
    ...before,
    text(1, "Two. "),
    textDone(1),
    call("c2"),
    call("c3"),
    result("c3"),
    approval("c2"),
  ];
  const after: RunItem[] = [approved, { kind: "resumed" }, result("c2"), text(2, "Three."), textDone(2), END];
  const all = [...waiting, ...after];
  const whole = shown(await messageOf(chunksOf(all)));
  // The client was cut anywhere: in the middle of a step, or after its answer.
  for (let cut = 1; cut < all.length; cut++) {
    const had = await messageOf(chunksOf(all.slice(0, cut)));
    expect([cut, shown(await messageOf(chunksOf(all, { steps: stepsOf(had), answered: [] }), had))]).toEqual([
      cut,
      whole,
    ]);
  }
  // The client has approved, in the message that asked.
  const asked = await messageOf(chunksOf(waiting));
  expect(shown(await messageOf(chunksOf(all, { steps: 2, answered: ["apr-c2"] }), asked))).toEqual(whole);
  const types = chunksOf(all, { steps: 2, answered: ["apr-c2"] }).map(({ type }) => type);
  expect(types).not.toContain("reset-step");
});

test("[DIA-6] a run that failed, was cancelled or waits for something else ends its stream with the reason", () => {
  const last = (item: RunItem) => chunksOf([text(0, "So"), item]).at(-1);
  const failed = { code: "provider_error", message: "The provider is down" } as const;
  expect(last({ ...END, status: "failed", error: failed } as RunItem)).toEqual({
    type: "error",
    errorText: "The provider is down",
  });
  expect(last({ ...END, status: "cancelled" } as RunItem)?.type).toBe("abort");
  expect(last({ kind: "blocked", reason: "budget_reached" })).toMatchObject({
    type: "finish",
    finishReason: "interrupted",
    messageMetadata: { blocked_reason: "budget_reached" },
  });
});
