/** The tasks of a mission (MIS-7). */
import { mapped } from "../../../actors/fault.ts";
import { missionRef } from "../../../actors/mission/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { created } from "../../http/commit/commit.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { operation } from "../../operations/operation.ts";
import { MissionId, MissionTaskId } from "../path-ids.ts";
import { updated } from "../updating.ts";
import { AddTaskBody, taskChangesOf, UpdateMissionTaskBody } from "./schema.ts";
import { startMissionTask } from "./starting.ts";
import { askerOf, MissionTaskView, missionTaskView, TaskStartedView } from "./view.ts";

const params = { id: MissionId };
const taskParams = { ...params, taskId: MissionTaskId };

export const missionTaskOperations = {
  addMissionTask: operation(
    {
      method: "POST",
      path: "/api/missions/{id}/tasks",
      scope: "missions:write",
      summary: "Add a mission task",
      params,
      body: AddTaskBody,
      answers: { 201: MissionTaskView },
      errors: ["forbidden", "invalid_state"],
      emits: "mission_task.created",
    },
    async (_, change, { params: { id }, body }) => {
      const { principal } = change;
      const {
        title,
        description = null,
        priority = "medium",
        assignedTo = null,
        dependsOn = [],
      } = {
        ...taskChangesOf(body),
        title: body.title,
      };
      const settings = { title, description, priority, assignedTo, dependsOn };
      const command = { kind: "add_task", by: askerOf(principal), settings } as const;
      return change.commit([ask(missionRef(principal.organizationId, id), command)], ({ mission, task }) =>
        created(missionTaskView(mission, task, principal)),
      );
    },
  ),

  getMissionTask: operation(
    {
      method: "GET",
      path: "/api/missions/{id}/tasks/{taskId}",
      scope: "missions:read",
      summary: "Read a mission task",
      params: taskParams,
      answers: { 200: MissionTaskView },
    },
    async ({ system }, { principal }, { params: { id, taskId } }) => {
      const command = { kind: "read_task", by: askerOf(principal), taskId } as const;
      const found = await system.dispatch(missionRef(principal.organizationId, id), command);
      return mapped(found, ({ mission, task }) => missionTaskView(mission, task, principal));
    },
  ),

  updateMissionTask: operation(
    {
      method: "PATCH",
      path: "/api/missions/{id}/tasks/{taskId}",
      scope: "missions:write",
      summary: "Update a mission task",
      description: "Omitted fields are unchanged. A status that ends the work also stops its job.",
      params: taskParams,
      headers: IF_MATCH,
      body: UpdateMissionTaskBody,
      answers: { 200: MissionTaskView },
      errors: ["forbidden", "invalid_state"],
      emits: "mission_task.updated",
    },
    async (_, change, { params: { id, taskId }, headers, body }) => {
      const { principal } = change;
      const version = headers["if-match"] ?? null;
      const command = {
        kind: "update_task",
        by: askerOf(principal),
        taskId,
        changes: taskChangesOf(body),
        version,
      } as const;
      const ref = missionRef(principal.organizationId, id);
      const read = ask(ref, { kind: "read_task", by: askerOf(principal), taskId });
      return updated(
        change,
        [read, ask(ref, command)],
        ({ mission, task }) => missionTaskView(mission, task, principal),
        ({ task }) => task.version,
      );
    },
  ),

  startMissionTask: operation(
    {
      method: "POST",
      path: "/api/missions/{id}/tasks/{taskId}/start-work",
      scope: "missions:write",
      summary: "Start long-running work from a task",
      description:
        "The agent that the task is assigned to does the work, or else the mission's agent. If a job is already active, it is returned with 200.",
      params: taskParams,
      answers: { 202: TaskStartedView, 200: TaskStartedView },
      errors: ["forbidden", "invalid_state", "budget_exceeded", "provider_error"],
      emits: "mission_task.started",
    },
    async (services, change, { params: { id, taskId } }) => {
      const command = { kind: "read_task", by: askerOf(change.principal), taskId } as const;
      const found = await services.system.dispatch(missionRef(change.principal.organizationId, id), command);
      return found.ok ? startMissionTask(services, change, found.value) : found;
    },
  ),
};
