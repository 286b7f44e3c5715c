/** The operations on tasks of v1. */
import { operationGroup } from "../../http/contract/operation.ts";
import { CreateTaskBody, TASK_QUERY, TaskAnswer, TaskListAnswer } from "./schema.ts";

export const taskOperations = operationGroup("V1 tasks", "Tasks on the v1 surface", {
  v1ListTasks: {
    method: "GET",
    path: "/api/v1/tasks",
    scope: "tasks:read",
    summary: "List tasks",
    description: "Filters are combined with AND. At most 1,000, newest first.",
    query: TASK_QUERY,
    answers: { 200: TaskListAnswer },
    errors: ["invalid_request"],
  },
  v1CreateTask: {
    method: "POST",
    path: "/api/v1/tasks",
    scope: "tasks:write",
    summary: "Create task",
    description: "The new task is `pending`. Assigning it starts nothing by itself.",
    body: CreateTaskBody,
    answers: { 200: TaskAnswer },
  },
});
