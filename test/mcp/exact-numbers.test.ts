/** Numbers keep their digits through the MCP endpoint, and are refused in words where they cannot (GEN-18). */
import { beforeAll, expect, test } from "bun:test";
import { Client } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";

let session = "";

const { service, owner } = sceneOfFile();
beforeAll(async () => {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const begun = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
  session = begun.headers.get("mcp-session-id")!;
  await begun.text();
});

const post = (body: string): Promise<Response> =>
  fetch(`${service.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${owner.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session === "" ? {} : { "mcp-session-id": session }),
    },
    body,
  });

test("[GEN-18] arguments of a tool of the endpoint keep their digits, in created records and answers", async () => {
  const client = new Client(service, owner);
  const id = await client.agent({ system_prompt: "x" });
  const call = (metadata: string): Promise<Response> =>
    post(
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_chat","arguments":{"agent_id":"${id}","workspace_id":"${owner.workspaceId}","metadata":${metadata}}}}`,
    );
  const made = await call('{"n":9007199254740993,"half":0.1000000000000000055511151231257827}');
  expect(await made.text()).toContain('{"n":9007199254740993,"half":0.1000000000000000055511151231257827}');
  const chats = await (await client.call("GET", "/api/chats")).text();
  expect(chats).toContain('"n":9007199254740993');
  expect(chats).toContain('"half":0.1000000000000000055511151231257827');
  const refused = await call('{"n":1e400}');
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    {
      error: { code: -32_602, message: expect.stringContaining("/params/arguments/metadata/n is out of range: 1e400") },
    },
  ]);
});
