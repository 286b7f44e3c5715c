/** When missions fire, and what becomes of the times that do not (MIS-1, MIS-3, MIS-4, MIS-5). */
import { expect, test } from "bun:test";
import { jitterMs } from "../../../actors/mission/schedule.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import { ORG } from "../../support/job-replica.ts";
import { HOUR_MS, MINUTE_MS, MISSION, startMissions, unwrap, WORKSPACE } from "../../support/mission-replica.ts";
import { gate } from "../../support/fake-model.ts";

const HOURLY = { type: "cron", value: "0 * * * *" } as const;

test("[MIS-1] a mission fires at each time of its schedule, and is pending in between", async () => {
  const world = await startMissions();
  expect(unwrap(await world.create(HOURLY))).toMatchObject({
    status: "pending",
    next: { scheduledAt: "2026-01-01T01:00:00.000Z" },
    scheduleText: "Every hour, UTC",
  });
  await world.advance(3 * HOUR_MS + MINUTE_MS);
  await world.settled();
  expect(world.ledger()).toEqual([
    "2026-01-01T01:00 schedule succeeded",
    "2026-01-01T02:00 schedule succeeded",
    "2026-01-01T03:00 schedule succeeded",
  ]);
  expect(world.mission()).toMatchObject({
    status: "pending",
    runCount: 3,
    next: { scheduledAt: "2026-01-01T04:00:00.000Z" },
  });
});

test("[MIS-8] each fire is a job in its own chat that knows its mission and its number", async () => {
  const world = await startMissions();
  unwrap(await world.create(HOURLY));
  await world.advance(2 * HOUR_MS + MINUTE_MS);
  await world.settled();
  const jobs = world.jobs();
  expect(jobs.map(({ missionId, missionTaskId, createdBy }) => ({ missionId, missionTaskId, createdBy }))).toEqual(
    Array.from({ length: 2 }, () => ({ missionId: MISSION, missionTaskId: null, createdBy: "usr_1" })),
  );
  expect(
    jobs
      .map(({ chatId }) => world.replica.chat(chatId))
      .map(({ missionId, runNumber, options }) => [missionId, runNumber, options.title]),
  ).toEqual([
    [MISSION, 1, "Report #1"],
    [MISSION, 2, "Report #2"],
  ]);
  expect(world.runs().map(({ jobId, number }) => [jobId, number])).toEqual(jobs.map(({ id }, i) => [id, i + 1]));
});

test("[MIS-8] a run gets the goal, the open tasks and the last results", async () => {
  const world = await startMissions();
  unwrap(await world.create(HOURLY));
  const task = await world.addTask("Ask Ada");
  await world.advance(HOUR_MS + MINUTE_MS);
  await world.settled();
  await world.advance(HOUR_MS);
  await world.settled();
  const [first, second] = world.jobs().map(({ input }) => input);
  expect(first).toBe(
    [
      'This is run 1 of the mission "Report", scheduled for 2026-01-01T01:00:00.000Z.',
      "Goal:\nWrite the report",
      `Open tasks:\n- ${task.id} (pending, medium): Ask Ada`,
    ].join("\n\n"),
  );
  expect(second).toContain("Last results, oldest first:\nRun 1 (succeeded): echo: This is run 1");
});

test("[MIS-1] a one-time mission is completed after its run", async () => {
  const world = await startMissions();
  unwrap(await world.create({ type: "once", value: "2026-01-01T06:00", timezone: "Asia/Kathmandu" }));
  expect(world.mission()).toMatchObject({
    schedule: { value: "2026-01-01T00:15:00.000Z" },
    scheduleText: "Once at 2026-01-01 06:00, Asia/Kathmandu",
  });
  await world.advance(16 * MINUTE_MS);
  await world.settled();
  expect(world.mission()).toMatchObject({ status: "completed", next: null, runCount: 1 });
  expect(world.emitted().filter((type) => type.startsWith("mission."))).toEqual([
    "mission.started",
    "mission.completed",
  ]);
});

test("[MIS-1] a mission is completed after max_runs", async () => {
  const world = await startMissions();
  unwrap(await world.create({ ...HOURLY, maxRuns: 2 }));
  await world.advance(5 * HOUR_MS);
  await world.settled();
  expect(world.mission()).toMatchObject({ status: "completed", runCount: 2 });
});

test("[MIS-1] a mission fires only from start_at on and is completed after end_at", async () => {
  const world = await startMissions();
  unwrap(await world.create({ ...HOURLY, startAt: "2026-01-01T02:00:00.000Z", endAt: "2026-01-01T03:00:00.000Z" }));
  await world.advance(6 * HOUR_MS);
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T02:00 schedule succeeded", "2026-01-01T03:00 schedule succeeded"]);
  expect(world.mission().status).toBe("completed");
});

test("[MIS-1] a mission without a schedule is completed after end_at", async () => {
  const world = await startMissions();
  unwrap(await world.create({ endAt: "2026-01-01T02:00:00.000Z" }));
  await world.advance(HOUR_MS);
  expect(world.mission().status).toBe("pending");
  await world.advance(HOUR_MS + MINUTE_MS);
  expect(world.mission().status).toBe("completed");
});

test("[MIS-1] a continuous mission runs again after each run, with its pause between", async () => {
  const world = await startMissions();
  unwrap(await world.create({ type: "continuous", value: "PT5M" }));
  expect(world.mission().scheduleText).toBe("Continuously, 5 minutes after each run");
  await world.advance(1_000);
  await world.settled();
  expect(world.mission()).toMatchObject({ status: "pending", runCount: 1 });
  await world.advance(4 * MINUTE_MS);
  expect(world.mission().runCount).toBe(1);
  await world.advance(61_000);
  await world.settled();
  expect(world.mission().runCount).toBe(2);
  expect(world.runs().map(({ trigger }) => trigger)).toEqual(["continuous", "continuous"]);
});

test("[MIS-1] [MIS-10] a mission fails after 3 failures in a row, with a growing pause before each", async () => {
  const world = await startMissions();
  world.model.script = () => [{ fail: { code: "provider_error", message: "The provider is down" } }];
  unwrap(await world.create({ type: "cron", value: "* * * * *" }));
  await world.advance(15 * MINUTE_MS);
  await world.settled();
  expect(world.ledger()).toEqual([
    "2026-01-01T00:01 schedule failed",
    "2026-01-01T00:02 schedule failed",
    "2026-01-01T00:03 schedule missed ×4",
    "2026-01-01T00:07 catchup failed",
  ]);
  expect(world.mission()).toMatchObject({
    status: "failed",
    failedReason: "consecutive_failures",
    consecutiveFailures: 3,
    next: null,
  });
  expect(world.runs().at(-1)?.error).toEqual({ code: "provider_error", message: "The provider is down" });
  expect(world.emitted().filter((type) => /^mission\.(failed|run_skipped)$/.test(type))).toEqual([
    "mission.run_skipped",
    "mission.failed",
  ]);
});

test("[MIS-1] a successful run resets the count of failures", async () => {
  const world = await startMissions();
  let calls = 0;
  world.model.script = () =>
    calls++ === 2 ? [{ say: "done" }] : [{ fail: { code: "provider_error", message: "down" } }];
  unwrap(await world.create(HOURLY));
  await world.advance(5 * HOUR_MS + MINUTE_MS);
  await world.settled();
  expect(world.runs().map(({ outcome }) => outcome)).toEqual(["failed", "failed", "succeeded", "failed", "failed"]);
  expect(world.mission()).toMatchObject({ status: "pending", consecutiveFailures: 2 });
});

test("[MIS-11] jitter delays a fire by less than its bound, the same for the same time", async () => {
  const delays = async (): Promise<number[]> => {
    const world = await startMissions();
    unwrap(await world.create({ ...HOURLY, jitterSeconds: 600 }));
    await world.advance(5 * HOUR_MS + 11 * MINUTE_MS);
    await world.settled();
    return world.runs().map(({ scheduledAt, firedAt }) => Date.parse(firedAt ?? "") - Date.parse(scheduledAt ?? ""));
  };
  const first = await delays();
  expect(first).toHaveLength(5);
  expect(new Set(first).size).toBeGreaterThan(3);
  for (const delay of first) expect(delay).toBeWithin(0, 600_001);
  expect(await delays()).toEqual(first);
});

test("[MIS-10] a paused mission does not fire, and its ledger lists the times that passed", async () => {
  const world = await startMissions();
  unwrap(await world.create(HOURLY));
  unwrap(await world.update({ status: "paused", pausedReason: "holidays" }));
  await world.advance(3 * HOUR_MS + MINUTE_MS);
  expect(world.mission()).toMatchObject({ status: "paused", pausedReason: "holidays", next: null });
  unwrap(await world.update({ status: "pending" }));
  expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule skipped_paused ×3"]);
  await world.advance(HOUR_MS);
  await world.settled();
  expect(world.ledger()).toEqual([
    "2026-01-01T01:00 schedule skipped_paused ×3",
    "2026-01-01T04:00 schedule succeeded",
  ]);
  expect(world.emitted().filter((type) => type.startsWith("mission."))).toEqual([
    "mission.paused",
    "mission.run_skipped",
    "mission.resumed",
    "mission.started",
  ]);
});

test("[MIS-1] a running job outlives the pause of its mission", async () => {
  const world = await startMissions();
  const { hold, open } = gate();
  world.model.script = () => [{ hold }, { say: "done" }];
  unwrap(await world.create(HOURLY));
  await world.advance(HOUR_MS + 1_000);
  unwrap(await world.update({ status: "paused" }));
  open();
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule succeeded"]);
  expect(world.mission().status).toBe("paused");
});

test("[MIS-1] a mission whose agent is archived fails, and cannot run until it has another", async () => {
  const world = await startMissions();
  unwrap(await world.create(HOURLY));
  unwrap(await world.ask({ kind: "agent_changed", agentId: "agt_1", isGone: true }));
  expect(world.mission()).toMatchObject({ status: "failed", failedReason: "agent_unavailable", next: null });
  const refused = await world.update({ status: "pending" });
  expect(refused).toMatchObject({
    ok: false,
    fault: { kind: "invalid_state", status: "failed", allowedActions: ["pause", "update", "change_tasks", "delete"] },
  });
  unwrap(await world.update({ agentId: "agt_2", status: "pending" }));
  expect(world.mission()).toMatchObject({ status: "pending", agentId: "agt_2", isAgentGone: false });
});

test("[MIS-1] a mission fails if its agent is gone when it fires", async () => {
  const world = await startMissions();
  unwrap(await world.create(HOURLY));
  world.agent = { ok: false, fault: { kind: "not_found", noun: "agent" } };
  await world.advance(HOUR_MS + MINUTE_MS);
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule failed"]);
  expect(world.mission()).toMatchObject({ status: "failed", failedReason: "agent_unavailable", runCount: 0 });
});

test("[MIS-12] a mission whose workspace is gone fails when it fires, or at once when it is notified", async () => {
  const world = await startMissions();
  unwrap(await world.create(HOURLY));
  unwrap(await world.create(HOURLY, {}, "mis_2"));
  unwrap(await world.replica.system.dispatch(workspaceRef(ORG, WORKSPACE), { kind: "delete_workspace" }));
  unwrap(await world.ask({ kind: "workspace_deleted", workspaceId: WORKSPACE }, "mis_2"));
  unwrap(await world.ask({ kind: "workspace_deleted", workspaceId: "wsp_other" }));
  expect(world.mission().status).toBe("pending");
  await world.advance(HOUR_MS + MINUTE_MS);
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule failed"]);
  const gone = { status: "failed", failedReason: "workspace_deleted", isWorkspaceGone: true, next: null };
  expect(world.mission()).toMatchObject({ ...gone, runCount: 0 });
  expect(world.mission("mis_2")).toMatchObject(gone);
  unwrap(await world.update({ workspaceId: "wsp_2", status: "pending" }));
  expect(world.mission()).toMatchObject({ status: "pending", isWorkspaceGone: false });
});

test("[MIS-1] a mission fails when its creator has left the organization", async () => {
  const world = await startMissions();
  unwrap(await world.create(HOURLY));
  const { system } = world.replica;
  const organization = { kind: "organization", organizationId: "org_a", id: "org_a" } as const;
  const successor = {
    kind: "add_member",
    userId: "usr_2",
    name: "Other",
    email: "o@example.com",
    role: "owner",
  } as const;
  unwrap(await system.dispatch(organization, successor));
  unwrap(await system.dispatch(organization, { kind: "remove_member", userId: "usr_1" }));
  await world.advance(HOUR_MS + MINUTE_MS);
  await world.settled();
  expect(world.mission()).toMatchObject({ status: "failed", failedReason: "creator_removed" });
});

test("[MIS-5] a fire without budget is skipped and is not a failure", async () => {
  const world = await startMissions();
  unwrap(await world.create(HOURLY));
  const usage = { kind: "usage", organizationId: "org_a", id: "usage" } as const;
  unwrap(await world.replica.system.dispatch(usage, { kind: "set_budget", limit: { kind: "tokens", tokens: 5 } }));
  await world.advance(2 * HOUR_MS + MINUTE_MS);
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule succeeded", "2026-01-01T02:00 schedule skipped_budget"]);
  expect(world.mission()).toMatchObject({ status: "pending", consecutiveFailures: 0, runCount: 1 });
});

test("[MIS-1] a mission that is resumed has no failures, and no pause after one", async () => {
  const world = await startMissions();
  world.model.script = () => [{ fail: { code: "provider_error", message: "down" } }];
  unwrap(await world.create({ type: "cron", value: "* * * * *" }));
  await world.advance(2 * MINUTE_MS + 1_000);
  await world.settled();
  expect(world.mission()).toMatchObject({ consecutiveFailures: 2, retryAt: expect.any(String) });
  unwrap(await world.update({ status: "paused" }));
  unwrap(await world.update({ status: "pending" }));
  expect(world.mission()).toMatchObject({ consecutiveFailures: 0, retryAt: null });
  await world.advance(MINUTE_MS);
  await world.settled();
  expect(world.ledger().at(-1)).toBe("2026-01-01T00:03 schedule failed");
  expect(world.mission()).toMatchObject({ status: "pending", consecutiveFailures: 1 });
});

test.each(["a change of its goal", "the end of its run before"] as const)(
  "[MIS-11] a time whose jitter has not passed yet outlives %s",
  async (event) => {
    const world = await startMissions();
    const { hold, open } = gate();
    world.model.script = () => (event === "a change of its goal" ? [{ say: "done" }] : [{ hold }, { say: "done" }]);
    unwrap(await world.create({ ...HOURLY, jitterSeconds: 3_600 }));
    const due = (hour: number): number => {
      const timeMs = Date.parse(`2026-01-01T0${hour}:00:00.000Z`);
      return timeMs + jitterMs(MISSION, timeMs, HOUR_MS);
    };
    await world.advance(due(1) - world.world.clock.now() + 1_000);
    await world.advance(Date.parse("2026-01-01T02:00:00.000Z") - world.world.clock.now() + 1_000);
    expect(due(2)).toBeGreaterThan(world.world.clock.now());
    if (event === "a change of its goal") unwrap(await world.update({ goal: "Another goal" }));
    open();
    await world.settled();
    await world.advance(due(2) - world.world.clock.now() + 1_000);
    await world.settled();
    expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule succeeded", "2026-01-01T02:00 schedule succeeded"]);
  },
);

test("[MIS-1] a change of a continuous mission does not shorten the pause between its runs", async () => {
  const world = await startMissions();
  unwrap(await world.create({ type: "continuous", value: "PT5M" }));
  await world.advance(1_000);
  await world.settled();
  unwrap(await world.update({ goal: "Another goal" }));
  await world.advance(4 * MINUTE_MS);
  expect(world.mission().runCount).toBe(1);
});
