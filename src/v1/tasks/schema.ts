/** The body and the view of tasks on v1, and the filters of their list. */
import { type Outcome, invalid, ok } from "../../../actors/fault.ts";
import type { TaskFilter } from "../../../actors/organization/directory.ts";
import { type Task, TASK_PRIORITIES, TASK_STATUSES, type TaskStatus } from "../../../actors/organization/schema.ts";
import { OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { Id, noun, Text } from "../../http/noun.ts";
import type { Shown } from "../../http/operation.ts";
import { NOT_BLANK } from "../../http/validation.ts";
import { Success } from "../success.ts";

/** Characters; the interface recommends fewer than 100. */
export const TASK_TITLE_CHARACTERS = 512;
export const TASK_DESCRIPTION_CHARACTERS = 65_536;
/** Characters of an id that is kept as it was given (V1-7). */
export const GIVEN_ID_CHARACTERS = 256;

/** `POST /tasks`. */
export const CreateTaskBody = Type.Object(
  {
    title: Type.String({ pattern: NOT_BLANK, maxLength: TASK_TITLE_CHARACTERS }),
    description: Type.Optional(Type.String({ maxLength: TASK_DESCRIPTION_CHARACTERS })),
    priority: Type.Optional(
      OneOf(TASK_PRIORITIES, {
        default: "medium",
        errorMessage: "Invalid priority. Must be: low, medium, high, urgent",
      }),
    ),
    assignTo: Type.Optional(Type.String({ maxLength: GIVEN_ID_CHARACTERS, description: "An agent's or a user's id" })),
    spaceId: Type.Optional(Type.String({ maxLength: GIVEN_ID_CHARACTERS })),
  },
  { examples: [{ title: "Read the report", priority: "high" }] },
);

export const TaskView = noun("V1Task", "A work item", {
  id: Text("The task's id", "task-1761955200000-x7k2m9"),
  title: Text("What there is to do", "Read the report"),
  description: Type.Optional(Type.String()),
  status: OneOf(TASK_STATUSES),
  priority: OneOf(TASK_PRIORITIES),
  assignedTo: Type.Optional(Text("An agent's or a user's id; absent when unassigned", "agt_V1StGXR8_Z5jdHi6B-myT")),
  spaceId: Type.Optional(Id("wsp", "The workspace that it belongs to")),
  organizationId: Id("org", "Who owns it"),
  createdBy: Id("usr", "Who made it: a user's or an agent's id"),
  createdAt: Timestamp,
  completedAt: Type.Optional(Timestamp),
});
type TaskView = Shown<typeof TaskView>;

export const TaskListAnswer = noun("V1TaskList", "The organization's tasks, newest first", {
  success: Success,
  tasks: Type.Array(TaskView),
});
export const TaskAnswer = noun("V1TaskAnswer", "A task", { success: Success, task: TaskView });

/** The filters of the list, as schemas. */
export const TASK_QUERY = {
  status: OneOf(TASK_STATUSES, { description: "The status that they have" }),
  assignedTo: Type.String({ maxLength: GIVEN_ID_CHARACTERS, description: "An agent's or a user's id" }),
  spaceId: Type.String({ maxLength: GIVEN_ID_CHARACTERS, description: "A workspace's id" }),
};

export function taskView(task: Task): TaskView {
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

/** The filters of `GET /tasks`; all that are given must match. An empty id filters nothing. */
export function taskFilter(query: URLSearchParams): Outcome<TaskFilter> {
  const status = query.get("status");
  if (status !== null && !isTaskStatus(status)) {
    return invalid("/status", "Invalid status. Must be: pending, in_progress, completed, cancelled");
  }
  const assignedTo = query.get("assignedTo") ?? "";
  const workspaceId = query.get("spaceId") ?? "";
  for (const [name, value] of [
    ["assignedTo", assignedTo],
    ["spaceId", workspaceId],
  ] as const) {
    if (value.length > GIVEN_ID_CHARACTERS)
      return invalid(`/${name}`, `${name} must have at most ${GIVEN_ID_CHARACTERS} characters`);
    if (value.includes("\0")) return invalid(`/${name}`, `${name} must not contain NUL characters`);
  }
  return ok({
    ...(status === null ? {} : { status }),
    ...(assignedTo === "" ? {} : { assignedTo }),
    ...(workspaceId === "" ? {} : { workspaceId }),
  });
}

const isTaskStatus = (text: string): text is TaskStatus => TASK_STATUSES.some((status) => status === text);
