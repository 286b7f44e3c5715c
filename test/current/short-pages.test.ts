/** Pages that end because they have looked at ten times their limit (GEN-9, GEN-16): nothing is left out. */
import { beforeAll, expect, test } from "bun:test";
import { fillWork } from "../support/list-fill.ts";
import { Client, type Json } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let agent: string;
const { service, owner, client } = sceneOfFile();
beforeAll(async () => void (agent = await createAgent(service, owner)));

interface Walked {
  readonly ids: readonly string[];
  /** Records of each page. */
  readonly sizes: readonly number[];
}

/** All pages of a list. */
async function walk(by: Client, plural: string, query: string): Promise<Walked> {
  const ids: string[] = [];
  const sizes: number[] = [];
  for (let cursor = ""; ;) {
    const page = await by.get<Json>(`/api/${plural}?${query}${cursor}`);
    const records = page[plural] as { id: string }[];
    ids.push(...records.map(({ id }) => id));
    sizes.push(records.length);
    if (page["next_cursor"] === undefined) return { ids, sizes };
    cursor = `&cursor=${page["next_cursor"] as string}`;
  }
}

test("[GEN-9] [GEN-16] a page with two filters that has checked ten times its limit is short or empty, and continues there", async () => {
  const chat = await client.chat(agent, owner.workspaceId);
  await fillWork(service.database.read, owner.organizationId, chat, {
    count: 500,
    every: 100,
    workspaceId: "wsp_other_space_0123456789",
  });
  const query = `agent_id=${agent}&workspace_id=wsp_other_space_0123456789&limit=4`;
  const { ids, sizes } = await walk(client, "chats", query);
  expect(new Set(ids).size).toBe(5);
  expect(ids.length).toBe(5);
  expect(sizes).toContain(0);
  expect(sizes.length).toBeLessThanOrEqual(Math.ceil(501 / 50) + 5);
  expect((await walk(client, "chats", "workspace_id=wsp_other_space_0123456789&limit=4")).sizes).toEqual([4, 1]);
});

test("[AGT-5] [GEN-16] chats of others' private agents are skipped, however many they are", async () => {
  const company = await service.found();
  const shared = await createAgent(service, company);
  const mine = new Client(service, company);
  const oldest = await mine.chat(shared, company.workspaceId);
  const colleague = await service.join(company.organizationId);
  const hidden = await createAgent(service, colleague, { visibility: "private" });
  const theirs = new Client(service, colleague);
  const chat = await theirs.chat(hidden, company.workspaceId);
  await fillWork(service.database.read, company.organizationId, chat, { count: 300, every: 1_000, workspaceId: "" });
  const seen = await walk(mine, "chats", "limit=2");
  // And the first chat of the shared agent.
  expect(seen.ids.length).toBe(2);
  expect(seen.ids).toContain(oldest);
  expect(seen.sizes.length).toBeGreaterThan(5);
  expect((await walk(theirs, "chats", "limit=100")).ids.length).toBe(304);
});

test("[JOB-6] a page of a transcript by type continues after the last event that it has checked", async () => {
  const chat = await client.chat(agent, owner.workspaceId);
  const { job } = await client.send(chat, "hello");
  await client.reached(job.id, "completed");
  await service.database.read`
    insert into event (organization_id, stream, seq, type, at, data)
    select organization_id, stream, seq + i, case when i = 300 then 'log' else type end, at, data
    from (select * from event where stream = ${job.id} order by seq desc limit 1) e, generate_series(1, 300) i`;
  const found: Json[] = [];
  let pages = 0;
  for (let after = "0"; ; pages++) {
    const page = await client.get<{ events: Json[]; next_cursor?: string }>(
      `/api/jobs/${job.id}/transcript-events?types=log&limit=5&after=${after}`,
    );
    found.push(...page.events);
    if (page.next_cursor === undefined) break;
    after = page.next_cursor;
  }
  expect(found.map(({ type }) => type)).toEqual(["log"]);
  expect(pages).toBe(Math.floor((300 + job.last_seq) / 60));
});
