/** What a stream may cost, and who ends it: slow readers, readers that leave, shutdown, revocation (SSE-5, SSE-6, AUTH-2). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chatRef } from "../../actors/chat/schema.ts";
import { RING_EVENTS } from "../../actors/runtime/streams/replay.ts";
import { SLOW_READER_BYTES } from "../../actors/runtime/streams/subscription.ts";
import { until } from "../support/condition.ts";
import { Client } from "../support/current.ts";
import { StreamReader } from "../support/event-streams.ts";
import { gate } from "../support/fake-model.ts";
import { RawStream } from "../support/raw-stream.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

let service: Service;
let owner: Founded;
let client: Client;
let agent: string;
beforeAll(async () => {
  const budgets = new Map<string, number>();
  service = await startService({ overrides: { budgets } });
  owner = await service.found();
  budgets.set(owner.organizationId, 1_000_000);
  client = new Client(service, owner);
  agent = await createAgent(service, owner);
});
afterAll(() => service.stop());

const newChat = () => client.chat(agent, owner.workspaceId);
const headers = () => ({ authorization: `Bearer ${owner.token}` });
const urlOf = (chat: string, query = "") => `${service.url}/api/chats/${chat}/events${query}`;
const open = (chat: string, query = "") => StreamReader.open(urlOf(chat, query), headers());
const ask = (chat: string, title: string) =>
  service.system.dispatch(chatRef(owner.organizationId, chat), {
    kind: "update_chat",
    options: { title },
    version: null,
  });

test("[SSE-5] a reader that stops reading uses limited memory, gets its cursor, and is closed", async () => {
  const chat = await newChat();
  const slow = new RawStream(urlOf(chat), headers());
  const quick = await open(chat);
  await until("both are there", () => service.app.streams.count === 2);
  await quick.saw("snapshot");
  slow.pause();
  // More than the sockets' buffers hold, and then more than a reader may be behind.
  const title = "x".repeat(16_000);
  let sent = 0;
  await until("the slow reader is let go", async () => {
    for (let i = 0; i < 20; i++) await ask(chat, `${title}${sent++}`);
    return service.app.streams.count === 1;
  });
  expect(sent * title.length).toBeGreaterThan(SLOW_READER_BYTES);
  await until("the quick reader has all", () => quick.frames.some(({ id }) => id === String(sent)));
  slow.resume();
  await slow.closed;
  const last = slow.parser.frames.at(-1);
  const before = slow.parser.frames.at(-2);
  expect(last).toEqual({
    event: "stream.closing",
    id: null,
    data: { reason: "slow_consumer", resume_after: before?.id ?? "" },
  });
  const back = await StreamReader.open(urlOf(chat, "?wait=end"), { ...headers(), "last-event-id": before?.id ?? "" });
  await back.ended;
  const seqs = back.frames.filter(({ id }) => id !== null).map(({ id }) => Number(id));
  expect(seqs).toEqual(Array.from({ length: sent - Number(before?.id) }, (_, i) => Number(before?.id) + 1 + i));
  expect(seqs.length).toBeGreaterThan(0);
  await quick.leave();
});

test("[SSE-5] deltas merge for a reader that is behind", async () => {
  const [begun, hold] = [gate(), gate()];
  const pieces = Array.from({ length: RING_EVENTS }, (_, i) => ({ say: `${i} ` }));
  service.model.script = () => [{ say: "first " }, begun, ...pieces, hold];
  const chat = await newChat();
  const { job } = await client.send(chat, "hello");
  const early = await open(chat);
  await early.saw("message.delta");
  begun.open();
  const text = pieces.map(({ say }) => say).join("");
  const length = "first ".length + text.length;
  await early.saw("message.delta", ({ data }) => data["position"] === length);
  const late = await open(chat);
  const { data } = await late.saw("message.delta");
  expect([data["position"], data["text"]]).toEqual([length, `first ${text}`]);
  hold.open();
  await client.reached(job.id, "completed");
  await early.leave();
  await late.leave();
});

test("[SSE-5] four thousand connects and disconnects on a quiet stream leave no reader behind", async () => {
  const chat = await newChat();
  await until("no stream is open", () => service.app.streams.count === 0);
  const url = urlOf(chat);
  for (let round = 0; round < 40; round++) {
    const streams = Array.from({ length: 100 }, () => new RawStream(url, headers()));
    await until("they are open", () => service.app.streams.count === 100);
    for (const stream of streams) stream.cut();
    await until("they are gone", () => service.app.streams.count === 0);
  }
  expect(service.app.streams.heartbeats.count).toBe(0);
  const replay = service.system.actors.stream(chatRef(owner.organizationId, chat), 0);
  expect([replay.readers, replay.waiting.size]).toEqual([0, 0]);
});

test("[SSE-11] revoking a token closes its open streams, and those that are being opened", async () => {
  const [chat, other] = [await newChat(), await service.tokenFor(owner, {})];
  const mine = await StreamReader.open(urlOf(chat), { authorization: `Bearer ${other.token}` });
  const theirs = await open(chat);
  await mine.saw("snapshot");
  await theirs.saw("snapshot");
  service.app.streams.closeOf(other.tokenId);
  await mine.ended;
  expect(mine.frames.at(-1)).toEqual({
    event: "stream.closing",
    id: null,
    data: { reason: "revoked", resume_after: "0.0" },
  });
  const opening = await StreamReader.open(urlOf(chat), { authorization: `Bearer ${other.token}` });
  await opening.ended;
  expect(opening.frames.at(-1)?.event).toBe("stream.closing");
  await ask(chat, "goes on");
  await theirs.saw("chat.updated");
  await theirs.leave();
});

test("[SSE-6] on shutdown: stream.closing with the reason deploy and the cursor to continue from", async () => {
  const own = await startService();
  const founder = await own.found();
  const chats = new Client(own, founder);
  const chat = await chats.chat(await createAgent(own, founder), founder.workspaceId);
  await chats.call("PATCH", `/api/chats/${chat}/options`, { pinned: true });
  const reader = await StreamReader.open(`${own.url}/api/chats/${chat}/events`, {
    authorization: `Bearer ${founder.token}`,
  });
  await reader.saw("chat.updated");
  await own.stop();
  await reader.ended;
  expect(reader.frames.at(-1)).toEqual({
    event: "stream.closing",
    id: null,
    data: { reason: "deploy", resume_after: "1" },
  });
});
