/** Budgets by cost over HTTP (RUN-20). */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type CostLimit, usageRef } from "../../actors/usage/schema.ts";
import { parsePrices, PriceTable } from "../../src/settings/price-table.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { pricedModels } from "../../src/wiring/priced.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { FakeModel } from "../support/fake-model.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { createAgent, execute } from "../support/v1.ts";

let service: Service;
let owner: Founded;
let client: Client;
let agent: string;
const model = new FakeModel();

beforeAll(async () => {
  // A call of the fake model has 7 tokens in and 3 out: it costs 0.1.
  const prices = [
    { model: "fake:dear", from: "2020-01-01", input: "10000", output: "10000" },
    { model: "fake:coming", from: "2999-01-01", input: "1", output: "1" },
  ];
  const table = parsePrices(JSON.stringify({ currency: "EUR", prices }));
  if (!(table instanceof PriceTable)) throw new Error(table.join("; "));
  model.names = true;
  service = await startService({ models: pricedModels(model, table, systemClock), tools: new FakeTools() });
});
afterAll(() => service.stop());
beforeEach(async () => {
  owner = await service.found();
  client = new Client(service, owner);
  agent = await createAgent(service, owner);
  model.script = () => [{ use: { type: "tool_use", id: `c${model.calls.length}`, name: "look", input: {} } }];
});

const chatWith = (name: string): Promise<string> =>
  client.chat(agent, owner.workspaceId, { options: { model: `fake:${name}` } });
const begin = async (budget: Json, name = "dear") => (await client.send(await chatWith(name), "hi", { budget })).job;
const dearAgent = (): Promise<string> => client.agent({ name: "Dear", model: "fake:dear", allowed_tools: [] });
const allow = (costLimit: CostLimit) =>
  service.system.dispatch(usageRef(owner.organizationId), { kind: "set_budget", costLimit });
const budget = async (): Promise<Json> => (await client.get<{ budget: Json }>("/api/usage")).budget;
const FIELD = { errors: [{ path: "/budget/max_cost", message: expect.any(String) }] };

test("[RUN-20] a job blocks when its cost reaches its budget, and a resume needs a new budget", async () => {
  const job = await begin({ max_cost: "0.20", max_steps: 9 });
  expect(await client.reached(job.id, "blocked")).toMatchObject({
    blocked_reason: "budget_reached",
    budget: { max_cost: "0.2", max_tokens: null, max_steps: 9 },
    metrics: { cost: "0.2" },
  });
  expect(await refused(client.decide(job.id, "resume"), 400, "invalid_request")).toEqual(FIELD as never);
  await answered(client.decide(job.id, "resume", { budget: { max_cost: "0.1" } }), 202);
  expect(await client.reached(job.id, "blocked")).toMatchObject({
    budget: { max_cost: "0.1" },
    metrics: { cost: "0.3" },
  });
  await answered(client.decide(job.id, "cancel"));
  await answered(client.decide(job.id, "resume", { budget: { max_cost: "0.4" } }), 202);
});

test("[RUN-20] a cost budget is refused if it is not an amount, or the model has no price today", async () => {
  for (const name of ["unknown", "coming"]) {
    const chat = await chatWith(name);
    const body = { content: "hi", budget: { max_cost: "1" } };
    const details = await refused(client.call("POST", `/api/chats/${chat}/messages`, body), 400, "invalid_request");
    expect(JSON.stringify(details)).toContain(`budget.max_cost needs a model with a price; fake:${name} has none`);
  }
  const chat = await chatWith("dear");
  for (const amount of ["0", "0.00", "-1", "2,50", "1e3", "0.0000000000001", "", 2.5]) {
    const body = { content: "hi", budget: { max_cost: amount } };
    expect(await refused(client.call("POST", `/api/chats/${chat}/messages`, body), 400, "invalid_request")).toEqual(
      FIELD as never,
    );
  }
  expect((await client.get<{ jobs: unknown[] }>("/api/jobs")).jobs).toEqual([]);
});

test("[RUN-20] [MIS-8] each run of a mission has the cost limit of its budget", async () => {
  const mission = (of: string, more: Json) =>
    client.call("POST", "/api/missions", { title: "Report", goal: "hi", agent_id: of, ...more });
  await refused(mission(agent, { budget: { max_cost: "1" } }), 400, "invalid_request");
  const dear = await dearAgent();
  const made = await answered<Json>(mission(dear, { budget: { max_cost: "0.10" } }), 201);
  expect(made["budget"]).toEqual({ max_tokens: null, max_cost: "0.1", max_steps: null });
  await answered(client.call("POST", `/api/missions/${String(made["id"])}/run`, {}), 202);
  const [job] = (await client.get<{ jobs: { id: string }[] }>("/api/jobs")).jobs;
  expect(await client.reached(job?.id ?? "", "blocked")).toMatchObject({
    blocked_reason: "budget_reached",
    metrics: { cost: "0.1" },
  });
  const path = `/api/missions/${String(made["id"])}`;
  const without = await answered<Json>(client.call("PATCH", path, { agent_id: agent, budget: {} }));
  expect(without["budget"]).toEqual({ max_tokens: null, max_cost: null, max_steps: null });
  await refused(client.call("PATCH", path, { budget: { max_cost: "1" } }), 400, "invalid_request");
});

test("[RUN-20] [RUN-4] past the month's cost limit new jobs are refused on both surfaces, and running ones block", async () => {
  await allow({ kind: "cost", cost: "0.10" });
  const job = await begin({});
  expect(await client.reached(job.id, "blocked")).toMatchObject({ blocked_reason: "budget_reached" });
  expect(await budget()).toMatchObject({
    monthly_tokens: null,
    monthly_cost: "0.1",
    used_cost: "0.1",
    unpriced_tokens: 0,
  });
  await refused(client.decide(job.id, "resume"), 429, "budget_exceeded");
  const chat = await chatWith("dear");
  const answer = await client.call("POST", `/api/chats/${chat}/messages`, { content: "more" });
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({
    code: "budget_exceeded",
    message: "The organization has used up its cost budget for this month",
  } as never);
  const dear = await dearAgent();
  const old = await execute(service, owner, dear, { message: "hi" });
  expect([old.status, await old.json()]).toEqual([
    429,
    expect.objectContaining({ message: "The organization has used up its cost budget for this month" }),
  ]);
  await allow({ kind: "cost", cost: "0.3" });
  await answered(client.decide(job.id, "resume"), 202);
});

test("[RUN-20] with a monthly cost limit no job of a model without a price starts", async () => {
  const before = await begin({ max_steps: 1 }, "unknown");
  await client.reached(before.id, "blocked");
  await allow({ kind: "cost", cost: "100" });
  await refused(client.decide(before.id, "resume", { budget: { max_steps: 1 } }), 502, "provider_error");
  expect(await budget()).toMatchObject({ monthly_cost: "100", used_cost: null, unpriced_tokens: 10 });
  const chat = await chatWith("unknown");
  const answer = await client.call("POST", `/api/chats/${chat}/messages`, { content: "hi" });
  expect([answer.status, await answer.json()]).toEqual([
    502,
    expect.objectContaining({
      code: "provider_error",
      message: "The organization has a cost budget, and the model fake:unknown has no price",
    }),
  ]);
  await allow({ kind: "service" });
  await client.send(chat, "hi", { budget: { max_steps: 1 } });
});

test("[RUN-20] a continued job keeps its cost limit, and is refused if the chat's model has no price now", async () => {
  model.script = () => [{ fail: { code: "provider_error", message: "broken" } }];
  const chat = await chatWith("dear");
  const { job } = await client.send(chat, "hi", { budget: { max_cost: "1" } });
  await client.reached(job.id, "failed");
  await answered(client.call("PATCH", `/api/chats/${chat}/options`, { model: "fake:unknown" }));
  for (const [verb, body] of [
    ["resume", {}],
    ["resume", { budget: { max_steps: 3 } }],
    ["iterate", { feedback: "again" }],
  ] as const) {
    const details = await refused(client.decide(job.id, verb, body), 400, "invalid_request");
    expect(details).toEqual({
      errors: [
        {
          path: "/budget/max_cost",
          message: "The max_cost of the job before needs a model with a price; fake:unknown has none",
        },
      ],
    });
  }
  await answered(client.call("PATCH", `/api/chats/${chat}/options`, { model: "fake:dear" }));
  const next = await answered<{ budget: Json }>(client.decide(job.id, "resume", {}), 202);
  expect(next.budget).toMatchObject({ max_cost: "1" });
});
