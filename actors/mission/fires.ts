/** Reports of the fire effect and of a mission's jobs to its actor, and changes of its agent. */
import { spentWords } from "../usage/schema.ts";
import { notFound, ok } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { runContent } from "./context.ts";
import { afterRun, failMission, fireDue, planNext } from "./firing.ts";
import { missionStatusAfter } from "./machine.ts";
import { keepMission } from "./news.ts";
import type { Calendar } from "./ports.ts";
import type { ImpossibleReason, MissionCommand, MissionProtocol, RunRefusal } from "./protocol.ts";
import { attachJob, endRun, retriedRun } from "./runs.ts";
import { type Mission, missionTable, type OpenRun, type RunOutcome } from "./schema.ts";
import { taskEnded } from "./task-work.ts";

type FireCommand =
  | "fire_due"
  | "read_run"
  | "begin_run"
  | "retry_run"
  | "refuse_run"
  | "job_ended"
  | "agent_changed"
  | "workspace_deleted";
type JobEnded = Extract<MissionCommand, { readonly kind: "job_ended" }>;

const OUTCOME_OF_JOB = {
  completed: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
} as const satisfies Record<JobEnded["status"], RunOutcome>;

export const fireHandlers = (calendar: Calendar): Pick<Handlers<MissionProtocol>, FireCommand> => ({
  fire_due: (tx) => fireDue(tx, calendar),

  read_run(tx, { runId, effectId }) {
    const mission = tx.read(missionTable, tx.self.id);
    return ok(mission === null || waiting(mission, runId, effectId) === null ? null : mission);
  },

  begin_run(tx, { runId, effectId, ids }) {
    const mission = tx.read(missionTable, tx.self.id);
    const open = mission === null ? null : waiting(mission, runId, effectId);
    if (mission === null || open === null) return notFound("mission");
    const begun = attachJob(tx, mission, open, ids);
    const kept = keepMission(tx, begun.mission);
    return ok({ mission: kept, run: begun.run, content: runContent(kept, begun.run) });
  },

  retry_run(tx, { runId, effectId }) {
    tx.settle(effectId);
    const mission = tx.read(missionTable, tx.self.id);
    if (mission !== null && waiting(mission, runId, effectId) !== null) keepMission(tx, retriedRun(tx, mission, runId));
    return ok(null);
  },

  refuse_run(tx, { runId, effectId, refusal }) {
    tx.settle(effectId);
    const mission = tx.read(missionTable, tx.self.id);
    const open = mission === null ? null : waiting(mission, runId, effectId);
    if (mission !== null && open !== null) keepMission(tx, refuseRun(tx, calendar, mission, { open, refusal }));
    return ok(null);
  },

  job_ended(tx, command) {
    const mission = tx.read(missionTable, tx.self.id);
    if (mission === null) return ok(null);
    const open = mission.openRuns.find(({ jobId }) => jobId === command.jobId);
    const after = open === undefined ? mission : runEnded(tx, calendar, mission, { open, end: command });
    const ended = command.taskId === null ? after : taskEnded(tx, after, command);
    if (ended !== mission) keepMission(tx, ended);
    return ok(null);
  },

  agent_changed(tx, { agentId, isGone }) {
    const mission = tx.read(missionTable, tx.self.id);
    if (mission === null || mission.deletedAt !== null) return ok(null);
    if (mission.agentId !== agentId || mission.isAgentGone === isGone) return ok(null);
    const changed = { ...mission, isAgentGone: isGone };
    keepMission(tx, isGone ? failedIfAble(tx, changed, "agent_unavailable") : planNext(tx, calendar, changed));
    return ok(null);
  },

  workspace_deleted(tx, { workspaceId }) {
    const mission = tx.read(missionTable, tx.self.id);
    if (mission === null || mission.deletedAt !== null) return ok(null);
    if (mission.workspaceId !== workspaceId || mission.isWorkspaceGone === true) return ok(null);
    keepMission(tx, failedIfAble(tx, { ...mission, isWorkspaceGone: true }, "workspace_deleted"));
    return ok(null);
  },
});

/** The run that this effect should begin, while the run still waits for it. */
const waiting = ({ openRuns }: Mission, runId: string, effectId: string): OpenRun | null =>
  openRuns.find((open) => open.id === runId && open.effectId === effectId) ?? null;

const runEnded = (
  tx: Tx,
  calendar: Calendar,
  mission: Mission,
  { open, end }: { readonly open: OpenRun; readonly end: JobEnded },
): Mission => {
  const { status, result, error } = end;
  const outcome = OUTCOME_OF_JOB[status];
  return afterRun(tx, calendar, endRun(tx, mission, open, { outcome, result, error }), outcome);
};

function refuseRun(
  tx: Tx,
  calendar: Calendar,
  mission: Mission,
  { open, refusal }: { readonly open: OpenRun; readonly refusal: RunRefusal },
): Mission {
  switch (refusal.kind) {
    case "budget_spent": {
      const error = { code: "budget_exceeded", message: spentWords(refusal.of) };
      const ended = endRun(tx, mission, open, { outcome: "skipped_budget", result: null, error });
      return afterRun(tx, calendar, ended, "skipped_budget");
    }
    case "failed": {
      const ended = endRun(tx, mission, open, { outcome: "failed", result: null, error: refusal.error });
      return afterRun(tx, calendar, ended, "failed");
    }
    case "impossible": {
      const { reason } = refusal;
      const ended = endRun(tx, mission, open, {
        outcome: "failed",
        result: null,
        error: { code: reason, message: IMPOSSIBLE_RUN_WORDS[reason] },
      });
      const isAgentGone = ended.isAgentGone || reason === "agent_unavailable";
      const isWorkspaceGone = ended.isWorkspaceGone === true || reason === "workspace_deleted";
      return failedIfAble(tx, { ...ended, isAgentGone, isWorkspaceGone }, reason);
    }
  }
}

const IMPOSSIBLE_RUN_WORDS: Readonly<Record<ImpossibleReason, string>> = {
  agent_unavailable: "The mission's agent has been archived or uninstalled, or its creator may not use it any more",
  workspace_deleted: "The mission's workspace has been deleted",
  creator_removed: "The user that the mission acts for is no longer a member of the organization",
};

/** A mission that has ended, or has failed before, does not change. */
const failedIfAble = (tx: Tx, mission: Mission, reason: ImpossibleReason): Mission =>
  missionStatusAfter(mission.status, "fail") === null ? mission : failMission(tx, mission, reason);
