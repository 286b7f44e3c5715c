/** The bodies and the view of tasks on the current surface, and the filters of their list (GEN-8). */
import { type Outcome, invalid, ok } from "../../../actors/fault.ts";
import type { TaskFilter } from "../../../actors/organization/directory.ts";
import { type Task, TASK_PRIORITIES, TASK_STATUSES, type TaskStatus } from "../../../actors/organization/schema.ts";
import { taskActions } from "../../../actors/organization/task-machine.ts";
import { OneOf, Type } from "../../../actors/schema.ts";
import { recordView } from "../record.ts";

/** Characters, as on v1. */
const TITLE = 512;
const DESCRIPTION = 65_536;
const GIVEN_ID = 256;
const GivenId = Type.Union([Type.String({ maxLength: GIVEN_ID }), Type.Null()]);

/** `PATCH /api/tasks/{id}`: what is absent stays as it is; a status follows the transitions of the interface. */
export const UpdateTaskBody = Type.Object({
  title: Type.Optional(Type.String({ pattern: "\\S", maxLength: TITLE })),
  description: Type.Optional(Type.Union([Type.String({ maxLength: DESCRIPTION }), Type.Null()])),
  status: Type.Optional(OneOf(TASK_STATUSES)),
  priority: Type.Optional(OneOf(TASK_PRIORITIES)),
  assigned_to: Type.Optional(GivenId),
  workspace_id: Type.Optional(GivenId),
});

export const taskView = (task: Task) => ({
  id: task.id,
  title: task.title,
  description: task.description,
  status: task.status,
  priority: task.priority,
  assigned_to: task.assignedTo,
  workspace_id: task.workspaceId,
  created_by: task.createdBy,
  completed_at: task.completedAt,
  ...recordView(task, { self: `/api/tasks/${task.id}` }, taskActions(task.status)),
});

/** The filters of `GET /api/tasks`; all that are given must match. */
export function taskFilter(query: URLSearchParams): Outcome<TaskFilter> {
  const status = query.get("status");
  if (status !== null && !TASK_STATUSES.some((known) => known === status)) {
    return invalid("/status", `status must be one of: ${TASK_STATUSES.join(", ")}`);
  }
  const given = { assignedTo: query.get("assigned_to"), workspaceId: query.get("workspace_id") };
  for (const value of Object.values(given)) {
    if (value !== null && (value.length > GIVEN_ID || value.includes("\0")))
      return invalid("/assigned_to", "This is no id");
  }
  return ok({
    ...(status === null ? {} : { status: status as TaskStatus }),
    ...(given.assignedTo ? { assignedTo: given.assignedTo } : {}),
    ...(given.workspaceId ? { workspaceId: given.workspaceId } : {}),
  });
}
