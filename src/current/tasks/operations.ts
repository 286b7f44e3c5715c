/** What there is to do with tasks on the current surface (GEN-8). */
import { Text } from "../../http/noun.ts";
import { operationGroup } from "../../http/operation.ts";
import { PAGE_QUERY } from "../paging.ts";
import { TASK_QUERY, TaskList, TaskView, UpdateTaskBody } from "./schema.ts";

const params = { id: Text("The task's id", "task-1761955200000-x7k2m9") };

export const taskOperations = operationGroup("Tasks", "Work items, assigned to agents or to people", {
  listTasks: {
    method: "GET",
    path: "/api/tasks",
    scope: "tasks:read",
    summary: "List tasks",
    description: "All filters that are given must match.",
    query: { ...TASK_QUERY, ...PAGE_QUERY },
    answers: { 200: TaskList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  getTask: {
    method: "GET",
    path: "/api/tasks/{id}",
    scope: "tasks:read",
    summary: "Read a task",
    params,
    answers: { 200: TaskView },
    errors: ["not_found"],
  },
  updateTask: {
    method: "PATCH",
    path: "/api/tasks/{id}",
    scope: "tasks:write",
    summary: "Update a task",
    description:
      "What is absent stays as it is. A status moves as the interface says: `completed` and `cancelled` are final.",
    params,
    isVersioned: true,
    body: UpdateTaskBody,
    answers: { 200: TaskView },
    errors: ["not_found", "version_conflict", "invalid_state"],
    emits: "resource.updated",
  },
});
