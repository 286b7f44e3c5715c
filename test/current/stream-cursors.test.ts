/** Cursors of event streams: where a reader goes on (SSE-3). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { chatRef } from "../../actors/chat/schema.ts";
import { RING_EVENTS } from "../../actors/runtime/streams/replay.ts";
import { until } from "../support/condition.ts";
import { refused } from "../support/current.ts";
import type { StreamReader } from "../support/event-streams.ts";
import { gate } from "../support/fake-model.ts";
import { durable, StreamScene, textIn, upTo, whole } from "../support/stream-scene.ts";

let scene: StreamScene;

beforeAll(async () => void (scene = await StreamScene.start()));
afterAll(() => scene.service.stop());
beforeEach(() => scene.reset());

/** The cursor behind the snapshot, which readers take without an event. */
const placeIn = ({ text }: StreamReader): string =>
  /event: snapshot\ndata: .*\n\nid: (\d+\.0)\n\n/.exec(text)?.[1] ?? "";

describe("cursors", () => {
  test("[SSE-3] a client that returns in the middle of a text gets the rest from its position, while the message runs", async () => {
    const hold = gate();
    scene.service.model.script = () => [{ say: "0123456789" }, hold, { say: "end" }];
    const chat = await scene.newChat();
    const { job } = await scene.client.send(chat, "hello");
    const first = await scene.chatEvents(chat);
    const { id } = await first.saw("message.delta");
    const [seq] = (id ?? "").split(".");
    const back = await scene.chatEvents(chat, "?wait=end", { "last-event-id": `${seq}.4` });
    const rest = await back.saw("message.delta");
    expect([rest.id, rest.data["text"]]).toEqual([`${seq}.10`, "456789"]);
    const ofJob = await scene.jobEvents(job.id);
    const [jobSeq] = ((await ofJob.saw("transcript.delta")).id ?? "").split(".");
    await ofJob.leave();
    const jobBack = await scene.jobEvents(job.id, `?after=${jobSeq}.7`);
    expect((await jobBack.saw("transcript.delta")).data["text"]).toBe("789");
    hold.open();
    await back.ended;
    expect(textIn(back.frames)).toBe("456789end");
    expect(back.frames[0]?.event).toBe("message.delta");
    await jobBack.ended;
    expect(textIn(jobBack.frames)).toBe("789end");
    await first.leave();
  });

  test("[SSE-3] a client gets the rest from the stored message, when it is completed and evicted from memory", async () => {
    const { chat, job } = await scene.finished();
    const all = await whole(scene.chatEvents(chat, "?replay=all&wait=end"));
    const seq = Number(all.find(({ event }) => event === "message.delta")?.id?.split(".")[0]);
    scene.forget();
    const back = await whole(scene.chatEvents(chat, "?wait=end", { "last-event-id": `${seq}.3` }));
    expect([back[0]?.id, back[0]?.event, back[0]?.data["text"]]).toEqual([`${seq}.7`, "message.delta", " two"]);
    expect(durable(back)).toEqual(upTo(Number(all.at(-2)?.id), seq + 1));
    const ofJob = await whole(scene.jobEvents(job));
    const jobSeq = ofJob.find(({ event }) => event === "transcript.delta")?.id?.split(".")[0];
    scene.forget();
    expect(textIn(await whole(scene.jobEvents(job, `?after=${jobSeq}.5`)))).toBe("wo");
  });

  test("[SSE-12] an event in the middle of a text is a cursor too: nothing is lost after it and nothing is repeated", async () => {
    const hold = gate();
    scene.service.model.script = () => [{ say: "before " }, hold, { say: "after" }];
    const chat = await scene.newChat();
    const { job } = await scene.client.send(chat, "hello");
    const reader = await scene.chatEvents(chat);
    await reader.saw("message.delta");
    const { message } = await scene.client.send(chat, "meanwhile");
    const between = await reader.saw("message.created", ({ data }) => data["message_id"] === message.id);
    const running = await scene.chatEvents(chat, "", { "last-event-id": between.id! });
    hold.open();
    await running.saw("message.completed");
    expect(
      textIn(
        running.frames.slice(
          0,
          running.frames.findIndex(({ event }) => event === "message.completed"),
        ),
      ),
    ).toBe("after");
    await scene.client.reached(job.id, "completed");
    await until("the second turn is over", async () => (await scene.client.readChat(chat)).active_job_id === null);
    for (const stream of [reader, running]) await stream.leave();
    await until("the readers are gone", () => scene.service.app.streams.count === 0);
    scene.forget();
    const stored = await whole(scene.chatEvents(chat, "?wait=end", { "last-event-id": between.id! }));
    const end = stored.findIndex(({ event }) => event === "message.completed");
    expect(textIn(stored.slice(0, end))).toBe("after");
  });

  test("[SSE-3] if the attempt has changed, message.restarted is sent and the text comes from its beginning", async () => {
    const hold = gate();
    scene.service.model.script = () => [{ say: "first try" }, hold];
    const chat = await scene.newChat();
    const { job } = await scene.client.send(chat, "hello");
    const reader = await scene.chatEvents(chat);
    const { id } = await reader.saw("message.delta");
    const organizationId = scene.owner.organizationId;
    // What a recovery says to the chat.
    const messageId = (await reader.saw("message.started")).data["message_id"] as string;
    const restarted = { kind: "turn_restarted", jobId: job.id, messageId, attempt: 2 } as const;
    await scene.service.system.dispatch(chatRef(organizationId, chat), restarted);
    const resumed = { kind: "turn_resumed", jobId: job.id, messageId, attempt: 2, text: "kept " } as const;
    await scene.service.system.dispatch(chatRef(organizationId, chat), resumed);
    const back = await scene.chatEvents(chat, "", { "last-event-id": id! });
    await back.saw("message.delta");
    expect(back.said.slice(-2)).toEqual([`${Number(id!.split(".")[0]) + 1} message.restarted`, expect.any(String)]);
    expect((await back.saw("message.restarted")).data).toMatchObject({ message_id: messageId, attempt: 2 });
    expect(textIn(back.frames)).toBe("kept ");
    await scene.client.decide(job.id, "cancel");
    for (const stream of [reader, back]) await stream.leave();
  });

  test("[SSE-4] without a cursor: a snapshot of the record, then the last 100 durable events", async () => {
    const chat = await scene.newChat();
    for (let i = 0; i < 120; i++)
      await scene.client.call("PATCH", `/api/chats/${chat}/options`, { pinned: i % 2 === 0 });
    const { ended: _, ...record } = { ...(await scene.client.readChat(chat)), ended: null };
    const frames = await whole(scene.chatEvents(chat, "?wait=end"));
    expect(frames[0]).toEqual({ event: "snapshot", id: null, data: record });
    expect(durable(frames)).toEqual(upTo(120, 21));
    expect(durable(await whole(scene.chatEvents(chat, "?wait=end&replay=all")))).toEqual(upTo(120));
    expect(durable(await whole(scene.chatEvents(chat, "?wait=end&replay=7")))).toEqual(upTo(120, 114));
    expect(durable(await whole(scene.chatEvents(chat, "?wait=end&replay=0")))).toEqual([]);
    const after = await whole(scene.chatEvents(chat, "?wait=end&after=117"));
    expect([after[0]?.event, durable(after)]).toEqual(["chat.updated", upTo(120, 118)]);
    const header = await whole(scene.chatEvents(chat, "?wait=end&after=3", { "last-event-id": "119" }));
    expect(durable(header)).toEqual([120]);
    const empty = await whole(scene.chatEvents(chat, "?wait=end&after=&replay=", { "last-event-id": "" }));
    expect([empty[0]?.event, durable(empty)]).toEqual(["snapshot", upTo(120, 21)]);
    await refused(scene.client.call("GET", `/api/chats/${chat}/events?replay=many`), 400, "invalid_request");
    await refused(scene.client.call("GET", `/api/chats/${chat}/events?wait=1`), 400, "invalid_request");
  });

  test("[SSE-4] a client that is disconnected after the snapshot misses nothing, whatever was to be replayed", async () => {
    const { chat } = await scene.finished();
    const head = async () => (await scene.client.readChat(chat))["last_seq"] as number;
    for (const replay of ["0", "2", "all"]) {
      const seen = replay === "all" ? 0 : (await head()) - Number(replay);
      const reader = await scene.chatEvents(chat, `?replay=${replay}`);
      await reader.saw("snapshot");
      await reader.leave();
      expect(placeIn(reader)).toBe(`${seen}.0`);
      await scene.client.call("PATCH", `/api/chats/${chat}/options`, { title: `after ${replay}` });
      const rest = await whole(scene.chatEvents(chat, "?wait=end", { "last-event-id": placeIn(reader) }));
      expect([rest[0]?.event === "snapshot", durable(rest)]).toEqual([false, upTo(await head(), seen + 1)]);
    }
  });

  test("[SSE-3] a client that is disconnected after the snapshot of a running text gets that text from its beginning", async () => {
    const hold = gate();
    scene.service.model.script = () => [{ say: "one two" }, hold, { say: " three" }];
    const chat = await scene.newChat();
    const { job } = await scene.client.send(chat, "hello");
    const first = await scene.chatEvents(chat);
    await first.saw("message.delta");
    await first.leave();
    const late = await scene.chatEvents(chat, "?replay=0");
    await late.saw("snapshot");
    await late.leave();
    hold.open();
    await scene.client.reached(job.id, "completed");
    expect(textIn(await whole(scene.chatEvents(chat, "?wait=end", { "last-event-id": placeIn(late) })))).toBe(
      "one two three",
    );
  });

  test("[SSE-4] an invalid cursor: 200, reset with its reason, then the snapshot and the recent replay", async () => {
    const { chat, head } = await scene.finished();
    const of = async (cursor: string) =>
      await whole(scene.chatEvents(chat, "?wait=end&replay=2", { "last-event-id": cursor }));
    const tail = ["snapshot", ...upTo(head, head - 1).map(String)];
    for (const [cursor, reason] of [
      [`${head + 1}`, "ahead_of_head"],
      ["abc", "malformed"],
      ["1.2.3", "malformed"],
      ["-1", "malformed"],
    ] as const) {
      const frames = await of(cursor);
      expect(frames[0]).toEqual({ event: "reset", id: null, data: { reason, from_seq: head - 1 } });
      expect([frames[1]?.event, ...durable(frames).map(String)]).toEqual(tail);
    }
    // Without a running text the position says nothing, and the stream is over.
    const over = await scene.chatEvents(chat, "?wait=end", { "last-event-id": `${head}.99999999` });
    expect(over.response.status).toBe(204);
  });

  test("[SSE-4] a cursor before the retained events is reset, one within them is not", async () => {
    const chat = await scene.newChat();
    for (let i = 0; i < 5; i++) await scene.client.call("PATCH", `/api/chats/${chat}/options`, { pinned: i % 2 === 0 });
    scene.forget();
    await scene.service.database.read`delete from event where stream = ${chat} and seq <= 3`;
    const gone = await whole(scene.chatEvents(chat, "?wait=end", { "last-event-id": "1" }));
    expect(gone[0]).toEqual({ event: "reset", id: null, data: { reason: "not_retained", from_seq: 4 } });
    expect(durable(gone)).toEqual([4, 5]);
    expect(durable(await whole(scene.chatEvents(chat, "?wait=end", { "last-event-id": "3" })))).toEqual([4, 5]);
  });

  test("[SSE-2] events that memory no longer has come from the tables, followed by live ones without a gap", async () => {
    const chat = await scene.newChat();
    const total = RING_EVENTS + 50;
    for (let i = 0; i < total; i++)
      await scene.client.call("PATCH", `/api/chats/${chat}/options`, { pinned: i % 2 === 0 });
    const reader = await scene.chatEvents(chat, "?replay=all");
    await scene.client.call("PATCH", `/api/chats/${chat}/options`, { title: "last" });
    await until("all events are there", () => durable(reader.frames).includes(total + 1));
    expect(durable(reader.frames)).toEqual(upTo(total + 1));
    await reader.leave();
  });
});
