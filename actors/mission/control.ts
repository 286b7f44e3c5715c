/** What people do with a mission: create, read, change, run and delete it. */
import { isSameJson } from "../changes.ts";
import { invalid, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { permittedMission, refusedState, unlessMoved, visibleMission } from "./access.ts";
import { runContent } from "./context.ts";
import { fireOrBuffer, pauseFiring, planNext, resumeMission } from "./firing.ts";
import { canWork } from "./machine.ts";
import { keepMission } from "./news.ts";
import type { Calendar } from "./ports.ts";
import type { Asker, MissionChanges, MissionCommand, MissionProtocol } from "./protocol.ts";
import { enterRun, sendCancel, cancelRuns } from "./runs.ts";
import { forecastFrom, runsLeft } from "./schedule.ts";
import { TIMING, changedSchedule, checkedSchedule } from "./schedule-input.ts";
import { type Mission, missionTable } from "./schema.ts";

type MissionControlCommand =
  | "create_mission"
  | "read_mission"
  | "read_forecast"
  | "update_mission"
  | "delete_mission"
  | "run_now";
type ControlCommandOf<K extends MissionControlCommand> = Extract<MissionCommand, { readonly kind: K }>;

export const missionControlHandlers = (calendar: Calendar): Pick<Handlers<MissionProtocol>, MissionControlCommand> => ({
  create_mission: (tx, command) => create(tx, calendar, command),

  read_mission: (tx, { by }) => visibleMission(tx, by),

  read_forecast(tx, { by, count }) {
    const mission = visibleMission(tx, by);
    if (!mission.ok) return mission;
    const { next, schedule } = mission.value;
    if (next === null) return ok([]);
    const most = Math.min(count, runsLeft(mission.value));
    return ok(forecastFrom(calendar, schedule, Date.parse(next.scheduledAt), most));
  },

  update_mission: (tx, command) => changeMission(tx, calendar, command),

  delete_mission(tx, { by }) {
    const mission = permittedMission(tx, by, "delete");
    if (!mission.ok) return mission;
    const left = cancelRuns(tx, mission.value);
    for (const { jobId, status } of left.tasks) if (jobId !== null && status === "in_progress") sendCancel(tx, jobId);
    const gone = { ...left, status: stoppedStatus(left), deletedAt: isoTime(tx.now), buffered: null };
    return ok(keepMission(tx, planNext(tx, calendar, gone)));
  },

  run_now: (tx, command) => runNow(tx, calendar, command),
});

/** A deleted mission never fires, whatever the outcome of its last jobs. */
const stoppedStatus = ({ status }: Mission): Mission["status"] =>
  status === "completed" || status === "failed" ? status : "paused";

function create(tx: Tx, calendar: Calendar, { by, settings }: ControlCommandOf<"create_mission">): Outcome<Mission> {
  if (tx.read(missionTable, tx.self.id) !== null) return invalid("/id", "This mission exists already");
  const checked = checkedSchedule(calendar, settings.schedule, tx.now);
  if (!checked.ok) return refuse({ kind: "invalid_schedule", errors: checked.errors });
  const mission = tx.create(missionTable, {
    ...settings,
    id: tx.self.id,
    schedule: checked.schedule,
    scheduleText: checked.text,
    status: "pending",
    isAgentGone: false,
    isWorkspaceGone: false,
    pausedReason: null,
    failedReason: null,
    next: null,
    buffered: null,
    decidedUntil: null,
    retryAt: null,
    stoppedAt: null,
    runCount: 0,
    lastRunAt: null,
    consecutiveFailures: 0,
    openRuns: [],
    lastRun: null,
    results: [],
    tasks: [],
    lastSeq: 0,
    createdBy: by.userId,
    deletedAt: null,
  });
  return ok(keepMission(tx, planNext(tx, calendar, mission)));
}

function changeMission(
  tx: Tx,
  calendar: Calendar,
  { by, changes, version }: ControlCommandOf<"update_mission">,
): Outcome<Mission> {
  const seen = visibleMission(tx, by);
  if (!seen.ok) return seen;
  const conflict = unlessMoved(seen.value, version);
  if (conflict !== null) return conflict;
  const { status, pausedReason, schedule, ...rest } = changes;
  const moves = status !== undefined && status !== seen.value.status;
  const changesReason = !moves && pausedReason !== undefined && pausedReason !== seen.value.pausedReason;
  const changesSettings = schedule !== undefined || changesReason || Object.keys(rest).length > 0;
  const allowed = changesSettings ? permittedMission(tx, by, "update") : seen;
  if (!allowed.ok) return allowed;
  const { isAgentGone, isWorkspaceGone = false } = seen.value;
  const given: Mission = {
    ...seen.value,
    ...rest,
    isAgentGone: rest.agentId === undefined && isAgentGone,
    isWorkspaceGone: rest.workspaceId === undefined && isWorkspaceGone,
  };
  const changed = withSchedule(tx, calendar, given, schedule);
  if (!changed.ok) return changed;
  // Setting the current status again is always allowed, and a change of nothing leaves no trace.
  if (moves) {
    if (status === "pending") return become(tx, calendar, { by, mission: changed.value });
    if (status === "paused") return pauseMission(tx, by, changed.value, pausedReason ?? null);
    return refusedState(seen.value, by, `The status ${status} cannot be set: a mission reaches it on its own`);
  }
  const reasoned = changesReason ? withReason(changed.value, pausedReason) : changed;
  if (!reasoned.ok) return reasoned;
  return isSameJson(reasoned.value, seen.value) ? seen : ok(keepMission(tx, planNext(tx, calendar, reasoned.value)));
}

/** A paused mission with another reason; no other mission has one. */
function withReason(mission: Mission, pausedReason: string | null): Outcome<Mission> {
  if (mission.status === "paused") return ok({ ...mission, pausedReason });
  return invalid("/paused_reason", `The mission is ${mission.status}: paused_reason is only for a paused mission`);
}

function pauseMission(tx: Tx, by: Asker, mission: Mission, reason: string | null): Outcome<Mission> {
  const allowed = permittedMission(tx, by, "pause");
  return allowed.ok ? ok(keepMission(tx, pauseFiring(tx, mission, reason))) : allowed;
}

/** Makes it `pending` again. Another agent or workspace in the same request counts already. */
function become(
  tx: Tx,
  calendar: Calendar,
  { by, mission }: { readonly by: Asker; readonly mission: Mission },
): Outcome<Mission> {
  const allowed = permittedMission(tx, by, "resume");
  const isGroundNew =
    !allowed.ok && allowed.fault.kind === "invalid_state" && canWork(mission) && mission.stoppedAt !== null;
  return allowed.ok || isGroundNew ? ok(keepMission(tx, resumeMission(tx, calendar, mission))) : allowed;
}

function withSchedule(
  tx: Tx,
  calendar: Calendar,
  mission: Mission,
  given: MissionChanges["schedule"],
): Outcome<Mission> {
  if (given === undefined) return ok(mission);
  // Another type means another value: values of the old type are dropped.
  const kept =
    given.type === undefined || given.type === mission.schedule.type
      ? mission.schedule
      : { ...mission.schedule, value: null };
  const checked = changedSchedule(calendar, mission.schedule, { ...kept, ...given }, tx.now);
  if (!checked.ok) return refuse({ kind: "invalid_schedule", errors: checked.errors });
  const { schedule } = checked;
  // Other times are planned from now on.
  const next = TIMING.every((field) => schedule[field] === mission.schedule[field]) ? mission.next : null;
  return ok({ ...mission, schedule, scheduleText: checked.text, next });
}

function runNow(
  tx: Tx,
  calendar: Calendar,
  { by, ids }: ControlCommandOf<"run_now">,
): ReturnType<Handlers<MissionProtocol>["run_now"]> {
  const allowed = permittedMission(tx, by, "run");
  if (!allowed.ok) return allowed;
  const mission = allowed.value;
  const fire = { scheduledAt: null, trigger: "manual" as const };
  if (mission.openRuns.length > 0 && mission.schedule.overlap !== "allow_all")
    return ok({ mission: keepMission(tx, planNext(tx, calendar, fireOrBuffer(tx, mission, fire))), brief: null });
  const begun = enterRun(tx, mission, fire, ids);
  const kept = keepMission(tx, planNext(tx, calendar, begun.mission));
  return ok({ mission: kept, brief: { mission: kept, run: begun.run, content: runContent(kept, begun.run) } });
}
