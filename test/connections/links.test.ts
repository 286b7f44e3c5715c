/** The link of a connection that a run lacks, as far as each protocol carries it (ACC-9). */
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { ConnectedScene } from "../support/connected-scene.ts";
import { answered, type Client, type Job, type Json } from "../support/current.ts";
import { legacyClient, modernClient } from "../support/mcp-clients.ts";
import type { PlainBrowser } from "../support/plain-browser.ts";
import type { Founded } from "../support/service.ts";

let scene: ConnectedScene;
let owner: Founded;
let client: Client;
let agent: string;
let browser: PlainBrowser;

beforeAll(async () => void (scene = await ConnectedScene.start()));
afterAll(() => scene.stop());
beforeEach(async () => void ({ owner, client, agent, browser } = await scene.organization()));

const LINK = /https:\/\/troupe\.test\/connections\/con_[A-Za-z0-9_-]{21}/;
const text = async (path: string, body: Json, headers: Record<string, string> = {}): Promise<string> => {
  const sent = { authorization: `Bearer ${owner.token}`, "content-type": "application/json", ...headers };
  const answer = await fetch(scene.service.url + path, { method: "POST", headers: sent, body: JSON.stringify(body) });
  return answer.text();
};
const QUESTION = { id: "m1", role: "user", content: "Who am I?", parts: [{ type: "text", text: "Who am I?" }] };

test("[ACC-9] v1 and the protocols of other people's clients carry the link", async () => {
  const a2a = {
    jsonrpc: "2.0",
    id: 1,
    method: "SendMessage",
    params: { message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "Who am I?" }] } },
  };
  const answers = {
    v1: await text(`/api/v1/agents/${agent}/execute`, { message: "Who am I?" }),
    openai: await text("/openai/v1/chat/completions", { model: agent, messages: [{ role: "user", content: "Who?" }] }),
    responses: await text("/openai/v1/responses", { model: agent, input: "Who am I?" }),
    "ai-sdk": await text(`/ai-sdk/agents/${agent}/chat`, { id: "c1", messages: [QUESTION] }),
    "ag-ui": await text(`/ag-ui/agents/${agent}`, { threadId: "t1", runId: "r1", messages: [QUESTION] }),
    a2a: await text(`/a2a/rpc/agents/${agent}`, a2a, { "a2a-version": "1.0" }),
  };
  for (const [name, answer] of Object.entries(answers))
    expect({ name, answer, hasLink: LINK.test(answer) }).toEqual({ name, answer, hasLink: true });
  expect(answers.a2a).toContain("TASK_STATE_AUTH_REQUIRED");
});

const jobIn = (result: unknown): Job => (result as { readonly structuredContent: Job }).structuredContent;

test.each(["2025-11-25", "2026-07-28"] as const)(
  "[ACC-9] [MCP-7] a client of MCP that opens pages sends its person to the link: %s",
  async (era) => {
    const seen: Json[] = [];
    const consent = async (params: Json) => {
      seen.push(params);
      await scene.connect(browser, String(params["url"]));
      return { action: "accept" as const };
    };
    const call = { name: "execute_agent", arguments: { agent_id: agent, message: "Who am I?" } };
    const capabilities = { elicitation: { url: {} } };
    const hands =
      era === "2025-11-25"
        ? await legacyClient(scene.service, owner, capabilities)
        : await modernClient(scene.service, owner, capabilities);
    if ("setRequestHandler" in hands && era === "2025-11-25")
      (hands as Awaited<ReturnType<typeof legacyClient>>).setRequestHandler(ElicitRequestSchema, ({ params }) =>
        consent(params as Json),
      );
    else
      (hands as Awaited<ReturnType<typeof modernClient>>).setRequestHandler("elicitation/create", ({ params }) =>
        consent(params as Json),
      );
    const job = jobIn(await (hands as Awaited<ReturnType<typeof modernClient>>).callTool(call));
    expect(seen).toMatchObject([{ mode: "url", url: expect.stringMatching(LINK) as string }]);
    expect((await client.reached(job.id, "completed")).result).toContain("You are ada");
    await hands.close();
  },
);

test("[ACC-6] a mission uses the connection of its creator", async () => {
  const body = { title: "M", goal: "Who am I?", agent_id: agent };
  const { id } = await answered<{ id: string }>(client.call("POST", "/api/missions", body), 201);
  await client.call("POST", `/api/missions/${id}/run`);
  const jobs = () => client.get<{ jobs: readonly { id: string }[] }>(`/api/jobs?mission_id=${id}`);
  await until("it has begun a job", async () => (await jobs()).jobs.length > 0);
  const jobId = (await jobs()).jobs[0]!.id;
  const job = (await client.reached(jobId, "blocked")) as Job & { authorizations: readonly { link: string }[] };
  await scene.connect(browser, job.authorizations[0]!.link);
  expect((await client.reached(jobId, "completed")).result).toContain("You are ada");
});

test("[ACC-6] [ACC-10] an HTTP tool has the access of its person, for its own origin", async () => {
  const tool = {
    name: "whoami",
    description: "Says who you are",
    kind: "http",
    method: "POST",
    url: scene.accounts.resource,
    input_schema: { type: "object", properties: {} },
    auth: { type: "oauth", owner: "person", resource: scene.accounts.resource },
  };
  const made = { name: "Bob", system_prompt: "x", tools: [tool] };
  const bob = await client.agent(made);
  scene.service.model.script = ({ entries }) =>
    JSON.stringify(entries.at(-1)).includes("tool_result")
      ? [{ say: "Done." }]
      : [{ use: { type: "tool_use", id: "c1", name: "whoami", input: {} } }];
  const { id } = await scene.begin(client, bob, owner);
  const job = (await client.reached(id, "blocked")) as Job & { authorizations: readonly { link: string }[] };
  await scene.connect(browser, job.authorizations[0]!.link);
  await client.reached(id, "completed");
  expect(scene.accounts.mcp.authorizations.at(-1)).toStartWith("Bearer at-");
  // The person says no to a second one: the call has that as its result, and the run goes on.
  scene.accounts.forgetAll();
  const second = (await client.reached((await scene.begin(client, bob, owner)).id, "blocked")) as typeof job;
  await browser.post(`${new URL(second.authorizations.at(-1)!.link).pathname}/deny`, {});
  await client.reached(second.id, "completed");
  const results = await scene.service.database.read<{ data: { content: string } }[]>`
    select data from event where stream = ${second.id} and data ->> 'kind' = 'tool_result'`;
  expect(results.map(({ data }) => data.content)).toEqual([
    "The call was not made, because it needs a connection. The connection was denied.",
  ]);
  scene.usesAccount();
});
