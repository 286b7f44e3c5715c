/** The list of a mission's tasks: lookup, insertion and dependencies. Pure except for the time of the turn. */
import { notFound, ok, type Outcome } from "../fault.ts";
import { TASK_MACHINE } from "../organization/task-machine.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import type { Mission, MissionTask } from "./schema.ts";

export interface FoundTask {
  readonly mission: Mission;
  readonly task: MissionTask;
}

export function findTask(mission: Mission, taskId: string): Outcome<FoundTask> {
  const task = mission.tasks.find(({ id }) => id === taskId);
  return task === undefined ? notFound("mission_task") : ok({ mission, task });
}

/** A task with the time of this turn. */
export const stampedTask = (tx: Tx, task: MissionTask): MissionTask => ({
  ...task,
  version: task.version + 1,
  updatedAt: isoTime(tx.now),
});

/** The mission with the task in its place, or at `position`. */
export function replaceTask(mission: Mission, task: MissionTask, position = task.position): Mission {
  const others = mission.tasks.filter(({ id }) => id !== task.id);
  const tasks = others.toSpliced(Math.min(position, others.length), 0, task);
  return { ...mission, tasks: tasks.map((other, i) => (other.position === i ? other : { ...other, position: i })) };
}

/** The tasks that this one waits for. */
export const blockersOf = ({ tasks }: Mission, { dependsOn }: MissionTask): readonly MissionTask[] =>
  tasks.filter(({ id, status }) => dependsOn.includes(id) && TASK_MACHINE[status].cancel !== null);
