/** Approval rules of an agent over HTTP (APR-1 to APR-6): saving them, what they decide, and ways around them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createEgress } from "../../src/egress/egress.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

let service: Service;
let shop: Bun.Server<undefined>;
let owner: Founded;
let client: Client;
/** What the shop was asked. */
const heard: string[] = [];
let calls: { readonly name: string; readonly input: JsonObject }[] = [];

beforeAll(async () => {
  shop = Bun.serve({
    port: 0,
    fetch: async (request) => {
      heard.push(`${new URL(request.url).pathname} ${await request.text()}`);
      return new Response("refunded");
    },
  });
  service = await startService({ egress: createEgress({ allow: ["127.0.0.1"], production: false }) });
});
afterAll(async () => {
  await service.stop();
  await shop.stop(true);
});
beforeEach(async () => {
  heard.length = 0;
  owner = await service.found();
  client = new Client(service, owner);
  service.model.script = ({ entries, tools }) =>
    entries.at(-1)?.role === "user" && tools.length > 0
      ? calls.map(({ name, input }, at) => ({ use: { type: "tool_use", id: `c${at}`, name, input } }))
      : [{ say: "done" }];
});

const refund = (name = "refund") => ({
  name,
  description: "Gives money back",
  input_schema: { type: "object", properties: { amount: { type: "number" }, note: { type: "string" } } },
  kind: "http",
  method: "POST",
  url: `http://127.0.0.1:${shop.port}/${name}`,
});
const within = (maximum: number) => ({ arguments: { properties: { amount: { minimum: 0, maximum } } } });
const RULES = [
  { name: "Small refunds", tool: "refund", when: within(500), then: "allow" },
  { tool: "refund", when: within(5_000), then: "ask" },
  { name: "Too much", tool: "refund", then: "deny" },
];

const agentBody = (fields: Json = {}): Json => ({
  name: "Ada",
  system_prompt: "Be brief.",
  visibility: "organization",
  tools: [refund()],
  approval_rules: RULES,
  ...fields,
});
const create = (fields: Json = {}, by = client) => by.call("POST", "/api/agents", agentBody(fields));
const agent = async (fields: Json = {}): Promise<string> => (await answered<{ id: string }>(create(fields), 201)).id;
async function run(id: string, chat: Json = {}, by = client): Promise<Job> {
  const { job } = await by.send(await by.chat(id, owner.workspaceId, chat), "go");
  let now: Job = job;
  const isSettled = async (): Promise<boolean> =>
    ["completed", "blocked", "failed"].includes((now = await by.job(job.id)).status);
  await until("the job has ended or waits", isSettled);
  return now;
}
const transcript = async (jobId: string): Promise<readonly Json[]> =>
  (await client.get<{ events: { data: Json }[] }>(`/api/jobs/${jobId}/transcript-events`)).events.map(
    ({ data }) => data,
  );
const errorsOf = async (answer: Promise<Response>): Promise<readonly { path: string; message: string }[]> =>
  (await refused(answer, 400, "invalid_request"))["errors"] as { path: string; message: string }[];

describe("calls", () => {
  test("[APR-1] the first rule that matches allows, asks or denies, and the call says which one", async () => {
    const id = await agent();
    calls = [100, 1_000, 9_000].map((amount) => ({ name: "refund", input: { amount } }));
    const job = await run(id);
    expect(job).toMatchObject({
      status: "blocked",
      approvals: [{ tool_call_id: "c1", asked_by: { by: "rule", outcome: "ask", rule: 1 } }],
    } as never);
    expect(heard).toEqual(['/refund {"amount":100}']);
    await answered(client.decide(job.id, "approve"));
    await client.reached(job.id, "completed");
    expect(heard).toEqual(['/refund {"amount":100}', '/refund {"amount":1000}']);
    const told = await transcript(job.id);
    expect(told.filter(({ kind }) => kind === "tool_use").map(({ decision }) => decision)).toEqual([
      { by: "rule", outcome: "allow", rule: 0, name: "Small refunds" },
      { by: "rule", outcome: "ask", rule: 1 },
      { by: "rule", outcome: "deny", rule: 2, name: "Too much" },
    ]);
    expect(told.find(({ kind, tool_use_id: of }) => kind === "tool_result" && of === "c2")).toMatchObject({
      is_error: true,
      content: "This call was denied by rule 2 (Too much) of the agent.",
    });
  });

  test("[APR-1] without a matching rule the agent decides; auto_approve of a chat changes that, and no rule", async () => {
    const id = await agent({
      tools: [refund(), refund("refund_all")],
      approval_tools: ["refund_all"],
      approval_rules: RULES,
    });
    calls = [{ name: "refund_all", input: { amount: 1 } }];
    expect((await run(id)).approvals[0]).toMatchObject({ asked_by: { by: "default", outcome: "ask" } });
    expect((await run(id, { options: { auto_approve: true } })).status).toBe("completed");
    calls = [{ name: "refund", input: { amount: 1_000 } }];
    expect((await run(id, { options: { auto_approve: true } })).status).toBe("blocked");
  });

  test("[APR-3] arguments that the schema does not name, or that do not fit it, are not sent", async () => {
    const id = await agent();
    const inputs = [
      { amount: 100, Amount: 9_000 },
      { amount: 100, "amount[]": 9_000 },
      { amount: "100" },
      { amount: null },
    ];
    calls = inputs.map((input) => ({ name: "refund", input: input as JsonObject }));
    const job = await run(id);
    expect([job.status, heard]).toEqual(["completed", []]);
    const results = (await transcript(job.id)).filter(({ kind }) => kind === "tool_result");
    expect(results.map(({ content }) => content)).toEqual([
      expect.stringContaining("has no argument `Amount`"),
      expect.stringContaining("has no argument `amount[]`"),
      expect.stringContaining("amount must be a number"),
      expect.stringContaining("amount must be a number"),
    ]);
  });

  test("[APR-4] edited arguments are judged like those of the model, and the approval stays open", async () => {
    const id = await agent();
    calls = [{ name: "refund", input: { amount: 1_000 } }];
    const job = await run(id);
    for (const given of [
      { amount: 9_000 },
      { amount: -1 },
      { amount: 1, Amount: 9_000 },
      { sum: 1 },
      { amount: "1000" },
    ])
      expect(await errorsOf(client.decide(job.id, "approve", { arguments: given }))).toHaveLength(1);
    expect((await client.job(job.id)).approvals[0]?.decision).toBeNull();
    await answered(client.decide(job.id, "approve", { arguments: { amount: 2_000 } }));
    await client.reached(job.id, "completed");
    expect(heard).toEqual(['/refund {"amount":2000}']);
  });

  test("[APR-5] a job keeps the rules with which it began; the next one has the new ones", async () => {
    const id = await agent();
    calls = [{ name: "refund", input: { amount: 1_000 } }];
    const before = await run(id);
    await answered(client.call("PATCH", `/api/agents/${id}`, { approval_rules: [{ tool: "refund", then: "deny" }] }));
    expect((await run(id)).status).toBe("completed");
    expect(heard).toEqual([]);
    // The one that waits can still be denied or cancelled; new arguments are judged by the rules of its job.
    await errorsOf(client.decide(before.id, "approve", { arguments: { amount: 9_000 } }));
    await answered(client.decide(before.id, "approve"));
    await client.reached(before.id, "completed");
    expect(heard).toEqual(['/refund {"amount":1000}']);
  });

  test("[APR-5] neither a delegation to itself nor another surface changes the origin of work", async () => {
    const rules = [
      { tool: "refund", when: { origin: ["v1"] }, then: "deny" },
      { tool: "refund", when: { origin: ["delegation"] }, then: "ask" },
      { tool: "refund", then: "allow" },
    ];
    const id = await agent({ allowed_tools: ["delegate"], approval_rules: rules });
    service.model.script = ({ entries, tools }) => {
      const last = entries.at(-1);
      if (last?.role !== "user" || tools.length === 0) return [{ say: "done" }];
      const name = last.text.includes("twice") ? "delegate" : "refund";
      const input = name === "refund" ? { amount: 1 } : { agent_id: id, message: "refund" };
      return [{ use: { type: "tool_use", id: "c1", name, input } }];
    };
    const execute = (text: string) => client.call("POST", `/api/v1/agents/${id}/execute`, { message: text });
    for (const text of ["once", "twice"]) await (await execute(text)).text();
    const { jobs } = await client.get<{ jobs: Job[] }>("/api/jobs?limit=20");
    expect([jobs.length, heard]).toEqual([3, []]);
    const { job } = await client.send(await client.chat(id, owner.workspaceId), "twice");
    await client.reached(job.id, "completed");
    const all = await client.get<{ jobs: Job[] }>("/api/jobs?limit=20");
    expect(all.jobs.find((one) => one["parent_job_id"] === job.id)).toMatchObject({ status: "blocked" });
    expect(heard).toEqual([]);
  });
});

test("[APR-11] a dry run says what rules would have decided about earlier calls, and stores nothing", async () => {
  const id = await agent({ approval_rules: [] });
  calls = [100, 9_000].map((amount) => ({ name: "refund", input: { amount } }));
  await run(id);
  const dryRun = (fields: Json, by = client) => by.call("POST", `/api/agents/${id}/approval-rules/dry-run`, fields);
  const tried = await answered<{ calls: Json[]; touched: number }>(dryRun({ approval_rules: RULES }));
  expect(tried).toMatchObject({
    touched: 2,
    calls: [
      {
        tool_call_id: "c1",
        was: null,
        decision: { outcome: "deny", rule: 2 },
        refusal: expect.stringContaining("rule 2"),
      },
      { tool_call_id: "c0", tool_name: "refund", decision: { outcome: "allow", rule: 0 }, refusal: null },
    ],
  } as never);
  expect((await answered<{ touched: number }>(dryRun({}))).touched).toBe(0);
  await refused(dryRun({ approval_rules: [{ tool: "refunds", then: "ask" }] }), 400, "invalid_request");
  expect((await client.get(`/api/agents/${id}`))["version"]).toBe(1);
  const stranger = new Client(service, await service.found());
  await refused(dryRun({}, stranger), 404, "not_found");
  expect(heard).toHaveLength(2);
});

test("[APR-11] a dry run is about the newest calls, also of a job whose record is larger than a page", async () => {
  const id = await agent({ approval_rules: [] });
  calls = [1, 2, 3, 4].map((amount) => ({ name: "refund", input: { amount } }));
  const job = await run(id);
  // Each event of the record fills a page.
  await service.database.read`
    update event set data = (data::jsonb || jsonb_build_object('note', repeat('x', 1100000)))::json
    where stream = ${job.id} and type = 'transcript.event'`;
  const dryRun = client.call("POST", `/api/agents/${id}/approval-rules/dry-run`, {});
  const tried = await answered<{ calls: Json[] }>(dryRun);
  expect(tried.calls.map(({ tool_call_id: call }) => call)).toEqual(["c3", "c2", "c1", "c0"]);
});

describe("saving", () => {
  test("[APR-3] a rule about a tool or a field that the agent does not have is 400 with its place", async () => {
    const wrong = async (rule: Json) => (await errorsOf(create({ approval_rules: [rule] })))[0];
    const deny = { then: "deny" };
    expect(await wrong({ tool: "refunds", ...deny })).toEqual({
      path: "/approval_rules/0/tool",
      message: "The agent has no tool `refunds`; did you mean `refund`?",
    });
    expect(await wrong({ tool: "shop__*", ...deny })).toMatchObject({ path: "/approval_rules/0/tool" });
    const when = (schema: Json) => wrong({ tool: "refund", when: { arguments: schema }, ...deny });
    expect(await when({ properties: { sum: { maximum: 1 } } })).toEqual({
      path: "/approval_rules/0/when/arguments",
      message: "The tool `refund` has no argument `sum`",
    });
    expect(await when({ not: { required: ["amount"] } })).toMatchObject({
      path: "/approval_rules/0/when/arguments/not",
    });
    expect(await when({ properties: { amount: { minimum: 1, minLength: 1 } } })).toMatchObject({
      path: "/approval_rules/0/when/arguments/properties/amount",
    });
    expect(await when({ properties: { amount: { maximum: "much" } } })).toMatchObject({
      path: "/approval_rules/0/when/arguments/properties/amount/maximum",
    });
    expect(await when({ properties: { note: { pattern: "(" } } })).toBeDefined();
    for (const rule of [{ tool: "refund" }, { tool: "réfund", ...deny }, { tool: "a*b", ...deny }, { then: "allow" }])
      await refused(create({ approval_rules: [rule] }), 400, "invalid_request");
    await refused(
      create({ approval_rules: Array.from({ length: 33 }, () => ({ tool: "refund", ...deny })) }),
      400,
      "invalid_request",
    );
  });

  test("[APR-3] a change is refused if it removes or renames a tool, server or argument that a rule names", async () => {
    const id = await agent({
      mcp_servers: [{ name: "shop", url: "https://shop.example/mcp" }],
      approval_rules: [...RULES, { tool: "shop__*", then: "ask" }],
    });
    const patch = (fields: Json) => client.call("PATCH", `/api/agents/${id}`, fields);
    expect(await errorsOf(patch({ tools: [refund("pay_back")] }))).toMatchObject([
      { path: "/tools", message: expect.stringContaining("approval_rules.0 is about it") },
      { path: "/tools" },
      { path: "/tools" },
    ]);
    const renamed = [{ name: "store", url: "https://shop.example/mcp" }];
    expect(await errorsOf(patch({ mcp_servers: renamed }))).toMatchObject([{ path: "/mcp_servers" }]);
    const without = { ...refund(), input_schema: { type: "object", properties: { sum: { type: "number" } } } };
    expect(await errorsOf(patch({ tools: [without] }))).toMatchObject([
      { path: "/tools", message: expect.stringContaining("has no argument `amount`") },
      { path: "/tools" },
    ]);
    const carried = [{ tool: "pay_back", when: within(10), then: "allow" }];
    await answered(patch({ tools: [refund("pay_back")], mcp_servers: renamed, approval_rules: carried }));
    expect((await client.get(`/api/agents/${id}`))["approval_rules"]).toEqual(carried as never);
  });

  test("[APR-6] only an agent's creator and owners may change its rules, and its tools while it has rules", async () => {
    const member = new Client(service, await service.join(owner.organizationId, "member"));
    const id = await agent();
    const patch = (fields: Json) => member.call("PATCH", `/api/agents/${id}`, fields);
    for (const fields of [{ approval_rules: [] }, { tools: [refund()] }, { mcp_servers: [] }])
      await refused(patch(fields), 403, "forbidden");
    await answered(patch({ role: "Clerk", approval_rules: RULES }));
    const own = (await answered<{ id: string }>(create({}, member), 201)).id;
    await answered(member.call("PATCH", `/api/agents/${own}`, { approval_rules: [] }));
  });

  test("[APR-2] a hostile pattern of an owner costs bounded time, and lets no call through", async () => {
    const when = { arguments: { properties: { note: { pattern: "^(a+)+$" } } } };
    const id = await agent({ approval_rules: [{ tool: "refund", when, then: "allow" }, RULES[2]] });
    calls = [{ name: "refund", input: { amount: 1, note: `${"a".repeat(40)}!` } }];
    const job = await run(id);
    expect([job.status, heard]).toEqual(["completed", []]);
  }, 120_000);
});
