/** The bodies and the view of tasks on the current surface, and the filters of their list (GEN-8). */
import { type Outcome, ok } from "../../../actors/fault.ts";
import type { TaskFilter } from "../../../actors/organization/directory.ts";
import { type Task, TASK_PRIORITIES, TASK_STATUSES } from "../../../actors/organization/schema.ts";
import { taskActions } from "../../../actors/organization/task-machine.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { Id, listOf, noun, Text } from "../../http/noun.ts";
import type { Shown } from "../../http/operation.ts";
import { idFilters, wordFilter } from "../filter.ts";
import { permitted, RECORD, recordView } from "../record.ts";

/** Characters, as on v1. */
const TITLE = 512;
const DESCRIPTION = 65_536;
const GIVEN_ID = 256;
const GivenId = Type.Union([Type.String({ maxLength: GIVEN_ID }), Type.Null()]);

/** `PATCH /api/tasks/{id}`: what is absent stays as it is; a status follows the transitions of the interface. */
export const UpdateTaskBody = Type.Object(
  {
    title: Type.Optional(Type.String({ pattern: "\\S", maxLength: TITLE })),
    description: Type.Optional(Type.Union([Type.String({ maxLength: DESCRIPTION }), Type.Null()])),
    status: Type.Optional(OneOf(TASK_STATUSES)),
    priority: Type.Optional(OneOf(TASK_PRIORITIES)),
    assigned_to: Type.Optional(GivenId),
    workspace_id: Type.Optional(GivenId),
  },
  { examples: [{ status: "in_progress", assigned_to: "agt_V1StGXR8_Z5jdHi6B-myT" }] },
);

export const TaskView = noun("Task", "A work item", {
  id: Text("The task's id", "task-1761955200000-x7k2m9"),
  title: Text("What there is to do", "Read the report"),
  description: Nullable(Type.String()),
  status: OneOf(TASK_STATUSES),
  priority: OneOf(TASK_PRIORITIES),
  assigned_to: Nullable(Text("An agent's or a user's id, as it was given", "agt_V1StGXR8_Z5jdHi6B-myT")),
  workspace_id: Nullable(Id("wsp", "The workspace that it belongs to, as it was given")),
  created_by: Id("usr", "Who made it: a user's or an agent's id"),
  completed_at: Nullable(Timestamp),
  ...RECORD,
});
export const TaskList = listOf("TaskList", "tasks", TaskView);

export const taskView = (task: Task, by: Principal): Shown<typeof TaskView> => ({
  id: task.id,
  title: task.title,
  description: task.description,
  status: task.status,
  priority: task.priority,
  assigned_to: task.assignedTo,
  workspace_id: task.workspaceId,
  created_by: task.createdBy,
  completed_at: task.completedAt,
  ...recordView(task, { self: `/api/tasks/${task.id}` }, permitted(by, "tasks:write", taskActions(task.status))),
});

/** The filters of the list, as schemas. */
export const TASK_QUERY = {
  status: OneOf(TASK_STATUSES, { description: "The status that they have" }),
  assigned_to: Type.String({ maxLength: GIVEN_ID, description: "An agent's or a user's id" }),
  workspace_id: Type.String({ maxLength: GIVEN_ID, description: "The workspace that they belong to" }),
};

/** The filters of `GET /api/tasks`; all that are given must match. */
export function taskFilter(query: URLSearchParams): Outcome<TaskFilter> {
  const status = wordFilter(query, "status", TASK_STATUSES);
  if (!status.ok) return status;
  const ids = idFilters(query, { assignedTo: "assigned_to", workspaceId: "workspace_id" });
  if (!ids.ok) return ids;
  return ok({ ...ids.value, ...(status.value === null ? {} : { status: status.value }) });
}
