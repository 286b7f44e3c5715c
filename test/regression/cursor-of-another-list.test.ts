/** The cursor of one list was taken by another list: a client that mixed them up read a page from nowhere. */
import { expect, test } from "bun:test";
import { answered, Client, type MessagePage, refused } from "../support/current.ts";
import { serviceOfFile } from "../support/scene.ts";

const service = serviceOfFile();

test("[GEN-3] the cursor of one chat's messages is invalid for another", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  const agent = await client.agent();
  const [one, two] = [await client.chat(agent, owner.workspaceId), await client.chat(agent, owner.workspaceId)];
  for (const chat of [one, two]) await client.reached((await client.send(chat, "Hello")).job.id, "completed");
  const { next_cursor: cursor } = await client.get<MessagePage>(`/api/chats/${one}/messages?limit=1`);
  const page = await client.get<MessagePage>(`/api/chats/${one}/messages?cursor=${cursor}`);
  expect(page.messages.map(({ content }) => content)).toEqual(["Hello"]);
  await refused(client.call("GET", `/api/chats/${two}/messages?cursor=${cursor}`), 400, "invalid_cursor");
});

test("[GEN-3] the cursor of one mission's runs is invalid for another", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  const agent = await client.agent();
  const missions: string[] = [];
  for (const title of ["One", "Two"]) {
    const mission = client.call("POST", "/api/missions", { agent_id: agent, title, goal: "Say hello." });
    const { id } = await answered<{ id: string }>(mission, 201);
    for (let run = 0; run < 2; run++) {
      const started = client.call("POST", `/api/missions/${id}/run`);
      const { job } = await answered<{ job: { id: string } }>(started, 202);
      await client.reached(job.id, "completed");
    }
    missions.push(id);
  }
  const [one, two] = missions;
  const { next_cursor: cursor } = await client.get<Page>(`/api/missions/${one}/runs?limit=1`);
  expect((await client.get<Page>(`/api/missions/${one}/runs?cursor=${cursor}`)).runs).toHaveLength(1);
  for (const list of [`/api/missions/${two}/runs`, "/api/missions", "/api/jobs"])
    await refused(client.call("GET", `${list}?cursor=${cursor}`), 400, "invalid_cursor");
});

test("[GEN-3] the cursor of one directory or workspace is invalid for another", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  const other = client.call("POST", "/api/workspaces", { name: "Other" });
  const workspaces = [owner.workspaceId, (await answered<{ id: string }>(other, 201)).id];
  for (const workspace of workspaces) {
    for (const path of ["a/1", "a/2", "b/1", "b/2"]) {
      const at = `${service.url}/api/workspaces/${workspace}/files/content?path=${path}`;
      const headers = { authorization: `Bearer ${owner.token}` };
      expect((await fetch(at, { method: "PUT", headers, body: "text" })).status).toBe(201);
      await answered(client.call("POST", `/api/workspaces/${workspace}/files/share`, { path }), 201);
    }
  }
  const [one, two] = workspaces.map((workspace) => `/api/workspaces/${workspace}`);
  const files = (await client.get<Page>(`${one}/files?path=a&limit=1`)).next_cursor;
  expect((await client.get<Page>(`${one}/files?path=a&cursor=${files}`)).files).toHaveLength(1);
  for (const list of [`${one}/files?path=b`, `${one}/files?`, `${two}/files?path=a`])
    await refused(client.call("GET", `${list}&cursor=${files}`), 400, "invalid_cursor");
  const shares = (await client.get<Page>(`${one}/shares?limit=1`)).next_cursor;
  expect((await client.get<Page>(`${one}/shares?cursor=${shares}`)).shares).toHaveLength(3);
  for (const list of [`${two}/shares`, `${one}/files`])
    await refused(client.call("GET", `${list}?cursor=${shares}`), 400, "invalid_cursor");
});

interface Page {
  readonly next_cursor?: string;
  readonly runs?: readonly object[];
  readonly files?: readonly object[];
  readonly shares?: readonly object[];
}

test("[GEN-3] a cursor with an impossible time or text is 400", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  const encoded = (parts: readonly unknown[]): string => Buffer.from(JSON.stringify(parts)).toString("base64url");
  for (const time of ["2026-13-01T00:00:00.000Z", "2026-02-30T00:00:00.000Z", "2026-01-01T99:00:00.000Z"]) {
    const cursor = encoded(["jobs", time, "job_1"]);
    await refused(client.call("GET", `/api/jobs?cursor=${cursor}`), 400, "invalid_cursor");
  }
  for (const path of ["a\0b", "\ud83d"]) {
    const cursor = encoded(["files", owner.workspaceId, "", path]);
    const list = `/api/workspaces/${owner.workspaceId}/files?cursor=${cursor}`;
    await refused(client.call("GET", list), 400, "invalid_cursor");
  }
});
