/** Tools that agents can be given, and names that name none (RUN-11). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createEgress, type Egress } from "../../src/egress/egress.ts";
import { library } from "../../src/wiring/library.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

let service: Service;
let egress: Egress;
let owner: Founded;
let client: Client;

beforeAll(async () => {
  const resolve = (host: string) =>
    host.endsWith(".public.test") ? Promise.resolve(["93.184.216.34"]) : Promise.resolve(["10.0.0.7"]);
  egress = createEgress({ allow: [], production: false, resolve });
  service = await startService({ egress });
});
afterAll(async () => {
  await service.stop();
  egress.close();
});
beforeEach(async () => {
  owner = await service.found();
  client = new Client(service, owner);
});

interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Json;
  readonly availability: string;
  readonly read_only: boolean;
}
const server = { name: "files", url: "https://mcp.public.test/mcp" };
const create = (fields: Json) =>
  client.call("POST", "/api/agents", { name: "Ada", system_prompt: "Be brief.", ...fields });
const made = async (fields: Json = {}): Promise<string> => (await answered<{ id: string }>(create(fields), 201)).id;
/** What is said of each field of a request that is refused. */
async function complaints(asked: Promise<Response>): Promise<Record<string, string>> {
  const { errors } = (await refused(asked, 400, "invalid_request")) as { errors: { path: string; message: string }[] };
  return Object.fromEntries(errors.map(({ path, message }) => [path, message]));
}

describe("GET /api/tools", () => {
  test("[RUN-11] lists every tool with its description, its schema, who has it and whether it changes something", async () => {
    const { tools } = await client.get<{ tools: ToolInfo[] }>("/api/tools");
    const of = (name: string) => tools.find((tool) => tool.name === name);
    expect(tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name).toSorted());
    expect(of("web_fetch")).toMatchObject({ availability: "granted", read_only: true });
    expect(of("write_file")).toMatchObject({ availability: "granted", read_only: false });
    expect(of("list_files")).toMatchObject({ availability: "always", read_only: true });
    expect(of("finish_mission_task")).toMatchObject({ availability: "missions", read_only: false });
    for (const { description, input_schema: schema } of tools) {
      expect(description).toMatch(/\S/);
      expect(schema).toMatchObject({ type: "object" });
    }
    await refused(
      new Client(service, await service.tokenFor(owner, { scopes: ["tasks:read"] })).call("GET", "/api/tools"),
      403,
      "insufficient_scope",
    );
  });

  test("[RUN-11] a new agent gets exactly the tools that every agent has", async () => {
    const { tools } = await client.get<{ tools: ToolInfo[] }>("/api/tools");
    const chat = await client.chat(await made(), owner.workspaceId);
    const { job } = await client.send(chat, "hello");
    await client.reached(job.id, "completed");
    const told = service.model.calls.at(-1)!.tools.map(({ name }) => name);
    expect(told).toEqual(tools.filter((tool) => tool.availability === "always").map(({ name }) => name));
  });

  test("[RUN-11] the library names only existing tools", async () => {
    for (const { id } of library.of(owner.organizationId)) {
      const path = `/api/agents/${id}`;
      const { allowed_tools, approval_tools } = await answered<Json>(
        client.call("PATCH", `${path}/install-state`, { action: "install" }),
      );
      await answered(client.call("PATCH", path, { allowed_tools, approval_tools }));
    }
  });
});

describe("names of unknown tools", () => {
  test("[RUN-11] are 400 with the name that is near", async () => {
    expect(await complaints(create({ allowed_tools: ["create_task", "fetch_url", "writefile"] }))).toEqual({
      "/allowed_tools/1": "Unknown tool `fetch_url`; did you mean `web_fetch`?",
      "/allowed_tools/2": "Unknown tool `writefile`; did you mean `write_file`?",
    });
    expect(await complaints(create({ approval_tools: ["zzz"] }))).toEqual({
      "/approval_tools/0": "Unknown tool `zzz`",
    });
    const id = await made();
    expect(await complaints(client.call("PATCH", `/api/agents/${id}`, { allowed_tools: ["file_write"] }))).toEqual({
      "/allowed_tools/0": "Unknown tool `file_write`; did you mean `write_file`?",
    });
  });

  test("[RUN-11] of MCP servers are names of servers that the agent has", async () => {
    const id = await made({ mcp_servers: [server], allowed_tools: ["files__*", "files__read"] });
    const path = `/api/agents/${id}`;
    await answered(client.call("PATCH", path, { allowed_tools: ["files__write"], approval_tools: ["files__*"] }));
    expect(await complaints(client.call("PATCH", path, { allowed_tools: ["fils__*"] }))).toEqual({
      "/allowed_tools/0": "The agent has no MCP server `fils`; did you mean `files`?",
    });
    expect(await complaints(create({ allowed_tools: ["files__*"] }))).toEqual({
      "/allowed_tools/0": "The agent has no MCP server `files`",
    });
  });

  test("[RUN-11] in a chat's tools are told too", async () => {
    const id = await made({ mcp_servers: [server], allowed_tools: ["files__*", "web_fetch"] });
    const body = { agent_id: id, workspace_id: owner.workspaceId, options: { tools: ["fetch_url"] } };
    const own = { kind: "client", name: "lookup", description: "d", input_schema: { type: "object" } };
    const named = { ...body, agent_id: await made({ tools: [own] }), options: { tools: ["lookup"] } };
    await answered(client.call("POST", "/api/chats", named), 201);
    expect(await complaints(client.call("POST", "/api/chats", body))).toEqual({
      "/options/tools/0": "Unknown tool `fetch_url`; did you mean `web_fetch`?",
    });
    const chat = await client.chat(id, owner.workspaceId, { options: { tools: ["files__read", "web_fetch"] } });
    const options = `/api/chats/${chat}/options`;
    expect(await complaints(client.call("PATCH", options, { tools: ["other__read"] }))).toEqual({
      "/tools/0": "The agent has no MCP server `other`",
    });
    await answered(client.call("PATCH", options, { tools: null }));
  });

  test("[RUN-11] a tool in approval_tools that may not be used is reported", async () => {
    const asks = { approval_tools: ["list_files", "create_task", "write_file"], allowed_tools: ["write_file"] };
    expect(await complaints(create(asks))).toEqual({
      "/approval_tools/1": "The agent may not use `create_task`: add it to allowed_tools too",
    });
    const id = await made({ allowed_tools: ["create_task"] });
    await answered(client.call("PATCH", `/api/agents/${id}`, { approval_tools: ["create_task"] }));
    expect(await complaints(client.call("PATCH", `/api/agents/${id}`, { approval_tools: ["web_fetch"] }))).toEqual({
      "/approval_tools/0": "The agent may not use `web_fetch`: add it to allowed_tools too",
    });
  });
});

test("[RUN-6] an MCP server whose address may not be reached is 400 with its field", async () => {
  const inside = [server, { name: "inside", url: "https://intranet.test/mcp" }];
  expect(await complaints(create({ mcp_servers: inside }))).toEqual({
    "/mcp_servers/1/url": expect.stringMatching(/not public; an operator can open it with EGRESS_ALLOW/) as string,
  });
  const id = await made({ mcp_servers: [server] });
  for (const url of ["https://127.0.0.1/mcp", "http://mcp.public.test/", "https://[::1]/"])
    expect(
      Object.keys(await complaints(client.call("PATCH", `/api/agents/${id}`, { mcp_servers: [{ name: "x", url }] }))),
    ).toEqual(["/mcp_servers/0/url"]);
});

describe("a secret that is in use", () => {
  const headers = [{ name: "Authorization", secret: "KEY", prefix: "Bearer " }];
  const remove = (query = "") => client.call("DELETE", `/api/secrets/KEY${query}`);

  test("[RUN-5] is kept, and who uses it is told: agents that the caller may see by name, others counted", async () => {
    await answered(client.call("PUT", "/api/secrets/KEY", { value: "a long value" }), 201);
    const id = await made({ name: "Ada", mcp_servers: [{ ...server, headers }] });
    const colleague = new Client(service, await service.join(owner.organizationId, "owner"));
    const body = { name: "Hidden", system_prompt: "x", mcp_servers: [{ ...server, headers }] };
    const hidden = await answered<Json>(colleague.call("POST", "/api/agents", body), 201);
    const users = { agents: [{ id, name: "Ada" }], workspaces: [], providers: [], others: 1 };
    expect(await refused(remove(), 409, "secret_in_use")).toEqual(users);
    expect(await refused(remove("?force=false"), 409, "secret_in_use")).toEqual(users);
    expect((await client.get<{ secrets: Json[] }>("/api/secrets")).secrets.length).toBe(1);
    await answered(client.call("DELETE", `/api/agents/${id}`));
    expect(await refused(remove(), 409, "secret_in_use")).toEqual({ ...users, agents: [] });
    await answered(colleague.call("PATCH", `/api/agents/${String(hidden["id"])}`, { mcp_servers: [] }));
    expect(await answered(remove())).toMatchObject({ name: "KEY" });
  });

  test("[RUN-5] is deleted with force", async () => {
    await answered(client.call("PUT", "/api/secrets/KEY", { value: "a long value" }), 201);
    await made({ mcp_servers: [{ ...server, headers }] });
    await refused(remove("?force=yes"), 400, "invalid_request");
    await answered(remove("?force=true"));
    await refused(remove(), 404, "not_found");
  });
});
