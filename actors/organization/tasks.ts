/** Tasks: a new one is pending; assigning it starts nothing by itself (V1-7). */
import { hasAll } from "../changes.ts";
import { newTaskId } from "../ids.ts";
import { notFound, ok, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import type { OrganizationProtocol } from "./protocol.ts";
import { type Task, taskTable } from "./schema.ts";
import { mayBecome, taskStatusVerbs } from "./task-machine.ts";

export const taskCommandHandlers: Pick<
  Handlers<OrganizationProtocol>,
  "create_task" | "read_task" | "update_task" | "delete_task"
> = {
  create_task(tx, { createdBy, input, taskId }) {
    if (taskId !== undefined) {
      const present = tx.read(taskTable, taskId);
      if (present !== null) return ok(present);
    }
    const id = taskId ?? newTaskId(tx.now, tx.random);
    return ok(tx.create(taskTable, { ...input, id, status: "pending", createdBy, completedAt: null }));
  },

  read_task(tx, { taskId }) {
    const task = presentTask(tx, taskId);
    return task === null ? notFound("task") : ok(task);
  },

  update_task(tx, { taskId, changes, version }) {
    const task = presentTask(tx, taskId);
    if (task === null) return notFound("task");
    if (version !== null && version !== task.version)
      return refuse({ kind: "version_conflict", version: task.version });
    // A change of nothing leaves no trace: no version and no time.
    if (hasAll(task, changes)) return ok(task);
    const status = changes.status ?? task.status;
    if (!mayBecome(task.status, status)) {
      const message = `A task that is ${task.status} cannot become ${status}`;
      return refuse({
        kind: "invalid_state",
        status: task.status,
        allowedActions: organizationTaskVerbs(task),
        message,
      });
    }
    const isDone = status === "completed" && task.status !== "completed";
    const changed: Task = { ...task, ...changes, status, completedAt: isDone ? isoTime(tx.now) : task.completedAt };
    return ok(tx.update(taskTable, changed));
  },

  delete_task(tx, { taskId }) {
    const task = presentTask(tx, taskId);
    if (task === null) return notFound("task");
    return ok(tx.update(taskTable, { ...task, deletedAt: isoTime(tx.now) }));
  },
};

/** A task of a mission can only be cancelled; a task of the organization can also be deleted. */
export const organizationTaskVerbs = ({ status }: Pick<Task, "status">): readonly string[] => [
  ...taskStatusVerbs(status),
  "delete",
];

/** The task, unless it is deleted. */
function presentTask(tx: Tx, taskId: string): Task | null {
  const task = tx.read(taskTable, taskId);
  return task === null || (task.deletedAt ?? null) !== null ? null : task;
}
