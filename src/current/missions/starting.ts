/** Starting runs and task work for a caller: the mission's turn, the chat and the job in one commit. */
import type { Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import { refusalOf, refuseLoss } from "../../../actors/mission/access.ts";
import type { JobIds, MissionChanges } from "../../../actors/mission/protocol.ts";
import { type Mission, missionRef } from "../../../actors/mission/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { following, type GroupMember } from "../../../actors/runtime/turns/members.ts";
import { ask } from "../../../actors/troupe.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import { type Change, type Committing, done } from "../../http/commit/commit.ts";
import type { Services } from "../../operations/services.ts";
import { runJob } from "../../work/missions.ts";
import { type PreparedWork, prepareWork } from "../../work/prepared-work.ts";
import { askerOf, missionView } from "./view.ts";

/** A mission that the caller may see. */
export const readMission = ({ system }: Services, principal: Principal, id: string): Promise<Outcome<Mission>> =>
  system.dispatch(missionRef(principal.organizationId, id), { kind: "read_mission", by: askerOf(principal) });

export const newIds = (): JobIds => ({ jobId: newId("job"), chatId: newId("cht") });

/** Prepares the agent's work. First it checks that the caller may use the verb on the mission now. */
export async function prepareRun(
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
  if (!workspace.ok) return workspace.fault.kind === "not_found" ? refuseLoss("workspace", mission, by) : workspace;
  const work = await prepareWork(services, { by: principal, agent });
  return !work.ok && work.fault.kind === "not_found" ? refuseLoss("agent", mission, by) : work;
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
  const work = await prepareRun(services, principal, { mission: asked, agent: agentId, action: "run" });
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
