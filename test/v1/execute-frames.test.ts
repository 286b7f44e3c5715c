import { expect, test } from "bun:test";
import fc from "fast-check";
import type { StreamItem } from "../../actors/runtime/streams/replay.ts";
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

async function whole(portions: StreamItem[][], isLost = false): Promise<string> {
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
  return text;
}

async function shown(
  portions: StreamItem[][],
  isLost: boolean,
): Promise<{ deltas: string[]; last: string | undefined }> {
  const text = await whole(portions, isLost);
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

test("[V1-3] text that a late reader has not seen live is streamed with its event", async () => {
  expect((await show([said("abc"), said("def"), completed])).deltas).toEqual(["abc", "\n\ndef"]);
  expect((await show([live("ab", 2)], [said("abc"), completed])).deltas).toEqual(["ab", "c"]);
});

test("[V1-3] reasoning is not shown: this surface has no field for it", async () => {
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

test("[V1-3] a restart repeats no committed text, and the final message is complete", async () => {
  const restarted = event("job.restarted", { attempt: 2 });
  const { deltas, last } = await show(
    [live("one ", 4), said("one "), live("\n\ntw", 8)],
    [restarted, live("one ", 4, 2)],
    [live("\n\ntwo", 9, 2), said("two"), completed],
  );
  expect(deltas).toEqual(["one ", "\n\ntw", "o"]);
  expect(last).toBe('event: result data: {"sessionId":"ses_a","usage":{"input_tokens":1,"output_tokens":2}}');
});

/** The text of a client that knows `restarted`, and how often it was told. */
async function joined(...portions: StreamItem[][]) {
  const text = await whole(portions);
  let [shown, restarts] = ["", 0];
  for (const frame of frames(text)) {
    const data = JSON.parse(frame.split("\n")[1]!.slice(6)) as { position?: number; delta?: { text: string } };
    if (data.position !== undefined) {
      shown = shown.slice(0, data.position);
      restarts++;
    }
    shown += data.delta?.text ?? "";
  }
  return { shown, restarts, result: /"result":"([^"]*)"/.exec(text)?.[1] };
}
const again = event("job.restarted", { attempt: 2 });

test("[V1-3] a step that restarts with the same text is not shown twice", async () => {
  const retried = [again, live("Hel", 3, 2), live("lo world", 11, 2), said("Hello world"), completed];
  expect((await show([live("Hello", 5)], retried)).deltas).toEqual(["Hello", " world"]);
  expect(await joined([live("Hello", 5)], retried)).toEqual({ shown: "Hello world", restarts: 0, result: undefined });
});

test("[V1-3] if the text differs the stream reports from which position, and the result has the whole text", async () => {
  const retried = [again, live("Help", 4, 2), live(" is near", 12, 2), said("Help is near"), completed];
  const { deltas } = await show([live("Hello", 5)], retried);
  expect(deltas).toEqual(["Hello", "p", " is near"]);
  expect(await joined([live("Hello", 5)], retried)).toEqual({
    shown: "Help is near",
    restarts: 1,
    result: "Help is near",
  });
});

test("[V1-3] a shorter second answer, or a call instead, ends the text at its own end", async () => {
  const shorter = await joined([live("Hello world", 11)], [again, said("Hello"), completed]);
  expect(shorter).toMatchObject({ shown: "Hello", restarts: 1 });
  const use = event("transcript.event", { kind: "tool_use", id: "a", name: "t", input: {} });
  const called = await joined(
    [live("one ", 4), said("one "), live("\n\nHello", 11)],
    [again, use, said("Bye"), completed],
  );
  expect(called).toMatchObject({ shown: "one \n\nBye", restarts: 1, result: "one \\n\\nBye" });
});

test("[V1-3] characters of two units are not split", async () => {
  const told = await whole([[live("a😀", 3)], [again, live("a😁", 3, 2), said("a😁"), completed]]);
  expect(told).toContain('"position":1');
  expect(await joined([live("a😀", 3)], [again, live("a😁", 3, 2), said("a😁"), completed])).toMatchObject({
    shown: "a😁",
  });
});

test("[V1-3] the joined deltas are the answer, whatever is repeated and however it is split", async () => {
  const words = fc.array(fc.constantFrom("a", "b", "ab", "😀", "😁"), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 3 }), fc.boolean(), async (attempts, isLive) => {
      const items = attempts.flatMap((pieces, at): StreamItem[] => {
        let position = 0;
        const said = pieces.map((piece) => live(piece, (position += piece.length), at + 1));
        return [...(at === 0 ? [] : [event("job.restarted", { attempt: at + 1 })]), ...said];
      });
      const last = attempts.at(-1)!.join("");
      const kept = isLive ? items : items.filter((item) => item.kind === "event" || item.attempt < attempts.length);
      const end = [...(last === "" ? [] : [said(last)]), completed];
      expect((await joined(...kept.map((item) => [item]), end)).shown).toBe(last);
    }),
  );
});

test("[V1-3] no frame follows the end", async () => {
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

test("[V1-3] a stream whose replica has lost the execution reports that it continues, and where its answer will be", async () => {
  const { deltas, last } = await shown([[live("ab", 2)]], true);
  expect(deltas).toEqual(["ab"]);
  expect(last).toStartWith("event: error");
  expect(last).toContain("its answer will be in the chat");
});

test("[V1-8] a job that was blocked and continued is streamed to its end", async () => {
  const blocked = event("job.blocked", { reason: "approval_required" });
  const after = [event("job.resumed", { attempt: 1 }), said("b"), completed];
  for (const portions of [[[said("a"), blocked, ...after]], [[said("a"), blocked], after]]) {
    const { deltas, last } = await show(...portions);
    expect([deltas, last?.startsWith("event: result")]).toEqual([["a", "\n\nb"], true]);
  }
});
