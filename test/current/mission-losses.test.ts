/** Missions that lose what they need: their agent, their workspace, their creator (MIS-1, MIS-12). */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { missionRef } from "../../actors/mission/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { beforeCommitOf } from "../support/between.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { type Mission, MissionClient } from "../support/mission-client.ts";
import { sceneOfFile } from "../support/scene.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { createAgent } from "../support/v1.ts";

let missions: MissionClient;

const clock = new ShiftedClock();
const { service, owner } = sceneOfFile({ clock });
beforeAll(async () => void (missions = await MissionClient.of(service, owner)));
beforeEach(() => void (service.model.script = () => [{ say: "done" }]));

test("[MIS-1] without its agent a mission fails at once, and its allowed actions show what remains possible", async () => {
  const gone = await createAgent(service, owner);
  const { id } = await missions.create({ agent_id: gone, schedule: { type: "cron", value: "@yearly" } });
  await answered(missions.client.call("DELETE", `/api/agents/${gone}`));
  const mission = await missions.becomes(id, ({ status }) => status === "failed");
  expect(mission).toMatchObject({
    failed_reason: "agent_unavailable",
    allowed_actions: ["pause", "update", "change_tasks", "delete"],
    schedule: { next_run_at: null, upcoming_runs_at: [] },
  });
  expect(await refused(missions.patch(id, { status: "pending" }), 409, "invalid_state")).toMatchObject({
    allowed_actions: mission.allowed_actions,
  });
  await refused(missions.client.call("POST", `/api/missions/${id}/run`), 409, "invalid_state");
  await refused(
    missions.client.call("POST", "/api/missions", { title: "M", goal: "g", agent_id: gone }),
    404,
    "not_found",
  );
  expect(await answered<Mission>(missions.patch(id, { status: "pending", agent_id: missions.agent }))).toMatchObject({
    status: "pending",
    agent_id: missions.agent,
  });
});

test("[MIS-1] a mission of a library agent fails when it is uninstalled, and may continue when it is restored", async () => {
  const { agents } = await missions.client.get<{ agents: { id: string; source: string }[] }>("/api/agents?limit=100");
  const library = agents.find(({ source }) => source === "library")?.id ?? "";
  const state = (action: string) =>
    answered(missions.client.call("PATCH", `/api/agents/${library}/install-state`, { action }));
  await state("install");
  const { id } = await missions.create({ agent_id: library });
  await state("uninstall");
  await missions.becomes(id, ({ status }) => status === "failed");
  await state("restore");
  await missions.becomes(id, ({ allowed_actions: actions }) => actions.includes("resume"));
  expect(await answered<Mission>(missions.patch(id, { status: "pending" }))).toMatchObject({
    status: "pending",
    failed_reason: null,
  });
});

/** What fires a few seconds from now: a schedule, and its time, which comes at once. */
const soon = () => ({ type: "once", value: new Date(clock.now() + 5_000).toISOString() });
async function fire(id: string): Promise<void> {
  await clock.shift(5_000);
  expect((await service.system.dispatch(missionRef(owner.organizationId, id), { kind: "fire_due" })).ok).toBe(true);
}

test("[MIS-1] a mission whose creator is removed fails at its next fire", async () => {
  const member = await service.join(owner.organizationId);
  const mate = new Client(service, member);
  const body = { title: "Left", goal: "g", agent_id: missions.agent, schedule: soon() };
  const { id } = await answered<Mission>(mate.call("POST", "/api/missions", body), 201);
  const command = { kind: "remove_member", userId: member.userId } as const;
  expect((await service.system.dispatch(organizationRef(owner.organizationId), command)).ok).toBe(true);
  await fire(id);
  const mission = await missions.becomes(id, ({ status }) => status === "failed");
  expect(mission["failed_reason"]).toBe("creator_removed");
  await fire(id);
});

const workspace = async (name: string): Promise<string> =>
  (await answered<{ id: string }>(missions.client.call("POST", "/api/workspaces", { name }), 201)).id;

test("[MIS-12] a mission whose workspace is deleted fails at once, and says so until it has another", async () => {
  const gone = await workspace("Gone");
  const made = await missions.create({ workspace_id: gone, schedule: { type: "cron", value: "@yearly" } });
  const paused = await missions.create({ workspace_id: gone });
  await answered(missions.patch(paused.id, { status: "paused" }));
  const other = await missions.create();
  const task = await missions.addTask(made.id, { title: "Ask" });
  await answered(missions.client.call("DELETE", `/api/workspaces/${gone}`));
  const mission = await missions.becomes(made.id, ({ status }) => status === "failed");
  expect(mission).toMatchObject({
    failed_reason: "workspace_deleted",
    allowed_actions: ["pause", "update", "change_tasks", "delete"],
    schedule: { next_run_at: null, upcoming_runs_at: [] },
    tasks: [{ allowed_actions: expect.not.arrayContaining(["start_work"]) }],
  });
  await missions.becomes(paused.id, ({ status }) => status === "failed");
  expect(await missions.read(other.id)).toMatchObject({
    status: "pending",
    allowed_actions: expect.arrayContaining(["run"]),
  });
  for (const refusal of [
    missions.patch(made.id, { status: "pending" }),
    missions.client.call("POST", `/api/missions/${made.id}/run`),
    missions.patch(made.id, { status: "running" }),
    missions.client.call("POST", `/api/missions/${made.id}/tasks/${task.id}/start-work`),
  ]) {
    const answer = await refusal;
    const { message } = (await answer.clone().json()) as { message: string };
    expect(await refused(Promise.resolve(answer), 409, "invalid_state")).toMatchObject({
      allowed_actions: mission.allowed_actions,
    });
    expect(message).toBe(
      message.startsWith("A mission that is failed")
        ? "A mission that is failed cannot run"
        : "The mission's workspace was deleted; set another one with `workspace_id`",
    );
  }
  const there = await workspace("There");
  expect(await answered<Mission>(missions.patch(made.id, { status: "pending", workspace_id: there }))).toMatchObject({
    status: "pending",
    failed_reason: null,
    allowed_actions: expect.arrayContaining(["run"]),
  });
});

test("[MIS-12] a fire that finds its workspace deleted is a failed run in the ledger, and no job", async () => {
  const gone = await workspace("Gone before");
  const { id } = await missions.create({ workspace_id: gone, schedule: soon() });
  // Without its news, as where a fire comes between the deletion and them.
  const ref = { kind: "workspace", organizationId: owner.organizationId, id: gone } as const;
  expect((await service.system.dispatch(ref, { kind: "delete_workspace" })).ok).toBe(true);
  await fire(id);
  expect(await missions.becomes(id, ({ status }) => status === "failed")).toMatchObject({
    failed_reason: "workspace_deleted",
    last_run: { outcome: "failed", job_id: null, error: { code: "workspace_deleted" } },
  });
  expect(await missions.runs(id)).toMatchObject([{ outcome: "failed", job_id: null }]);
});

/** Commands that give a mission its agent and workspace. */
const MAKING = ["create_mission", "update_mission"];

/** Deletes what a mission is to have between the look at it and the commit. */
const losing = (path: string): void =>
  beforeCommitOf(service.system, MAKING, () => answered(missions.client.call("DELETE", path)));
const losses = [
  { rule: "MIS-1", noun: "agent", make: () => createAgent(service, owner) },
  { rule: "MIS-12", noun: "workspace", make: () => workspace("Going") },
] as const;

describe.each(losses)("[$rule] a mission whose $noun is deleted just before the commit", ({ noun, make }) => {
  const given = async (): Promise<Json> => {
    const id = await make();
    losing(`/api/${noun}s/${id}`);
    return { [`${noun}_id`]: id };
  };
  const isGone = (asked: Promise<Response>): Promise<unknown> => refused(asked, 404, "not_found");

  test("is not made", async () => {
    const body = { title: "M", goal: "g", agent_id: missions.agent, ...(await given()) };
    await isGone(missions.client.call("POST", "/api/missions", body));
  });

  test("does not get it by a change", async () => {
    const { id } = await missions.create();
    await isGone(missions.patch(id, await given()));
    await isGone(missions.patch(id, { status: "running", ...(await given()) }));
    expect(await missions.read(id)).toMatchObject({ version: 1, status: "pending" });
  });
});
