/** The tasks of a mission (MIS-7): their list, order, dependencies and status changes. */
import { hasAll } from "../changes.ts";
import { invalid, ok, type Outcome, refuse } from "../fault.ts";
import { mayBecome } from "../organization/task-machine.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { permittedMission, unlessMoved, visibleMission } from "./access.ts";
import { keepMission, tellTask } from "./news.ts";
import type { MissionProtocol } from "./protocol.ts";
import { sendCancel } from "./runs.ts";
import { type Mission, MISSION_TASKS, type MissionTask } from "./schema.ts";
import { type FoundTask, findTask, replaceTask, stampedTask } from "./task-list.ts";
import { type MissionCommandOf, startTask, taskVerbs } from "./task-work.ts";

export const missionTaskHandlers = {
  add_task: addMissionTask,

  read_task(tx, { by, taskId }) {
    const mission = visibleMission(tx, by);
    return mission.ok ? findTask(mission.value, taskId) : mission;
  },

  update_task: updateMissionTask,
  finish_task: finishMissionTask,
  start_task: startTask,
} satisfies Partial<Handlers<MissionProtocol>>;

function addMissionTask(tx: Tx, { by, settings, taskId }: MissionCommandOf<"add_task">): Outcome<FoundTask> {
  const allowed = permittedMission(tx, by, "change_tasks");
  if (!allowed.ok) return allowed;
  const { tasks } = allowed.value;
  const id = taskId ?? tx.id("mtk");
  const present = tasks.find((task) => task.id === id);
  // A tool call that has been made before.
  if (present !== undefined) return ok({ mission: allowed.value, task: present });
  if (tasks.length >= MISSION_TASKS) return invalid("", `A mission has at most ${MISSION_TASKS} tasks`);
  const wrong = wrongDependency(tasks, id, settings.dependsOn);
  if (wrong !== null) return wrong;
  const now = isoTime(tx.now);
  const task: MissionTask = {
    ...settings,
    id,
    status: "pending",
    position: tasks.length,
    jobId: null,
    createdBy: by.userId,
    completedAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  return ok({ mission: keepMission(tx, { ...allowed.value, tasks: [...tasks, task] }), task });
}

function updateMissionTask(
  tx: Tx,
  { by, taskId, changes, version }: MissionCommandOf<"update_task">,
): Outcome<FoundTask> {
  const seen = visibleMission(tx, by);
  if (!seen.ok) return seen;
  const present = findTask(seen.value, taskId);
  if (!present.ok) return present;
  const { task } = present.value;
  const allowed = permittedMission(tx, by, "change_tasks");
  if (!allowed.ok) return allowed;
  const conflict = unlessMoved(task, version);
  if (conflict !== null) return conflict;
  // A change of nothing leaves no trace: no version and no time.
  if (hasAll(task, changes)) return present;
  const refused =
    refusedStatus(seen.value, task, changes.status) ??
    wrongDependency(seen.value.tasks, taskId, changes.dependsOn ?? []);
  if (refused !== null) return refused;
  const { position, ...rest } = changes;
  const changed = withStatus(tx, seen.value, { ...task, ...rest }, task);
  const mission = keepMission(tx, replaceTask(seen.value, changed, position));
  return findTask(mission, taskId);
}

function finishMissionTask(tx: Tx, { by, taskId }: MissionCommandOf<"finish_task">): Outcome<FoundTask> {
  const allowed = permittedMission(tx, by, "change_tasks");
  if (!allowed.ok) return allowed;
  const present = findTask(allowed.value, taskId);
  if (!present.ok || present.value.task.status === "completed") return present;
  const { task } = present.value;
  if (task.status === "cancelled") return refusedStatus(allowed.value, task, "completed") ?? present;
  const done = withStatus(tx, allowed.value, { ...task, status: "completed" }, task);
  return findTask(keepMission(tx, replaceTask(allowed.value, done)), taskId);
}

const refusedStatus = (mission: Mission, task: MissionTask, status = task.status): Outcome<never> | null =>
  mayBecome(task.status, status)
    ? null
    : refuse({
        kind: "invalid_state",
        status: task.status,
        allowedActions: taskVerbs(mission, task),
        message: `A task that is ${task.status} cannot become ${status}`,
      });

/** If somebody changes the status of a task that a job works on, the job stops. */
function withStatus(tx: Tx, mission: Mission, task: MissionTask, before: MissionTask): MissionTask {
  const isDone = task.status === "completed" && before.status !== "completed";
  const isTaken = before.status === "in_progress" && (task.status === "pending" || task.status === "cancelled");
  if (isTaken && before.jobId !== null) sendCancel(tx, before.jobId);
  const stamped = stampedTask(tx, {
    ...task,
    // Of a task that somebody starts by hand no job is the work: the one before has ended, or is stopping.
    jobId: before.status === "pending" && task.status === "in_progress" ? null : task.jobId,
    completedAt: isDone ? isoTime(tx.now) : task.completedAt,
  });
  if (isDone) tellTask(tx, mission, stamped, "mission_task.completed");
  return stamped;
}

/** Refuses a dependency on anything but a task of the mission, on the task itself, or on a task that depends on it. */
function wrongDependency(
  tasks: readonly MissionTask[],
  taskId: string,
  dependsOn: readonly string[],
): Outcome<never> | null {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  for (const [i, id] of dependsOn.entries()) {
    const path = `/depends_on/${i}`;
    if (id === taskId) return invalid(path, "A task cannot depend on itself");
    if (!byId.has(id)) return invalid(path, `\`${id}\` is not a task of this mission`);
    const circle = dependencyPath(byId, id, taskId);
    if (circle !== null) return invalid(path, `This would be a circle: ${[taskId, ...circle].join(" → ")}`);
  }
  return null;
}

/** The chain of tasks through which `from` depends on `to`, including both; null if it does not. */
function dependencyPath(
  tasks: ReadonlyMap<string, MissionTask>,
  from: string,
  to: string,
  seen = new Set<string>(),
): readonly string[] | null {
  if (from === to) return [to];
  if (seen.has(from)) return null;
  seen.add(from);
  for (const next of tasks.get(from)?.dependsOn ?? []) {
    const way = dependencyPath(tasks, next, to, seen);
    if (way !== null) return [from, ...way];
  }
  return null;
}
