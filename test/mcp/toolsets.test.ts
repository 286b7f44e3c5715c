/** Which tools a client is told of, and how long that is (MCP-10). */
import { expect, test } from "bun:test";
import { TOOLS } from "../../src/mcp/tools.ts";
import { Toolsets } from "../../src/mcp/toolsets.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { rpc } from "../support/mcp-clients.ts";
import { sceneOfFile } from "../support/scene.ts";

interface Tool {
  readonly name: string;
  readonly inputSchema: Json;
  readonly outputSchema: Json;
}

const { service, owner } = sceneOfFile();

const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const send = (query: string, message: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${service.url}/mcp${query}`, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      authorization: `Bearer ${owner.token}`,
      ...headers,
    },
    body: JSON.stringify(message),
  });

async function listed(query: string): Promise<readonly Tool[]> {
  const list = (response: Promise<Response>) =>
    answered<{ readonly id: unknown; readonly result: { readonly tools: readonly Tool[] } }>(response);
  const older = await list(send(query, rpc("tools/list", {}, '"tools":[]')));
  expect(older.id).toBe('"tools":[]');
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
  const newer = await list(send(query, rpc("tools/list", { _meta: MODERN }), headers));
  expect(newer.result.tools).toEqual(older.result.tools);
  return older.result.tools;
}

test("[MCP-10] a client gets the toolsets that its address names, in the order of the list", async () => {
  const names = async (query: string) => (await listed(query)).map(({ name }) => name);
  const all = TOOLS.map(({ name }) => name);
  expect(await names("")).toEqual(all);
  const sets = ["agents", "chats", "jobs", "missions", "files"];
  const parts = await Promise.all(sets.map((set) => names(`?tools=${set}`)));
  expect(parts.flat().toSorted()).toEqual(all.toSorted());
  const [agents = [], , jobs = []] = parts;
  expect(await names("?tools=jobs,agents")).toEqual([...agents, ...jobs]);
  expect(await names("?tools=chat")).toContain("execute_agent");
  await refused(send("?tools=agent", rpc("tools/list")), 400, "invalid_request");
});

test("[MCP-10] a tool outside of the client's toolsets cannot be called", async () => {
  const call = rpc("tools/call", { name: "list_jobs", arguments: {} });
  expect(await answered(send("?tools=agents", call))).toMatchObject({
    error: { code: -32_602, message: expect.stringContaining("Unknown tool `list_jobs`") as string },
  });
  expect(await answered(send("?tools=jobs", call))).toMatchObject({ result: { structuredContent: { jobs: [] } } });
});

test("[MCP-10] the list of the same toolsets is built once, in whatever order they are named", () => {
  const toolsets = new Toolsets(new Map());
  const made = toolsets.of(["agents", "jobs"]);
  expect(toolsets.of(["jobs", "agents", "jobs"])).toBe(made);
  expect(toolsets.of(["agents"])).not.toBe(made);
  expect(toolsets.of()).toBe(toolsets.of([]));
});

test("[MCP-10] the list is short, because every client passes it to its model", async () => {
  const bytes = async (query: string) => Buffer.byteLength(JSON.stringify(await listed(query)));
  expect(await bytes("")).toBeLessThanOrEqual(40 * 1024);
  expect(await bytes("?tools=chat")).toBeLessThanOrEqual(8 * 1024);
  const tools = await listed("");
  for (const { name, inputSchema, outputSchema } of tools) {
    // What a model fills in is described, and what comes back has its types.
    for (const [field, schema] of Object.entries(inputSchema["properties"] as Record<string, Json>))
      expect([name, field, typeof schema["description"]]).toEqual([name, field, "string"]);
    expect([name, Object.keys(outputSchema["properties"] as Json).length > 0]).toEqual([name, true]);
  }
  const made = tools.find(({ name }) => name === "create_agent")?.inputSchema["properties"] as Record<string, Json>;
  expect(made["mcp_servers"]).toMatchObject({ items: { required: ["name", "url"] } });
  expect(made["visibility"]).toMatchObject({ enum: ["private", "organization", "public", "unlisted"] });
});
