/** Tasks on the current surface: list, read, and the status updates that v1 has no operation for. */
import { mapped, notFound } from "../../../actors/fault.ts";
import type { TaskChanges } from "../../../actors/organization/protocol.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { done } from "../../http/commit.ts";
import { queryOf } from "../../http/exchange.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Handlers } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Surface } from "../../http/surface.ts";
import { Body } from "../../http/validation.ts";
import { pageRequest, pageView } from "../paging.ts";
import type { CurrentParts } from "../parts.ts";
import { ifMatch } from "../record.ts";
import { taskOperations } from "./operations.ts";
import { taskFilter, taskView, UpdateTaskBody } from "./schema.ts";

/** What cannot be a task's id is none. */
const TASK_ID = /^[A-Za-z0-9_-]{1,64}$/;
const updateBody = new Body(UpdateTaskBody);

export const taskRoutes = (current: Surface, parts: CurrentParts) =>
  operationRoutes(current, taskOperations, handlers(parts));

const handlers = ({ system, directory, log }: CurrentParts): Handlers<typeof taskOperations.operations> => ({
  async listTasks({ request, principal }) {
    const query = queryOf(request.url);
    const filter = taskFilter(query);
    if (!filter.ok) return filter;
    const page = pageRequest(query, "tasks");
    if (!page.ok) return page;
    const { organizationId } = principal;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const tasks = await lookUp(log, directory.pageTasks(organizationId, filter.value, page.value));
    return mapped(tasks, (list) => pageView("tasks", list, (task) => taskView(task, principal)));
  },

  async getTask({ params, principal }) {
    const taskId = params["id"] ?? "";
    if (!TASK_ID.test(taskId)) return notFound("task");
    const task = await system.dispatch(organizationRef(principal.organizationId), { kind: "read_task", taskId });
    return mapped(task, (found) => taskView(found, principal));
  },

  async updateTask(call) {
    const { request, params, principal } = call;
    const taskId = params["id"] ?? "";
    if (!TASK_ID.test(taskId)) return notFound("task");
    const version = ifMatch(request);
    if (!version.ok) return version;
    const body = await call.body.as(updateBody);
    if (!body.ok) return body;
    const { assigned_to: assignedTo, workspace_id: workspaceId, ...rest } = body.value;
    const given = Object.entries({ ...rest, assignedTo, workspaceId }).filter(([, value]) => value !== undefined);
    const changes = Object.fromEntries(given) as Partial<TaskChanges>;
    const command = { kind: "update_task", taskId, changes, version: version.value } as const;
    return call.commit([ask(organizationRef(principal.organizationId), command)], (task) =>
      done(taskView(task, principal)),
    );
  },
});
