/** Starts runs and task work for a caller: the mission's turn, the chat and the job in one commit. */
import { assert } from "../../../actors/assert.ts";
import { mapped, ok, type Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import { jobRef } from "../../../actors/job/schema.ts";
import { refusalOf, without } from "../../../actors/mission/access.ts";
import type { JobIds, MissionChanges, MissionReplies } from "../../../actors/mission/protocol.ts";
import { type Mission, missionRef } from "../../../actors/mission/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { followed, following, type GroupMember } from "../../../actors/runtime/turns/members.ts";
import { ask } from "../../../actors/troupe.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import { accepted, type Change, type Commit, done } from "../../http/commit/commit.ts";
import type { Services } from "../../operations/services.ts";
import { runJob, taskJob } from "../../work/missions.ts";
import { type PreparedWork, prepareWork } from "../../work/prepared-work.ts";
import { jobView } from "../jobs/view.ts";
import { askerOf, missionRunView, missionTaskView, missionView } from "./view.ts";

type Committing = Promise<Outcome<Commit>>;

/** A mission that the caller may see. */
export const readMission = ({ system }: Services, principal: Principal, id: string): Promise<Outcome<Mission>> =>
  system.dispatch(missionRef(principal.organizationId, id), { kind: "read_mission", by: askerOf(principal) });

const newIds = (): JobIds => ({ jobId: newId("job"), chatId: newId("cht") });

/** Prepares the agent's work. First it checks that the caller may use the verb on the mission now. */
async function prepared(
  services: Services,
  principal: Principal,
  {
    mission,
    agent,
    action,
  }: { readonly mission: Mission; readonly agent: string; readonly action: "run" | "change_tasks" },
): Promise<Outcome<PreparedWork>> {
  const by = askerOf(principal);
  const refused = refusalOf(mission, by, action);
  if (refused !== null) return refused;
  const place = workspaceRef(principal.organizationId, mission.workspaceId);
  const workspace = await services.system.dispatch(place, { kind: "read_workspace" });
  if (!workspace.ok) return workspace.fault.kind === "not_found" ? without("workspace", mission, by) : workspace;
  const work = await prepareWork(services, { by: principal, agent });
  return !work.ok && work.fault.kind === "not_found" ? without("agent", mission, by) : work;
}

/** `POST …/run`. */
export async function runMission(services: Services, change: Change, mission: Mission): Committing {
  const { principal, requestId } = change;
  const work = await prepared(services, principal, { mission, agent: mission.agentId, action: "run" });
  if (!work.ok) return work;
  const ids = newIds();
  const ref = missionRef(principal.organizationId, mission.id);
  return change.commit(
    followed(ask(ref, { kind: "run_now", by: askerOf(principal), ids }), ({ brief }) =>
      brief === null ? null : runJob(work.value, ids, brief, requestId),
    ),
    ({ mission: after, brief }, [, job]) =>
      accepted({
        mission: missionView(after, principal, services.calendar),
        run: brief === null ? null : missionRunView(brief.run),
        job: job === undefined || job === null ? null : jobView(job, principal),
      }),
  );
}

/**
 * `PATCH {"status": "running"}`, with or without other changes: applies the changes, then starts the run, in one
 * commit. `there` checks that the records which the changes name still exist.
 */
export async function updateAndRun(
  services: Services,
  change: Change,
  mission: Mission,
  {
    changes,
    version,
    there,
  }: { readonly changes: MissionChanges; readonly version: number | null; readonly there: readonly GroupMember[] },
): Committing {
  const { principal, requestId } = change;
  const { agentId = mission.agentId, workspaceId = mission.workspaceId } = changes;
  const asked: Mission = {
    ...mission,
    schedule: { ...mission.schedule, ...changes.schedule },
    workspaceId,
    isAgentGone: changes.agentId === undefined && mission.isAgentGone,
    isWorkspaceGone: changes.workspaceId === undefined && mission.isWorkspaceGone === true,
  };
  const work = await prepared(services, principal, { mission: asked, agent: agentId, action: "run" });
  if (!work.ok) return work;
  const ids = newIds();
  const by = askerOf(principal);
  const ref = missionRef(principal.organizationId, mission.id);
  const { status: _, ...settings } = changes;
  const update = ask(ref, { kind: "update_mission", by, changes: settings, version });
  const updating = following([update, ask(ref, { kind: "run_now", by, ids })], ([, { brief }]) =>
    brief === null ? null : runJob(work.value, ids, brief, requestId),
  );
  return change.commit([...updating, ...there], (_reply, [, run]) =>
    done(missionView(run.mission, principal, services.calendar)),
  );
}

/** `POST …/tasks/{taskId}/start-work`. */
export async function startMissionTask(
  services: Services,
  change: Change,
  { mission, task }: MissionReplies["read_task"],
): Committing {
  const { principal, requestId } = change;
  const agent = await agentFor(services, principal, { assignedTo: task.assignedTo, otherwise: mission.agentId });
  if (!agent.ok) return agent;
  const work = await prepared(services, principal, { mission, agent: agent.value, action: "change_tasks" });
  if (!work.ok) return work;
  const ids = newIds();
  const ref = missionRef(principal.organizationId, mission.id);
  const beginning = followed(ask(ref, { kind: "start_task", by: askerOf(principal), taskId: task.id, ids }), (brief) =>
    taskJob(work.value, ids, brief, requestId),
  );
  return change.commit(
    following(beginning, ([{ content, task: active }]) =>
      content === null && active.jobId !== null
        ? ask(jobRef(principal.organizationId, active.jobId), { kind: "read_job" })
        : null,
    ),
    (brief, [, begun, active]) => {
      const started = begun ?? active ?? null;
      assert(started !== null, "a task that is worked on has a job");
      const job = jobView(started, principal);
      const body = { job, task: missionTaskView(brief.mission, brief.task, principal) };
      // Nothing was started, so nothing has changed.
      return brief.content === null ? { ...done(body), emits: null } : accepted(body);
    },
  );
}

/** The agent that the task is assigned to, if this caller may use it. */
async function agentFor(
  { agents }: Services,
  principal: Principal,
  { assignedTo, otherwise }: { readonly assignedTo: string | null; readonly otherwise: string },
): Promise<Outcome<string>> {
  if (assignedTo === null || !assignedTo.startsWith("agt_")) return ok(otherwise);
  const found = await agents.find(principal, assignedTo);
  if (!found.ok && found.fault.kind === "not_found") return ok(otherwise);
  return mapped(found, ({ id }) => id);
}
