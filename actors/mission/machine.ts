/**
 * The states of a mission (MIS-1), as a pure and total table: status × trigger → next status, or null where
 * the trigger is refused. `allowed_actions`, the 409s and `GET /api/state-machines` come from it.
 *
 *   pending ──fire, run──▶ running ──settle──▶ pending
 *      │                      │ └──complete──▶ completed ◀──complete── pending
 *      │ pause                │ pause
 *      ▼                      ▼
 *    paused ──resume──▶ pending ◀──resume── failed ◀──fail── pending, running, paused
 *
 * `settle` is the end of the last open run while more fires are possible. A running job outlives a pause.
 */
import { assert } from "../assert.ts";
import { hasNoRunsLeft } from "./schedule.ts";
import { type Mission, type MissionStatus, OPEN_RUNS } from "./schema.ts";

export const MISSION_TRIGGERS = [
  "fire",
  "settle",
  "complete",
  "fail",
  "run",
  "pause",
  "resume",
  "update",
  "change_tasks",
  "delete",
] as const;
export type MissionTrigger = (typeof MISSION_TRIGGERS)[number];

/** The triggers that callers have a verb for; `change_tasks` covers everything about its tasks. */
export const MISSION_ACTIONS = [
  "run",
  "pause",
  "resume",
  "update",
  "change_tasks",
  "delete",
] as const satisfies readonly MissionTrigger[];
export type MissionAction = (typeof MISSION_ACTIONS)[number];

export const MISSION_MACHINE: Readonly<Record<MissionStatus, Readonly<Record<MissionTrigger, MissionStatus | null>>>> =
  {
    pending: {
      fire: "running",
      settle: null,
      complete: "completed",
      fail: "failed",
      run: "running",
      pause: "paused",
      resume: null,
      update: "pending",
      change_tasks: "pending",
      delete: "pending",
    },
    running: {
      fire: "running",
      settle: "pending",
      complete: "completed",
      fail: "failed",
      run: "running",
      pause: "paused",
      resume: null,
      update: "running",
      change_tasks: "running",
      delete: "running",
    },
    paused: {
      fire: null,
      settle: null,
      complete: null,
      fail: "failed",
      run: null,
      pause: null,
      resume: "pending",
      update: "paused",
      change_tasks: "paused",
      delete: "paused",
    },
    failed: {
      fire: null,
      settle: null,
      complete: null,
      fail: null,
      run: null,
      pause: "paused",
      resume: "pending",
      update: "failed",
      change_tasks: "failed",
      delete: "failed",
    },
    completed: {
      fire: null,
      settle: null,
      complete: null,
      fail: null,
      run: null,
      pause: null,
      resume: null,
      update: null,
      change_tasks: null,
      delete: "completed",
    },
  };

/** The status after the trigger, or null where it is refused. */
export const missionStatusAfter = (status: MissionStatus, trigger: MissionTrigger): MissionStatus | null =>
  MISSION_MACHINE[status][trigger];

/** The status after a trigger that the caller knows to be allowed. */
export function movedMissionStatus({ status }: Pick<Mission, "status">, trigger: MissionTrigger): MissionStatus {
  const next = missionStatusAfter(status, trigger);
  assert(next !== null, `a ${status} mission can ${trigger}`);
  return next;
}

/** Whether the schedule is active: its times fire, or are decided about. */
export const isActive = ({ status }: Pick<Mission, "status">): boolean => missionStatusAfter(status, "fire") !== null;

/** What a mission needs in order to run: its agent and its workspace. */
type Ground = Pick<Mission, "isAgentGone" | "isWorkspaceGone">;
export const canWork = ({ isAgentGone, isWorkspaceGone = false }: Ground): boolean => !isAgentGone && !isWorkspaceGone;

type MissionStanding = Pick<Mission, "status" | "openRuns" | "buffered" | "schedule" | "runCount"> & Ground;

/** Whether another run may begin or wait now, given the open runs (MIS-4). */
export function hasRoom({ openRuns, buffered, schedule: { overlap } }: MissionStanding): boolean {
  if (openRuns.length === 0) return true;
  switch (overlap) {
    case "skip":
      return false;
    case "buffer_one":
      return buffered === null;
    case "cancel_other":
      return true;
    case "allow_all":
      return openRuns.length < OPEN_RUNS;
  }
}

/** The verbs that a caller may use now. Nothing runs without the agent and the workspace. */
export const allowedMissionActions = (mission: MissionStanding): readonly MissionAction[] =>
  MISSION_ACTIONS.filter((action) => {
    if (missionStatusAfter(mission.status, action) === null) return false;
    if (action === "run") return canWork(mission) && hasRoom(mission) && !hasNoRunsLeft(mission);
    return action !== "resume" || canWork(mission);
  });
