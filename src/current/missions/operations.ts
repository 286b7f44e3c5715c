/** Operations on missions and their tasks (MIS-1 to MIS-8). */
import { MISSION_STATUSES, RUN_OUTCOMES } from "../../../actors/mission/schema.ts";
import { Type } from "../../../actors/schema.ts";
import { idFilter, someOf, withDefault } from "../../http/contract/field.ts";
import { Id } from "../../http/contract/noun.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { POLL_QUERY } from "../long-poll.ts";
import { pageQuery } from "../paging.ts";
import { MissionId, MissionTaskId } from "../path-ids.ts";
import { AddTaskBody, CreateMissionBody, UpdateMissionBody, UpdateMissionTaskBody } from "./schema.ts";
import {
  DeletedMissionView,
  ForecastView,
  MissionList,
  MissionRunList,
  MissionTaskView,
  MissionView,
  RunStartedView,
  TaskStartedView,
} from "./view.ts";

const params = { id: MissionId };
const taskParams = { id: MissionId, taskId: MissionTaskId };
/** Times in one forecast: two years of weekly runs, or four days of hourly ones. */
const MOST_FORECAST = 100;

export const missionOperations = operationGroup(
  "Missions",
  "Recurring work for an agent, started by hand or by a schedule",
  {
    listMissions: {
      method: "GET",
      path: "/api/missions",
      scope: "missions:read",
      summary: "List missions",
      description: "Filters are combined with AND.",
      query: {
        status: someOf(MISSION_STATUSES, { description: "Missions with one of these statuses" }),
        agent_id: idFilter(Id("agt", "Missions of this agent")),
        workspace_id: idFilter(Id("wsp", "Missions in this workspace")),
        ...pageQuery("missions"),
      },
      answers: { 200: MissionList },
      errors: ["invalid_request", "invalid_cursor"],
    },
    createMission: {
      method: "POST",
      path: "/api/missions",
      scope: "missions:write",
      summary: "Create a mission",
      description:
        "Without a schedule it runs only when it is started by hand. Scheduled runs act with the permissions of the user who creates it. Without `workspace_id` it works in the default workspace.",
      body: CreateMissionBody,
      answers: { 201: MissionView },
      errors: ["not_found", "invalid_schedule"],
      emits: "mission.created",
    },
    getMission: {
      method: "GET",
      path: "/api/missions/{id}",
      scope: "missions:read",
      summary: "Read a mission",
      description: "With `since_version` and `wait` it answers as soon as the mission has changed.",
      params,
      query: POLL_QUERY,
      answers: { 200: MissionView, 304: null },
      errors: ["not_found", "invalid_request"],
    },
    updateMission: {
      method: "PATCH",
      path: "/api/missions/{id}",
      scope: "missions:write",
      summary: "Update a mission",
      description:
        "Omitted fields are unchanged. `status` pauses it (`paused`), resumes it (`pending`) or runs it now (`running`).",
      params,
      headers: IF_MATCH,
      body: UpdateMissionBody,
      answers: { 200: MissionView },
      errors: [
        "not_found",
        "forbidden",
        "invalid_schedule",
        "invalid_state",
        "version_conflict",
        "budget_exceeded",
        "provider_error",
      ],
      emits: "mission.updated",
    },
    deleteMission: {
      method: "DELETE",
      path: "/api/missions/{id}",
      scope: "missions:write",
      summary: "Delete a mission",
      description:
        "Its record is kept, but it fires no more and is not found any more. Its running jobs are cancelled.",
      params,
      answers: { 200: DeletedMissionView },
      errors: ["not_found", "forbidden"],
      emits: "resource.deleted",
    },
    runMission: {
      method: "POST",
      path: "/api/missions/{id}/run",
      scope: "missions:write",
      summary: "Run a mission now",
      description:
        "While another run is open, the mission's overlap policy decides. A run that waits for the open one has no `run` and no `job` yet.",
      params,
      answers: { 202: RunStartedView },
      errors: ["not_found", "forbidden", "invalid_state", "budget_exceeded", "provider_error"],
      emits: "mission.started",
    },
    listMissionRuns: {
      method: "GET",
      path: "/api/missions/{id}/runs",
      scope: "missions:read",
      summary: "List the runs of a mission",
      description: "The ledger: every scheduled time with its outcome, and every run by hand.",
      params,
      query: {
        outcome: someOf(RUN_OUTCOMES, { description: "Entries with one of these outcomes" }),
        ...pageQuery("mission_runs"),
      },
      answers: { 200: MissionRunList },
      errors: ["not_found", "invalid_request", "invalid_cursor"],
    },
    getMissionForecast: {
      method: "GET",
      path: "/api/missions/{id}/forecast",
      scope: "missions:read",
      summary: "Forecast when a mission will fire",
      description: "In UTC and in local time, with a note where a clock change shifts, skips or repeats a time.",
      params,
      query: {
        count: withDefault(
          Type.Integer({ minimum: 1, maximum: MOST_FORECAST, description: "Number of times in the answer" }),
          20,
        ),
      },
      answers: { 200: ForecastView },
      errors: ["not_found", "invalid_request"],
    },
    addMissionTask: {
      method: "POST",
      path: "/api/missions/{id}/tasks",
      scope: "missions:write",
      summary: "Add a mission task",
      params,
      body: AddTaskBody,
      answers: { 201: MissionTaskView },
      errors: ["not_found", "forbidden", "invalid_state"],
      emits: "mission_task.created",
    },
    getMissionTask: {
      method: "GET",
      path: "/api/missions/{id}/tasks/{taskId}",
      scope: "missions:read",
      summary: "Read a mission task",
      params: taskParams,
      answers: { 200: MissionTaskView },
      errors: ["not_found"],
    },
    updateMissionTask: {
      method: "PATCH",
      path: "/api/missions/{id}/tasks/{taskId}",
      scope: "missions:write",
      summary: "Update a mission task",
      description: "Omitted fields are unchanged. A status that ends the work also stops its job.",
      params: taskParams,
      headers: IF_MATCH,
      body: UpdateMissionTaskBody,
      answers: { 200: MissionTaskView },
      errors: ["not_found", "forbidden", "invalid_state", "version_conflict"],
      emits: "mission_task.updated",
    },
    startMissionTask: {
      method: "POST",
      path: "/api/missions/{id}/tasks/{taskId}/start-work",
      scope: "missions:write",
      summary: "Start long-running work from a task",
      description:
        "The agent that the task is assigned to does the work, or else the mission's agent. If a job is already active, it is returned with 200.",
      params: taskParams,
      answers: { 202: TaskStartedView, 200: TaskStartedView },
      errors: ["not_found", "forbidden", "invalid_state", "budget_exceeded", "provider_error"],
      emits: "mission_task.started",
    },
  },
);
