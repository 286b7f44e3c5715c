/** Missions on the current surface: list, create, read, change, delete (MIS-1, MIS-2). */
import { mapOutcome, ok, type Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import type { CallSettings } from "../../../actors/job/model-settings.ts";
import type { MissionChanges } from "../../../actors/mission/protocol.ts";
import { DEFAULT_SCHEDULE } from "../../../actors/mission/schedule-input.ts";
import { type Mission, MISSION_STATUSES, type MissionBudget, missionRef } from "../../../actors/mission/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { type Agent, organizationRef } from "../../../actors/organization/schema.ts";
import type { GroupMember } from "../../../actors/runtime/turns/members.ts";
import { ask } from "../../../actors/troupe.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import { created, done } from "../../http/commit/commit.ts";
import { idFilter, someOf } from "../../http/contract/field.ts";
import { Id } from "../../http/contract/noun.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { operation } from "../../operations/operation.ts";
import { settingsModelOf, usableModelSettings } from "../../operations/usable-model-settings.ts";
import type { Services } from "../../operations/services.ts";
import { costKnown } from "../../work/budget.ts";
import { unlessNotInstalled } from "../library-visibility.ts";
import { POLL_QUERY, pollRecord } from "../long-poll.ts";
import { pageOf, pageQuery, shownPage } from "../paging.ts";
import { missionParams } from "../path-ids.ts";
import { updateRecord } from "../updating.ts";
import { missionChanges, CreateMissionBody, UpdateMissionBody } from "./schema.ts";
import { readMission, updateAndRun } from "./starting.ts";
import { askerOf, DeletedMissionView, MissionList, MissionView, missionView } from "./view.ts";

export const missionOperations = {
  listMissions: operation(
    {
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
    },
    async ({ missions, calendar, readCommitted }, { principal }, { query }) => {
      const { organizationId, userId } = principal;
      const filter = { seenBy: userId, status: query.status, agentId: query.agent_id, workspaceId: query.workspace_id };
      const read = () => missions.listMissions(organizationId, filter, pageOf(query));
      return shownPage("missions", readCommitted(organizationId, read), (mission) =>
        missionView(mission, principal, calendar),
      );
    },
  ),

  createMission: operation(
    {
      method: "POST",
      path: "/api/missions",
      scope: "missions:write",
      summary: "Create a mission",
      description:
        "Without a schedule, the mission runs only when it is started by hand. Scheduled runs have the permissions of the mission's creator. Without `workspace_id` it uses the default workspace.",
      body: CreateMissionBody,
      answers: { 201: MissionView },
      errors: ["invalid_schedule"],
      emits: "mission.created",
    },
    async (services, change, { body }) => {
      const { principal } = change;
      const agent = await services.agents.find(principal, body.agent_id);
      if (!agent.ok) return unlessNotInstalled(services, principal, body.agent_id, agent);
      const workspaceId = await missionWorkspace(services, principal, body.workspace_id);
      if (!workspaceId.ok) return workspaceId;
      const given = missionChanges(body);
      if (!given.ok) return given;
      const countable = budgetKnown(services, agent.value, given.value.budget);
      if (!countable.ok) return countable;
      const settled = settingsForAgent(services, agent.value, given.value);
      if (!settled.ok) return settled;
      const { schedule = {}, ...rest } = settled.value;
      const settings = {
        visibility: "organization",
        priority: "medium",
        reviewRequired: false,
        budget: { maxTokens: null, maxSteps: null },
        ...rest,
        title: body.title,
        goal: body.goal,
        agentId: agent.value.id,
        workspaceId: workspaceId.value,
        schedule: { ...DEFAULT_SCHEDULE, ...schedule },
      } as const;
      const command = { kind: "create_mission", by: askerOf(principal), settings } as const;
      const create = ask(missionRef(principal.organizationId, newId("mis")), command);
      return change.commit(
        [create, ...stillThere(principal, { agent: agent.value, workspaceId: workspaceId.value })],
        (mission) => created(missionView(mission, principal, services.calendar)),
      );
    },
  ),

  getMission: operation(
    {
      method: "GET",
      path: "/api/missions/{id}",
      scope: "missions:read",
      summary: "Read a mission",
      description: "With `since_version` and `wait` it returns as soon as the mission changes.",
      params: missionParams,
      query: POLL_QUERY,
      answers: { 200: MissionView, 304: null },
    },
    async (services, caller, { params, query }) => {
      const { principal } = caller;
      const ref = missionRef(principal.organizationId, params.id);
      const read = () => services.system.dispatch(ref, { kind: "read_mission", by: askerOf(principal) });
      return pollRecord(services, caller, { ref, read, query }, (mission) =>
        missionView(mission, principal, services.calendar),
      );
    },
  ),

  updateMission: operation(
    {
      method: "PATCH",
      path: "/api/missions/{id}",
      scope: "missions:write",
      summary: "Update a mission",
      description:
        "Omitted fields are unchanged. `status` pauses it (`paused`), resumes it (`pending`) or runs it now (`running`).",
      params: missionParams,
      headers: IF_MATCH,
      body: UpdateMissionBody,
      answers: { 200: MissionView },
      errors: ["forbidden", "invalid_schedule", "invalid_state", "budget_exceeded", "provider_error"],
      emits: "mission.updated",
    },
    async (services, change, { params, headers, body }) => {
      const mission = await readMission(services, change.principal, params.id);
      if (!mission.ok) return mission;
      const { principal } = change;
      const usable = await usableParts(services, principal, body);
      if (!usable.ok) return usable;
      const given = missionChanges(body);
      if (!given.ok) return given;
      const countable = await withinPrices(services, principal, mission.value, given.value);
      if (!countable.ok) return countable;
      const settled = await withSettings(services, principal, mission.value, given.value);
      if (!settled.ok) return settled;
      const { value: changes } = settled;
      const version = headers["if-match"] ?? null;
      const there = stillThere(principal, usable.value);
      if (body.status === "running") return updateAndRun(services, change, mission.value, { changes, version, there });
      const command = { kind: "update_mission", by: askerOf(principal), changes, version } as const;
      const ref = missionRef(principal.organizationId, params.id);
      const read = ask(ref, { kind: "read_mission", by: askerOf(principal) });
      return updateRecord(change, [read, ask(ref, command), ...there], (after) =>
        missionView(after, principal, services.calendar),
      );
    },
  ),

  deleteMission: operation(
    {
      method: "DELETE",
      path: "/api/missions/{id}",
      scope: "missions:write",
      summary: "Delete a mission",
      description:
        "The mission no longer runs and can no longer be found; its record is kept. Its running jobs are cancelled.",
      params: missionParams,
      answers: { 200: DeletedMissionView },
      errors: ["forbidden"],
      emits: "resource.deleted",
    },
    async ({ calendar }, change, { params: { id } }) => {
      const { principal } = change;
      const command = { kind: "delete_mission", by: askerOf(principal) } as const;
      return change.commit([ask(missionRef(principal.organizationId, id), command)], (mission) =>
        done({ ...missionView(mission, principal, calendar), allowed_actions: [], deleted: true }),
      );
    },
  ),
};

/**
 * Checks in the commit that the agent and the workspace still exist. A concurrent deletion looks for missions only
 * once, and would miss this one. An agent of another organization is checked when a run begins.
 */
function stillThere(
  { organizationId, userId }: Principal,
  { agent, workspaceId }: { readonly agent: Agent | null; readonly workspaceId: string | null },
): readonly GroupMember[] {
  const by = { organizationId, userId };
  return [
    ...(agent?.organizationId === organizationId
      ? [ask(organizationRef(organizationId), { kind: "read_agent", by, agentId: agent.id })]
      : []),
    ...(workspaceId === null ? [] : [ask(workspaceRef(organizationId, workspaceId), { kind: "read_workspace" })]),
  ];
}

/** The given workspace, or by default the organization's own. */
async function missionWorkspace(
  { system }: Services,
  { organizationId }: Principal,
  given: string | undefined,
): Promise<Outcome<string>> {
  if (given !== undefined)
    return mapOutcome(
      await system.dispatch(workspaceRef(organizationId, given), { kind: "read_workspace" }),
      ({ id }) => id,
    );
  const organization = await system.dispatch(organizationRef(organizationId), { kind: "read_organization" });
  return mapOutcome(organization, ({ defaultWorkspaceId }) => defaultWorkspaceId);
}

/** Refuses a cost budget for an agent whose model has no price (RUN-20). */
function budgetKnown({ models }: Services, { model }: Agent, budget: MissionBudget | undefined): Outcome<null> {
  const described = models.describe(model);
  // A model that cannot be used is refused when a run begins, not here.
  return described.ok ? costKnown(models, described.value, budget ?? null) : ok(null);
}

/** Looks up the agent only if the change sets a cost budget. */
async function withinPrices(
  services: Services,
  principal: Principal,
  mission: Mission,
  { agentId = mission.agentId, budget }: MissionChanges,
): Promise<Outcome<null>> {
  if ((budget?.maxCost ?? null) === null) return ok(null);
  const agent = await services.agents.find(principal, agentId);
  return agent.ok ? budgetKnown(services, agent.value, budget) : ok(null);
}

/** Checks the settings of the model over those of the agent, and notes for which model they were chosen. */
function settingsForAgent(
  services: Services,
  { model, modelSettings: ofAgent }: Agent,
  changes: MissionChanges,
  kept: CallSettings | null = null,
): Outcome<MissionChanges> {
  const { modelSettings: ofMessage = kept } = changes;
  if (ofMessage === null) return ok(changes);
  const changed = changes.modelSettings === undefined ? { changed: "/agent_id" as const } : {};
  const usable = usableModelSettings(services, { model, ofAgent, ofMessage, ...changed });
  return usable.ok ? ok({ ...changes, settingsModel: settingsModelOf(services, model) }) : usable;
}

/** Checks the settings that the mission will have, if they or its agent change. */
async function withSettings(
  services: Services,
  principal: Principal,
  mission: Mission,
  changes: MissionChanges,
): Promise<Outcome<MissionChanges>> {
  const { agentId, modelSettings = agentId === undefined ? null : mission.modelSettings } = changes;
  if (modelSettings === null || modelSettings === undefined) return ok(changes);
  const agent = await services.agents.find(principal, agentId ?? mission.agentId);
  return agent.ok ? settingsForAgent(services, agent.value, changes, modelSettings) : agent;
}

/** The new agent and workspace from the body, null if absent; refuses those that the caller may not use. */
async function usableParts(
  services: Services,
  principal: Principal,
  body: { readonly agent_id?: string | undefined; readonly workspace_id?: string | undefined },
): Promise<Outcome<{ readonly agent: Agent | null; readonly workspaceId: string | null }>> {
  let agent: Agent | null = null;
  if (body.agent_id !== undefined) {
    const found = await services.agents.find(principal, body.agent_id);
    if (!found.ok) return unlessNotInstalled(services, principal, body.agent_id, found);
    agent = found.value;
  }
  if (body.workspace_id === undefined) return ok({ agent, workspaceId: null });
  return mapOutcome(await missionWorkspace(services, principal, body.workspace_id), (workspaceId) => ({
    agent,
    workspaceId,
  }));
}
