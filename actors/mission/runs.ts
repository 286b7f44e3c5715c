/**
 * The runs of a mission: how one begins, its entry in the ledger, and what its end means for the next (MIS-1, MIS-4,
 * MIS-5). Functions take the mission and return it changed; the caller stores it once.
 *
 *   fire ─▶ entry `started`, effect `mission_run` ─▶ job begins ─▶ job ends ─▶ entry ended
 *                                                 └▶ refused: no budget, no agent
 */
import { assert } from "../assert.ts";
import { jobRef } from "../job/schema.ts";
import type { JobCommand } from "../job/protocol.ts";
import type { JobPriority } from "../job/terms.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { movedMissionStatus } from "./machine.ts";
import { tellMission, tellSkipped } from "./news.ts";
import type { JobIds } from "./protocol.ts";
import {
  type BufferedFire,
  type LastRun,
  type Mission,
  type MissionRun,
  missionRunTable,
  OPEN_RUNS,
  type OpenRun,
  REMEMBERED_RESULTS,
  type MissionRunError,
  type RunOutcome,
} from "./schema.ts";

/** The kind of the effect that begins the job of a run. */
export const RUN_EFFECT = "mission_run";

export interface Begun {
  readonly mission: Mission;
  readonly run: MissionRun;
}

/** Enters a run into the ledger. Its job begins in this group (`ids`), or by an effect after this commit (null). */
export function enterRun(tx: Tx, mission: Mission, { scheduledAt, trigger }: BufferedFire, ids: JobIds | null): Begun {
  assert(mission.openRuns.length < OPEN_RUNS, "a run begins where there is room");
  const firedAt = isoTime(tx.now);
  const id = tx.id("mrn");
  const number = ids === null ? null : mission.runCount + 1;
  const effectId = ids === null ? tx.effect(tx.self, RUN_EFFECT, intentOf(tx, mission, id)) : null;
  const run = enterInLedger(tx, mission, {
    id,
    number,
    trigger,
    outcome: "started",
    scheduledAt,
    count: 1,
    until: scheduledAt,
    firedAt,
    jobId: ids?.jobId ?? null,
    chatId: ids?.chatId ?? null,
  });
  const begun: Mission = {
    ...mission,
    status: movedMissionStatus(mission, "fire"),
    openRuns: [...mission.openRuns, { id, number, jobId: run.jobId, effectId }],
    lastRunAt: firedAt,
    lastRun: summaryOf(run),
  };
  return { mission: ids === null ? begun : countRun(tx, begun, run), run };
}

/** The input of a fire's effect: the run, and the time that orders it among others. */
export interface MissionRunIntent {
  readonly runId: string;
  readonly priority: JobPriority;
  /** ISO 8601. */
  readonly since: string;
}

const intentOf = (tx: Tx, { priority }: Mission, runId: string) =>
  ({ runId, priority, since: isoTime(tx.now) }) satisfies MissionRunIntent;

/** Gives the run a new effect to begin its job. */
export function retriedRun(tx: Tx, mission: Mission, runId: string): Mission {
  const effectId = tx.effect(tx.self, RUN_EFFECT, intentOf(tx, mission, runId));
  return { ...mission, openRuns: mission.openRuns.map((open) => (open.id === runId ? { ...open, effectId } : open)) };
}

/** The job of a run in the ledger begins in this group. */
export function attachJob(tx: Tx, mission: Mission, open: OpenRun, ids: JobIds): Begun {
  assert(open.jobId === null, "a run has one job");
  if (open.effectId !== null) tx.settle(open.effectId);
  const number = mission.runCount + 1;
  const run = changeRun(tx, open.id, { ...ids, number });
  const openRuns = mission.openRuns.map((other) =>
    other.id === open.id ? { id: open.id, number, jobId: ids.jobId, effectId: null } : other,
  );
  return { mission: countRun(tx, withLastRun({ ...mission, openRuns }, run), run), run };
}

function countRun(
  tx: Tx,
  mission: Mission,
  { id: runId, number, jobId, chatId, trigger, scheduledAt }: MissionRun,
): Mission {
  const begun = { ...mission, runCount: mission.runCount + 1 };
  tellMission(tx, begun, "mission.started", { runId, runNumber: number, jobId, chatId, trigger, scheduledAt });
  return begun;
}

/** Ends an open run with this outcome. */
export function endRun(
  tx: Tx,
  mission: Mission,
  { id, effectId }: OpenRun,
  end: { readonly outcome: RunOutcome; readonly result: string | null; readonly error: MissionRunError | null },
): Mission {
  if (effectId !== null) tx.settle(effectId);
  assert(end.outcome !== "started", "a run that ends has an outcome");
  const run = changeRun(tx, id, { ...end, endedAt: isoTime(tx.now) });
  const openRuns = mission.openRuns.filter((other) => other.id !== id);
  assert(openRuns.length === mission.openRuns.length - 1, "an open run ends, and once");
  const ended = withLastRun({ ...mission, openRuns }, run);
  if (end.outcome === "skipped_budget") tellSkipped(tx, ended, run);
  return rememberResult(ended, run);
}

/** A result is part of the context of the next runs. */
function rememberResult(mission: Mission, { number, outcome, result, error }: MissionRun): Mission {
  const text = result ?? error?.message ?? "";
  if (number === null || text === "") return mission;
  return { ...mission, results: [...mission.results, { number, outcome, text }].slice(-REMEMBERED_RESULTS) };
}

/** Ends runs without a job, and cancels the jobs of the others, whose ends come as `job_ended`. */
export function cancelRuns(tx: Tx, mission: Mission): Mission {
  let left = mission;
  for (const open of mission.openRuns) {
    if (open.jobId === null) left = endRun(tx, left, open, { outcome: "cancelled", result: null, error: null });
    else sendCancel(tx, open.jobId);
  }
  return left;
}

export function sendCancel(tx: Tx, jobId: string): void {
  const command: JobCommand = { kind: "cancel", unlessOver: true };
  tx.send(jobRef(tx.self.organizationId, jobId), command);
}

/** Enters times of the schedule that do not become a run, as one entry. */
export function skipTimes(
  tx: Tx,
  mission: Mission,
  times: Pick<MissionRun, "trigger" | "scheduledAt" | "until" | "count">,
  why: { readonly outcome: RunOutcome; readonly error: MissionRunError | null },
): void {
  const run = enterInLedger(tx, mission, { ...times, id: tx.id("mrn"), outcome: why.outcome, error: why.error });
  tellSkipped(tx, mission, run);
}

/** A fire that does not become a run. */
export function skipFire(tx: Tx, mission: Mission, { scheduledAt, trigger }: BufferedFire, outcome: RunOutcome): void {
  skipTimes(tx, mission, { trigger, scheduledAt, until: scheduledAt, count: 1 }, { outcome, error: null });
}

type LedgerEntry = Pick<MissionRun, "id" | "trigger" | "outcome" | "scheduledAt" | "until" | "count"> &
  Partial<MissionRun>;

const enterInLedger = (tx: Tx, mission: Mission, entry: LedgerEntry): MissionRun =>
  tx.create(missionRunTable, {
    number: null,
    firedAt: null,
    endedAt: null,
    jobId: null,
    chatId: null,
    result: null,
    error: null,
    ...entry,
    missionId: mission.id,
    missionSeq: tx.head(),
  });

function changeRun(tx: Tx, id: string, changes: Partial<MissionRun>): MissionRun {
  const run = tx.read(missionRunTable, id);
  assert(run !== null, `the ledger has the entry ${id}`);
  assert(run.outcome === "started", "an ended run stays as it is");
  return tx.update(missionRunTable, { ...run, ...changes, missionSeq: tx.head() });
}

const withLastRun = (mission: Mission, run: MissionRun): Mission =>
  mission.lastRun?.id === run.id ? { ...mission, lastRun: summaryOf(run) } : mission;

const summaryOf = (run: MissionRun): LastRun => {
  const { id, number, trigger, outcome, scheduledAt, firedAt, endedAt, jobId, chatId, error } = run;
  return {
    id,
    number,
    trigger,
    outcome,
    scheduledAt,
    firedAt: firedAt ?? run.createdAt,
    endedAt,
    jobId,
    chatId,
    error,
  };
};
