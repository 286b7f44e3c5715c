/**
 * Stores a mission and announces its changes. Each change appends an event to the mission's stream, which wakes long
 * polls (GEN-6). Each change that HOOK-4 names also sends a message to the webhook actor in the same commit, whatever
 * caused it.
 */
import type { Tx } from "../runtime/actor.ts";
import type { JsonObject } from "../schema.ts";
import { type EVENT_FAMILIES, sendNews } from "../webhook/events.ts";
import { type Mission, type MissionRun, missionTable, type MissionTask } from "./schema.ts";

type MissionEvent = `mission.${(typeof EVENT_FAMILIES.mission)[number]}`;
type TaskEvent = `mission_task.${(typeof EVENT_FAMILIES.mission_task)[number]}`;

/** Stores the mission as this turn leaves it. */
export function keepMission(tx: Tx, mission: Mission): Mission {
  tx.append("mission.changed", { status: mission.status });
  return tx.update(missionTable, mission);
}

export function tellMission(tx: Tx, mission: Mission, type: MissionEvent, data: JsonObject): void {
  const { id, title, status, agentId, workspaceId } = mission;
  tellMissionEvent(tx, mission, { type, data: { id, title, status, agentId, workspaceId, ...data } });
}

export function tellTask(tx: Tx, mission: Mission, task: MissionTask, type: TaskEvent): void {
  const { id, title, status, jobId } = task;
  tellMissionEvent(tx, mission, { type, data: { id, missionId: mission.id, title, status, jobId } });
}

/** Announces times of the schedule that did not become a run. */
export function tellSkipped(tx: Tx, mission: Mission, { id: runId, outcome, scheduledAt, count }: MissionRun): void {
  tellMission(tx, mission, "mission.run_skipped", { runId, outcome, scheduledAt, count });
}

function tellMissionEvent(
  tx: Tx,
  mission: Mission,
  { type, data }: { readonly type: MissionEvent | TaskEvent; readonly data: JsonObject },
): void {
  const path = `/api/missions/${mission.id}`;
  const isTask = type.startsWith("mission_task.");
  const id = isTask ? String(data["id"]) : mission.id;
  sendNews(tx, {
    type,
    actor: { type: "agent", id: mission.agentId },
    resource: {
      type: isTask ? "mission_task" : "mission",
      id,
      path: isTask ? `${path}/tasks/${id}` : path,
      version: tx.versionAfter(missionTable, mission.id),
    },
    data,
  });
}
