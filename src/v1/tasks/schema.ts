/** The body and the view of tasks on v1, and the filters of their list. */
import { type Outcome, invalid, ok } from "../../../actors/fault.ts";
import type { TaskFilter } from "../../../actors/organization/directory.ts";
import { type Task, TASK_PRIORITIES, TASK_STATUSES, type TaskStatus } from "../../../actors/organization/schema.ts";
import { OneOf, Type } from "../../../actors/schema.ts";
import { NOT_BLANK } from "../../http/validation.ts";

/** Characters; the interface recommends fewer than 100. */
export const TASK_TITLE_CHARACTERS = 512;
export const TASK_DESCRIPTION_CHARACTERS = 65_536;
/** Characters of an id that is kept as it was given (V1-7). */
export const GIVEN_ID_CHARACTERS = 256;

/** `POST /tasks`. */
export const CreateTaskBody = Type.Object({
  title: Type.String({ pattern: NOT_BLANK, maxLength: TASK_TITLE_CHARACTERS }),
  description: Type.Optional(Type.String({ maxLength: TASK_DESCRIPTION_CHARACTERS })),
  priority: Type.Optional(
    OneOf(TASK_PRIORITIES, { default: "medium", errorMessage: "Invalid priority. Must be: low, medium, high, urgent" }),
  ),
  assignTo: Type.Optional(Type.String({ maxLength: GIVEN_ID_CHARACTERS, description: "An agent's or a user's id" })),
  spaceId: Type.Optional(Type.String({ maxLength: GIVEN_ID_CHARACTERS })),
});

/** A task as v1 shows it. */
export interface TaskView {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly status: string;
  readonly priority: string;
  readonly assignedTo?: string;
  readonly spaceId?: string;
  readonly organizationId: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly completedAt?: string;
}

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
  for (const [name, value] of [["assignedTo", assignedTo], ["spaceId", workspaceId]] as const) {
    if (value.length > GIVEN_ID_CHARACTERS) return invalid(`/${name}`, `${name} must have at most ${GIVEN_ID_CHARACTERS} characters`);
    if (value.includes("\0")) return invalid(`/${name}`, `${name} must not contain NUL characters`);
  }
  return ok({
    ...(status === null ? {} : { status }),
    ...(assignedTo === "" ? {} : { assignedTo }),
    ...(workspaceId === "" ? {} : { workspaceId }),
  });
}

const isTaskStatus = (text: string): text is TaskStatus => TASK_STATUSES.some((status) => status === text);
