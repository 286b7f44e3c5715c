/** Budgets by cost, over all actors in memory: of a month and of one run. */
import { describe, expect, test } from "bun:test";
import { budgetFromHere, budgetLeft, spentPart } from "../../../actors/job/budget.ts";
import { jobRef, PLAIN_TERMS, type Usage } from "../../../actors/job/schema.ts";
import { NO_BUDGET } from "../../../actors/job/terms.ts";
import { ok } from "../../../actors/fault.ts";
import { type CostLimit, usageRef } from "../../../actors/usage/schema.ts";
import { gate, USAGE } from "../../support/fake-model.ts";
import { disagreements, type JobReplica, ORG, startJobs } from "../../support/job-replica.ts";
import { World } from "../../support/replica.ts";

/** As floating point, eight of them are 0.7999999999999999: one call too many would begin. */
const DIME: Usage = { ...USAGE, cost: "0.1", pricedTokens: 10 };

/** Every answer asks for a tool, so that only a budget or the limit of steps ends a run. */
async function endless(usage: Usage = DIME): Promise<JobReplica> {
  const replica = await startJobs(new World());
  const { model } = replica;
  model.usageOf = () => usage;
  if (usage.cost !== undefined) model.hasPrice = () => true;
  model.script = () => [{ use: { type: "tool_use", id: `c${model.calls.length}`, name: "look", input: {} } }];
  return replica;
}
const limit = (replica: JobReplica, costLimit: CostLimit) =>
  replica.system.dispatch(usageRef(ORG), { kind: "set_budget", costLimit });
const budgetOf = async (replica: JobReplica) => {
  const budget = await replica.system.dispatch(usageRef(ORG), { kind: "read_budget" });
  return budget.ok ? budget.value : null;
};
const withCost = (maxCost: string) => ({ terms: { ...PLAIN_TERMS, budget: { ...NO_BUDGET, maxCost } } });
const resume = (replica: JobReplica, id: string, maxCost?: string) =>
  replica.system.dispatch(jobRef(ORG, id), {
    kind: "resume",
    by: "usr_1",
    input: null,
    retryStep: null,
    budget: maxCost === undefined ? null : { ...NO_BUDGET, maxCost },
  });
const BLOCKED = { status: "blocked", blockedReason: "budget_reached" };

test("[RUN-20] a month blocks at exactly its cost limit, and its token limit does not change", async () => {
  const replica = await endless();
  await replica.system.dispatch(usageRef(ORG), { kind: "set_budget", limit: { kind: "tokens", tokens: 1_000 } });
  await limit(replica, { kind: "cost", cost: "0.8" });
  const id = await replica.send("hi");
  expect(await replica.ended(id)).toMatchObject({ ...BLOCKED, step: 8, metrics: { cost: "0.8" } });
  expect(await budgetOf(replica)).toMatchObject({
    monthlyTokens: 1_000,
    monthlyCost: "0.8",
    usedCost: "0.8",
    unpricedTokens: 0,
  });
  await limit(replica, { kind: "cost", cost: "0.800000000001" });
  expect((await resume(replica, id)).ok).toBe(true);
  expect(await replica.ended(id)).toMatchObject({ ...BLOCKED, step: 9 });
  expect(await disagreements(replica)).toEqual([]);
});

test("[RUN-20] concurrent jobs exceed the month's cost limit by at most one step each", async () => {
  const replica = await endless();
  await limit(replica, { kind: "cost", cost: "0.1" });
  const held = gate();
  const { script } = replica.model;
  replica.model.script = (call) => [{ hold: held.hold }, ...script(call)];
  const ids = await Promise.all([1, 2, 3, 4, 5].map((chat) => replica.send("hi", `cht_${chat}`)));
  await replica.model.called(5);
  held.open();
  for (const id of ids) expect(await replica.ended(id)).toMatchObject({ ...BLOCKED, step: 1 });
  expect(replica.model.calls).toHaveLength(5);
  expect((await budgetOf(replica))?.usedCost).toBe("0.5");
});

test("[RUN-20] a run stops at exactly its cost limit, and needs a new budget, which counts from there", async () => {
  const replica = await endless();
  const id = await replica.send("hi", undefined, withCost("0.8"));
  expect(await replica.ended(id)).toMatchObject({ ...BLOCKED, step: 8 });
  expect(await resume(replica, id)).toMatchObject({
    fault: {
      errors: [{ path: "/budget/max_cost", message: "The job has spent the 0.8 of its budget: send budget.max_cost" }],
    },
  } as never);
  expect((await resume(replica, id, "0.15")).ok).toBe(true);
  expect(await replica.ended(id)).toMatchObject({ ...BLOCKED, step: 10, budget: { maxCost: "0.15" } });
  expect(await disagreements(replica)).toEqual([]);
});

test("[RUN-20] tokens of unknown cost use up a cost budget; those of the demo model cost nothing", async () => {
  const replica = await endless(USAGE);
  const id = await replica.send("hi", undefined, withCost("1000"));
  expect(await replica.ended(id)).toMatchObject({ ...BLOCKED, step: 1 });
  expect(await resume(replica, id)).toMatchObject({
    fault: { errors: [{ path: "/budget/max_cost", message: expect.stringContaining("a model without a price") }] },
  } as never);
  expect((await resume(replica, id, "1000")).ok).toBe(true);
  expect(await replica.ended(id)).toMatchObject({ ...BLOCKED, step: 2 });

  const demo = await endless(USAGE);
  demo.model.info = ok({ provider: "demo", name: "echo", demo: true });
  const shown = await demo.send("hi", undefined, withCost("1000"));
  expect(await demo.ended(shown)).toMatchObject({ status: "failed", error: { code: "step_limit" } });
});

test("[RUN-20] a new monthly cost limit stops a running job whose model has no price, until the limit is removed", async () => {
  const replica = await endless(USAGE);
  const held = gate();
  const { script } = replica.model;
  replica.model.script = (call) => [{ hold: held.hold }, ...script(call)];
  const id = await replica.send("hi");
  await replica.model.called(1);
  await limit(replica, { kind: "cost", cost: "100" });
  held.open();
  expect(await replica.ended(id)).toMatchObject({ ...BLOCKED, step: 1 });
  expect(replica.model.calls).toHaveLength(1);
  await limit(replica, { kind: "service" });
  expect((await resume(replica, id)).ok).toBe(true);
  await replica.model.called(2);

  const demo = await endless(USAGE);
  demo.model.info = ok({ provider: "demo", name: "echo", demo: true });
  await limit(demo, { kind: "cost", cost: "100" });
  expect(await demo.ended(await demo.send("hi"))).toMatchObject({ status: "failed", error: { code: "step_limit" } });
});

describe("a fallback without a price", () => {
  const away = { code: "provider_unreachable", message: "It is away." } as const;

  /** The agent's own model is away, and these come after it. */
  async function fallingBack(...fallbacks: string[]): Promise<JobReplica> {
    const replica = await startJobs(new World(), { retry: { retries: 0, fallbacks } });
    const { model } = replica;
    model.names = true;
    model.hasPrice = (name) => name !== "fake:free";
    model.script = (call) => [call.model === null ? { fail: away } : { say: "Done." }];
    return replica;
  }
  const called = ({ model }: JobReplica) => model.calls.map((call) => call.model);

  test("[RUN-20] [RUN-8] continues if nothing limits the cost", async () => {
    const replica = await fallingBack("fake:free", "fake:dear");
    expect(await replica.ended(await replica.send("hi"))).toMatchObject({ status: "completed" });
    expect(called(replica)).toEqual([null, "fake:free"]);
  });

  test.each(["month", "job"] as const)("[RUN-20] [RUN-8] is skipped if the %s has a cost limit", async (of) => {
    const replica = await fallingBack("fake:free", "fake:dear");
    if (of === "month") await limit(replica, { kind: "cost", cost: "100" });
    const id = await replica.send("hi", undefined, of === "job" ? withCost("100") : {});
    expect(await replica.ended(id)).toMatchObject({
      status: "completed",
      runner: { name: "dear" },
      warnings: [{ code: "model_fallback" }],
    });
    expect(called(replica)).toEqual([null, "fake:dear"]);
  });

  test("[RUN-20] [RUN-8] the job says so if there is no other fallback", async () => {
    const replica = await fallingBack("fake:free");
    await limit(replica, { kind: "cost", cost: "100" });
    expect(await replica.ended(await replica.send("hi"))).toMatchObject({
      status: "failed",
      error: {
        code: "provider_unreachable",
        message: "It is away. There is no fallback: the cost is limited, and fake:free has no price.",
      },
    });
    expect(called(replica)).toEqual([null]);
  });
});

test("[RUN-20] [JOB-9] a message to a running job gives it no step past its budget", async () => {
  const replica = await startJobs(new World());
  const held = gate();
  replica.model.script = () => [{ hold: held.hold }, { say: "so" }];
  const budget = { ...NO_BUDGET, maxTokens: 10 };
  const id = await replica.send("hi", undefined, { terms: { ...PLAIN_TERMS, budget } });
  await replica.model.called(1);
  const steer = { kind: "steer", by: "usr_1", messageId: "msg_2", content: "and more" } as const;
  expect((await replica.system.dispatch(jobRef(ORG, id), steer)).ok).toBe(true);
  held.open();
  expect(await replica.ended(id)).toMatchObject({ ...BLOCKED, step: 1, steers: [{ content: "and more" }] });
  expect(replica.model.calls).toHaveLength(1);
});

test("[RUN-20] a job passes on the rest of its cost limit, and at least enough for one step", () => {
  const metrics = { ...USAGE, cost: "0.3", pricedTokens: 10, toolCalls: 0, durationMs: null, timeToFirstTokenMs: null };
  const job = { metrics, step: 1, runner: null, budgetFrom: 0, budget: { ...NO_BUDGET, maxTokens: 25, maxCost: "1" } };
  expect(budgetLeft(job)).toEqual({ maxTokens: 15, maxCost: "0.7" });
  expect(budgetLeft({ ...job, budget: NO_BUDGET })).toEqual({ maxTokens: null });
  const spent = { ...job, budget: { ...NO_BUDGET, maxTokens: 10, maxCost: "0.3" } };
  expect([budgetLeft(spent), spentPart(spent)]).toEqual([{ maxTokens: 1, maxCost: "0.000000000001" }, "maxTokens"]);
  const renewed = { ...spent, ...budgetFromHere(spent, { ...NO_BUDGET, maxCost: "0.2" }) };
  expect([spentPart(renewed), renewed.budget.maxTokens, renewed.budget.maxCost]).toEqual([null, 10, "0.2"]);
  // A job of a former version, which knows of no cost.
  expect(spentPart({ ...job, budget: { maxTokens: null, maxSteps: null, deadlineAt: null } })).toBeNull();
});
