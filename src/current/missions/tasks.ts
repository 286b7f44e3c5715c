/** The tasks of a mission (MIS-7). */
import { assert } from "../../../actors/assert.ts";
import { mapOutcome, ok, type Outcome } from "../../../actors/fault.ts";
import { jobRef } from "../../../actors/job/schema.ts";
import { missionRef } from "../../../actors/mission/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { followedBy, following } from "../../../actors/runtime/turns/members.ts";
import { ask } from "../../../actors/troupe.ts";
import { accepted, created, done } from "../../http/commit/commit.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { taskJob } from "../../work/missions.ts";
import { jobView } from "../jobs/view.ts";
import { MissionTaskId, missionParams } from "../path-ids.ts";
import { updateRecord } from "../updating.ts";
import { AddTaskBody, taskChangesOf, UpdateMissionTaskBody } from "./schema.ts";
import { newIds, prepareRun } from "./starting.ts";
import { askerOf, missionTaskView, MissionTaskView, TaskStartedView } from "./view.ts";

const taskParams = { ...missionParams, taskId: MissionTaskId };

export const missionTaskOperations = {
  addMissionTask: operation(
    {
      method: "POST",
      path: "/api/missions/{id}/tasks",
      scope: "missions:write",
      summary: "Add a mission task",
      params: missionParams,
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
      return mapOutcome(found, ({ mission, task }) => missionTaskView(mission, task, principal));
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
      return updateRecord(
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
      const { principal, requestId } = change;
      const read = { kind: "read_task", by: askerOf(principal), taskId } as const;
      const found = await services.system.dispatch(missionRef(principal.organizationId, id), read);
      if (!found.ok) return found;
      const { mission, task } = found.value;
      const agent = await agentFor(services, principal, { assignedTo: task.assignedTo, otherwise: mission.agentId });
      if (!agent.ok) return agent;
      const work = await prepareRun(services, principal, { mission, agent: agent.value, action: "change_tasks" });
      if (!work.ok) return work;
      const ids = newIds();
      const ref = missionRef(principal.organizationId, id);
      const beginning = followedBy(
        ask(ref, { kind: "start_task", by: askerOf(principal), taskId: task.id, ids }),
        (brief) => taskJob(work.value, ids, brief, requestId),
      );
      return change.commit(
        following(beginning, ([{ content, task: active }]) =>
          content === null && active.jobId !== null
            ? ask(jobRef(principal.organizationId, active.jobId), { kind: "read_job" })
            : null,
        ),
        (brief, [, begun, active]) => {
          const started = begun ?? active ?? null;
          assert(started !== null, "a task that is worked on has a job");
          const job = jobView(started, principal);
          const body = { job, task: missionTaskView(brief.mission, brief.task, principal) };
          // Nothing was started, so nothing has changed.
          return brief.content === null ? { ...done(body), emits: null } : accepted(body);
        },
      );
    },
  ),
};

/** The agent that the task is assigned to, if this caller may use it. */
async function agentFor(
  { agents }: Services,
  principal: Principal,
  { assignedTo, otherwise }: { readonly assignedTo: string | null; readonly otherwise: string },
): Promise<Outcome<string>> {
  if (assignedTo === null || !assignedTo.startsWith("agt_")) return ok(otherwise);
  const found = await agents.find(principal, assignedTo);
  if (!found.ok && found.fault.kind === "not_found") return ok(otherwise);
  return mapOutcome(found, ({ id }) => id);
}
