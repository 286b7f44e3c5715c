/** What a job asks for an approval, asked of the person at the client (MCP-7). */
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { answered, Client, type Job, type Json } from "../support/current.ts";
import { until } from "../support/condition.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { hurriedClock } from "../support/hurried-clock.ts";
import { legacyClient, modernClient, postMcp, rpc } from "../support/mcp-clients.ts";
import { sceneOfFile } from "../support/scene.ts";
import { type Caller, startService } from "../support/service.ts";

let agentId = "";
const tools = new FakeTools();

const { service, owner } = sceneOfFile({ tools });
beforeAll(async () => {
  const body = { name: "Ada", system_prompt: "Be brief.", allowed_tools: ["send"], approval_tools: ["send"] };
  const made = await answered<{ id: string }>(new Client(service, owner).call("POST", "/api/agents", body), 201);
  agentId = made.id;
});
beforeEach(() => {
  tools.calls.length = 0;
  tools.script = () => ({ content: "sent", isError: false });
  service.model.script = (call) =>
    call.entries.length === 1
      ? ["c1", "c2"].map((id) => ({ use: { type: "tool_use" as const, id, name: "send", input: { to: id } } }))
      : [{ say: "Done." }];
});

type Answer = { readonly action: "accept" | "decline" | "cancel"; readonly content?: Json };

/** A client whose person answers so; the forms that it has shown. */
const ERAS = {
  async "2025-11-25"(caller: Caller, answer: (form: Json) => Answer) {
    const client = await legacyClient(service, caller, { elicitation: { form: {} } });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params) as never);
    return client;
  },
  async "2026-07-28"(caller: Caller, answer: (form: Json) => Answer) {
    const client = await modernClient(service, caller, { elicitation: { form: {} } });
    client.setRequestHandler("elicitation/create", ({ params }) => answer(params) as never);
    return client;
  },
};
const CALL = () => ({ name: "execute_agent", arguments: { agent_id: agentId, message: "go" } });
const jobIn = (result: unknown): Job => (result as { readonly structuredContent: Job }).structuredContent;

describe.each(Object.entries(ERAS))("%s", (_, connect) => {
  test("[MCP-7] each call that waits for an approval is a form, and the person's decision is executed once", async () => {
    const forms: Json[] = [];
    const client = await connect(owner, (form) => {
      forms.push(form);
      const decision = forms.length === 1 ? "approve" : "deny";
      return { action: "accept", content: { decision, comment: "By hand." } };
    });
    const job = jobIn(await client.callTool(CALL()));
    expect(job).toMatchObject({ status: "completed", result: "Done." });
    expect(job.approvals.map(({ decision }) => decision)).toEqual(["approve", "deny"]);
    expect(tools.calls.map(({ input }) => input)).toEqual([{ to: "c1" }]);
    expect(forms.map(({ message }) => message)).toEqual([
      expect.stringContaining('"to": "c1"'),
      expect.stringContaining('"to": "c2"'),
    ] as never);
    await client.close();
  });

  test("[MCP-7] a person who leaves the question open gets the job as it is, and decides later", async () => {
    const client = await connect(owner, () => ({ action: "decline" }));
    const job = jobIn(await client.callTool(CALL()));
    expect(job).toMatchObject({ status: "blocked", blocked_reason: "approval_required" });
    const decided = await client.callTool({ name: "approve_job", arguments: { job_id: job.id, decision: "deny" } });
    expect(jobIn(decided).id).toBe(job.id);
    const waited = await client.callTool({ name: "wait_for_job", arguments: { job_id: job.id } });
    expect(jobIn(waited)).toMatchObject({ id: job.id, status: "completed" });
    expect(tools.calls).toEqual([]);
    await client.close();
  });

  test("[MCP-7] a caller whose token may not decide is not asked", async () => {
    const scopes = ["mcp", "chats:write", "jobs:read"];
    const client = await connect(await service.tokenFor(owner, { scopes }), () => {
      throw new Error("nobody is asked");
    });
    expect(jobIn(await client.callTool(CALL())).status).toBe("blocked");
    await client.close();
  });
});

test("[MCP-7] a client without forms gets the job as it is", async () => {
  for (const connect of [legacyClient, modernClient]) {
    const client = await connect(service, owner);
    const result = await (client as Awaited<ReturnType<typeof modernClient>>).callTool(CALL());
    expect(jobIn(result).status).toBe("blocked");
    await client.close();
  }
});

test("[MCP-7] a call continues only from a job of its own person, for the same tool", async () => {
  const post = (caller: Caller, name: string, more: Json) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name };
    return postMcp(service, caller.token, rpc("tools/call", { ...CALL(), name, ...more, _meta }), headers);
  };
  interface Asked {
    readonly result: { readonly resultType: string; readonly requestState: string };
  }
  const { result } = await answered<Asked>(post(owner, "execute_agent", {}));
  expect(result.resultType).toBe("input_required");
  const said = {
    requestState: result.requestState,
    inputResponses: { approval: { action: "accept", content: { decision: "approve" } } },
  };
  const colleague = await service.join(owner.organizationId);
  for (const [caller, name, more] of [
    [colleague, "execute_agent", said],
    [owner, "wait_for_job", said],
    [owner, "execute_agent", { ...said, requestState: "made up" }],
  ] as const)
    expect(await (await post(caller, name, more)).text()).toContain("requestState does not belong to this call");
  expect(tools.calls).toEqual([]);
});

test("[MCP-7] [MCP-1] a call that is cancelled beside its form cancels the job that it began", async () => {
  const shown = Promise.withResolvers<void>();
  const client = await ERAS["2025-11-25"](owner, () => (shown.resolve(), new Promise(() => {})) as never);
  const leaving = new AbortController();
  const call = client.callTool(CALL(), undefined, { signal: leaving.signal });
  await shown.promise;
  leaving.abort();
  await expect(call).rejects.toThrow();
  const own = new Client(service, owner);
  const { jobs } = await own.get<{ readonly jobs: readonly Job[] }>("/api/jobs?limit=1");
  expect(await own.reached(jobs[0]?.id ?? "", "cancelled")).toMatchObject({ status: "cancelled" });
  await client.close();
});

test("[MCP-7] [MCP-3] a client that gets progress keeps getting it while a form is open", async () => {
  const hurried = await startService({ tools, overrides: { services: () => ({ clock: hurriedClock(50) }) } });
  try {
    const person = await hurried.found();
    hurried.model.script = service.model.script;
    const body = { name: "Ada", system_prompt: "x", allowed_tools: ["send"], approval_tools: ["send"] };
    const made = await answered<{ id: string }>(new Client(hurried, person).call("POST", "/api/agents", body), 201);
    const client = await legacyClient(hurried, person, { elicitation: { form: {} } });
    let told = 0;
    client.setRequestHandler(ElicitRequestSchema, async () => {
      const before = told;
      await until("progress comes beside the form", () => told >= before + 3);
      return { action: "decline" };
    });
    const call = { name: "execute_agent", arguments: { agent_id: made.id, message: "go" } };
    const result = await client.callTool(call, undefined, { onprogress: () => told++ });
    expect(jobIn(result).status).toBe("blocked");
    await client.close();
  } finally {
    await hurried.stop();
  }
});
