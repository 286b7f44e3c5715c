/**
 * Long-running work on a task of a mission (MIS-7): the start of its job, and the effect of the job's end on the task.
 */
import { ok, type Outcome, refuse } from "../fault.ts";
import { taskStatusVerbs as statusVerbs } from "../organization/task-machine.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { lossOf, permittedMission, refuseLoss } from "./access.ts";
import { taskContent } from "./context.ts";
import { canWork } from "./machine.ts";
import { keepMission, tellTask } from "./news.ts";
import type { MissionCommand, TaskBrief } from "./protocol.ts";
import type { Mission, MissionTask } from "./schema.ts";
import { blockersOf, findTask, replaceTask, stampedTask } from "./task-list.ts";

export type MissionCommandOf<K extends MissionCommand["kind"]> = Extract<MissionCommand, { readonly kind: K }>;

/** The allowed verbs of a task; `start_work` needs an agent, no job in progress, and all of the task's dependencies done. */
export function taskVerbs(mission: Mission, task: MissionTask): readonly string[] {
  const isWaiting = task.status === "pending" || (task.status === "in_progress" && task.jobId === null);
  const mayStart = isWaiting && canWork(mission) && blockersOf(mission, task).length === 0;
  return [...statusVerbs(task.status), ...(mayStart ? ["start_work"] : [])];
}

export function startTask(tx: Tx, { by, taskId, ids }: MissionCommandOf<"start_task">): Outcome<TaskBrief> {
  const allowed = permittedMission(tx, by, "change_tasks");
  if (!allowed.ok) return allowed;
  const mission = allowed.value;
  const present = findTask(mission, taskId);
  if (!present.ok) return present;
  const { task } = present.value;
  if (task.status === "in_progress" && task.jobId !== null) return ok({ mission, task, content: null });
  const loss = lossOf(mission);
  if (loss !== null) return refuseLoss(loss, mission, by);
  const refused = refusedStart(mission, task);
  if (refused !== null) return refused;
  const started = stampedTask(tx, { ...task, status: "in_progress", jobId: ids.jobId });
  tellTask(tx, mission, started, "mission_task.started");
  const kept = keepMission(tx, replaceTask(mission, started));
  return ok({ mission: kept, task: started, content: taskContent(kept, started) });
}

function refusedStart(mission: Mission, task: MissionTask): Outcome<never> | null {
  const blockers = blockersOf(mission, task);
  const message =
    task.status === "completed" || task.status === "cancelled"
      ? `A task that is ${task.status} cannot be worked on`
      : `The task depends on ${blockers.map(({ id }) => id).join(", ")}, which must be completed first`;
  if (blockers.length === 0 && (task.status === "pending" || task.status === "in_progress")) return null;
  return refuse({ kind: "invalid_state", status: task.status, allowedActions: taskVerbs(mission, task), message });
}

/** The task after the end of a job that works on it, or of a job that continues that one. */
export function taskEnded(tx: Tx, mission: Mission, { taskId, jobId, status }: MissionCommandOf<"job_ended">): Mission {
  const task = mission.tasks.find(({ id }) => id === taskId);
  if (task === undefined) return mission;
  const isOpen = task.status === "pending" || task.status === "in_progress";
  if (status === "completed" && isOpen) {
    const done = stampedTask(tx, { ...task, status: "completed", jobId, completedAt: isoTime(tx.now) });
    tellTask(tx, mission, done, "mission_task.completed");
    return replaceTask(mission, done);
  }
  const isDropped = status !== "completed" && task.status === "in_progress" && task.jobId === jobId;
  return isDropped ? replaceTask(mission, stampedTask(tx, { ...task, status: "pending" })) : mission;
}
