/** Sequence numbers of OpenAI's responses mean the same to every reader (DIA-10). */
import { expect, test } from "bun:test";
import { ResponseFrames } from "../../src/dialects/openai/response-frames.ts";
import { ResponseState } from "../../src/dialects/openai/response-state.ts";
import type { RunItem } from "../../src/dialects/runs/run-item.ts";

interface Sent {
  readonly type: string;
  readonly sequence_number: number;
  readonly delta?: string;
  readonly code?: string;
}

function sentBy(items: readonly RunItem[], after: number | null = null): Sent[] {
  const frames = new ResponseFrames(new ResponseState({ jobId: "job_1", afterRounds: 0 }, {}), after);
  const text = [frames.opening(), ...items.map((item) => frames.frames(item))].join("");
  return [...text.matchAll(/^data: (.*)$/gmu)].map(([, json]) => JSON.parse(json!) as Sent);
}

const said = (block: number, at: number, text: string): RunItem => ({ kind: "text", block, at, offset: at, text });
const done = (block: number, text: string): RunItem => ({ kind: "text_done", block, text, citations: [] });
const thought = (text: string): RunItem => ({ kind: "reasoning", text });
const call: RunItem = { kind: "tool_call", id: "c1", name: "look", input: {}, by: "agent" };
const result: RunItem = { kind: "tool_result", callId: "c1", content: "7", isError: false, attachments: [] };
const usage = { inputTokens: 1, outputTokens: 1 } as never;
const end: RunItem = { kind: "end", status: "completed", stopReason: "stop", usage, error: null };

/** As it comes while the model speaks: the reasoning is behind the text. */
const LIVE = [
  said(0, 0, "Let me "),
  said(0, 7, "look."),
  thought("I must look."),
  done(0, "Let me look."),
  call,
  result,
  said(1, 0, "It is "),
  said(1, 6, "7."),
  thought("It is there."),
  done(1, "It is 7."),
  end,
];
/** As it is stored: the reasoning is before the text. */
const STORED = [
  thought("I must look."),
  said(0, 0, "Let me look."),
  done(0, "Let me look."),
  call,
  result,
  thought("It is there."),
  said(1, 0, "It is 7."),
  done(1, "It is 7."),
  end,
];

test("[DIA-10] a reader of live text continues from what is stored, also where the model has reasoned", () => {
  const live = sentBy(LIVE);
  expect(live.filter(({ type }) => type === "response.output_item.added").length).toBe(5);
  for (const [at, { sequence_number: number }] of live.entries()) {
    const rest = sentBy(STORED, number);
    expect(rest.filter(({ type }) => type === "error")).toEqual([]);
    const deltas = [...live.slice(0, at + 1), ...rest].map(({ delta = "", type }) =>
      type.includes("output_text") ? delta : "",
    );
    expect(deltas.join("")).toBe("Let me look.It is 7.");
    const others = (events: readonly Sent[]) =>
      events.flatMap(({ type }) => (type.endsWith("text.delta") ? [] : [type]));
    expect([...others(live.slice(0, at + 1)), ...others(rest)]).toEqual(others(live));
  }
});

test("[DIA-10] reasoning without text comes before the call that follows it", () => {
  const types = sentBy([thought("I must look."), call, result, end]).map(({ type }) => type);
  expect(types.indexOf("response.output_item.added")).toBeGreaterThan(0);
  expect(types.filter((type) => type === "response.output_item.added").length).toBe(2);
  expect(types.findIndex((type) => type.includes("reasoning"))).toBeLessThan(
    types.findIndex((type) => type.includes("mcp_call")),
  );
});

test("[DIA-10] a run that fails before its client has text ends its continued stream with that failure", () => {
  const failed: RunItem = {
    kind: "end",
    status: "failed",
    stopReason: null,
    usage,
    error: { code: "provider_unavailable", message: "The provider is gone" } as never,
  };
  const cancelled: RunItem = { kind: "end", status: "cancelled", stopReason: null, usage, error: null };
  const blocked: RunItem = { kind: "blocked", reason: "budget_reached" };
  // Text that a first attempt has begun, and that nothing has stored. The client's stream is cut somewhere before it.
  for (const before of [[], [said(0, 0, "Look."), done(0, "Look."), call, result]]) {
    const live = sentBy([...before, said(before.length === 0 ? 0 : 1, 0, "It")]);
    const withText = live.findLastIndex(({ type }) => type === "response.output_text.delta");
    for (const end of [failed, cancelled, blocked])
      for (const { sequence_number: number } of live.slice(withText - 2, withText)) {
        const rest = sentBy([...before, end], number);
        expect(rest.map(({ type }) => type)).toEqual(["response.failed"]);
        expect(rest[0]!.sequence_number).toBeGreaterThan(number);
      }
    const known = live[withText]!.sequence_number;
    expect(sentBy([...before, failed], known)).toMatchObject([{ type: "error", code: "answer_restarted" }]);
  }
});
