/** The library of agents over HTTP: what is available, installed and taken away again (AGT-2, AGT-4). */
import { beforeAll, expect, test } from "bun:test";
import { library } from "../../src/wiring/library.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { personOfFile, serviceOfFile } from "../support/scene.ts";
import { execute, expectFailure, success } from "../support/v1.ts";

interface Agent extends Json {
  readonly id: string;
}

let client: Client;
let foreign: Client;
let entry: ReturnType<typeof library.of>[number];

const service = serviceOfFile();
const owner = personOfFile(() => service.found("Library"));
const stranger = personOfFile(() => service.found("Stranger"));
beforeAll(() => {
  client = new Client(service, owner);
  foreign = new Client(service, stranger);
  entry = library.of(owner.organizationId)[0]!;
});

const install = (body: unknown, id = entry.id) => client.call("PATCH", `/api/agents/${id}/install-state`, body);
const listed = async (): Promise<Agent> =>
  (await client.get<{ agents: Agent[] }>("/api/agents?limit=100")).agents.find(({ id }) => id === entry.id)!;

test("[AGT-2] an entry that nobody has installed is available under its fixed id, and can only be installed", async () => {
  const agent = await client.get<Agent>(`/api/agents/${entry.id}`);
  expect(agent).toMatchObject({
    name: entry.definition.name,
    source: "library",
    install_state: "available",
    allowed_actions: ["install"],
    organization_id: owner.organizationId,
    version: 0,
  });
  expect(await listed()).toEqual(agent);
  expect(library.of(owner.organizationId).map(({ id }) => id)).not.toContain(
    library.of(stranger.organizationId)[0]!.id,
  );
  const what = { agent_id: entry.id, workspace_id: owner.workspaceId };
  for (const refusal of [
    client.call("PATCH", `/api/agents/${entry.id}`, { role: "R" }),
    client.call("DELETE", `/api/agents/${entry.id}`),
    client.call("POST", "/api/chats", what),
  ])
    expect(await refused(refusal, 409, "invalid_state")).toEqual({
      status: "available",
      allowed_actions: ["install"],
    });
  for (const action of ["uninstall", "restore"]) {
    expect(await refused(install({ action }), 409, "invalid_state")).toEqual({
      status: "available",
      allowed_actions: ["install"],
    });
  }
});

test("[AGT-2] install applies the defaults, uninstall removes it, restore brings back its settings, install the defaults", async () => {
  for (const [install_state, action] of [
    ["installed", "uninstall"],
    ["uninstalled", "install"],
    ["uninstalled", "restore"],
  ])
    await refused(install({ install_state, action }), 400, "invalid_request");
  const installed = await answered<Agent>(install({ install_state: "installed", action: "install" }));
  expect(installed).toMatchObject({
    id: entry.id,
    system_prompt: entry.definition.systemPrompt,
    install_state: "installed",
    visibility: "organization",
    version: 1,
    allowed_actions: ["update", "uninstall", "execute"],
  });
  expect(await listed()).toEqual(installed);
  await answered(client.call("PATCH", `/api/agents/${entry.id}`, { system_prompt: "Ours.", tags: ["ours"] }));
  const chat = await client.chat(entry.id, owner.workspaceId);
  const uninstalled = await answered<Agent>(install({ action: "uninstall" }));
  expect(uninstalled).toMatchObject({ install_state: "uninstalled", allowed_actions: ["install", "restore"] });
  expect(await client.get<Agent>(`/api/agents/${entry.id}`)).toEqual(uninstalled);
  expect(await listed()).toEqual(uninstalled);
  await expectFailure(await execute(service, owner, entry.id, { message: "hi" }), 404, "Agent not found");
  expect(await refused(client.call("DELETE", `/api/agents/${entry.id}`), 409, "invalid_state")).toEqual({
    status: "uninstalled",
    allowed_actions: ["install", "restore"],
  });
  // What is refused here is the chat's.
  const message = client.call("POST", `/api/chats/${chat}/messages`, { content: "hi" });
  expect(await refused(message, 409, "invalid_state")).toEqual({
    status: "standby",
    allowed_actions: ["update", "update_options", "delete"],
  });
  const restored = await answered<Agent>(install({ action: "restore" }));
  expect(restored).toMatchObject({ system_prompt: "Ours.", tags: ["ours"], install_state: "installed" });
  expect(await success(execute(service, owner, entry.id, { message: "hi" }))).toMatchObject({ success: true });
  await answered(install({ install_state: "uninstalled" }));
  expect(await answered<Agent>(install({ action: "install" }))).toMatchObject({
    system_prompt: entry.definition.systemPrompt,
    tags: entry.definition.tags ?? [],
    install_state: "installed",
  });
});

test("[AGT-2] the settings apply only to this organization", async () => {
  await answered(install({ action: "install" }));
  await answered(client.call("PATCH", `/api/agents/${entry.id}`, { role: "Changed" }));
  const { id, definition } = library.of(stranger.organizationId)[0]!;
  expect(await foreign.get<Agent>(`/api/agents/${id}`)).toMatchObject({
    role: definition.role,
    install_state: "available",
  });
  await refused(foreign.call("GET", `/api/agents/${entry.id}`), 404, "not_found");
});

test("[AGT-2] [AGT-4] a library agent cannot be deleted or hidden", async () => {
  await answered(install({ action: "install" }));
  const deleted = client.call("DELETE", `/api/agents/${entry.id}`);
  expect(await refused(deleted, 409, "invalid_state")).toEqual({
    status: "installed",
    allowed_actions: ["uninstall"],
  });
  await refused(client.call("PATCH", `/api/agents/${entry.id}`, { visibility: "private" }), 403, "forbidden");
  expect(await listed()).toMatchObject({ install_state: "installed", visibility: "organization" });
});

test("[AGT-2] any other agent is 409 not_a_library_agent, and an invisible one 404", async () => {
  const body = { name: "Ada", system_prompt: "Be brief." };
  const { id } = await answered<Agent>(client.call("POST", "/api/agents", body), 201);
  for (const change of [{ install_state: "installed" }, { action: "uninstall" }])
    expect(await refused(install(change, id), 409, "not_a_library_agent")).toEqual({});
  await refused(foreign.call("PATCH", `/api/agents/${id}/install-state`, { action: "install" }), 404, "not_found");
});

test.each([
  [{}, "/action"],
  [{ install_state: "available" }, "/install_state"],
  [{ action: "remove" }, "/action"],
  [{ action: 1 }, "/action"],
])("[GEN-7] install-state %j names %s", async (body, path) => {
  expect(await refused(install(body), 400, "invalid_request")).toEqual({
    errors: [{ path, message: expect.stringMatching(/\S/) as unknown }],
  });
});
