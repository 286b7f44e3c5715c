/**
 * Who may do what with a mission. Its runs act with the permissions of the user who created it (AUTH-7), so only that
 * user may change it. Everybody in the organization may read a mission that is not private, and an owner of the
 * organization may pause and delete it.
 */
import { notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { missionStatusAfter, allowedMissionActions, type MissionAction } from "./machine.ts";
import type { Asker } from "./protocol.ts";
import { hasNoRunsLeft } from "./schedule.ts";
import { type Mission, missionTable } from "./schema.ts";

const OWNERS_VERBS: readonly MissionAction[] = ["pause", "delete"];

const mayUse = ({ createdBy }: Mission, by: Asker, action: MissionAction): boolean =>
  createdBy === by.userId || (by.isOwner && OWNERS_VERBS.includes(action));

/** The verbs that this caller may use now. */
export const actionsFor = (mission: Mission, by: Asker): readonly MissionAction[] =>
  allowedMissionActions(mission).filter((action) => mayUse(mission, by, action));

export function visibleMission(tx: Tx, by: Asker): Outcome<Mission> {
  const mission = tx.read(missionTable, tx.self.id);
  if (mission === null || mission.deletedAt !== null) return notFound("mission");
  const isSeen = mission.visibility === "organization" || mission.createdBy === by.userId;
  return isSeen ? ok(mission) : notFound("mission");
}

const ACTION_WORDS: Readonly<Record<MissionAction, string>> = {
  run: "run",
  pause: "be paused",
  resume: "become pending",
  update: "be changed",
  change_tasks: "have its tasks changed",
  delete: "be deleted",
};

/** The mission, if this caller may use the verb on it now. */
export function permittedMission(tx: Tx, by: Asker, action: MissionAction): Outcome<Mission> {
  const mission = visibleMission(tx, by);
  if (!mission.ok) return mission;
  return refusalOf(mission.value, by, action) ?? mission;
}

/** Why this caller may not use the verb now; null if they may. */
export function refusalOf(mission: Mission, by: Asker, action: MissionAction): Outcome<never> | null {
  if (!mayUse(mission, by, action))
    return refuse({
      kind: "forbidden",
      message: "Only its creator may do this: the mission's runs act with the permissions of its creator",
    });
  if (allowedMissionActions(mission).includes(action)) return null;
  return refusedState(mission, by, reasonAgainst(mission, action));
}

/** Something that a mission needs to run and can lose. */
export type Loss = "agent" | "workspace";
const LOSS_WORDS: Readonly<Record<Loss, string>> = {
  agent: "The mission's agent can no longer be used; set another one with `agent_id`",
  workspace: "The mission's workspace was deleted; set another one with `workspace_id`",
};

/** The refusal when the agent or the workspace is gone. */
export const refuseLoss = (loss: Loss, mission: Mission, by: Asker): Outcome<never> =>
  refusedState(
    { ...mission, ...(loss === "agent" ? { isAgentGone: true } : { isWorkspaceGone: true }) },
    by,
    LOSS_WORDS[loss],
  );

/** What the mission has lost, according to its record. */
export const lossOf = ({ isAgentGone, isWorkspaceGone = false }: Mission): Loss | null =>
  isAgentGone ? "agent" : isWorkspaceGone ? "workspace" : null;

function reasonAgainst(mission: Mission, action: MissionAction): string {
  const { status, schedule } = mission;
  const loss = lossOf(mission);
  if (missionStatusAfter(status, action) === null) return `A mission that is ${status} cannot ${ACTION_WORDS[action]}`;
  if (loss !== null) return LOSS_WORDS[loss];
  if (hasNoRunsLeft(mission))
    return `The mission has had all of the runs that \`max_runs\` (${schedule.maxRuns}) allows`;
  return `A run is open, and the mission's overlap policy is \`${schedule.overlap}\``;
}

export const refusedState = (mission: Mission, by: Asker, message: string): Outcome<never> =>
  refuse({ kind: "invalid_state", status: mission.status, allowedActions: actionsFor(mission, by), message });

/** Refuses a caller who has read another version; null accepts any. */
export const unlessMoved = (of: { readonly version: number }, version: number | null): Outcome<never> | null =>
  version === null || version === of.version ? null : refuse({ kind: "version_conflict", version: of.version });
