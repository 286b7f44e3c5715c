/** Images and files through the tools of the MCP endpoint (MCP-3, FILE-5), and a call that is repeated. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { MessagePart, ModelCall } from "../../actors/job/ports.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { localCaller } from "../../src/http/request/caller.ts";
import { answered, type Json } from "../support/current.ts";
import { legacyClient, postMcp, rpc } from "../support/mcp-clients.ts";
import { sceneOfTest } from "../support/scene.ts";
import { SmallWeb } from "../support/small-web.ts";
import { PNG, uploaded } from "../support/uploads.ts";
import { createAgent } from "../support/v1.ts";

let web: SmallWeb;
let agentId: string;

const { service, owner, client } = sceneOfTest({ egress: createEgress({ allow: ["127.0.0.1"], production: false }) });
beforeAll(() => void (web = new SmallWeb(() => new Response(PNG))));
afterAll(() => web.stop());
beforeEach(async () => {
  agentId = await createAgent(service, owner);
  web.page = () => new Response(PNG);
  web.asked.length = 0;
  service.model.blind.clear();
  service.model.script = () => [{ say: "seen" }];
});

const text = (said: string): Json => ({ type: "text", text: said });
const image = (source: Json): Json => ({ type: "image", source });
const told = (call: ModelCall | undefined = service.model.calls.at(-1)): string | readonly MessagePart[] | undefined =>
  (call?.entries ?? []).flatMap((entry) => (entry.role === "user" ? [entry.parts ?? entry.text] : [])).at(-1);

async function tools() {
  const mcp = await legacyClient(service, owner);
  const call = async (name: string, args: Json): Promise<{ readonly isError: boolean; readonly value: Json }> => {
    const { isError, content } = (await mcp.callTool({ name, arguments: args })) as unknown as {
      readonly isError?: boolean;
      readonly content: readonly { readonly text: string }[];
    };
    return { isError: isError === true, value: JSON.parse(content[0]?.text ?? "") as Json };
  };
  return { call, close: () => mcp.close(), shown: async () => (await mcp.listTools()).tools };
}

test("[MCP-3] [FILE-5] execute_agent, send_message, iterate_job and resume_job take images and files", async () => {
  const { id } = await uploaded(client, "pixel.png", PNG);
  const seen = { type: "image", mediaType: "image/png", name: "pixel.png", data: PNG } as const;
  const picture = image({ kind: "upload", file_id: id });
  const { call, close, shown } = await tools();
  const described = (await shown()).filter(({ inputSchema }) =>
    JSON.stringify(inputSchema).includes("{kind: upload, file_id}"),
  );
  const names = ["execute_agent", "fork_chat", "iterate_job", "resume_job", "send_message"];
  expect(described.map(({ name }) => name).toSorted()).toEqual(names);

  const run = await call("execute_agent", { agent_id: agentId, message: [text("what is it?"), picture] });
  expect(run).toMatchObject({ isError: false, value: { status: "completed", result: "seen", input: "what is it?" } });
  expect(told()).toEqual([{ type: "text", text: "what is it?" }, seen]);

  const sent = await call("send_message", { chat_id: run.value["chat_id"], content: [picture] });
  const { id: job } = sent.value["job"] as { id: string };
  await client.reached(job, "completed");
  expect(told()).toEqual([seen]);

  const next = await call("iterate_job", { job_id: job, feedback: [text("again"), picture] });
  await client.reached(String(next.value["id"]), "completed");
  expect(told()).toEqual([{ type: "text", text: "again" }, seen]);

  service.model.script = () => [{ fail: { code: "provider_error", message: "broken" } }];
  const failed = await call("execute_agent", { agent_id: agentId, message: "go" });
  service.model.script = () => [{ say: "seen" }];
  const resumed = await call("resume_job", { job_id: failed.value["id"], input: [picture, text("now")] });
  await client.reached(String(resumed.value["id"]), "completed");
  expect(told()).toEqual([seen, { type: "text", text: "now" }]);

  const wrong = await call("execute_agent", { agent_id: agentId, message: [image({ kind: "upload", file_id: "x" })] });
  expect(wrong).toMatchObject({
    isError: true,
    value: { code: "invalid_request", details: { errors: [{ path: "/message/0/source/file_id" }] } },
  });
  service.model.blind.add(null);
  const blind = await call("execute_agent", { agent_id: agentId, message: [picture] });
  expect(blind).toMatchObject({ isError: true, value: { details: { errors: [{ path: "/message/0" }] } } });
  await close();
});

test("[MCP-3] [JOB-16] execute_agent takes a schema for its answer", async () => {
  const { call, close } = await tools();
  service.model.script = () => [{ say: '{"total":7}' }];
  const schema = { type: "object", properties: { total: { type: "number" } }, required: ["total"] };
  const run = await call("execute_agent", { agent_id: agentId, message: "sum it up", output_schema: schema });
  expect(run).toMatchObject({ isError: false, value: { status: "completed", output: { total: 7 } } });
  const wrong = await call("execute_agent", { agent_id: agentId, message: "x", output_schema: { type: "array" } });
  expect(wrong).toMatchObject({ isError: true, value: { details: { errors: [{ path: "/output_schema/type" }] } } });
  await close();
});

test("[MCP-3] [MCP-4] files that a job has made are links to their resources, where the revision knows them", async () => {
  const scribe = await client.agent({ name: "Scribe", system_prompt: "x", allowed_tools: ["write_file"] });
  const input = { path: "notes/a b.md", text: "# A note" };
  service.model.script = ({ entries }) =>
    entries.length === 1 ? [{ use: { type: "tool_use", id: "c1", name: "write_file", input } }] : [{ say: "written" }];
  const args = { agent_id: scribe, message: "write it down" };
  const mcp = await legacyClient(service, owner);
  const run = (await mcp.callTool({ name: "execute_agent", arguments: args })) as unknown as {
    readonly content: readonly Json[];
    readonly structuredContent: Json;
  };
  const uri = `troupe://workspaces/${owner.workspaceId}/files/notes/a%20b.md`;
  const link = { type: "resource_link", uri, name: "a b.md", mimeType: "text/markdown", size: 8 };
  expect(run.content.slice(1)).toEqual([link]);
  expect(await mcp.readResource({ uri })).toMatchObject({ contents: [{ uri, text: "# A note" }] });
  await mcp.close();
  const oldest = await postMcp(
    service,
    owner.token,
    rpc("tools/call", { name: "get_job", arguments: { job_id: run.structuredContent["id"] } }),
  );
  const { result } = (await oldest.json()) as { result: { content: readonly Json[] } };
  expect(result.content.map(({ type }) => type)).toEqual(["text"]);
});

test("[MCP-1] [FILE-6] a call that is repeated with its key gets the first result, and fetches nothing", async () => {
  const by = localCaller({
    organizationId: owner.organizationId,
    userId: owner.userId,
    tokenId: owner.tokenId,
    tokenKind: "personal",
    role: "owner",
    scopes: ["*"],
    expiresAt: "2099-01-01T00:00:00.000Z",
  });
  const url = web.at("/a.png");
  const body = {
    agent_id: agentId,
    workspace_id: owner.workspaceId,
    message: [text("what is it?"), image({ kind: "url", url })],
    call_key: crypto.randomUUID(),
  } as unknown as JsonObject;
  const first = await service.app.invoke("executeAgent", by, { body });
  expect(first.ok).toBe(true);
  web.page = () => new Response("gone", { status: 404 });
  expect(await service.app.invoke("executeAgent", by, { body })).toEqual(first);
  expect(web.asked).toHaveLength(1);
  const { jobs } = await answered<{ jobs: unknown[] }>(client.call("GET", "/api/jobs"));
  expect(jobs).toHaveLength(1);
});
