/** The operations on tasks of v1. */
import { mapOutcome } from "../../../actors/fault.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { done } from "../../http/commit/commit.ts";
import { operation } from "../../operations/operation.ts";
import { V1CreateTaskBody, V1_TASK_QUERY, TaskAnswer, TaskListAnswer, v1TaskView } from "./schema.ts";

export const v1TaskOperations = {
  v1ListTasks: operation(
    {
      method: "GET",
      path: "/api/v1/tasks",
      scope: "tasks:read",
      summary: "List tasks",
      description: "Filters are combined with AND. At most 1,000, newest first.",
      query: V1_TASK_QUERY,
      answers: { 200: TaskListAnswer },
    },
    async ({ directory, readCommitted }, { principal: { organizationId } }, { query }) => {
      const { status, assignedTo, spaceId: workspaceId } = query;
      const filter = { status: status === undefined ? undefined : [status], assignedTo, workspaceId };
      const tasks = await readCommitted(organizationId, () =>
        directory.listTasks(organizationId, filter, LISTED_TASKS),
      );
      return mapOutcome(tasks, (list) => ({ success: true, tasks: list.map(v1TaskView) }));
    },
  ),

  v1CreateTask: operation(
    {
      method: "POST",
      path: "/api/v1/tasks",
      scope: "tasks:write",
      summary: "Create task",
      description: "The new task is `pending`. Assigning a task does not start any work.",
      body: V1CreateTaskBody,
      answers: { 200: TaskAnswer },
    },
    async (_, change, { body }) => {
      const { organizationId, userId } = change.principal;
      const { title, description = null, priority = "medium", spaceId } = body;
      // A widely used client sends the field under the name that the answer uses.
      const assignee = body.assignTo || body.assignedTo;
      // An empty id means nobody: forms send one for "unassigned".
      const input = { title, description, priority, assignedTo: assignee || null, workspaceId: spaceId || null };
      const command = { kind: "create_task", createdBy: userId, input } as const;
      return change.commit([ask(organizationRef(organizationId), command)], (task) =>
        done({ success: true, task: v1TaskView(task) }),
      );
    },
  ),
};

/** Tasks of one answer, newest first; lists have no pages (V1-1). */
export const LISTED_TASKS = 1_000;
