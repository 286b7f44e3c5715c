/** What a client sees of the sweep: streams beyond retention begin anew, keys may be used again, and nothing is done twice. */
import { beforeEach, expect, test } from "bun:test";
import { sweepOnce, sweepsOf } from "../../db/sweeps.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { answered, Client, type Job } from "../support/current.ts";
import { StreamReader } from "../support/event-streams.ts";
import { expectReplay, keyed, parallel } from "../support/keyed.ts";
import { serviceOfFile } from "../support/scene.ts";
import type { Founded } from "../support/service.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { createAgent } from "../support/v1.ts";

const DAY_MS = 86_400_000;
const RETENTION = { eventDays: 90 };

let owner: Founded;
let client: Client;
let chat: string;
const clock = new ShiftedClock();

const service = serviceOfFile({ clock });
beforeEach(async () => {
  await clock.skip(0);
  owner = await service.found();
  client = new Client(service, owner);
  chat = await client.chat(await createAgent(service, owner), owner.workspaceId);
});

/** Everything that is past its time so many days from now. */
async function sweep(inDays: number, limit = 1_000): Promise<void> {
  for (const one of sweepsOf(RETENTION)) {
    const at = { now: systemClock.now() + inDays * DAY_MS, limit };
    while (!(await sweepOnce(service.database, one, at)).isDone);
  }
}
/** Lets the memory go of what nobody uses. */
const forget = () => service.system.actors.passivate(Number.POSITIVE_INFINITY);
const open = (path: string, headers: Record<string, string> = {}): Promise<StreamReader> =>
  StreamReader.open(`${service.url}${path}`, { authorization: `Bearer ${owner.token}`, ...headers });

async function finished(): Promise<Job> {
  const { job } = await client.send(chat, "hello");
  return client.reached(job.id, "completed");
}

test("[SSE-10] a stream whose events are past retention starts over after a reset; its seq continues", async () => {
  const { id, last_seq: head } = await finished();
  await sweep(91);
  forget();
  const path = `/api/jobs/${id}/events`;
  const resumed = await open(path, { "last-event-id": "2" });
  await resumed.ended;
  expect(resumed.frames.map(({ event }) => event)).toEqual(["reset", "snapshot", "stream.end"]);
  expect(resumed.frames[0]!.data).toEqual({ reason: "not_retained", from_seq: head + 1 });
  expect(resumed.frames[1]!.data).toMatchObject({ id, last_seq: head, result: "echo: hello" });
  const fresh = await open(`${path}?replay=all`);
  await fresh.ended;
  expect(fresh.frames.map(({ event }) => event)).toEqual(["snapshot", "stream.end"]);
  // Who has seen the last event misses nothing.
  expect((await client.call("GET", `${path}?after=${head}`)).status).toBe(204);

  await answered(client.decide(id, "iterate", { feedback: "again" }), 202);
  const { last_seq: later } = await client.job(id);
  expect(later).toBeGreaterThanOrEqual(head);
  const stored = await service.database.read<
    { seq: number }[]
  >`select seq from event where stream = ${id} order by seq`;
  expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: later - head }, (_, i) => head + 1 + i));
});

test("[SSE-10] the chat of a job that is past retention keeps its events and its messages", async () => {
  await finished();
  const { last_seq: head } = await client.readChat(chat);
  await sweep(91);
  forget();
  const reader = await open(`/api/chats/${chat}/events?replay=all`);
  await reader.saw("message.completed", ({ id }) => id === String(head) || Number(id) > 1);
  await reader.leave();
  expect(reader.frames.filter(({ id }) => id !== null).map(({ id }) => id)[0]).toBe("1");
  expect((await client.messages(chat)).map(({ content }) => content)).toEqual(["hello", "echo: hello"]);
});

test("[SSE-10] a sweep removes no events within retention", async () => {
  const { id, last_seq: head } = await finished();
  await sweep(89);
  forget();
  const reader = await open(`/api/jobs/${id}/events`, { "last-event-id": "1" });
  await reader.ended;
  expect(
    reader.frames.filter(({ id: seq }) => seq !== null && !seq.includes(".")).map(({ id: seq }) => Number(seq)),
  ).toEqual(Array.from({ length: head - 1 }, (_, i) => i + 2));
});

test("[IDEM-1] after 24 hours a key is free, and requests with it during the sweep are executed once", async () => {
  const ask = (n: number) =>
    keyed(service, owner, `key ${n}`, {
      method: "POST",
      path: "/api/agents",
      body: { name: `A${n}`, system_prompt: "x" },
    });
  const numbers = Array.from({ length: 40 }, (_, n) => n);
  const first = await Promise.all(numbers.map(ask));
  await clock.skip(25 * (DAY_MS / 24));
  let isOver = false;
  const sweeping = parallel(2, async () => {
    while (!isOver) await sweep(25 / 24, 3);
  });
  const second = await Promise.all(numbers.map(ask));
  isOver = true;
  await sweeping;
  await sweep(25 / 24);
  for (const [n, answer] of second.entries()) {
    expect([answer.status, answer.key]).toEqual([201, "created"]);
    expect(answer.text).not.toBe(first[n]!.text);
  }
  forget();
  const third = await Promise.all(numbers.map(ask));
  for (const [n, answer] of third.entries()) expectReplay(second[n]!, answer);
});
