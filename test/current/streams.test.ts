/** Event streams of chats and jobs over HTTP: frames, cursors, ends (SSE-1 to SSE-6), and who may open them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { chatRef } from "../../actors/chat/schema.ts";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import { Replay } from "../../actors/runtime/streams/replay.ts";
import { Subscription } from "../../actors/runtime/streams/subscription.ts";
import { RecordStream } from "../../src/current/streams/record-stream.ts";
import { until } from "../support/condition.ts";
import { type Json, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { durable, StreamScene, textIn, upTo, whole } from "../support/stream-scene.ts";

let scene: StreamScene;

beforeAll(async () => void (scene = await StreamScene.start()));
afterAll(() => scene.service.stop());
beforeEach(() => scene.reset());

describe("frames", () => {
  test("[SSE-1] a stream begins with a comment and the retry time, then the replay, then live events", async () => {
    const { chat, head } = await scene.finished();
    const reader = await scene.chatEvents(chat);
    expect(Object.fromEntries(reader.response.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    await until("the replay is there", () => durable(reader.frames).includes(head));
    expect(reader.text.startsWith(": connected\n\nretry: 1000\n\nevent: snapshot\n")).toBe(true);
    await scene.client.send(chat, "again");
    await reader.saw("message.completed", ({ id }) => Number(id) > head);
    expect(reader.text).not.toContain("\r");
    await reader.leave();
  });

  test("[SSE-2] a durable event has its seq as id and the data {seq, type, at, ...}; seqs start at 1 and have no gaps", async () => {
    const { job } = await scene.finished();
    const frames = await whole(scene.jobEvents(job, "?replay=all"));
    const events = frames.filter((frame) => frame.id !== null && !frame.id.includes("."));
    expect(durable(frames)).toEqual(upTo(events.length));
    const { events: stored } = await scene.client.get<{ events: Json[] }>(
      `/api/jobs/${job}/transcript-events?limit=100`,
    );
    expect(events.map(({ data }) => data)).toEqual(
      stored.map(({ seq, type, at, data }) => ({ seq, type, at, ...(data as Json) })),
    );
    for (const { event, id, data } of events)
      expect([event, id]).toEqual([data["type"] as string, `${String(data["seq"])}`]);
  });

  test("[SSE-3] a delta's id is the last durable seq and the position reached; several readers see the same", async () => {
    const hold = gate();
    scene.service.model.script = () => [{ say: "ab😀" }, hold, { say: "c" }];
    const chat = await scene.newChat();
    const { message } = await scene.client.send(chat, "hello");
    const readers = await Promise.all([scene.chatEvents(chat), scene.chatEvents(chat)]);
    for (const reader of readers) {
      const delta = await reader.saw("message.delta");
      const { data } = await reader.saw("message.started");
      const lastSeq = durable(reader.frames.slice(0, reader.frames.indexOf(delta))).at(-1);
      expect(delta.id).toBe(`${lastSeq}.4`);
      expect(delta.data).toEqual({ message_id: data["message_id"], position: 4, text: "ab😀" });
      expect(delta.data["message_id"]).not.toBe(message.id);
    }
    hold.open();
    for (const reader of readers) {
      const { data } = await reader.saw("message.completed");
      expect(data).toMatchObject({ status: "completed", content: "ab😀c" });
      expect(textIn(reader.frames)).toBe("ab😀c");
      await reader.leave();
    }
    expect(readers[0].said).toEqual(readers[1].said);
  });
});

describe("the end of a stream", () => {
  test("[SSE-6] a job's stream ends after the terminal event with stream.end and closes; so does one that is opened later", async () => {
    const hold = gate();
    scene.service.model.script = () => [{ say: "x" }, hold];
    const { job } = await scene.client.send(await scene.newChat(), "hello");
    const live = await scene.jobEvents(job.id, "?replay=all");
    await live.saw("transcript.delta");
    hold.open();
    await live.ended;
    expect(live.said.slice(-2).map((line) => line.replace(/^\d+ /, ""))).toEqual(["job.completed", "stream.end"]);
    const later = await whole(scene.jobEvents(job.id, "?replay=all"));
    expect(later.map(({ event }) => event).slice(-2)).toEqual(["job.completed", "stream.end"]);
    const { last_seq: head } = await scene.client.job(job.id);
    expect((await whole(scene.jobEvents(job.id, `?after=${head - 1}`))).map(({ event }) => event).at(-1)).toBe(
      "stream.end",
    );
  });

  test("[SSE-6] wait=end closes a chat's stream when its turn ends, and at once when none runs", async () => {
    const [hold, second] = [gate(), gate()];
    scene.service.model.script = (call) => [{ say: "x" }, call.entries.length === 1 ? hold : second];
    const chat = await scene.newChat();
    expect((await whole(scene.chatEvents(chat, "?wait=end"))).map(({ event }) => event)).toEqual([
      "snapshot",
      "stream.end",
    ]);
    await scene.client.send(chat, "hello");
    const reader = await scene.chatEvents(chat, "?wait=end");
    await reader.saw("message.delta");
    await scene.client.send(chat, "another turn");
    hold.open();
    await reader.ended;
    const names = reader.frames.map(({ event }) => event);
    expect(names.filter((name) => name === "message.completed")).toHaveLength(1);
    expect(names.at(-1)).toBe("stream.end");
    second.open();
    await until("the second turn is over", async () => (await scene.client.readChat(chat)).active_job_id === null);
  });

  test("[SSE-13] the stream of a deleted chat says so and ends, also for a client that reconnects", async () => {
    const chat = await scene.newChat();
    const reader = await scene.chatEvents(chat);
    const waiting = await scene.chatEvents(chat, "?after=0");
    await reader.saw("snapshot");
    expect((await scene.client.call("DELETE", `/api/chats/${chat}`)).status).toBe(200);
    for (const { ended, frames } of [reader, waiting]) {
      await ended;
      expect(frames.slice(-2).map(({ event, data }) => [event, data["deleted"] ?? null])).toEqual([
        ["chat.updated", true],
        ["stream.end", null],
      ]);
    }
    await refused(scene.client.call("GET", `/api/chats/${chat}/events?after=1`), 404, "not_found");
  });

  test("[SSE-11] a stream whose record another replica has taken permanently says where to continue", async () => {
    const { chat, head } = await scene.finished();
    const reader = await scene.chatEvents(chat, `?after=${head}`);
    const fresh = await scene.chatEvents(chat, "?replay=0");
    await fresh.saw("snapshot");
    scene.service.system.actors.endReaders(new Set([shardOf(scene.owner.organizationId)]));
    await Promise.all([reader.ended, fresh.ended]);
    const closing = (resume_after: string) => ({
      event: "stream.closing",
      id: null,
      data: { reason: "moved", resume_after },
    });
    expect([reader.frames.at(-1), fresh.frames.at(-1)]).toEqual([closing(String(head)), closing(`${head}.0`)]);
  });

  test("[SSE-11] a reader whose buffer is full when its record moves does not retry in a loop", () => {
    const replay = new Replay();
    const store = { page: () => Promise.resolve({ events: [], hasMore: false }) };
    const stream = new RecordStream("chat", new Subscription(replay, 0, store), { kind: "never" }, "0");
    replay.lose();
    let asked = 0;
    stream.onChange(() => asked++);
    expect([asked, stream.next(), stream.next()]).toEqual([
      0,
      'event: stream.closing\ndata: {"reason":"moved","resume_after":"0"}\n\n',
      null,
    ]);
  });

  test("[SSE-6] a stream that ends while its end is being read reports the cursor of what it has sent", async () => {
    const replay = new Replay();
    const store = { page: () => Promise.resolve({ events: [], hasMore: false }) };
    const answer = Promise.withResolvers<number | null>();
    const ending = { kind: "asked", after: new Set(["job.completed"]), endOf: () => answer.promise } as const;
    const stream = new RecordStream("job", new Subscription(replay, 0, store), ending, "0");
    expect(stream.lastWords("shutdown")).toContain('"resume_after":"0"');
    replay.publish({ seq: 1, type: "job.completed", at: "", data: {} });
    // The event leaves before its end is known, so the cursor is never ahead of what was written.
    expect(Buffer.from((await stream.next()) as Uint8Array).toString()).toContain("event: job.completed");
    const asked = stream.next();
    expect(stream.lastWords("shutdown")).toContain('"resume_after":"1"');
    answer.resolve(1);
    expect([await asked, stream.next(), stream.next()]).toEqual(["", "event: stream.end\ndata: {}\n\n", null]);
  });

  test("[SSE-6] a page that was fetched but not sent does not move the cursor", async () => {
    const events = [{ seq: 1, type: "chat.updated", at: "", data: {} }];
    const store = { page: () => Promise.resolve({ events, hasMore: false }) };
    const stream = new RecordStream("chat", new Subscription(new Replay(), 0, store), { kind: "never" }, "0.0");
    expect(await stream.next()).toBe("");
    expect(stream.lastWords("shutdown")).toContain('"resume_after":"0.0"');
    expect(Buffer.from((await stream.next()) as Uint8Array).toString()).toContain("id: 1\n");
    expect(stream.lastWords("shutdown")).toContain('"resume_after":"1"');
  });

  test("[SSE-13] long events are read in pages of limited size, and each is sent once", async () => {
    const chat = await scene.newChat();
    const title = "x".repeat(100_000);
    const ref = chatRef(scene.owner.organizationId, chat);
    for (let i = 0; i < 6; i++) {
      const options = { title: `${i}${title}` };
      expect((await scene.service.system.dispatch(ref, { kind: "update_chat", options, version: null })).ok).toBe(true);
    }
    scene.forget();
    const reader = scene.service.system.subscribe(ref, 0);
    const pages: (readonly (number | null)[])[] = [];
    while ((pages.flat().at(-1) ?? 0) < 6)
      pages.push((await reader.next()).map((item) => (item.kind === "event" ? item.event.seq : null)));
    reader.close();
    expect(pages).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const { frames } = await scene.chatEvents(chat, "?replay=all&wait=end").then(async (all) => {
      await all.ended;
      return all;
    });
    expect(durable(frames)).toEqual(upTo(6));
  });
});

describe("who may open one", () => {
  test("[SSE-11] a chat's stream needs chats:read, a job's jobs:read; events:read opens both", async () => {
    const { chat, job } = await scene.finished();
    const [ofChat, ofJob] = [`/api/chats/${chat}/events?wait=end`, `/api/jobs/${job}/events`];
    const opens: readonly (readonly [string, readonly string[]])[] = [
      ["chats:read", [ofChat]],
      ["jobs:write", [ofJob]],
      ["events:read", [ofChat, ofJob]],
    ];
    for (const [scope, paths] of opens) {
      const by = await scene.service.tokenFor(scene.owner, { scopes: [scope] });
      for (const path of [ofChat, ofJob]) {
        if (paths.includes(path)) {
          const reader = await scene.open(path, {}, by);
          await reader.ended;
          expect(reader.frames.at(-1)?.event).toBe("stream.end");
        } else await refused(scene.service.call(by, "GET", path), 403, "insufficient_scope");
      }
    }
    await refused(scene.service.call(null, "GET", ofChat), 401, "unauthenticated");
  });

  test("[AUTH-4] another organization does not find the chat or the job", async () => {
    const { chat, job } = await scene.finished();
    const stranger = await scene.service.found("Stranger");
    for (const path of [
      `/api/chats/${chat}/events`,
      `/api/jobs/${job}/events`,
      "/api/chats/x/events",
      "/api/jobs/x/events",
    ])
      await refused(scene.service.call(stranger, "GET", path), 404, "not_found");
  });
});
