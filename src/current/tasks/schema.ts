/** The bodies and the view of tasks on the current surface, and the filters of their list (GEN-8). */
import { type Task, TASK_PRIORITIES, TASK_STATUSES } from "../../../actors/organization/schema.ts";
import { organizationTaskVerbs } from "../../../actors/organization/tasks.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { GIVEN_ID_CHARACTERS, idFilter, someOf } from "../../http/contract/field.ts";
import { fieldsFrom, Id, listOf, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { permittedActions, RECORD, recordView } from "../record.ts";

/** Characters, as on v1. */
const TASK_TITLE_LIMIT = 512;
const DESCRIPTION = 65_536;
const GivenTaskId = Type.Union([Type.String({ maxLength: GIVEN_ID_CHARACTERS }), Type.Null()]);

/** `POST /api/tasks`: a new task is pending. */
export const CreateTaskBody = Type.Object(
  {
    title: Type.String({ pattern: "\\S", maxLength: TASK_TITLE_LIMIT }),
    description: Type.Optional(Type.Union([Type.String({ maxLength: DESCRIPTION }), Type.Null()])),
    priority: Type.Optional(OneOf(TASK_PRIORITIES, { default: "medium" })),
    assigned_to: Type.Optional(GivenTaskId),
    workspace_id: Type.Optional(GivenTaskId),
  },
  { examples: [{ title: "Read the report", priority: "high", assigned_to: "agt_V1StGXR8_Z5jdHi6B-myT" }] },
);

/** `PATCH /api/tasks/{id}`: absent fields stay unchanged; a status must follow the allowed transitions. */
export const UpdateTaskBody = Type.Object(
  {
    title: Type.Optional(Type.String({ pattern: "\\S", maxLength: TASK_TITLE_LIMIT })),
    description: Type.Optional(Type.Union([Type.String({ maxLength: DESCRIPTION }), Type.Null()])),
    status: Type.Optional(OneOf(TASK_STATUSES)),
    priority: Type.Optional(OneOf(TASK_PRIORITIES)),
    assigned_to: Type.Optional(GivenTaskId),
    workspace_id: Type.Optional(GivenTaskId),
  },
  { examples: [{ status: "in_progress", assigned_to: "agt_V1StGXR8_Z5jdHi6B-myT" }] },
);

export const TaskView = noun("Task", "A work item", {
  id: Text("The task's id", "task-1761955200000-x7k2m9"),
  title: Text("The title", "Read the report"),
  description: Nullable(Type.String()),
  status: OneOf(TASK_STATUSES),
  priority: OneOf(TASK_PRIORITIES),
  assigned_to: Nullable(Text("Id of an agent or a user, as it was sent", "agt_V1StGXR8_Z5jdHi6B-myT")),
  workspace_id: Nullable(Id("wsp", "Workspace of the task, as it was sent")),
  created_by: Id("usr", "The user or agent who created it"),
  completed_at: Nullable(Timestamp),
  ...RECORD,
});
export const DeletedTask = noun("DeletedTask", "A deleted task, in its last state", {
  ...TaskView.properties,
  deleted: Type.Literal(true),
});
export const TaskList = listOf("TaskList", "tasks", TaskView);

const workItemFields = fieldsFrom(TaskView);

export const taskView = (task: Task, by: Principal): Shown<typeof TaskView> => ({
  ...workItemFields(task),
  ...recordView(
    task,
    { self: `/api/tasks/${task.id}` },
    permittedActions(by, "tasks:write", organizationTaskVerbs(task)),
  ),
});

export const deletedTaskView = (task: Task, by: Principal): Shown<typeof DeletedTask> => ({
  ...taskView(task, by),
  allowed_actions: [],
  deleted: true,
});

/** The filters of the list; all given ones must match. */
export const TASK_QUERY = {
  status: someOf(TASK_STATUSES, { description: "Tasks with one of these statuses" }),
  assigned_to: idFilter(Type.String({ description: "An agent's or a user's id" })),
  workspace_id: idFilter(Type.String({ description: "Tasks of this workspace" })),
};
