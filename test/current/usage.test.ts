/** Usage and the monthly budget over HTTP (RUN-4). */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { type TokenLimit, usageRef } from "../../actors/usage/schema.ts";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { sceneOfTest } from "../support/scene.ts";
import type { Service } from "../support/service.ts";
import { createAgent, execute } from "../support/v1.ts";

/** What the service allows an organization without a limit of its own. */
const SERVICE_TOKENS = 1_000;

let client: Client;
let agent: string;

let usageOf: Service["model"]["usageOf"];

const { service, owner } = sceneOfTest({ tools: new FakeTools(), settings: { monthlyTokenBudget: SERVICE_TOKENS } });
beforeAll(() => void (usageOf = service.model.usageOf));
beforeEach(async () => {
  client = new Client(service, owner);
  agent = await createAgent(service, owner);
  service.model.script = () => [{ say: "yes" }];
});

interface Report extends Json {
  readonly usage: readonly Json[];
  readonly totals: Json;
  readonly budget: { readonly monthly_tokens: number | null; readonly used_tokens: number; readonly resets_at: string };
}
const report = (query = ""): Promise<Report> => client.get<Report>(`/api/usage${query}`);
const run = async (agentId = agent): Promise<Job> => {
  const chat = await client.chat(agentId, owner.workspaceId);
  return client.reached((await client.send(chat, "hi")).job.id, "completed");
};
const allow = (limit: TokenLimit) =>
  service.system.dispatch(usageRef(owner.organizationId), { kind: "set_budget", limit });
const callingOnce = (): void => {
  service.model.script = ({ entries }) =>
    entries.at(-1)?.role === "assistant"
      ? [{ say: "Done." }]
      : [{ use: { type: "tool_use", id: "c1", name: "look", input: {} } }];
};
const day = (ms = Date.now()): string => new Date(ms).toISOString().slice(0, 10);

test("[RUN-4] usage is reported by agent, model and day, with totals and the budget", async () => {
  const other = await createAgent(service, owner, { name: "Bob" });
  await run();
  await run();
  callingOnce();
  await run(other);
  const ofAgent = {
    input_tokens: 14,
    output_tokens: 6,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    jobs: 2,
    tool_calls: 0,
    time_to_first_token_ms: expect.any(Number),
    cost: null,
    unpriced_tokens: 20,
    own_key_tokens: 0,
    estimated_tokens: 0,
  };
  const ofOther = {
    input_tokens: 14,
    output_tokens: 6,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    jobs: 1,
    tool_calls: 1,
    time_to_first_token_ms: expect.any(Number),
    cost: null,
    unpriced_tokens: 20,
    own_key_tokens: 0,
    estimated_tokens: 0,
  };
  const totals = {
    input_tokens: 28,
    output_tokens: 12,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    jobs: 3,
    tool_calls: 1,
    time_to_first_token_ms: expect.any(Number),
    cost: null,
    unpriced_tokens: 40,
    own_key_tokens: 0,
    estimated_tokens: 0,
  };
  const byDay = await report();
  expect(byDay).toEqual({
    group_by: "day",
    currency: null,
    since: expect.stringMatching(/^\d{4}-\d\d-01$/),
    until: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    usage: [{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), ...totals }],
    totals,
    truncated: false,
    budget: {
      monthly_tokens: SERVICE_TOKENS,
      used_tokens: 40,
      monthly_cost: null,
      used_cost: null,
      unpriced_tokens: 40,
      resets_at: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/),
    },
    quotas: expect.any(Array),
  } as never);
  const byAgent = (await report("?group_by=agent")).usage;
  expect(byAgent).toHaveLength(2);
  expect(byAgent).toContainEqual({ agent_id: agent, ...ofAgent });
  expect(byAgent).toContainEqual({ agent_id: other, ...ofOther });
  expect((await report("?group_by=model")).usage).toEqual([{ model: "fake:fake", ...totals }]);
});

test("[RUN-35] usage has the average time to the first token of all answers of its day", async () => {
  expect((await report()).totals).toMatchObject({ time_to_first_token_ms: null });
  const first = await run();
  const second = await run();
  const times = [first, second].map(({ metrics }) => Number((metrics as Json)["time_to_first_token_ms"]));
  const average = Math.round((times[0]! + times[1]!) / 2);
  expect((await report()).usage).toMatchObject([{ day: day(), time_to_first_token_ms: average }]);
});

test("[RUN-35] usage can be filtered by agent and model, and does not reveal private agents of other people", async () => {
  const other = await createAgent(service, owner, { name: "Bob", visibility: "private" });
  await run();
  await run(other);
  expect((await report(`?agent_id=${agent}`)).totals).toMatchObject({ jobs: 1 });
  expect((await report(`?agent_id=${agent}&model=fake:fake&group_by=model`)).usage).toMatchObject([{ jobs: 1 }]);
  expect((await report("?model=fake:other")).totals).toMatchObject({ jobs: 0 });
  const colleague = new Client(service, await service.join(owner.organizationId));
  expect((await colleague.get<Report>(`/api/usage?agent_id=${other}`)).totals).toMatchObject({ jobs: 0 });
});

test("[RUN-35] the jobs of a day come with the costliest first, without those that the reader may not see", async () => {
  const small = await run();
  service.model.usageOf = () => ({ inputTokens: 70, outputTokens: 30 });
  const large = await run(await createAgent(service, owner, { visibility: "private" }));
  service.model.usageOf = usageOf;
  const costliest = async (by: Client, query = "") =>
    (await by.get<{ jobs: readonly Json[] } & Json>(`/api/usage/jobs${query}`)).jobs.map(({ id }) => id);
  expect(await costliest(client)).toEqual([large.id, small.id]);
  expect(await costliest(client, `?day=${day()}&limit=1`)).toEqual([large.id]);
  expect(await costliest(client, "?day=2020-01-01")).toEqual([]);
  const colleague = new Client(service, await service.join(owner.organizationId));
  expect(await costliest(colleague)).not.toContain(large.id);
  const [row] = (await client.get<{ jobs: readonly Json[] } & Json>("/api/usage/jobs")).jobs;
  expect(row).toMatchObject({ model: "fake:fake", metrics: { input_tokens: 70, cost: null }, status: "completed" });
  await refused(client.call("GET", "/api/usage/jobs?day=yesterday"), 400, "invalid_request");
});

test("[RUN-4] [AGT-5] the private agents of others are one unnamed group, except for owners", async () => {
  const member = await service.join(owner.organizationId);
  const colleague = new Client(service, member);
  const shared = await createAgent(service, owner, { visibility: "organization" });
  const hidden = [agent, await createAgent(service, owner, { visibility: "private" })];
  await answered(client.call("PATCH", `/api/agents/${agent}`, { visibility: "private" }));
  const own = await createAgent(service, member, { visibility: "private" });
  for (const id of [shared, ...hidden]) await run(id);
  const chat = await colleague.chat(own, owner.workspaceId);
  await colleague.reached((await colleague.send(chat, "hi")).job.id, "completed");
  // It is still its creator's alone when it is archived.
  await answered(client.call("DELETE", `/api/agents/${agent}`));

  const rowsOf = async (by: Client) => {
    const { usage, totals } = await by.get<Report>("/api/usage?group_by=agent");
    return { rows: new Map(usage.map((row) => [row["agent_id"], row["jobs"]])), jobs: totals["jobs"] };
  };
  const seen = await rowsOf(colleague);
  expect(seen.rows).toEqual(
    new Map<unknown, unknown>([
      [shared, 1],
      [own, 1],
      [null, 2],
    ]),
  );
  const all = await rowsOf(client);
  expect(all.rows).toEqual(new Map<unknown, unknown>([shared, own, ...hidden].map((id) => [id, 1])));
  expect([seen.jobs, all.jobs]).toEqual([4, 4]);
});

test("[RUN-4] since and until bound the days, both included; another organization sees nothing of it", async () => {
  await run();
  const [today, nothing] = [day(), { input_tokens: 0, output_tokens: 0, jobs: 0, tool_calls: 0 }];
  expect((await report(`?since=${today}&until=${today}T23:59:59Z`)).totals).toMatchObject({ jobs: 1 });
  const past = await report(`?since=2020-01-01&until=2020-12-31&group_by=agent`);
  expect(past).toMatchObject({ since: "2020-01-01", until: "2020-12-31", usage: [], totals: nothing });
  expect(past.budget.used_tokens).toBe(10);
  const stranger = new Client(service, await service.found("Stranger"));
  expect(await stranger.get<Report>("/api/usage")).toMatchObject({ usage: [], totals: nothing });
});

test.each([
  ["group_by=planet", "/group_by"],
  ["since=yesterday", "/since"],
  ["until=2026-02-30", "/until"],
  ["since=2026-02-30T00:00:00Z", "/since"],
])("[RUN-4] GET /api/usage?%s is refused and names the field", async (query, path) => {
  const details = await refused(client.call("GET", `/api/usage?${query}`), 400, "invalid_request");
  expect(details["errors"]).toEqual([{ path, message: expect.any(String) }]);
});

test.each([
  ["since=2026-02-02&until=2026-02-01", "/until", "until must not be before since"],
  ["until=2020-01-01", "/until", `until must not be before since, which is ${day().slice(0, 8)}01 by default`],
  ["since=2999-01-01", "/since", `since must not be after until, which is ${day()} by default`],
])("[RUN-4] GET /api/usage?%s ends before it begins", async (query, path, message) => {
  const details = await refused(client.call("GET", `/api/usage?${query}`), 400, "invalid_request");
  expect(details["errors"]).toEqual([{ path, message }]);
});

test("[RUN-4] [AUTH-3] usage needs a token with jobs:read", async () => {
  await refused(service.call(null, "GET", "/api/usage"), 401, "unauthenticated");
  const narrow = await service.tokenFor(owner, { scopes: ["agents:read"] });
  await refused(service.call(narrow, "GET", "/api/usage"), 403, "insufficient_scope");
});

/** Seconds until the next month of UTC. */
function secondsLeft(): number {
  const now = new Date();
  return (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime()) / 1_000;
}

test("[RUN-4] [ERR-2] past the budget new jobs are refused on both surfaces until the month ends", async () => {
  await allow({ kind: "tokens", tokens: 10 });
  const chat = await client.chat(agent, owner.workspaceId);
  const done = await client.reached((await client.send(chat, "hi")).job.id, "completed");
  const before = await client.readChat(chat);
  const answer = await client.call("POST", `/api/chats/${chat}/messages`, { content: "more" });
  expect(Math.abs(Number(answer.headers.get("retry-after")) - secondsLeft())).toBeLessThan(60);
  await refused(answer, 429, "budget_exceeded");
  await refused(client.decide(done.id, "iterate", { feedback: "better" }), 429, "budget_exceeded");
  expect(await client.readChat(chat)).toEqual(before);
  // The address of its stream is signed anew for each second.
  expect(await client.job(done.id)).toEqual({ ...done, links: expect.any(Object) } as never);

  const old = await execute(service, owner, agent, { message: "hi" });
  expect(Math.abs(Number(old.headers.get("retry-after")) - secondsLeft())).toBeLessThan(60);
  expect([old.status, await old.json()]).toEqual([
    429,
    {
      error: true,
      statusCode: 429,
      statusMessage: "Too Many Requests",
      message: "The organization has used up its token budget for this month",
    },
  ]);
  expect((await client.get<{ jobs: Job[] }>("/api/jobs")).jobs).toHaveLength(1);
});

test("[RUN-4] [JOB-2] a running job is blocked at its next step, and can be resumed when there are tokens again", async () => {
  await allow({ kind: "tokens", tokens: 10 });
  callingOnce();
  const chat = await client.chat(agent, owner.workspaceId);
  const { job } = await client.send(chat, "hi");
  expect(await client.reached(job.id, "blocked")).toMatchObject({
    blocked_reason: "budget_reached",
    allowed_actions: ["cancel", "resume"],
    metrics: { tool_calls: 1 },
  });
  await refused(client.decide(job.id, "resume"), 429, "budget_exceeded");
  await allow({ kind: "service" });
  expect((await answered<Job>(client.decide(job.id, "resume"), 202)).status).toBe("running");
  expect((await client.reached(job.id, "completed")).result).toBe("Done.");
  expect((await report()).budget).toMatchObject({ monthly_tokens: SERVICE_TOKENS, used_tokens: 20 });
});

test("[RUN-4] a message to the running job creates no job, and is accepted past the budget too", async () => {
  const held = gate();
  service.model.script = () => [{ say: "so" }, { hold: held.hold }];
  const chat = await client.chat(agent, owner.workspaceId);
  const before = service.model.calls.length;
  const { job } = await client.send(chat, "hi");
  // A job runs before its model is called, with the script of that moment.
  await service.model.called(before + 1);
  service.model.script = () => [{ say: "yes" }];
  // Another chat uses tokens while this one is held.
  await run();
  await allow({ kind: "tokens", tokens: 1 });
  expect((await client.send(chat, "and this", { on_busy: "steer" })).job.id).toBe(job.id);
  await refused(
    client.call("POST", `/api/chats/${chat}/messages`, { content: "x", on_busy: "queue" }),
    429,
    "budget_exceeded",
  );
  held.open();
  expect(await client.reached(job.id, "blocked")).toMatchObject({ blocked_reason: "budget_reached" });
  await allow({ kind: "unlimited" });
  service.model.script = ({ entries }) => {
    const last = entries.at(-1);
    return [{ say: ` heard: ${last?.role === "user" ? last.text : "-"}` }];
  };
  await answered(client.decide(job.id, "resume"), 202);
  expect((await client.reached(job.id, "completed")).result).toBe("so\n\n heard: and this");
});

test("[RUN-28] tokens that a provider did not count are estimated in the job, the message and the report, and spend budgets", async () => {
  const { usageOf } = service.model;
  service.model.usageOf = () => ({ inputTokens: 70, outputTokens: 30, estimatedTokens: 100 });
  try {
    const estimating = await service.found();
    const client = new Client(service, estimating);
    const id = await client.agent({ system_prompt: "x" });
    const chat = await client.chat(id, estimating.workspaceId);
    const { job } = await client.send(chat, "hello");
    const done = await client.reached(job.id, "completed");
    expect(done).toMatchObject({ metrics: { input_tokens: 70, output_tokens: 30, estimated_tokens: 100 } });
    expect((await client.messages(chat)).at(-1)).toMatchObject({ usage: { estimated_tokens: 100 } });
    expect(await client.get<Json>("/api/usage")).toMatchObject({
      totals: { input_tokens: 70, estimated_tokens: 100 },
      budget: { used_tokens: 100 },
    });
  } finally {
    service.model.usageOf = usageOf;
  }
});
