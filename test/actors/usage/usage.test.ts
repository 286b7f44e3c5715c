/** What is counted and when the budget stops a job, over all actors in memory. */
import { expect, test } from "bun:test";
import { jobRef } from "../../../actors/job/schema.ts";
import { monthEndMs, type TokenLimit, usageRef } from "../../../actors/usage/schema.ts";
import { FAKE_EPOCH_MS, settle } from "../../support/fake-clock.ts";
import { type FakeModel, gate } from "../../support/fake-model.ts";
import { disagreements, type JobReplica, ORG, startJobs, usageOf } from "../../support/job-replica.ts";
import { World } from "../../support/replica.ts";

const DAY_MS = 86_400_000;
const use = (id: string) => ({ use: { type: "tool_use" as const, id, name: "look", input: {} } });
/** Asks for a tool in its first call, and is done in its second. */
const inTwoSteps = (model: FakeModel): void => {
  model.script = ({ entries }) => (entries.at(-1)?.role === "assistant" ? [{ say: "Done." }] : [use("c1")]);
};

async function limited(world: World, limit: TokenLimit): Promise<JobReplica> {
  const replica = await startJobs(world);
  inTwoSteps(replica.model);
  await setLimit(replica, limit);
  return replica;
}
const setLimit = (replica: JobReplica, limit: TokenLimit) =>
  replica.system.dispatch(usageRef(ORG), { kind: "set_budget", limit });
const isSpent = async (replica: JobReplica): Promise<unknown> => {
  const outcome = await replica.system.dispatch(usageRef(ORG), { kind: "check_budget" });
  return outcome.ok ? outcome.value.spent !== null : outcome.fault;
};
const resume = (replica: JobReplica, id: string) =>
  replica.system.dispatch(jobRef(ORG, id), { kind: "resume", by: "usr_1", input: null, retryStep: null });

test("[RUN-4] a job whose organization has used its tokens waits before its next model call, and continues when tokens are available", async () => {
  const replica = await limited(new World(), { kind: "tokens", tokens: 10 });
  const id = await replica.send("hi");
  const job = await replica.ended(id);
  // The step that passed the budget is kept, its tool was used, and the next model call was not made.
  expect(job).toMatchObject({ status: "blocked", blockedReason: "budget_reached", step: 1 });
  expect(replica.model.calls).toHaveLength(1);
  expect(replica.tools.calls).toHaveLength(1);
  expect(replica.chat().status).toBe("needs_attention");
  expect(await isSpent(replica)).toBe(true);
  await setLimit(replica, { kind: "tokens", tokens: 11 });
  expect(await isSpent(replica)).toBe(false);
  expect((await resume(replica, id)).ok).toBe(true);
  expect(await replica.ended(id)).toMatchObject({ status: "completed", result: "Done." });
  expect(usageOf(replica)[0]).toEqual({ inputTokens: 14, outputTokens: 6, jobs: 1, toolCalls: 1, firstTokens: 1 });
  expect(await disagreements(replica)).toEqual([]);
});

test("[RUN-4] a queued job that gets its turn without tokens left waits too, and no message to it is lost", async () => {
  const replica = await limited(new World(), { kind: "unlimited" });
  const held = gate();
  replica.model.script = () => [{ hold: held.hold }, { say: "one" }];
  const first = await replica.send("first");
  await replica.model.called(1);
  const second = await replica.send("second");
  await setLimit(replica, { kind: "tokens", tokens: 10 });
  held.open();
  expect((await replica.ended(first)).status).toBe("completed");
  expect(await replica.ended(second)).toMatchObject({ status: "blocked", blockedReason: "budget_reached", step: 0 });
  expect(replica.messages().map(({ status }) => status)).toEqual(["completed", "completed", "completed", "streaming"]);
  await setLimit(replica, { kind: "unlimited" });
  replica.model.script = ({ entries }) => [{ say: entries.map((e) => (e.role === "user" ? e.text : "-")).join() }];
  await resume(replica, second);
  expect(await replica.ended(second)).toMatchObject({ status: "completed", result: "first,-,second" });
  expect(await disagreements(replica)).toEqual([]);
});

test("[RUN-4] a new month has its full budget, and days are counted separately", async () => {
  const world = new World();
  const january = await limited(world, { kind: "tokens", tokens: 10 });
  const id = await january.send("hi");
  await january.ended(id);
  expect(await isSpent(january)).toBe(true);
  await january.system.stop();
  expect(monthEndMs(FAKE_EPOCH_MS)).toBe(FAKE_EPOCH_MS + 31 * DAY_MS);
  world.clock.jump(31 * DAY_MS);
  const february = await startJobs(world);
  inTwoSteps(february.model);
  expect(await isSpent(february)).toBe(false);
  await resume(february, id);
  expect((await february.ended(id)).status).toBe("completed");
  const rows = [...world.database.records.keys()].filter((key) => /^(day|month)_usage/.test(key)).sort();
  expect(rows).toEqual([
    `day_usage/${ORG}/2026-01-01/agt_1/fake:fake`,
    `day_usage/${ORG}/2026-02-01/agt_1/fake:fake`,
    `month_usage/${ORG}/2026-01`,
    `month_usage/${ORG}/2026-02`,
  ]);
  expect(await disagreements(february)).toEqual([]);
});

test("[RUN-4] a run that a crash has repeated is counted once", async () => {
  const world = new World();
  const held = gate();
  const lost = await limited(world, { kind: "unlimited" });
  lost.model.script = ({ entries }) =>
    entries.at(-1)?.role === "assistant" ? [{ say: "so" }, { hold: held.hold }] : [use("c1")];
  const id = await lost.send("hi");
  await lost.model.called(2);
  lost.crash();
  const next = await startJobs(world);
  inTwoSteps(next.model);
  await settle();
  // What the lost process reports from now on reaches nobody.
  held.open();
  expect(await next.ended(id)).toMatchObject({ status: "completed", attempt: 2 });
  expect(usageOf(next)).toEqual([
    { inputTokens: 14, outputTokens: 6, jobs: 1, toolCalls: 1, firstTokens: 1 },
    { inputTokens: 14, outputTokens: 6, jobs: 1, toolCalls: 1, firstTokens: 1 },
  ]);
  expect(await disagreements(next)).toEqual([]);
});
