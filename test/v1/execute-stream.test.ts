import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createParser } from "eventsource-parser";
import { ok } from "../../actors/fault.ts";
import { gate, type ModelStep } from "../support/fake-model.ts";
import { sceneOfFile } from "../support/scene.ts";
import { startService } from "../support/service.ts";
import {
  createAgent,
  execute,
  type Executed,
  expectFailure,
  expectUnauthorized,
  frames,
  StreamReader,
  success,
} from "../support/v1.ts";

let agent: string;

const { service, owner } = sceneOfFile({ settings: { modelRetries: 1 } });
beforeAll(async () => void (agent = await createAgent(service, owner)));
beforeEach(() => {
  service.model.info = ok({ provider: "fake", name: "fake", demo: false });
  service.model.calls.length = 0;
  says({ say: "Hello" });
});

const says = (...steps: ModelStep[]) => {
  service.model.script = () => steps;
};
const stream = (body: object = {}) => execute(service, owner, agent, { message: "hi", stream: true, ...body });
const streamed = async (body?: object) => (await stream(body)).text();
interface Meta {
  executionId: string;
  chatId: string;
  sessionId: string;
}
const metaOf = (text: string): Meta => JSON.parse(/^event: meta\ndata: (.*)$/m.exec(text)![1]!) as Meta;
const deltasOf = (text: string): string =>
  frames(text)
    .map((frame) => JSON.parse(frame.slice(frame.indexOf("data: ") + 6)) as { delta?: { text: string } })
    .reduce((joined, data) => joined + (data.delta?.text ?? ""), "");

describe("frames", () => {
  test("[V1-3] join to the answer after a call that broke off and was repeated", async () => {
    const breaks = { fail: { code: "provider_unreachable", message: "It broke." } } as const;
    for (const [again, restarts] of [
      ["Hello world", 0],
      ["Help yourself", 1],
    ] as const) {
      let calls = 0;
      service.model.script = () => (calls++ === 0 ? [{ say: "Hello" }, breaks] : [{ say: again }]);
      const text = await streamed();
      const told = [...text.matchAll(/"messageType":"restarted","position":(\d+)/g)];
      expect(told).toHaveLength(restarts);
      const kept = told.length === 0 ? "Hello".length : Number(told[0]![1]);
      expect("Hello".slice(0, kept) + deltasOf(text).slice("Hello".length)).toBe(again);
      expect(text).toContain(`"content":[{"type":"text","text":"${again}"}]`);
      expect(service.model.calls.at(-1)?.continues).toBe("Hello");
    }
  });

  test("[V1-3] are, byte for byte, a comment, meta, deltas, the message and the result", async () => {
    const { hold, open } = gate();
    says({ say: "Hel" }, { hold }, { say: 'lo\n"😀"' });
    const reader = new StreamReader(await stream());
    const meta = metaOf(await reader.until("event: meta\ndata: {"));
    expect(meta).toEqual({
      executionId: expect.stringMatching(/^exec-\d{13}-[0-9a-z]{12}$/),
      chatId: expect.stringMatching(/^cht_[A-Za-z0-9_-]{21}$/),
      sessionId: `ses_${meta.chatId.slice(4)}`,
    });
    await reader.until('"text":"Hel"');
    open();
    expect(await reader.rest()).toBe(
      ": connected\n\n" +
        `event: meta\ndata: {"executionId":"${meta.executionId}","chatId":"${meta.chatId}","sessionId":"${meta.sessionId}"}\n\n` +
        'event: message\ndata: {"messageType":"stream_event","delta":{"type":"text_delta","text":"Hel"}}\n\n' +
        'event: message\ndata: {"messageType":"stream_event","delta":{"type":"text_delta","text":"lo\\n\\"😀\\""}}\n\n' +
        'event: message\ndata: {"messageType":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hello\\n\\"😀\\""}]}}\n\n' +
        `event: result\ndata: {"sessionId":"${meta.sessionId}","usage":{"input_tokens":7,"output_tokens":3}}\n\n`,
    );
  });

  test("[V1-3] come with the headers of a stream, and no other status", async () => {
    const response = await stream();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
    await response.text();
  });

  test("[V1-3] meta is sent before the model has answered", async () => {
    const { hold, open } = gate();
    says({ hold }, { say: "late" });
    const reader = new StreamReader(await stream());
    const text = await reader.until("event: meta\n");
    expect(text).not.toContain("event: message");
    open();
    expect(deltasOf(await reader.rest())).toBe("late");
  });

  test("[V1-3] the blocks of a turn with tools come in order, in one message", async () => {
    let step = 0;
    service.model.script = () =>
      step++ === 0
        ? [{ say: "Let me see. " }, { use: { type: "tool_use", id: "call_1", name: "current_time", input: {} } }]
        : [{ say: "It is late." }];
    const text = await streamed();
    const messages = frames(text).filter((frame) => frame.includes('"messageType":"assistant"'));
    expect(messages).toHaveLength(1);
    expect(JSON.parse(messages[0]!.split("data: ")[1]!)).toEqual({
      messageType: "assistant",
      message: {
        role: "assistant",
        content: [
          { type: "text", text: "Let me see. " },
          { type: "tool_use", id: "call_1", name: "current_time", input: {} },
          { type: "tool_result", tool_use_id: "call_1", content: expect.any(String), is_error: false },
          { type: "text", text: "It is late." },
        ],
      },
    });
    expect(deltasOf(text)).toBe("Let me see. \n\nIt is late.");
    expect(frames(text).at(-1)).toContain('"usage":{"input_tokens":14,"output_tokens":6}');
  });

  test("[V1-3] an answer without any text has a message without deltas", async () => {
    says();
    const events = frames(await streamed()).map((frame) => frame.split("\n")[0]);
    expect(events).toEqual(["event: meta", "event: message", "event: result"]);
  });

  test("[V1-3] a thousand pieces add up to the answer, in every parser", async () => {
    const pieces = Array.from({ length: 1_000 }, (_, i) => `piece ${i} \r\n\u2028 `);
    says(...pieces.map((say) => ({ say })));
    const text = await streamed();
    const events: { event: string | undefined; data: { delta?: { text: string }; message?: { content: unknown } } }[] =
      [];
    const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data: JSON.parse(data) }) });
    parser.feed(text);
    expect(events.map((e) => e.data.delta?.text ?? "").join("")).toBe(pieces.join(""));
    expect(events.at(-2)?.data.message?.content).toEqual([{ type: "text", text: pieces.join("") }]);
    expect([events[0]?.event, events.at(-1)?.event]).toEqual(["meta", "result"]);
    expect(text).not.toContain("\r");
  });

  test("[RUN-1] the demo provider says in meta and result that it is not a language model", async () => {
    service.model.info = ok({ provider: "demo", name: "echo", demo: true });
    const all = frames(await streamed());
    for (const frame of [all[0], all.at(-1)])
      expect(frame).toContain('"notice":"This answer comes from the built-in demo provider');
  });
});

describe("refusals", () => {
  test("[V1-3] come as plain JSON before the stream", async () => {
    await expectFailure(await stream({ message: "" }), 400, "Missing required field: message");
    await expectFailure(await stream({ chatId: "nope" }), 404, "Chat not found");
    await expectFailure(
      await execute(service, owner, "agt_x", { message: "hi", stream: true }),
      404,
      "Agent not found",
    );
    await expectUnauthorized(
      await service.call(null, "POST", `/api/v1/agents/${agent}/execute`, { message: "hi", stream: true }),
    );
  });

  test("[V1-8] a failure before output ends the stream with error and no result", async () => {
    says({ fail: { code: "provider_unreachable", message: "The provider cannot be reached" } });
    const text = await streamed();
    expect(frames(text).slice(1)).toEqual(['event: error\ndata: {"message":"The provider cannot be reached"}']);
    expect(text).toEndWith("\n\n");
  });

  test("[V1-8] a failure after output keeps what was streamed and ends with error and no result", async () => {
    says({ say: "Half" }, { fail: { code: "provider_stalled", message: "The provider is silent" } });
    const text = await streamed();
    expect(deltasOf(text)).toBe("Half");
    expect(frames(text).at(-1)).toBe('event: error\ndata: {"message":"The provider is silent"}');
    expect(text).not.toContain("event: result");
    expect(text).not.toContain('"messageType":"assistant"');
  });
});

describe("conversation", () => {
  test("[V1-2] continues with the names of meta", async () => {
    const meta = metaOf(await streamed({ message: "one" }));
    const again = metaOf(await streamed({ message: "two", sessionId: meta.sessionId, chatId: meta.chatId }));
    expect(again).toEqual({ ...meta, executionId: again.executionId });
    const heard = service.model.calls.at(-1)?.entries.map((e) => (e.role === "user" ? e.text : e.blocks));
    expect(heard).toEqual(["one", [{ type: "text", text: "Hello" }], "two"]);
  });

  test("[V1-3] a queued execution sends meta at once and streams when its turn starts", async () => {
    const { hold, open } = gate();
    says({ hold }, { say: "first" });
    const first = new StreamReader(await stream());
    const { chatId } = metaOf(await first.until("}\n\n"));
    await service.model.called(1);
    const second = new StreamReader(await stream({ chatId }));
    await second.until("event: meta\n");
    says({ say: "second" });
    open();
    expect(deltasOf(await first.rest())).toBe("first");
    expect(deltasOf(await second.rest())).toBe("second");
  });

  test("[V1-2] two streams at the same time do not mix", async () => {
    const { hold, open } = gate();
    service.model.script = (call) => {
      const last = call.entries.at(-1);
      const name = last?.role === "user" ? last.text : "";
      return [{ say: `${name}1` }, { hold }, { say: `${name}2` }];
    };
    const [a, b] = [new StreamReader(await stream({ message: "a" })), new StreamReader(await stream({ message: "b" }))];
    await a.until('"text":"a1"');
    await b.until('"text":"b1"');
    open();
    expect([deltasOf(await a.rest()), deltasOf(await b.rest())]).toEqual(["a1a2", "b1b2"]);
  });
});

test("[V1-4] a client that disconnects halfway does not stop the work, and leaves nothing open", async () => {
  const { hold, open } = gate();
  says({ say: "Half, " }, { hold }, { say: "whole." });
  const abort = new AbortController();
  const response = await fetch(`${service.url}/api/v1/agents/${agent}/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
    body: JSON.stringify({ message: "one", stream: true }),
    signal: abort.signal,
  });
  const reader = new StreamReader(response);
  const { chatId } = metaOf(await reader.until("Half"));
  expect(service.app.streams.count).toBe(1);
  abort.abort();
  await reader.rest().catch(() => "aborted");
  open();
  says({ say: "next" });
  const next = await success<Executed>(execute(service, owner, agent, { message: "two", chatId }));
  expect(next.result).toBe("next");
  expect(service.app.streams.count).toBe(0);
  const heard = service.model.calls.at(-1)?.entries.map((e) => (e.role === "user" ? e.text : e.blocks));
  expect(heard).toEqual(["one", [{ type: "text", text: "Half, whole." }], "two"]);
});

test("[SSE-6] a shutdown ends open streams with an error, and waiting executions with the text so far", async () => {
  const other = await startService();
  const by = await other.found();
  const id = await createAgent(other, by);
  const { hold, open } = gate();
  other.model.script = () => [{ say: "Half" }, { hold }];
  const reader = new StreamReader(await execute(other, by, id, { message: "hi", stream: true }));
  await reader.until("Half");
  const waiting = execute(other, by, id, { message: "hi" });
  await other.model.called(2);
  const stopping = other.stop();
  const text = await reader.rest();
  expect(frames(text).at(-1)).toStartWith('event: error\ndata: {"message":"The service is restarting.');
  expect(text).not.toContain("event: result");
  expect(await success<Executed>(waiting)).toMatchObject({ success: false, result: "" });
  open();
  await stopping;
});
