/** Missions on the current surface: list, create, read, change, run, and their tasks (MIS-1 to MIS-8). */
import type { MissionChanges } from "../../../actors/mission/protocol.ts";
import { type Agent, organizationRef } from "../../../actors/organization/schema.ts";
import { costKnown } from "../../work/budget.ts";
import { mapped, ok, type Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import { DEFAULT_SCHEDULE } from "../../../actors/mission/schedule-input.ts";
import { type Mission, type MissionBudget, missionRef } from "../../../actors/mission/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Member } from "../../../actors/runtime/turns/members.ts";
import { ask } from "../../../actors/troupe.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import type { Handlers, Input } from "../../http/contract/operation.ts";
import type { Caller } from "../../http/request/caller.ts";
import { type Change, type Commit, created, done } from "../../http/commit/commit.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { unlessNotInstalled } from "../library-visibility.ts";
import { polled } from "../long-poll.ts";
import { pageIn, pageOf, pageView } from "../paging.ts";
import { updated } from "../updating.ts";
import type { missionOperations } from "./operations.ts";
import { changesOf, taskChangesOf } from "./schema.ts";
import { runMission, startMissionTask, updateAndRun } from "./starting.ts";
import { askerOf, forecastView, missionRunView, missionTaskView, missionView } from "./view.ts";

type MissionOperations = typeof missionOperations.operations;
type Committing = Promise<Outcome<Commit>>;

export const missionHandlers: Handlers<MissionOperations, Services> = {
  listMissions,
  createMission,

  async getMission(services, caller, { params, query }) {
    const { principal } = caller;
    const ref = missionRef(principal.organizationId, params.id);
    const read = () => services.system.dispatch(ref, { kind: "read_mission", by: askerOf(principal) });
    return polled(services, caller, { ref, read, query }, (mission) =>
      missionView(mission, principal, services.calendar),
    );
  },

  updateMission: (services, change, input) =>
    onMission(services, change, input.params.id, (mission) => updateMission(services, change, mission, input)),

  async deleteMission({ calendar }, change, { params: { id } }) {
    const { principal } = change;
    const command = { kind: "delete_mission", by: askerOf(principal) } as const;
    return change.commit([ask(missionRef(principal.organizationId, id), command)], (mission) =>
      done({ ...missionView(mission, principal, calendar), allowed_actions: [], deleted: true }),
    );
  },

  runMission: (services, change, { params }) =>
    onMission(services, change, params.id, (mission) => runMission(services, change, mission)),

  listMissionRuns: (services, caller, { params, query }) =>
    onMission(services, caller, params.id, (mission) => listRuns(services, mission, query)),

  async getMissionForecast({ system }, { principal }, { params, query: { count } }) {
    const ref = missionRef(principal.organizationId, params.id);
    const by = askerOf(principal);
    const replies = await system.dispatchGroup([
      ask(ref, { kind: "read_mission", by }),
      ask(ref, { kind: "read_forecast", by, count }),
    ]);
    return mapped(replies, ([mission, times]) => forecastView(mission, times));
  },

  async addMissionTask(_, change, { params: { id }, body }) {
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

  async getMissionTask({ system }, { principal }, { params: { id, taskId } }) {
    const command = { kind: "read_task", by: askerOf(principal), taskId } as const;
    const found = await system.dispatch(missionRef(principal.organizationId, id), command);
    return mapped(found, ({ mission, task }) => missionTaskView(mission, task, principal));
  },

  async updateMissionTask(_, change, { params: { id, taskId }, headers, body }) {
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

  async startMissionTask(services, change, { params: { id, taskId } }) {
    const command = { kind: "read_task", by: askerOf(change.principal), taskId } as const;
    const found = await services.system.dispatch(missionRef(change.principal.organizationId, id), command);
    return found.ok ? startMissionTask(services, change, found.value) : found;
  },
};

/** Runs on a mission that the caller may see. */
async function onMission<T>(
  { system }: Services,
  { principal }: Caller,
  id: string,
  run: (mission: Mission) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const by = askerOf(principal);
  const mission = await system.dispatch(missionRef(principal.organizationId, id), { kind: "read_mission", by });
  return mission.ok ? run(mission.value) : mission;
}

async function listMissions(
  { system, missions, calendar, log }: Services,
  { principal }: Caller,
  { query }: Input<MissionOperations["listMissions"]>,
) {
  const { organizationId, userId } = principal;
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const filter = { seenBy: userId, status: query.status, agentId: query.agent_id, workspaceId: query.workspace_id };
  const found = await lookUp(log, missions.listMissions(organizationId, filter, pageOf(query)));
  return mapped(found, (list) => pageView("missions", list, (mission) => missionView(mission, principal, calendar)));
}

async function listRuns(
  { system, missions, log }: Services,
  { organizationId, id: missionId }: Mission,
  query: Input<MissionOperations["listMissionRuns"]>["query"],
) {
  const page = pageIn(query, missionId);
  if (!page.ok) return page;
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const of = { missionId, outcome: query.outcome };
  const found = await lookUp(log, missions.listRuns(organizationId, of, page.value));
  return mapped(found, ({ records, next }) => {
    const { mission_runs: runs, ...more } = pageView("mission_runs", { records, next }, missionRunView, missionId);
    return { runs, ...more };
  });
}

async function createMission(
  services: Services,
  change: Change,
  { body }: Input<MissionOperations["createMission"]>,
): Committing {
  const { principal } = change;
  const agent = await services.agents.find(principal, body.agent_id);
  if (!agent.ok) return unlessNotInstalled(services, principal, body.agent_id, agent);
  const workspaceId = await workspaceOf(services, principal, body.workspace_id);
  if (!workspaceId.ok) return workspaceId;
  const given = changesOf(body);
  if (!given.ok) return given;
  const countable = budgetKnown(services, agent.value, given.value.budget);
  if (!countable.ok) return countable;
  const { schedule = {}, ...rest } = given.value;
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
}

/**
 * Checks in the commit that the agent and the workspace still exist. A concurrent deletion looks for missions only
 * once, and would miss this one. An agent of another organization is checked when a run begins.
 */
function stillThere(
  { organizationId, userId }: Principal,
  { agent, workspaceId }: { readonly agent: Agent | null; readonly workspaceId: string | null },
): readonly Member[] {
  const by = { organizationId, userId };
  return [
    ...(agent?.organizationId === organizationId
      ? [ask(organizationRef(organizationId), { kind: "read_agent", by, agentId: agent.id })]
      : []),
    ...(workspaceId === null ? [] : [ask(workspaceRef(organizationId, workspaceId), { kind: "read_workspace" })]),
  ];
}

/** The given workspace, or by default the organization's own. */
async function workspaceOf(
  { system }: Services,
  { organizationId }: Principal,
  given: string | undefined,
): Promise<Outcome<string>> {
  if (given !== undefined)
    return mapped(
      await system.dispatch(workspaceRef(organizationId, given), { kind: "read_workspace" }),
      ({ id }) => id,
    );
  const organization = await system.dispatch(organizationRef(organizationId), { kind: "read_organization" });
  return mapped(organization, ({ defaultWorkspaceId }) => defaultWorkspaceId);
}

async function updateMission(
  services: Services,
  change: Change,
  mission: Mission,
  { headers, body }: Input<MissionOperations["updateMission"]>,
): Committing {
  const { principal } = change;
  const usable = await usableParts(services, principal, body);
  if (!usable.ok) return usable;
  const given = changesOf(body);
  if (!given.ok) return given;
  const countable = await withinPrices(services, principal, mission, given.value);
  if (!countable.ok) return countable;
  const version = headers["if-match"] ?? null;
  const there = stillThere(principal, usable.value);
  if (body.status === "running")
    return updateAndRun(services, change, mission, { changes: given.value, version, there });
  const command = { kind: "update_mission", by: askerOf(principal), changes: given.value, version } as const;
  const ref = missionRef(principal.organizationId, mission.id);
  const read = ask(ref, { kind: "read_mission", by: askerOf(principal) });
  return updated(change, [read, ask(ref, command), ...there], (after) =>
    missionView(after, principal, services.calendar),
  );
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
  return mapped(await workspaceOf(services, principal, body.workspace_id), (workspaceId) => ({ agent, workspaceId }));
}
