/** Workspaces over HTTP: their list and their record (GEN-8). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client, type Json, refused } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

let service: Service;
let owner: Founded;
let client: Client;

beforeAll(async () => {
  service = await startService();
  owner = await service.found();
  await service.found("Stranger");
  client = new Client(service, owner);
});
afterAll(() => service.stop());

test("[GEN-8] [GEN-5] the first run's workspace has its record, and the list has it alone", async () => {
  const id = owner.workspaceId;
  const workspace = await client.get<Json>(`/api/workspaces/${id}`);
  expect(workspace).toEqual({
    id,
    name: expect.any(String) as unknown,
    description: null,
    created_by: owner.userId,
    organization_id: owner.organizationId,
    version: 1,
    created_at: expect.any(String) as unknown,
    updated_at: expect.any(String) as unknown,
    links: {
      self: `/api/workspaces/${id}`,
      chats: `/api/chats?workspace_id=${id}`,
      jobs: `/api/jobs?workspace_id=${id}`,
      tasks: `/api/tasks?workspace_id=${id}`,
    },
    allowed_actions: [],
  });
  expect(await client.get<Json>("/api/workspaces")).toEqual({ workspaces: [workspace] });
});

test("[GEN-8] the links of a workspace lead to what is in it", async () => {
  const { links } = await client.get<{ links: Record<string, string> }>(`/api/workspaces/${owner.workspaceId}`);
  for (const [name, path] of Object.entries(links)) {
    if (name !== "self") expect(Object.keys(await client.get<Json>(path))).toEqual([name]);
  }
});

test("[GEN-8] an id that no workspace can have is no workspace", async () => {
  for (const id of ["nothing", "a%00b", "%2e%2e", "wsp_".padEnd(80, "x")]) {
    await refused(client.call("GET", `/api/workspaces/${id}`), 404, "not_found");
  }
});

test("[GEN-3] a bad limit or cursor of the list is 400", async () => {
  await refused(client.call("GET", "/api/workspaces?limit=0"), 400, "invalid_request");
  await refused(client.call("GET", "/api/workspaces?cursor=x"), 400, "invalid_cursor");
});
