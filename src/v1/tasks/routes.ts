/** Tasks on v1: list and create. */
import { ok } from "../../../actors/fault.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { done } from "../../http/commit.ts";
import { queryOf } from "../../http/exchange.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Handlers } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Surface } from "../../http/surface.ts";
import { Body } from "../../http/validation.ts";
import type { V1Parts } from "../parts.ts";
import { taskOperations } from "./operations.ts";
import { CreateTaskBody, taskFilter, taskView } from "./schema.ts";

/** Tasks of one answer, newest first; lists have no pages (V1-1). */
export const LISTED_TASKS = 1_000;

const createBody = new Body(CreateTaskBody);

export const taskRoutes = (v1: Surface, parts: V1Parts) => operationRoutes(v1, taskOperations, handlers(parts));

const handlers = ({ system, directory, log }: V1Parts): Handlers<typeof taskOperations.operations> => ({
  async v1ListTasks({ request, principal: { organizationId } }) {
    const filter = taskFilter(queryOf(request.url));
    if (!filter.ok) return filter;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const tasks = await lookUp(log, directory.listTasks(organizationId, filter.value, LISTED_TASKS));
    return tasks.ok ? ok({ success: true, tasks: tasks.value.map(taskView) }) : tasks;
  },

  async v1CreateTask(call) {
    const { organizationId, userId } = call.principal;
    const body = await call.body.as(createBody);
    if (!body.ok) return body;
    const { title, description = null, priority = "medium", assignTo, spaceId } = body.value;
    // An empty id names nobody: forms send one for "unassigned".
    const input = { title, description, priority, assignedTo: assignTo || null, workspaceId: spaceId || null };
    const command = { kind: "create_task", createdBy: userId, input } as const;
    return call.commit([ask(organizationRef(organizationId), command)], (task) =>
      done({ success: true, task: taskView(task) }),
    );
  },
});
