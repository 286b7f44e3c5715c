/** Workspaces over HTTP: their list and their record (GEN-8). */
import { beforeAll, expect, test } from "bun:test";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";

const { service, owner, client } = sceneOfFile();
beforeAll(async () => {
  await service.found("Stranger");
});

test("[GEN-8] [GEN-5] the workspace of the first run has its record, and is the only one in the list", async () => {
  const id = owner.workspaceId;
  const { storage, ...workspace } = await client.get<Json>(`/api/workspaces/${id}`);
  expect(storage).toEqual({ bytes: 0, files: 0 });
  expect(workspace).toEqual({
    repos: [],
    id,
    name: expect.any(String) as unknown,
    description: null,
    instructions: null,
    selected: true,
    created_by: owner.userId,
    apps: [],
    organization_id: owner.organizationId,
    version: 1,
    created_at: expect.any(String) as unknown,
    updated_at: expect.any(String) as unknown,
    links: {
      self: `/api/workspaces/${id}`,
      files: `/api/workspaces/${id}/files`,
      repos: `/api/workspaces/${id}/repos`,
      apps: `/api/workspaces/${id}/apps`,
      chats: `/api/chats?workspace_id=${id}`,
      jobs: `/api/jobs?workspace_id=${id}`,
      tasks: `/api/tasks?workspace_id=${id}`,
    },
    allowed_actions: ["update", "select"],
  });
  expect(await client.get<Json>("/api/workspaces")).toEqual({ workspaces: [workspace] });
});

test("[GEN-8] the links of a workspace lead to its contents", async () => {
  const { links } = await client.get<{ links: Record<string, string> }>(`/api/workspaces/${owner.workspaceId}`);
  for (const [name, path] of Object.entries(links)) {
    if (name !== "self") expect(Object.keys(await client.get<Json>(path))).toEqual([name]);
  }
});

test("[GEN-8] an id that no workspace can have is not a workspace", async () => {
  for (const id of ["nothing", "a%00b", "%2e%2e", "wsp_".padEnd(80, "x")]) {
    await refused(client.call("GET", `/api/workspaces/${id}`), 404, "not_found");
  }
});

test("[GEN-3] a bad limit or cursor of the list is 400", async () => {
  await refused(client.call("GET", "/api/workspaces?limit=0"), 400, "invalid_request");
  await refused(client.call("GET", "/api/workspaces?cursor=x"), 400, "invalid_cursor");
});

test("[WSP-1] a workspace is created, changed and deleted, and the first one cannot be deleted", async () => {
  const made = await answered<Json>(client.call("POST", "/api/workspaces", { name: "Second" }), 201);
  expect(made).toMatchObject({ name: "Second", description: null, selected: false, version: 1 });
  const path = `/api/workspaces/${made["id"] as string}`;
  expect(made["allowed_actions"]).toEqual(["update", "delete", "select"]);
  const changed = await answered<Json>(client.call("PATCH", path, { instructions: "Be brief." }));
  expect(changed).toMatchObject({ name: "Second", instructions: "Be brief.", version: 2 });
  expect(await answered<Json>(client.call("DELETE", path))).toMatchObject({ allowed_actions: [] });
  await refused(client.call("GET", path), 404, "not_found");
  await refused(client.call("DELETE", `/api/workspaces/${owner.workspaceId}`), 403, "forbidden");
  const { workspaces } = await client.get<{ workspaces: Json[] }>("/api/workspaces");
  expect(workspaces.map(({ id }) => id)).toEqual([owner.workspaceId]);
});

test("[WSP-6] each user selects a workspace of their own", async () => {
  const made = await answered<Json>(client.call("POST", "/api/workspaces", { name: "Mine" }), 201);
  const path = `/api/workspaces/${made["id"] as string}`;
  expect(await answered<Json>(client.call("POST", `${path}/select`))).toMatchObject({ selected: true });
  expect((await client.get<Json>(`/api/workspaces/${owner.workspaceId}`))["selected"]).toBe(false);
  const member = new Client(service, await service.join(owner.organizationId));
  expect((await member.get<Json>(path))["selected"]).toBe(false);
  await refused(client.call("POST", "/api/workspaces/wsp_none/select"), 404, "not_found");
  await answered(client.call("DELETE", path));
});

test("[WSP-15] only its creator and owners change or delete a workspace", async () => {
  const joined = await service.join(owner.organizationId);
  const member = new Client(service, joined);
  const made = await answered<Json>(client.call("POST", "/api/workspaces", { name: "The owner's" }), 201);
  const path = `/api/workspaces/${made["id"] as string}`;
  expect((await member.get<Json>(path))["allowed_actions"]).toEqual(["select"]);
  await refused(member.call("PATCH", path, { name: "Mine now" }), 403, "forbidden");
  await refused(member.call("DELETE", path), 403, "forbidden");
  expect((await client.get<Json>(path))["name"]).toBe("The owner's");
  const own = await answered<Json>(member.call("POST", "/api/workspaces", { name: "Theirs" }), 201);
  expect(own["allowed_actions"]).toEqual(["update", "delete", "select"]);
  const theirs = `/api/workspaces/${own["id"] as string}`;
  expect(await answered<Json>(member.call("PATCH", theirs, { name: "Still theirs" }))).toMatchObject({ version: 2 });
  await answered(client.call("PATCH", theirs, { description: "By an owner" }));
  await answered(member.call("DELETE", theirs));
  await answered(client.call("DELETE", path));
});

test("[WSP-15] the model gets the instructions of the job's workspace", async () => {
  const path = `/api/workspaces/${owner.workspaceId}`;
  await answered(client.call("PATCH", path, { instructions: "Write in British English." }));
  const agent = await answered<Json>(
    client.call("POST", "/api/agents", { name: "Writer", system_prompt: "Write." }),
    201,
  );
  const chat = await client.chat(agent["id"] as string, owner.workspaceId);
  const { job } = await client.send(chat, "Hello");
  await client.reached(job.id, "completed");
  const { system } = service.model.calls.at(-1)!;
  expect(system).toContain("Instructions of the workspace that you work in:\nWrite in British English.");
  await answered(client.call("PATCH", path, { instructions: null }));
});

test("[WSP-1] creating, changing and selecting a workspace also report the size of its files", async () => {
  const made = await answered<Json>(client.call("POST", "/api/workspaces", { name: "Measured" }), 201);
  expect(made["storage"]).toEqual({ bytes: 0, files: 0 });
  const path = `/api/workspaces/${String(made["id"])}`;
  await answered(client.call("POST", `${path}/files/directory`, { path: "empty" }), 201);
  const content = `${path}/files/content?path=a.txt`;
  const headers = { authorization: `Bearer ${owner.token}` };
  await answered(fetch(`${service.url}${content}`, { method: "PUT", headers, body: "12345" }), 201);
  const storage = { bytes: 5, files: 1 };
  expect(await answered<Json>(client.call("PATCH", path, { name: "Weighed" }))).toMatchObject({ storage });
  expect(await answered<Json>(client.call("POST", `${path}/select`))).toMatchObject({ storage, selected: true });
  expect(await client.get<Json>(path)).toMatchObject({ storage });
});
