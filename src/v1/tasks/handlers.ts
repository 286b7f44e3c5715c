/** Tasks on v1: list and create. */
import { mapped } from "../../../actors/fault.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import { done } from "../../http/commit/commit.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import type { taskOperations } from "./operations.ts";
import { taskView } from "./schema.ts";

/** Tasks of one answer, newest first; lists have no pages (V1-1). */
export const LISTED_TASKS = 1_000;

export const taskHandlers: Handlers<typeof taskOperations.operations, Services> = {
  async v1ListTasks({ system, directory, log }, { principal: { organizationId } }, { query }) {
    const { status, assignedTo, spaceId: workspaceId } = query;
    const filter = { status: status === undefined ? undefined : [status], assignedTo, workspaceId };
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const tasks = await lookUp(log, directory.listTasks(organizationId, filter, LISTED_TASKS));
    return mapped(tasks, (list) => ({ success: true, tasks: list.map(taskView) }));
  },

  async v1CreateTask(_, change, { body }) {
    const { organizationId, userId } = change.principal;
    const { title, description = null, priority = "medium", spaceId } = body;
    // A widely used client sends the field under the name that the answer uses.
    const assignee = body.assignTo || body.assignedTo;
    // An empty id means nobody: forms send one for "unassigned".
    const input = { title, description, priority, assignedTo: assignee || null, workspaceId: spaceId || null };
    const command = { kind: "create_task", createdBy: userId, input } as const;
    return change.commit([ask(organizationRef(organizationId), command)], (task) =>
      done({ success: true, task: taskView(task) }),
    );
  },
};
