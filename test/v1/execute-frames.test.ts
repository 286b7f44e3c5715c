import { expect, test } from "bun:test";
import type { StreamItem } from "../../actors/runtime/replay.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { ExecutionFrames } from "../../src/v1/execute/frames.ts";
import { frames } from "../support/v1.ts";

const names = { executionId: "exec-1-a", chatId: "cht_a", sessionId: "ses_a" };

const event = (type: string, data: JsonObject = {}): StreamItem => ({
  kind: "event",
  event: { seq: 1, type, at: "", data },
});
const said = (text: string) => event("transcript.event", { kind: "assistant_text", text });
const live = (text: string, position: number, attempt = 1): StreamItem => ({
  kind: "text",
  messageId: "msg_a",
  attempt,
  afterSeq: 1,
  position,
  text,
});
const completed = event("job.completed", { usage: { inputTokens: 1, outputTokens: 2 } });

/** The deltas and the last frame of a stream whose items come in these portions. */
const show = (...portions: StreamItem[][]) => shown(portions, false);

async function shown(
  portions: StreamItem[][],
  isLost: boolean,
): Promise<{ deltas: string[]; last: string | undefined }> {
  const source = new ExecutionFrames(
    { names, isDemo: false },
    {
      take: () => portions.shift() ?? [],
      nextPage: async () => [],
      onChange: () => {},
      close: () => {},
      get isLost() {
        return isLost && portions.length === 0;
      },
    },
  );
  let text = "";
  for (let piece = source.next(); typeof piece === "string"; piece = source.next()) text += piece;
  const all = frames(text).map((frame) => frame.split("\n"));
  const deltas = all.flatMap(
    ([, data]) => (JSON.parse(data!.slice(6)) as { delta?: { text: string } }).delta?.text ?? [],
  );
  return { deltas, last: all.at(-1)?.join(" ") };
}

test("[V1-3] text that is committed and was streamed is not streamed again", async () => {
  const { deltas } = await show([live("ab", 2)], [live("c", 3), said("abc"), completed]);
  expect(deltas).toEqual(["ab", "c"]);
});

test("[V1-3] text that a late reader has not seen live is streamed when its event comes", async () => {
  expect((await show([said("abc"), said("def"), completed])).deltas).toEqual(["abc", "\n\ndef"]);
  expect((await show([live("ab", 2)], [said("abc"), completed])).deltas).toEqual(["ab", "c"]);
});

test("[V1-3] what the model thought is not shown: this surface has no word for it", async () => {
  const thought = event("transcript.event", { kind: "reasoning", text: "hm" });
  const source = new ExecutionFrames(
    { names, isDemo: false },
    {
      take: () => [thought, said("abc"), completed],
      nextPage: async () => [],
      onChange: () => {},
      close: () => {},
      isLost: false,
    },
  );
  const text = String(await source.next());
  expect(text).toContain('"content":[{"type":"text","text":"abc"}]');
  expect(text).not.toContain("hm");
});

test("[V1-3] a restart repeats nothing of what is committed; the message at the end is the truth", async () => {
  const restarted = event("job.restarted", { attempt: 2 });
  const { deltas, last } = await show(
    [live("one ", 4), said("one "), live("\n\ntw", 8)],
    [restarted, live("one ", 4, 2)],
    [live("\n\ntwo", 9, 2), said("two"), completed],
  );
  expect(deltas).toEqual(["one ", "\n\ntw", "\n\ntwo"]);
  expect(last).toBe('event: result data: {"sessionId":"ses_a","usage":{"input_tokens":1,"output_tokens":2}}');
});

test("[V1-3] nothing follows the end", async () => {
  const { deltas, last } = await show([completed, live("late", 4), said("late")], [said("later")]);
  expect([deltas, last?.startsWith("event: result")]).toEqual([[], true]);
});

test.each([
  [event("job.failed", { error: { code: "timeout", message: "Out of time" } }), "Out of time"],
  [event("job.cancelled"), "The execution was cancelled"],
  [event("job.blocked", { reason: "approval_required" }), "The execution is blocked: approval required"],
])("[V1-8] %j ends the stream with an error", async (item, message) => {
  expect((await show([live("a", 1), item])).last).toBe(`event: error data: {"message":"${message}"}`);
});

test("[V1-3] a stream whose replica has lost the execution says that it goes on, and where its answer will be", async () => {
  const { deltas, last } = await shown([[live("ab", 2)]], true);
  expect(deltas).toEqual(["ab"]);
  expect(last).toStartWith("event: error");
  expect(last).toContain("its answer will be in the chat");
});

test("[V1-8] a job that was blocked and has gone on is streamed to its end", async () => {
  const blocked = event("job.blocked", { reason: "approval_required" });
  const after = [event("job.resumed", { attempt: 1 }), said("b"), completed];
  for (const portions of [[[said("a"), blocked, ...after]], [[said("a"), blocked], after]]) {
    const { deltas, last } = await show(...portions);
    expect([deltas, last?.startsWith("event: result")]).toEqual([["a", "\n\nb"], true]);
  }
});
