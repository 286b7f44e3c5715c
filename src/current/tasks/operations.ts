/** Operations on tasks on the current surface (GEN-8). */
import { operationGroup } from "../../http/contract/operation.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { pageQuery } from "../paging.ts";
import { TaskId } from "../path-ids.ts";
import { CreateTaskBody, DeletedTask, TASK_QUERY, TaskList, TaskView, UpdateTaskBody } from "./schema.ts";

const params = { id: TaskId };

export const taskOperations = operationGroup("Tasks", "Work items, assigned to agents or to people", {
  listTasks: {
    method: "GET",
    path: "/api/tasks",
    scope: "tasks:read",
    summary: "List tasks",
    description: "Filters are combined with AND.",
    query: { ...TASK_QUERY, ...pageQuery("tasks") },
    answers: { 200: TaskList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  createTask: {
    method: "POST",
    path: "/api/tasks",
    scope: "tasks:write",
    summary: "Create a task",
    description: "It is `pending`. Assigning it starts nothing by itself.",
    body: CreateTaskBody,
    answers: { 201: TaskView },
    emits: "resource.created",
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
    description: "Omitted fields are unchanged. `completed` and `cancelled` are final.",
    params,
    headers: IF_MATCH,
    body: UpdateTaskBody,
    answers: { 200: TaskView },
    errors: ["not_found", "version_conflict", "invalid_state"],
    emits: "resource.updated",
  },
  deleteTask: {
    method: "DELETE",
    path: "/api/tasks/{id}",
    scope: "tasks:write",
    summary: "Delete a task",
    description: "It is no longer found, on v1 neither.",
    params,
    answers: { 200: DeletedTask },
    errors: ["not_found"],
    emits: "resource.deleted",
  },
});
