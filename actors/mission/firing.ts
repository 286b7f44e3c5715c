/**
 * What happens at the times of a schedule (MIS-1, MIS-3, MIS-4). The alarm of a mission wakes it when its next fire is
 * due. The turn decides about every time that has passed since the last decision, enters it into the ledger and plans
 * the next. `decidedUntil` only rises, so no change of the clock can make a time fire twice.
 */
import { assert } from "../assert.ts";
import { ok, type Outcome } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { hasRoom, isActive, movedMissionStatus } from "./machine.ts";
import { keepMission, tellMission } from "./news.ts";
import type { Calendar } from "./ports.ts";
import { enterRun, cancelRuns, skipTimes, skipFire } from "./runs.ts";
import {
  dueMs,
  FAILURE_PAUSES_MS,
  FAILURES_IN_A_ROW,
  hasNoRunsLeft,
  mayFireAgain,
  nextFire,
  ON_TIME_MS,
  pauseBetweenRunsMs,
  type Stretch,
  stretchUntil,
  timeAfter,
} from "./schedule.ts";
import {
  type BufferedFire,
  type FailedReason,
  type Mission,
  missionTable,
  type RunOutcome,
  type RunTrigger,
} from "./schema.ts";

/** The one alarm of a mission. */
const ALARM = "fire";

/** The alarm has fired. */
export function fireDue(tx: Tx, calendar: Calendar): Outcome<null> {
  const mission = tx.read(missionTable, tx.self.id);
  if (mission === null || mission.deletedAt !== null || !isActive(mission)) return ok(null);
  const { next } = mission;
  // The clock has been set back since the alarm was set, so the time has not come yet.
  if (next !== null && tx.now < Date.parse(next.dueAt)) setAlarm(tx, next.dueAt);
  else
    keepMission(
      tx,
      next === null ? planNext(tx, calendar, mission) : firedDue(tx, calendar, mission, next.scheduledAt),
    );
  return ok(null);
}

/** Decides about all times that are due. Times that have passed but are not due yet, because of jitter, come next. */
function firedDue(tx: Tx, calendar: Calendar, mission: Mission, scheduledAt: string): Mission {
  const after = decideDueTimes(tx, calendar, mission, scheduledAt);
  return planNext(tx, calendar, after, Date.parse(after.decidedUntil ?? scheduledAt));
}

/** The mission after a decision about all times that are due. */
function decideDueTimes(tx: Tx, calendar: Calendar, mission: Mission, scheduledAt: string): Mission {
  const times = stretchUntil(calendar, mission, Date.parse(scheduledAt), tx.now);
  const lateMs = tx.now - dueMs(calendar, mission, times.lastMs);
  const { type, catchupWindowSeconds } = mission.schedule;
  const isContinuous = type === "continuous";
  const fires = isContinuous || lateMs <= Math.max(ON_TIME_MS, catchupWindowSeconds * 1_000);
  assert(isUndecided(mission, times.firstMs), "a time is decided once");
  const after: Mission = { ...mission, next: null, decidedUntil: isoTime(times.lastMs) };
  const missed = missedOf(times, fires);
  if (missed !== null) skipTimes(tx, after, { trigger: "schedule", ...missed }, missedWhy(mission));
  if (!fires) return after;
  const isLate = missed !== null || lateMs > ON_TIME_MS;
  const trigger: RunTrigger = isContinuous ? "continuous" : isLate ? "catchup" : "schedule";
  return fireOrBuffer(tx, after, { scheduledAt: isoTime(times.lastMs), trigger });
}

const isUndecided = ({ decidedUntil }: Mission, timeMs: number): boolean =>
  decidedUntil === null || timeMs > Date.parse(decidedUntil);

/** Of the due times only the last may fire. */
function missedOf({ firstMs, previousMs, lastMs, count }: Stretch, lastFires: boolean) {
  const missed = lastFires ? count - 1 : count;
  const until = isoTime(lastFires ? previousMs : lastMs);
  return missed === 0 ? null : { scheduledAt: isoTime(firstMs), until, count: missed };
}

const missedWhy = ({ retryAt }: Mission) => ({
  outcome: "missed" as const,
  error:
    retryAt === null
      ? null
      : { code: "pause_after_failure", message: `No scheduled run before ${retryAt}, after a failed one` },
});

/** Handles a fire, given the runs that are open (MIS-4). */
export function fireOrBuffer(tx: Tx, mission: Mission, fire: BufferedFire): Mission {
  const { openRuns, buffered } = mission;
  if (openRuns.length === 0) return enterRun(tx, mission, fire, null).mission;
  if (!hasRoom(mission)) {
    skipFire(tx, mission, fire, "skipped_overlap");
    return mission;
  }
  switch (mission.schedule.overlap) {
    case "skip":
    case "buffer_one":
      return { ...mission, buffered: fire };
    case "cancel_other": {
      if (buffered !== null) skipFire(tx, mission, buffered, "skipped_overlap");
      const left = cancelRuns(tx, { ...mission, buffered: null });
      return left.openRuns.length === 0 ? enterRun(tx, left, fire, null).mission : { ...left, buffered: fire };
    }
    case "allow_all":
      return enterRun(tx, mission, fire, null).mission;
  }
}

/**
 * The mission with its next fire and the alarm for it; completed if nothing can fire any more. A time that is planned
 * stays planned, also after it has passed: its jitter or a pause after a failure may have kept it back.
 */
export function planNext(tx: Tx, calendar: Calendar, mission: Mission, afterMs = tx.now): Mission {
  if (!isActive(mission)) return clearPlan(tx, mission);
  const { schedule, openRuns, buffered } = mission;
  const waits = schedule.type === "continuous" && (openRuns.length > 0 || buffered !== null);
  const next = waits ? null : nextFire(calendar, mission, undecidedFrom(mission, afterMs));
  const plan: Mission = { ...mission, next };
  const wakeAt = next?.dueAt ?? (schedule.type === "none" ? schedule.endAt : null);
  if (wakeAt !== null && (next !== null || Date.parse(wakeAt) >= tx.now)) setAlarm(tx, wakeAt);
  else tx.clearAlarm(ALARM);
  return openRuns.length > 0 || mayFireAgain(plan, tx.now) ? plan : finishMission(tx, plan);
}

/** The time after which the next fire is looked for. */
function undecidedFrom({ schedule, next, decidedUntil }: Mission, afterMs: number): number {
  if (next !== null) return Date.parse(next.scheduledAt) - 1;
  const decidedMs = decidedUntil === null ? 0 : Date.parse(decidedUntil);
  // A `once` time may have passed just before it was set: that is a late fire.
  return schedule.type === "once" ? decidedMs : Math.max(afterMs, decidedMs);
}

/** The alarm is 1 ms late, so that `end_at` has passed when it fires only for that. */
const setAlarm = (tx: Tx, at: string): void => tx.setAlarm(ALARM, Date.parse(at) + 1, { kind: "fire_due" });

function clearPlan(tx: Tx, mission: Mission): Mission {
  tx.clearAlarm(ALARM);
  return { ...mission, next: null };
}

/** Nothing can fire any more. A `once` mission whose run failed has failed itself. */
function finishMission(tx: Tx, mission: Mission): Mission {
  if (mission.schedule.type === "once" && mission.lastRun?.outcome === "failed")
    return failMission(tx, mission, "run_failed");
  const done: Mission = { ...mission, status: movedMissionStatus(mission, "complete") };
  tellMission(tx, done, "mission.completed", { runCount: done.runCount });
  return done;
}

/** Applies the end of a run, or its refusal, to the mission. */
export function afterRun(tx: Tx, calendar: Calendar, mission: Mission, outcome: RunOutcome): Mission {
  const after = withFailures(tx, mission, outcome);
  if (!isActive(after)) return after;
  if (after.consecutiveFailures >= FAILURES_IN_A_ROW) return failMission(tx, after, "consecutive_failures");
  const { buffered } = after;
  if (after.openRuns.length > 0) return planNext(tx, calendar, after);
  const settled: Mission = { ...after, status: movedMissionStatus(after, "settle"), buffered: null };
  if (buffered !== null && hasNoRunsLeft(settled)) {
    // `max_runs` has been lowered since the fire began to wait.
    skipFire(tx, settled, buffered, "skipped_overlap");
  } else if (buffered !== null) {
    // A person waits for a manual run, so it begins now; a scheduled fire gives way to the pause after a failure.
    if (settled.retryAt === null || buffered.trigger === "manual")
      return planNext(tx, calendar, enterRun(tx, settled, buffered, null).mission);
    const { scheduledAt, trigger } = buffered;
    skipTimes(tx, settled, { trigger, scheduledAt, until: scheduledAt, count: 1 }, missedWhy(settled));
  }
  return planNext(
    tx,
    calendar,
    settled,
    tx.now + (settled.schedule.type === "continuous" ? pauseBetweenRunsMs(settled.schedule) : 0),
  );
}

function withFailures(tx: Tx, mission: Mission, outcome: RunOutcome): Mission {
  if (outcome === "succeeded") return { ...mission, consecutiveFailures: 0, retryAt: null };
  if (outcome !== "failed") return mission;
  const pauseMs = FAILURE_PAUSES_MS[mission.consecutiveFailures];
  const retryAt = pauseMs === undefined ? null : isoTime(tx.now + pauseMs);
  return { ...mission, consecutiveFailures: mission.consecutiveFailures + 1, retryAt };
}

/** Nothing fires until somebody resumes the mission. */
export function failMission(tx: Tx, mission: Mission, failedReason: FailedReason): Mission {
  const stopped: Mission = {
    ...haltFiring(tx, mission, "missed"),
    status: movedMissionStatus(mission, "fail"),
    failedReason,
  };
  tellMission(tx, stopped, "mission.failed", { failedReason });
  return stopped;
}

export function pauseFiring(tx: Tx, mission: Mission, pausedReason: string | null): Mission {
  const stopped: Mission = {
    ...haltFiring(tx, mission, "skipped_paused"),
    status: movedMissionStatus(mission, "pause"),
    pausedReason,
  };
  tellMission(tx, stopped, "mission.paused", { pausedReason });
  return stopped;
}

/** Open runs continue; buffered fires are dropped. */
function haltFiring(tx: Tx, mission: Mission, outcome: RunOutcome): Mission {
  const { buffered, next, stoppedAt } = mission;
  if (buffered !== null) skipFire(tx, mission, buffered, outcome);
  // A time that has passed but was not due yet is among those that did not fire.
  const fromMs = next === null ? tx.now : Math.min(tx.now, Date.parse(next.scheduledAt) - 1);
  return { ...clearPlan(tx, mission), buffered: null, stoppedAt: stoppedAt ?? isoTime(fromMs) };
}

/** Resumes firing. The times that passed meanwhile are entered into the ledger and do not fire. */
export function resumeMission(tx: Tx, calendar: Calendar, mission: Mission): Mission {
  const passed = passedTimes(tx, calendar, mission);
  const outcome = mission.status === "paused" ? "skipped_paused" : "missed";
  assert(passed === null || isUndecided(mission, passed.firstMs), "a time that has passed is decided once");
  const decidedUntil = passed === null ? mission.decidedUntil : isoTime(passed.lastMs);
  const status = movedMissionStatus(mission, "resume");
  const pending: Mission = {
    ...mission,
    decidedUntil,
    status: mission.openRuns.length > 0 ? movedMissionStatus({ status }, "fire") : status,
    pausedReason: null,
    failedReason: null,
    stoppedAt: null,
    retryAt: null,
    consecutiveFailures: 0,
  };
  const times = passed === null ? null : missedOf(passed, false);
  if (times !== null) skipTimes(tx, pending, { trigger: "schedule", ...times }, { outcome, error: null });
  tellMission(tx, pending, "mission.resumed", {});
  return planNext(tx, calendar, pending);
}

/** The times that passed while the schedule was stopped; a `once` time only if it is past its catch-up. */
function passedTimes(tx: Tx, calendar: Calendar, { stoppedAt, decidedUntil, ...mission }: Mission): Stretch | null {
  const { schedule } = mission;
  const decidedMs = decidedUntil === null ? 0 : Date.parse(decidedUntil);
  const fromMs =
    schedule.type === "once" ? decidedMs : Math.max(decidedMs, stoppedAt === null ? tx.now : Date.parse(stoppedAt));
  const untilMs =
    schedule.type === "once" ? tx.now - Math.max(ON_TIME_MS, schedule.catchupWindowSeconds * 1_000) : tx.now;
  const firstMs = timeAfter(calendar, schedule, fromMs);
  if (firstMs === null || firstMs > untilMs) return null;
  const unjittered = { ...schedule, jitterSeconds: 0 };
  return stretchUntil(calendar, { ...mission, stoppedAt, decidedUntil, schedule: unjittered }, firstMs, tx.now);
}
