/** A page had no limit in bytes: a hundred records of a megabyte were one answer. */
import { beforeAll, expect, test } from "bun:test";
import { LIST_PAGE_BYTES } from "../../actors/page.ts";
import { type Job, type Json, type MessagePage } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

const HEAVY = "é".repeat(200_000);
/** Bodies of 400 kB of which the third passes the limit. */
const JOBS = 5;

let chatId: string;
const jobIds: string[] = [];

const { service, owner, client } = sceneOfFile();
beforeAll(async () => {
  service.model.script = () => [{ say: HEAVY }];
  chatId = await client.chat(await createAgent(service, owner), owner.workspaceId);
  for (let i = 0; i < JOBS; i++) {
    const { job } = await client.send(chatId, `go ${i}`);
    await client.reached(job.id, "completed");
    jobIds.push(job.id);
  }
});

/** All pages of a list. */
async function pages<T extends { readonly next_cursor?: string }>(path: string, name: string): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page: T = await client.get<T>(`${path}?limit=100${cursor === undefined ? "" : `&${name}=${cursor}`}`);
    all.push(page);
    cursor = page.next_cursor;
  } while (cursor !== undefined && all.length < 50);
  return all;
}

/** Of the answer: the limit, and the record that passes it. */
const bytesOf = (page: object) => Buffer.byteLength(JSON.stringify(page));
const MOST = LIST_PAGE_BYTES + 2 * Buffer.byteLength(HEAVY);

test("[GEN-9] a list of heavy jobs has shorter pages, and loses no job", async () => {
  const all = await pages<{ jobs: Job[]; next_cursor?: string }>("/api/jobs", "cursor");
  expect(all.map(({ jobs }) => jobs.length)).toEqual([3, 2]);
  expect(all.flatMap(({ jobs }) => jobs.map(({ id }) => id))).toEqual(jobIds.toReversed());
  for (const page of all) expect(bytesOf(page)).toBeLessThan(MOST);
});

test("[GEN-9] so do the messages of a chat, whose summary of its work is whole all the same", async () => {
  const all = await pages<MessagePage>(`/api/chats/${chatId}/messages`, "cursor");
  expect(all.length).toBeGreaterThan(1);
  for (const page of all) {
    expect(bytesOf(page)).toBeLessThan(MOST);
    expect(page.work.jobs.map(({ id }) => id)).toEqual(jobIds.toReversed());
  }
  const told = all.toReversed().flatMap(({ messages }) => messages.map(({ id }) => id));
  expect(new Set(told).size).toBe(2 * JOBS);
  expect(told).toHaveLength(2 * JOBS);
});

test("[GEN-9] so do the events of a job", async () => {
  const all = await pages<{ events: Json[]; next_cursor?: string }>(
    `/api/jobs/${jobIds[0]}/transcript-events`,
    "after",
  );
  const one = await client.get<{ last_seq: number }>(`/api/jobs/${jobIds[0]}`);
  const seqs = all.flatMap(({ events }) => events.map(({ seq }) => seq));
  expect(seqs).toEqual(Array.from({ length: one.last_seq }, (_, i) => i + 1));
});
