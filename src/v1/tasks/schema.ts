/** The body and the view of tasks on v1, and the filters of their list. */
import { type Task, TASK_PRIORITIES, TASK_STATUSES } from "../../../actors/organization/schema.ts";
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { evenEmpty, GIVEN_ID_CHARACTERS } from "../../http/contract/field.ts";
import { Id, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { NOT_BLANK } from "../../http/contract/body-schema.ts";
import { Success } from "../agents/schema.ts";

/** Characters; the interface recommends fewer than 100. */
export const TASK_TITLE_CHARACTERS = 512;
export const TASK_DESCRIPTION_CHARACTERS = 65_536;

const assignee = (description: string) =>
  Type.Optional(Nullable(Type.String({ maxLength: GIVEN_ID_CHARACTERS, description })));

/** `POST /tasks`. */
export const V1CreateTaskBody = Type.Object(
  {
    title: Type.String({ pattern: NOT_BLANK, maxLength: TASK_TITLE_CHARACTERS }),
    description: Type.Optional(Type.String({ maxLength: TASK_DESCRIPTION_CHARACTERS })),
    priority: Type.Optional(
      OneOf(TASK_PRIORITIES, {
        default: "medium",
        errorMessage: "Invalid priority. Must be: low, medium, high, urgent",
      }),
    ),
    assignTo: assignee("An agent's or a user's id; null or absent: unassigned"),
    assignedTo: assignee("Alias of `assignTo`, which takes precedence"),
    spaceId: Type.Optional(Type.String({ maxLength: GIVEN_ID_CHARACTERS })),
  },
  { examples: [{ title: "Read the report", priority: "high" }] },
);

export const V1TaskView = {
  ...noun("V1Task", "A work item", {
    id: Text("The task's id", "task-1761955200000-x7k2m9"),
    title: Text("The title", "Read the report"),
    description: Type.Optional(Type.String()),
    status: OneOf(TASK_STATUSES),
    priority: OneOf(TASK_PRIORITIES),
    assignedTo: Type.Optional(Text("An agent's or a user's id; absent when unassigned", "agt_V1StGXR8_Z5jdHi6B-myT")),
    spaceId: Type.Optional(Id("wsp", "The workspace that it belongs to")),
    organizationId: Id("org", "The organization that owns it"),
    createdBy: Id("usr", "The user or agent who created it"),
    createdAt: Timestamp,
    completedAt: Type.Optional(Timestamp),
  }),
  examples: [
    {
      id: "task-1761955200000-x7k2m9",
      title: "Read the report",
      status: "pending",
      priority: "high",
      assignedTo: "agt_V1StGXR8_Z5jdHi6B-myT",
      organizationId: "org_V1StGXR8_Z5jdHi6B-myT",
      createdBy: "usr_V1StGXR8_Z5jdHi6B-myT",
      createdAt: "2026-11-01T12:00:00.000Z",
    },
  ],
};
type V1TaskView = Shown<typeof V1TaskView>;

export const TaskListAnswer = noun("V1TaskList", "The organization's tasks, newest first", {
  success: Success,
  tasks: Type.Array(V1TaskView),
});
export const TaskAnswer = noun("V1TaskAnswer", "A task", { success: Success, task: V1TaskView });

/** The filters of the list; all given ones must match. An empty id does not filter. */
export const V1_TASK_QUERY = {
  status: evenEmpty(
    OneOf(TASK_STATUSES, {
      description: "Tasks with this status",
      errorMessage: "Invalid status. Must be: pending, in_progress, completed, cancelled",
    }),
  ),
  assignedTo: Type.String({ maxLength: GIVEN_ID_CHARACTERS, description: "An agent's or a user's id" }),
  spaceId: Type.String({ maxLength: GIVEN_ID_CHARACTERS, description: "A workspace's id" }),
};

export function v1TaskView(task: Task): V1TaskView {
  return {
    id: task.id,
    title: task.title,
    ...(task.description === null ? {} : { description: task.description }),
    status: task.status,
    priority: task.priority,
    ...(task.assignedTo === null ? {} : { assignedTo: task.assignedTo }),
    ...(task.workspaceId === null ? {} : { spaceId: task.workspaceId }),
    organizationId: task.organizationId,
    createdBy: task.createdBy,
    createdAt: task.createdAt,
    ...(task.completedAt === null ? {} : { completedAt: task.completedAt }),
  };
}
