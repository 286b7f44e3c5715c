/** Tools, resources and prompts of the MCP endpoint over real HTTP, by clients that others have written (MCP-3, MCP-4). */
import { createMCPClient } from "@ai-sdk/mcp";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Ajv2020 from "ajv/dist/2020.js";
import { OPERATIONS } from "../../src/contract/document.ts";
import type { OperationContract } from "../../src/http/contract/operation.ts";
import { TOOLS } from "../../src/mcp/tools.ts";
import { Client, type Job, type Json } from "../support/current.ts";
import { FakeModel } from "../support/fake-model.ts";
import { legacyClient, modernClient } from "../support/mcp-clients.ts";
import { ISSUER } from "../support/oauth-program.ts";
import { sceneOfFile } from "../support/scene.ts";
import { settle } from "../support/fake-clock.ts";

const NAMES =
  "list_agents create_agent update_agent execute_agent list_chats create_chat send_message read_chat list_jobs get_job wait_for_job approve_job cancel_job resume_job iterate_job list_missions create_mission update_mission run_mission add_mission_task start_mission_task list_files read_file write_file move_file share_file query_data compact_chat fork_chat pin_message";

interface ShownTool {
  readonly name: string;
  readonly inputSchema: Json & { readonly properties: Json; readonly required?: readonly string[] };
  readonly outputSchema: Json;
  readonly annotations: Json;
  readonly _meta?: Json;
}
interface Called {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Json;
}

const models = new FakeModel();

const { service, owner } = sceneOfFile({ models });

/** What a client of either era is asked here. */
interface Connected {
  tools(): Promise<readonly ShownTool[]>;
  call(name: string, args?: Json, onProgress?: (message: string) => void): Promise<Called>;
  read(uri: string): Promise<{ readonly contents: readonly Json[] }>;
  resources(cursor?: string): Promise<{ readonly resources: readonly Json[]; readonly nextCursor?: string }>;
  prompts(): Promise<readonly Json[]>;
  prompt(name: string, args: Record<string, string>): Promise<Json>;
  close(): Promise<void>;
}

const ERAS: Readonly<Record<string, (by: { readonly token: string }) => Promise<Connected>>> = {
  "2025-11-25": async ({ token }) => {
    const client = await legacyClient(service, { ...owner, token });
    return {
      tools: async () => (await client.listTools()).tools as never,
      call: async (name, args = {}, onProgress) =>
        client.callTool(
          { name, arguments: args },
          undefined,
          onProgress === undefined ? {} : { onprogress: ({ message = "" }) => onProgress(message) },
        ) as never,
      read: async (uri) => client.readResource({ uri }) as never,
      resources: async (cursor) => client.listResources(cursor === undefined ? {} : { cursor }) as never,
      prompts: async () => (await client.listPrompts()).prompts as never,
      prompt: async (name, args) => client.getPrompt({ name, arguments: args }) as never,
      close: () => client.close(),
    };
  },
  "2026-07-28": async ({ token }) => {
    const client = await modernClient(service, { ...owner, token });
    return {
      tools: async () => (await client.listTools()).tools as never,
      call: async (name, args = {}, onProgress) =>
        client.callTool(
          { name, arguments: args },
          onProgress === undefined ? {} : { onprogress: ({ message = "" }) => onProgress(message) },
        ) as never,
      read: async (uri) => client.readResource({ uri }) as never,
      resources: async (cursor) => client.listResources(cursor === undefined ? {} : { cursor }) as never,
      prompts: async () => (await client.listPrompts()).prompts as never,
      prompt: async (name, args) => client.getPrompt({ name, arguments: args }) as never,
      close: () => client.close(),
    };
  },
};

/** All pages; the client of 2026-07-28 puts them together itself. */
async function allResources(client: Connected): Promise<readonly Json[]> {
  const all: Json[] = [];
  let cursor: string | undefined;
  do {
    const { resources, nextCursor } = await client.resources(cursor);
    all.push(...resources);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}

const errorIn = ({ isError, content }: Called): Json => {
  expect(isError).toBe(true);
  return JSON.parse(content[0]?.text ?? "") as Json;
};

describe.each(Object.entries(ERAS))("%s", (_, connect) => {
  let client: Connected;
  let agentId = "";

  beforeAll(async () => {
    client = await connect(owner);
    const made = await client.call("create_agent", { name: "Ada", system_prompt: "Be brief." });
    agentId = String(made.structuredContent?.["id"]);
  });
  afterAll(() => client.close());

  test("[MCP-3] the tools have a fixed order, annotations, and schemas that compile", async () => {
    const tools = await client.tools();
    expect(tools.map(({ name }) => name).join(" ")).toBe(NAMES);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { inputSchema, outputSchema, annotations } of tools) {
      ajv.compile(inputSchema);
      ajv.compile(outputSchema);
      // The service is of this process, and its lease has to be renewed however slow the machine is.
      await settle();
      const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
      expect([typeof readOnlyHint, typeof openWorldHint]).toEqual(["boolean", "boolean"]);
      // What a tool that only reads destroys or repeats, it does not say.
      expect(typeof destructiveHint).toBe(readOnlyHint === true ? "undefined" : "boolean");
    }
  });

  test("[MCP-3] a tool does what REST does, once for each idempotency key", async () => {
    const args = { name: "Grace", system_prompt: "Be exact.", idempotency_key: crypto.randomUUID() };
    const made = await client.call("create_agent", args);
    const again = await client.call("create_agent", args);
    const id = String(made.structuredContent?.["id"]);
    expect(again.structuredContent?.["id"]).toBe(id);
    expect(JSON.parse(made.content[0]?.text ?? "")).toEqual(made.structuredContent);
    const read = await new Client(service, owner).get(`/api/agents/${id}`);
    expect(read).toMatchObject({ name: "Grace", system_prompt: "Be exact." });
    expect(errorIn(await client.call("create_agent", { ...args, name: "Joan" }))).toMatchObject({
      code: "idempotency_conflict",
      status: 409,
    });
  });

  test("[MCP-3] an invalid call is an error of the tool with the code of REST", async () => {
    const wrong: readonly (readonly [string, Json, string, string])[] = [
      ["list_agents", { limitt: 2 }, "invalid_request", "Unknown argument `limitt`; did you mean `limit`?"],
      ["list_agents", { limit: 0 }, "invalid_request", "limit must be a whole number from 1 to 100"],
      ["get_job", {}, "invalid_request", "job_id is required"],
      ["get_job", { job_id: "job_none" }, "not_found", "No such job"],
      ["wait_for_job", { job_id: "job_none", wait_seconds: 301 }, "invalid_request", "from 0 to 300"],
      ["read_file", { path: "../secret" }, "invalid_path", "path"],
      ["write_file", { path: "a.txt" }, "invalid_request", "Give either text or base64"],
      ["write_file", { path: "a.bin", base64: "AAECA" }, "invalid_request", "base64 must be complete Base64"],
      ["list_agents", { limit: {} }, "invalid_request", "limit must be a string, a number, true, false or a list"],
      ["create_agent", { name: 1, system_prompt: "x" }, "invalid_request", "name"],
    ];
    for (const [name, args, code, message] of wrong) {
      const error = errorIn(await client.call(name, args));
      expect(error).toMatchObject({ code, message: expect.stringContaining(message) as string });
    }
    await expect(client.call("list_agent")).rejects.toThrow("did you mean `list_agents`?");
  });

  test("[MCP-3] null for the arguments of a call means no arguments", async () => {
    const listed = await client.call("list_agents", null as unknown as Json);
    expect(listed.structuredContent).toMatchObject({ agents: expect.any(Array) as Json });
    const lacking = errorIn(await client.call("get_job", null as unknown as Json));
    expect(lacking).toMatchObject({ code: "invalid_request", message: "job_id is required" });
  });

  test("[MCP-3] null for an argument counts as omitted, unless null has its own meaning", async () => {
    const left = { idempotency_key: null, workspace_id: null };
    for (const [name, args] of [
      ["list_agents", { limit: null, cursor: null }],
      ["write_file", { ...left, path: "null.txt", text: "x", base64: null, mime: null }],
      ["read_file", { workspace_id: null, path: "null.txt", offset: null, length: null }],
      ["create_chat", { ...left, agent_id: agentId }],
      ["update_agent", { agent_id: agentId, description: null, if_match: null, idempotency_key: null }],
      ["execute_agent", { ...left, agent_id: agentId, message: "hello", wait_seconds: null }],
    ] as const)
      expect([name, (await client.call(name, args)).isError ?? false]).toEqual([name, false]);
    expect(errorIn(await client.call("get_job", { job_id: null }))).toMatchObject({ message: "job_id is required" });
  });

  test("[MCP-3] an execution is awaited with progress, and longer work returns its job", async () => {
    const seen: string[] = [];
    const run = await client.call("execute_agent", { agent_id: agentId, message: "hello" }, (message) =>
      seen.push(message),
    );
    expect(run.structuredContent).toMatchObject({ status: "completed", result: "echo: hello" });
    expect(seen.at(-1)).toEndWith("is completed");
    const held = Promise.withResolvers<void>();
    models.script = () => [{ hold: held.promise }, { say: "late" }];
    const begun = await client.call("execute_agent", { agent_id: agentId, message: "slow", wait_seconds: 0 });
    const job = begun.structuredContent as unknown as Job;
    expect(["queued", "running"]).toContain(job.status);
    const waiting = client.call("wait_for_job", { job_id: job.id });
    held.resolve();
    expect((await waiting).structuredContent).toMatchObject({ id: job.id, status: "completed", result: "late" });
    models.script = () => [{ say: "echo: hello" }];
  });

  test("[MCP-3] files are written and read as text and as Base64, in parts", async () => {
    const written = await client.call("write_file", { path: "notes/a.txt", text: "Grüße" });
    expect(written.structuredContent).toMatchObject({ path: "notes/a.txt", size: 7 });
    const part = await client.call("read_file", { path: "notes/a.txt", length: 3 });
    // The third byte is half a letter.
    expect(part.structuredContent).toMatchObject({ text: "Gr", next_offset: 2, size: 7 });
    const rest = await client.call("read_file", { path: "notes/a.txt", offset: 2 });
    expect(rest.structuredContent).toMatchObject({ text: "üße", next_offset: null });
    await client.call("write_file", { path: "b.bin", base64: "AP8=" });
    expect((await client.call("read_file", { path: "b.bin" })).structuredContent).toMatchObject({ base64: "AP8=" });
    await client.call("write_file", { path: "empty.txt", text: "" });
    expect((await client.call("read_file", { path: "empty.txt" })).structuredContent).toMatchObject({
      text: "",
      size: 0,
    });
    await client.call("write_file", { path: "sales.csv", text: "region,amount\nnorth,2\n" });
    const rows = await client.call("query_data", { query: "SELECT amount FROM 'sales.csv'" });
    expect(rows.structuredContent).toMatchObject({ rows: [[2]], truncated: false });
  });

  test("[MCP-3] [CHAT-11] a chat is pinned, compacted and forked", async () => {
    const made = await client.call("create_chat", { agent_id: agentId });
    const chatId = String(made.structuredContent?.["id"]);
    const sent = await client.call("send_message", { chat_id: chatId, content: "first" });
    const { job, message } = sent.structuredContent as { readonly job: Job; readonly message: { readonly id: string } };
    await client.call("wait_for_job", { job_id: job.id });
    const pin = { chat_id: chatId, message_id: message.id };
    for (const pinned of [true, true]) {
      const pinning = await client.call("pin_message", { ...pin, pinned });
      expect(pinning.structuredContent).toMatchObject({ id: message.id, pinned });
    }
    const key = crypto.randomUUID();
    const compacting = { chat_id: chatId, instructions: "Keep the greeting.", idempotency_key: key };
    const begun = (await client.call("compact_chat", compacting)).structuredContent as { readonly job: Job };
    expect((await client.call("compact_chat", compacting)).structuredContent).toEqual(begun as never);
    const compacted = await client.call("wait_for_job", { job_id: begun.job.id });
    expect(compacted.structuredContent).toMatchObject({ status: "completed", chat_id: chatId });
    const edit = { chat_id: chatId, from_message_id: message.id, content: "second" };
    const fork = (await client.call("fork_chat", edit)).structuredContent as { readonly chat: Json; readonly job: Job };
    expect(fork.chat).toMatchObject({ forked_from: { chat_id: chatId, message_id: message.id } });
    const answer = await client.call("wait_for_job", { job_id: fork.job.id });
    expect(answer.structuredContent).toMatchObject({ status: "completed", chat_id: fork.chat["id"] });
    const read = await client.call("read_chat", { chat_id: String(fork.chat["id"]) });
    expect(read.structuredContent).toMatchObject({ messages: [{ content: "second" }, { role: "assistant" }] });
    expect(errorIn(await client.call("pin_message", { ...pin, message_id: "msg_none", pinned: true }))).toMatchObject({
      code: "not_found",
    });
    const { pinned } = (await client.call("pin_message", { ...pin, pinned: false })).structuredContent ?? {};
    expect(pinned).toBe(false);
  });

  test("[MCP-4] chats, jobs and files are resources", async () => {
    await client.call("write_file", { path: "a b.md", text: "# Hi" });
    const run = await client.call("execute_agent", { agent_id: agentId, message: "for the list" });
    const { id, chat_id: chatId } = run.structuredContent as { readonly id: string; readonly chat_id: string };
    const listed = await allResources(client);
    expect(listed[0]).toMatchObject({ uri: `troupe://chats/${chatId}`, mimeType: "application/json" });
    expect(listed.find(({ uri }) => String(uri).startsWith("troupe://jobs/"))?.["uri"]).toBe(`troupe://jobs/${id}`);
    const chat = JSON.parse(String((await client.read(`troupe://chats/${chatId}`)).contents[0]?.["text"])) as Json;
    expect(chat).toMatchObject({
      chat: { id: chatId },
      messages: [{ content: "for the list" }, { role: "assistant" }],
    });
    const file = await client.read(`troupe://workspaces/${owner.workspaceId}/files/a%20b.md`);
    expect(file.contents[0]).toMatchObject({ text: "# Hi" });
    const stranger = await connect(await service.found("Strangers"));
    for (const uri of [`troupe://jobs/${id}`, "troupe://jobs/job_none", "troupe://elsewhere/1"])
      await expect(stranger.read(uri)).rejects.toThrow(/not found/i);
    await stranger.close();
  });

  test("[MCP-8] tools that return a job name its view, which connects only to the service", async () => {
    const views = (await client.tools()).flatMap(({ name, _meta }) => (_meta === undefined ? [] : [[name, _meta]]));
    const ui = { ui: { resourceUri: "ui://troupe/job" } };
    expect(Object.fromEntries(views)).toEqual({ execute_agent: ui, get_job: ui, wait_for_job: ui });
    const [page] = (await client.read("ui://troupe/job")).contents;
    expect(page).toMatchObject({
      mimeType: "text/html;profile=mcp-app",
      _meta: { ui: { csp: { connectDomains: [ISSUER], resourceDomains: [] } } },
    });
    expect(String(page?.["text"])).not.toMatch(/(?:src|href)=/);
  });

  test("[MCP-4] agents are prompts", async () => {
    const prompts = await client.prompts();
    // Without a description of the agent: its name tells it apart, its role may be that of every agent.
    const shown = prompts.find(({ name }) => name === agentId);
    expect(shown).toMatchObject({ title: "Ada", description: "Ada: Assistant" });
    const fields = { name: "Bo", system_prompt: "Be brief.", description: "Writes lines." };
    const { structuredContent: told } = await client.call("create_agent", fields);
    const described = (await client.prompts()).find(({ name }) => name === told?.["id"]);
    expect(described).toMatchObject({ title: "Bo", description: "Writes lines." });
    const { messages } = await client.prompt(agentId, { task: "Write a line." });
    expect(JSON.stringify(messages)).toContain("Be brief.");
    expect(JSON.stringify(messages)).toContain("Write a line.");
    await expect(client.prompt(agentId, {})).rejects.toThrow("task is required");
  });
});

test("[MCP-3] the AI SDK's client gets the tools, and calls them", async () => {
  const client = await createMCPClient({
    transport: { type: "http", url: `${service.url}/mcp`, headers: { authorization: `Bearer ${owner.token}` } },
  });
  const tools = await client.tools();
  expect(Object.keys(tools).join(" ")).toBe(NAMES);
  const answer = await tools["list_agents"]!.execute({ limit: 1 }, { toolCallId: "1", messages: [], context: {} });
  expect(answer).toMatchObject({ structuredContent: { agents: [{ id: expect.stringMatching(/^agt_/) as string }] } });
  await client.close();
});

test("[MCP-3] the arguments of a tool are the input of its operation", async () => {
  const client = await ERAS["2025-11-25"]!(owner);
  const tools = new Map((await client.tools()).map((tool) => [tool.name, tool]));
  await client.close();
  const operations = new Map(OPERATIONS.map(({ id, operation }): [string, OperationContract] => [id, operation]));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const added = {
    wait: ["wait_seconds"],
    execute: [],
    read_file: ["offset", "length"],
    write_file: ["text", "base64", "mime"],
  };
  for (const { name, operation, renamed = {}, left = [], selectsWorkspace, runs } of TOOLS) {
    const own = new Set(["if_match", "idempotency_key", ...(runs === undefined ? [] : added[runs])]);
    const contract = operations.get(operation);
    if (contract === undefined) continue; // the one that only the tool has
    const body = (contract.body as { readonly properties?: Json } | undefined)?.properties ?? {};
    const fields = [contract.params, contract.query, body].flatMap((part) => Object.keys(part ?? {}));
    const expected = fields.filter((field) => !left.includes(field)).map((field) => renamed[field] ?? field);
    const { inputSchema } = tools.get(name)!;
    const given = Object.keys(inputSchema.properties).filter((field) => !own.has(field));
    expect([name, ...given].toSorted()).toEqual([name, ...expected].toSorted());
    const examples = ((contract.body as { readonly examples?: readonly Json[] } | undefined)?.examples ?? []) as Json[];
    const ids = Object.fromEntries(
      Object.keys(contract.params ?? {}).map((field) => [renamed[field] ?? field, "an id"]),
    );
    for (const example of examples) {
      const accepts = ajv.validate(inputSchema, { ...ids, ...example });
      expect([name, accepts ? null : ajv.errors]).toEqual([name, null]);
    }
    if (selectsWorkspace === true) expect(inputSchema.required ?? []).not.toContain("workspace_id");
  }
});
