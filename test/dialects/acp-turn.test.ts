/** A run of ACP that is shown once, whatever its streams do (DIA-23), and its table (DIA-4, DIA-19). */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject } from "../../actors/schema.ts";
import { JOB_EVENT_ITEMS } from "../../src/dialects/runs/run-translation.ts";
import { AcpRunState, type AcpFrame, acpFrames, RUN_UPDATES } from "../../src/dialects/acp/run-frames.ts";
import type { EditorPort } from "../../src/dialects/acp/socket/editor-port.ts";
import { RunTurn } from "../../src/dialects/acp/socket/run-turn.ts";
import { acpFrameText, acpFrameWriter } from "../../src/dialects/acp/run-frames.ts";
import { innerReader } from "../../src/http/request/inner-request.ts";
import type { InnerReader } from "../../src/http/stream/event-source.ts";
import { ServiceCalls } from "../../src/dialects/acp/socket/service-calls.ts";
import { aside, RepeatedRun } from "../../src/dialects/acp/socket/repeated-run.ts";
import { until } from "../support/condition.ts";

const jobId = "job_1";
const text = (block: number, said: string, times = 0): JsonObject => ({
  sessionUpdate: "agent_message_chunk",
  messageId: `${jobId}.${block}${times === 0 ? "" : `~${times}`}`,
  content: { type: "text", text: said },
});
const call = (toolCallId: string): JsonObject => ({ sessionUpdate: "tool_call", toolCallId, title: toolCallId });

/** What an editor has of these updates: text by message, other updates in their order. */
function seenBy(updates: readonly JsonObject[]) {
  const messages = new Map<unknown, string>();
  const others: JsonObject[] = [];
  for (const update of updates) {
    const { messageId, content } = update;
    if (update["sessionUpdate"] !== "agent_message_chunk") others.push(update);
    else messages.set(messageId, (messages.get(messageId) ?? "") + String((content as JsonObject)["text"]));
  }
  return { messages: [...messages.values()], others };
}

test("[DIA-23] a stream that begins again, cut anywhere and in other pieces, shows everything once", () => {
  const said = ["Hello there, ", "and more text."];
  const pieces = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 });
  const streamOf = (sizes: readonly number[]): JsonObject[] =>
    said.flatMap((whole, block) => {
      const parts: JsonObject[] = [];
      for (let at = 0, i = 0; at < whole.length; i++) {
        const size = sizes[i % sizes.length]!;
        parts.push(text(block, whole.slice(at, at + size)));
        at += size;
      }
      return [...parts, call(`c${block}`), aside(call(`of the connection`))];
    });
  fc.assert(
    fc.property(fc.array(fc.tuple(pieces, fc.nat(20)), { maxLength: 4 }), pieces, (cuts, last) => {
      const shown = new RepeatedRun();
      const taken: JsonObject[] = [];
      for (const [sizes, cut] of cuts) {
        for (const update of streamOf(sizes).slice(0, cut)) taken.push(...shown.take(update));
        shown.rewind();
      }
      for (const update of streamOf(last)) taken.push(...shown.take(update));
      taken.push(...shown.end());
      const { messages, others } = seenBy(taken.filter((update) => update["_meta"] === undefined));
      expect(messages).toEqual(said);
      expect(others.map(({ toolCallId }) => toolCallId)).toEqual(["c0", "c1"]);
    }),
  );
});

test("[DIA-23] text that differs after a restart is sent again, as another message", () => {
  const shown = new RepeatedRun();
  const first = [text(0, "one two"), text(0, " three")].flatMap((update) => shown.take(update));
  expect(seenBy(first).messages).toEqual(["one two three"]);
  shown.rewind();
  const second = [text(0, "one t"), text(0, "en"), call("c")].flatMap((update) => shown.take(update));
  expect(second).toEqual([text(0, "one ten", 1), call("c")]);
  // The service says so itself, in a stream that goes on.
  expect(shown.take(text(0, "one ", 1))).toEqual([text(0, "one ", 2)]);
  expect(shown.take(text(0, "nine", 1))).toEqual([text(0, "nine", 2)]);
  // A message that ends earlier this time.
  shown.rewind();
  expect([text(0, "one"), call("c"), call("d")].flatMap((update) => shown.take(update))).toEqual([
    text(0, "one", 3),
    call("d"),
  ]);
});

test("[DIA-4] the table of ACP answers every item of a run, and the updates of a run do not depend on what was live", () => {
  expect(Object.keys(JOB_EVENT_ITEMS).length).toBeGreaterThan(0);
  for (const entry of Object.values(RUN_UPDATES)) expect(entry).toBeFunction();
  const state = new AcpRunState({ jobId, workspaceId: null, appUrl: "", hasNotices: false, mayDecide: false });
  expect(acpFrames(state, { kind: "restarted", block: 0, at: 3, offset: 3, kept: "one" })).toEqual([
    { kind: "update", update: text(0, "one", 1) },
  ]);
  expect(acpFrames(state, { kind: "text", block: 0, at: 3, offset: 3, text: "!" })).toEqual([
    { kind: "update", update: text(0, "!", 1) },
  ]);
  // Nobody is asked who may not decide; a notice is only for those who show notices.
  expect(acpFrames(state, { kind: "blocked", reason: "approval_required" })).toEqual([]);
  expect(acpFrames(state, { kind: "notice", level: "warn", text: "x" })).toEqual([]);
  expect(acpFrames(state, { kind: "blocked", reason: "budget_reached" })).toMatchObject([
    { kind: "failed", code: "budget_reached" },
  ]);
  expect(acpFrames(state, { kind: "blocked", reason: "review" })).toMatchObject([
    { kind: "stopped", stopReason: "end_turn" },
  ]);
});

/** An answer of another replica. */
function streamed(frames: AsyncIterator<AcpFrame>): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(to) {
        const { done, value } = await frames.next();
        if (done === true) to.close();
        else to.enqueue(new TextEncoder().encode(acpFrameText(value)));
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** A turn whose streams are these, one after the other. */
function turnOver(streams: readonly (() => AsyncIterator<AcpFrame> | Response)[], port: Partial<EditorPort> = {}) {
  const updates: JsonObject[] = [];
  let next = 0;
  const turn = new RunTurn({
    calls: new ServiceCalls({
      pipeline(request) {
        expect(request.url).toEndWith("/acp/rpc");
        const made = streams[next++]!();
        return made instanceof Response ? made : streamed(made);
      },
      headers: new Headers(),
      address: "127.0.0.1",
      agent: null,
    }),
    editor: {
      notify: (_, { update }) => void updates.push(update as JsonObject),
      ask: async () => ({ ok: false, error: null }),
      room: () => null,
      ...port,
    },
    clock: { after: (_, run) => (setImmediate(run), () => {}) },
    sessionId: "s",
    cwd: undefined,
    asksFirst: () => true,
    call: { method: "session/prompt", params: {} },
    onBegun: () => {},
  });
  return { turn, updates };
}

test("[DIA-23] a stream that is lost with its owner is opened again, and shows nothing twice", async () => {
  const begun: AcpFrame = { kind: "begun", jobId };
  const update = (of: JsonObject): AcpFrame => ({ kind: "update", update: of });
  const passing = (): Response => Response.json({ code: -32_001, message: "later" }, { status: 503 });
  const { turn, updates } = turnOver([
    async function* () {
      yield* [begun, update(text(0, "one ")), update(call("c"))];
      throw new Error("the owner is gone");
    },
    passing,
    async function* () {
      yield* [begun, update(text(0, "one ")), update(call("c")), { kind: "interrupted", reason: "shutdown" } as const];
    },
    async function* () {
      yield* [begun, update(text(0, "one ")), update(call("c")), update(text(1, "two"))];
      yield { kind: "stopped", stopReason: "end_turn", meta: {} };
    },
  ]);
  expect(await turn.run()).toMatchObject({ result: { stopReason: "end_turn" } });
  expect(updates).toEqual([text(0, "one "), call("c"), text(1, "two")]);
  const refused = turnOver([passing]);
  expect(await refused.turn.run()).toMatchObject({ error: { message: "later" } });
});

test("[DIA-23] a client that does not keep up is waited for, and nothing more of its run is read meanwhile", async () => {
  let taken = 0;
  let keepUp = (): void => {};
  const { turn, updates } = turnOver(
    [
      async function* () {
        yield { kind: "begun", jobId };
        for (; taken < 3; taken++) yield { kind: "update", update: text(0, `${taken}`) };
        yield { kind: "stopped", stopReason: "end_turn", meta: {} };
      },
    ],
    { room: () => (updates.length === 1 ? new Promise<void>((resolve) => void (keepUp = resolve)) : null) },
  );
  const ended = turn.run();
  await until("the client lags", () => updates.length === 1);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(taken).toBe(0);
  keepUp();
  await ended;
  expect(taken).toBe(3);
});

/** A signal, and how many wait for its abort. */
function watched() {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...of: Parameters<typeof add>) => (listeners++, add(...of));
  signal.removeEventListener = (...of: Parameters<typeof remove>) => (listeners--, remove(...of));
  return { signal, listeners: () => listeners };
}

test("[DIA-23] a call that is answered leaves nothing behind at its connection", async () => {
  const { signal, listeners } = watched();
  const answers = [
    () => Response.json({}),
    () => Response.json({ code: -32_001, message: "no" }, { status: 400 }),
    () => streamed([{ kind: "begun", jobId } as const].values() as unknown as AsyncIterator<AcpFrame>),
    () => {
      throw new Error("a bug");
    },
  ];
  for (const answer of answers) {
    const calls = new ServiceCalls({ pipeline: answer, headers: new Headers(), address: "", agent: null });
    const given = await calls.call("session/list", {}, signal).catch(() => null);
    if (given?.kind === "stream") await given.over;
    expect(listeners()).toBe(0);
  }
});

test("[DIA-23] a stream in the process of its connection hands over its frames as they are, until nobody reads them", async () => {
  const leaving = new AbortController();
  const taken: AcpFrame[] = [];
  let room: Promise<void> | null = null;
  const readers: InnerReader[] = [];
  const calls = new ServiceCalls({
    pipeline(request) {
      readers.push(innerReader(request)!);
      return new Response(null, { headers: { "content-type": "text/event-stream" } });
    },
    headers: new Headers(),
    address: "",
    agent: null,
  });
  const taker = { take: (frame: AcpFrame) => void taken.push(frame), room: () => room };
  const given = await calls.call("session/prompt", {}, leaving.signal, taker);
  const [reader] = readers;
  if (reader === undefined) throw new Error("the request has no reader");
  const write = acpFrameWriter({ connection: { keepOpen() {}, reader } });
  const begun: AcpFrame = { kind: "begun", jobId };
  const said: AcpFrame = { kind: "update", update: text(0, "one") };
  const piece = write(begun) + write(said);
  expect(taken).toEqual([]);
  expect(reader.write(piece)).toBe(piece.length);
  expect(taken[0]).toBe(begun);
  expect(taken[1]).toBe(said);
  // A heartbeat brings nothing; a client that does not keep up is waited for.
  room = Promise.resolve();
  expect(await reader.write(": ping\n\n")).toBeGreaterThan(0);
  expect(taken).toHaveLength(2);
  const last = write(said);
  leaving.abort();
  void reader.write(last);
  expect(taken).toHaveLength(2);
  if (given.kind === "stream") expect(await given.over).toBeNull();
  // Another process needs the text.
  expect(acpFrameWriter({})(begun)).toBe(acpFrameText(begun));
});

test("[DIA-23] a frame is read once, however it comes in pieces", async () => {
  const said: AcpFrame[] = [
    { kind: "begun", jobId },
    { kind: "update", update: text(0, `${"é😀".repeat(400)}\n\n`) },
    { kind: "stopped", stopReason: "end_turn", meta: {} },
  ];
  const bytes = new TextEncoder().encode(`: open\n\n${said.map(acpFrameText).join("")}`);
  for (const size of [1, 2, 3, 7, 1_000, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.slice(i * size, (i + 1) * size),
    );
    const pipeline = (): Response =>
      new Response(
        new ReadableStream({
          pull(to) {
            const piece = pieces.shift();
            if (piece === undefined) to.close();
            else to.enqueue(piece);
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      );
    const taken: AcpFrame[] = [];
    const calls = new ServiceCalls({ pipeline, headers: new Headers(), address: "", agent: null });
    const taker = { take: (frame: AcpFrame) => void taken.push(frame), room: () => null };
    const given = await calls.call("session/prompt", {}, new AbortController().signal, taker);
    if (given.kind === "stream") await given.over;
    expect(taken).toEqual(said);
  }
});
