/** Tasks on the current surface: list, read, and status updates, for which v1 has no operation. */
import { mapped } from "../../../actors/fault.ts";
import type { TaskChanges } from "../../../actors/organization/protocol.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import { created, done } from "../../http/commit/commit.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { pageOf, pageView } from "../paging.ts";
import { updated } from "../updating.ts";
import type { taskOperations } from "./operations.ts";
import { deletedTaskView, taskView } from "./schema.ts";

/** The given id, or null; an empty text counts as none (V1-7). */
const given = (id: string | null | undefined): string | null => id || null;

export const taskHandlers: Handlers<typeof taskOperations.operations, Services> = {
  async listTasks({ system, directory, log }, { principal }, { query }) {
    const { organizationId } = principal;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const filter = { status: query.status, assignedTo: query.assigned_to, workspaceId: query.workspace_id };
    const tasks = await lookUp(log, directory.pageTasks(organizationId, filter, pageOf(query)));
    return mapped(tasks, (list) => pageView("tasks", list, (task) => taskView(task, principal)));
  },

  async createTask(_, change, { body }) {
    const { principal } = change;
    const { title, description = null, priority = "medium", assigned_to: assignedTo, workspace_id: workspaceId } = body;
    const input = { title, description, priority, assignedTo: given(assignedTo), workspaceId: given(workspaceId) };
    const command = { kind: "create_task", createdBy: principal.userId, input } as const;
    return change.commit([ask(organizationRef(principal.organizationId), command)], (task) =>
      created(taskView(task, principal)),
    );
  },

  async deleteTask(_, change, { params: { id: taskId } }) {
    const { principal } = change;
    const command = { kind: "delete_task", taskId } as const;
    return change.commit([ask(organizationRef(principal.organizationId), command)], (task) =>
      done(deletedTaskView(task, principal)),
    );
  },

  async getTask({ system }, { principal }, { params: { id: taskId } }) {
    const task = await system.dispatch(organizationRef(principal.organizationId), { kind: "read_task", taskId });
    return mapped(task, (found) => taskView(found, principal));
  },

  async updateTask(_, change, { params: { id: taskId }, headers, body }) {
    const { principal } = change;
    const { assigned_to: assignedTo, workspace_id: workspaceId, ...rest } = body;
    const changes: Partial<TaskChanges> = {
      ...rest,
      ...(assignedTo === undefined ? {} : { assignedTo: given(assignedTo) }),
      ...(workspaceId === undefined ? {} : { workspaceId: given(workspaceId) }),
    };
    const command = { kind: "update_task", taskId, changes, version: headers["if-match"] ?? null } as const;
    const ref = organizationRef(principal.organizationId);
    const steps = [ask(ref, { kind: "read_task", taskId }), ask(ref, command)] as const;
    return updated(change, steps, (task) => taskView(task, principal));
  },
};
