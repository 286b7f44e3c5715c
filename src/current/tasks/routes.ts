/** Tasks on the current surface: list, read, and the status updates that v1 has no operation for. */
import { Elysia } from "elysia";
import { notFound, ok } from "../../../actors/fault.ts";
import type { TaskChanges } from "../../../actors/organization/protocol.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { done } from "../../http/commit.ts";
import { queryOf } from "../../http/exchange.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Surface } from "../../http/surface.ts";
import { Body } from "../../http/validation.ts";
import { pageRequest, pageView } from "../paging.ts";
import type { CurrentParts } from "../parts.ts";
import { ifMatch } from "../record.ts";
import { taskFilter, taskView, UpdateTaskBody } from "./schema.ts";

/** What cannot be a task's id is none. */
const TASK_ID = /^[A-Za-z0-9_-]{1,64}$/;
const updateBody = new Body(UpdateTaskBody);

export function taskRoutes(current: Surface, parts: CurrentParts) {
  const { list, read, update } = operations(current, parts);
  return new Elysia({ name: "current-tasks" })
    .get("/api/tasks", list)
    .get("/api/tasks/:id", read)
    .patch("/api/tasks/:id", update, { parse: "none" });
}

function operations(current: Surface, { system, directory, log }: CurrentParts) {
  return {
    list: current.handler({
      scope: "tasks:read",
      async run({ request, principal }) {
        const query = queryOf(request.url);
        const filter = taskFilter(query);
        if (!filter.ok) return filter;
        const page = pageRequest(query);
        if (!page.ok) return page;
        const { organizationId } = principal;
        const settled = await system.settled(organizationId);
        if (!settled.ok) return settled;
        const tasks = await lookUp(log, directory.pageTasks(organizationId, filter.value, page.value));
        return tasks.ok ? ok(pageView("tasks", tasks.value, (task) => taskView(task, principal))) : tasks;
      },
    }),

    read: current.handler({
      scope: "tasks:read",
      async run({ params, principal }) {
        const taskId = params["id"] ?? "";
        if (!TASK_ID.test(taskId)) return notFound("task");
        const task = await system.dispatch(organizationRef(principal.organizationId), { kind: "read_task", taskId });
        return task.ok ? ok(taskView(task.value, principal)) : task;
      },
    }),

    update: current.mutation({
      scope: "tasks:write",
      async run(call) {
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
    }),
  };
}
