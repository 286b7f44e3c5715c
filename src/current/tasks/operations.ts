/** Tasks on the current surface: list, read, and status updates, for which v1 has no operation. */
import { mapOutcome } from "../../../actors/fault.ts";
import type { OrganizationTaskChanges } from "../../../actors/organization/protocol.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { created, done } from "../../http/commit/commit.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { operation } from "../../operations/operation.ts";
import { pageOf, pageQuery, shownPage } from "../paging.ts";
import { TaskId } from "../path-ids.ts";
import { updateRecord } from "../updating.ts";
import {
  CreateTaskBody,
  DeletedTask,
  deletedTaskView,
  TASK_QUERY,
  TaskList,
  TaskView,
  taskView,
  UpdateTaskBody,
} from "./schema.ts";

const taskPathParams = { id: TaskId };

export const taskOperations = {
  listTasks: operation(
    {
      method: "GET",
      path: "/api/tasks",
      scope: "tasks:read",
      summary: "List tasks",
      description: "Filters are combined with AND.",
      query: { ...TASK_QUERY, ...pageQuery("tasks") },
      answers: { 200: TaskList },
    },
    async ({ directory, readCommitted }, { principal }, { query }) => {
      const { organizationId } = principal;
      const filter = { status: query.status, assignedTo: query.assigned_to, workspaceId: query.workspace_id };
      const tasks = readCommitted(organizationId, () => directory.pageTasks(organizationId, filter, pageOf(query)));
      return shownPage("tasks", tasks, (task) => taskView(task, principal));
    },
  ),

  createTask: operation(
    {
      method: "POST",
      path: "/api/tasks",
      scope: "tasks:write",
      summary: "Create a task",
      description: "The new task is `pending`. Assigning a task does not start any work.",
      body: CreateTaskBody,
      answers: { 201: TaskView },
      emits: "resource.created",
    },
    async (_, change, { body }) => {
      const { principal } = change;
      const {
        title,
        description = null,
        priority = "medium",
        assigned_to: assignedTo,
        workspace_id: workspaceId,
      } = body;
      const input = {
        title,
        description,
        priority,
        assignedTo: givenIdOrNull(assignedTo),
        workspaceId: givenIdOrNull(workspaceId),
      };
      const command = { kind: "create_task", createdBy: principal.userId, input } as const;
      return change.commit([ask(organizationRef(principal.organizationId), command)], (task) =>
        created(taskView(task, principal)),
      );
    },
  ),

  getTask: operation(
    {
      method: "GET",
      path: "/api/tasks/{id}",
      scope: "tasks:read",
      summary: "Read a task",
      params: taskPathParams,
      answers: { 200: TaskView },
    },
    async ({ system }, { principal }, { params: { id: taskId } }) => {
      const task = await system.dispatch(organizationRef(principal.organizationId), { kind: "read_task", taskId });
      return mapOutcome(task, (found) => taskView(found, principal));
    },
  ),

  updateTask: operation(
    {
      method: "PATCH",
      path: "/api/tasks/{id}",
      scope: "tasks:write",
      summary: "Update a task",
      description: "Omitted fields are unchanged. `completed` and `cancelled` are final.",
      params: taskPathParams,
      headers: IF_MATCH,
      body: UpdateTaskBody,
      answers: { 200: TaskView },
      errors: ["invalid_state"],
      emits: "resource.updated",
    },
    async (_, change, { params: { id: taskId }, headers, body }) => {
      const { principal } = change;
      const { assigned_to: assignedTo, workspace_id: workspaceId, ...rest } = body;
      const changes: Partial<OrganizationTaskChanges> = {
        ...rest,
        ...(assignedTo === undefined ? {} : { assignedTo: givenIdOrNull(assignedTo) }),
        ...(workspaceId === undefined ? {} : { workspaceId: givenIdOrNull(workspaceId) }),
      };
      const command = { kind: "update_task", taskId, changes, version: headers["if-match"] ?? null } as const;
      const ref = organizationRef(principal.organizationId);
      const steps = [ask(ref, { kind: "read_task", taskId }), ask(ref, command)] as const;
      return updateRecord(change, steps, (task) => taskView(task, principal));
    },
  ),

  deleteTask: operation(
    {
      method: "DELETE",
      path: "/api/tasks/{id}",
      scope: "tasks:write",
      summary: "Delete a task",
      description: "The task can no longer be found, on v1 either.",
      params: taskPathParams,
      answers: { 200: DeletedTask },
      emits: "resource.deleted",
    },
    async (_, change, { params: { id: taskId } }) => {
      const { principal } = change;
      const command = { kind: "delete_task", taskId } as const;
      return change.commit([ask(organizationRef(principal.organizationId), command)], (task) =>
        done(deletedTaskView(task, principal)),
      );
    },
  ),
};

/** The given id, or null; an empty text counts as none (V1-7). */
const givenIdOrNull = (id: string | null | undefined): string | null => id || null;
