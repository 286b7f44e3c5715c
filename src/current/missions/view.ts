/** Missions, their tasks and their ledgers as the current surface shows them (MIS-2, MIS-5 to MIS-7). */
import { CostLimitField } from "../cost.ts";
import { JOB_PRIORITIES } from "../../../actors/job/terms.ts";
import { actionsFor } from "../../../actors/mission/access.ts";
import type { Calendar, ForecastTime } from "../../../actors/mission/ports.ts";
import { upcomingTimes } from "../../../actors/mission/schedule.ts";
import {
  FAILED_REASONS,
  type Mission,
  MISSION_STATUSES,
  MISSION_VISIBILITIES,
  type MissionRun,
  type MissionTask,
  OVERLAPS,
  RUN_OUTCOMES,
  RUN_TRIGGERS,
  SCHEDULE_TYPES,
  type ScheduleSettings,
} from "../../../actors/mission/schema.ts";
import { taskVerbs } from "../../../actors/mission/task-work.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { TASK_PRIORITIES, TASK_STATUSES } from "../../../actors/organization/schema.ts";
import { Nullable, NullableTime, OneOf, Timestamp, Type, isoTime } from "../../../actors/schema.ts";
import { Count, fieldsFrom, Id, listOf, noun, OpenObject, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { ModelSettingsShape, settingsView } from "../../operations/model-settings.ts";
import { JobView } from "../jobs/view.ts";
import { permittedActions, RECORD, recordView } from "../record.ts";

/** Upcoming times that a mission shows. */
const UPCOMING = 5;

const ShownMissionId = Id("mis", "The mission's id");
const RunErrorView = Nullable(
  noun("MissionRunError", "Why a run failed", {
    code: Text("What went wrong", "provider_error"),
    message: Text("In words", "The provider is down"),
  }),
);

const ScheduleView = noun("MissionSchedule", "When a mission runs", {
  type: OneOf(SCHEDULE_TYPES),
  value: Nullable(Text("Cron expression, time or pause, depending on `type`", "0 9 * * 1-5")),
  timezone: Text("An IANA time zone", "Europe/London"),
  description: Text("The schedule in words", "Weekdays at 09:00, Europe/London"),
  start_at: NullableTime,
  end_at: NullableTime,
  next_run_at: NullableTime,
  last_run_at: NullableTime,
  upcoming_runs_at: Type.Array(Timestamp, { maxItems: UPCOMING }),
  run_count: Count("Number of runs so far"),
  max_runs: Nullable(Type.Integer({ minimum: 1 })),
  overlap: OneOf(OVERLAPS),
  catchup_window_seconds: Count("How many seconds late a run may start"),
  jitter_seconds: Count("Maximum random delay of a run, in seconds"),
});

export const MissionTaskView = noun("MissionTask", "A task of a mission", {
  id: Id("mtk", "The task's id"),
  mission_id: ShownMissionId,
  title: Text("Title of the task", "Ask the team"),
  description: Nullable(Type.String()),
  status: OneOf(TASK_STATUSES),
  priority: OneOf(TASK_PRIORITIES),
  assigned_to: Nullable(Text("Id of an agent or a user, as it was sent", "agt_V1StGXR8_Z5jdHi6B-myT")),
  position: Count("Position in the mission's list, from 0"),
  depends_on: Type.Array(Id("mtk", "A task that must be completed or cancelled first")),
  job_id: Nullable(Id("job", "The newest job that works on it")),
  created_by: Id("usr", "The user who created it"),
  completed_at: NullableTime,
  ...RECORD,
});

export const LastRunView = noun("MissionLastRun", "The newest run of a mission", {
  id: Id("mrn", "The run's id"),
  run_number: Nullable(Count("Number of the run; null until its job has started")),
  trigger: OneOf(RUN_TRIGGERS),
  outcome: OneOf(RUN_OUTCOMES),
  scheduled_at: NullableTime,
  fired_at: Timestamp,
  ended_at: NullableTime,
  job_id: Nullable(Id("job", "Job of the run")),
  chat_id: Nullable(Id("cht", "Chat of the run")),
  error: RunErrorView,
});

export const MissionView = noun("Mission", "Recurring work for an agent, started by hand or by a schedule", {
  id: ShownMissionId,
  title: Text("Title", "Morning report"),
  goal: Text("What each run is for", "Summarize what has changed since yesterday."),
  agent_id: Id("agt", "The agent that does the work"),
  workspace_id: Id("wsp", "The workspace that it works in"),
  visibility: OneOf(MISSION_VISIBILITIES),
  priority: OneOf(JOB_PRIORITIES),
  status: OneOf(MISSION_STATUSES),
  paused_reason: Nullable(Type.String()),
  failed_reason: Nullable(OneOf(FAILED_REASONS)),
  schedule: ScheduleView,
  review_required: Type.Boolean(),
  budget: noun("MissionBudget", "What each run may use; null is the service's own limit", {
    max_tokens: Nullable(Type.Integer({ minimum: 1 })),
    max_cost: CostLimitField,
    max_steps: Nullable(Type.Integer({ minimum: 1 })),
  }),
  metadata: OpenObject("Metadata of its jobs"),
  model_settings: Nullable(ModelSettingsShape),
  consecutive_failures: Count("Failures since the last success"),
  tasks: Type.Array(MissionTaskView),
  last_run: Nullable(LastRunView),
  created_by: Id("usr", "The user that its runs act for"),
  ...RECORD,
});
export const MissionList = listOf("MissionList", "missions", MissionView);
export const DeletedMissionView = noun("DeletedMission", "A deleted mission, in its last state", {
  ...MissionView.properties,
  deleted: Type.Literal(true),
});

export const MissionRunView = noun("MissionRun", "An entry of a mission's ledger", {
  id: Id("mrn", "The entry's id"),
  mission_id: ShownMissionId,
  run_number: Nullable(Count("Number of the run; null if nothing ran")),
  trigger: OneOf(RUN_TRIGGERS),
  outcome: OneOf(RUN_OUTCOMES),
  scheduled_at: NullableTime,
  fired_at: NullableTime,
  ended_at: NullableTime,
  count: Type.Integer({ minimum: 1, description: "Number of scheduled times that the entry covers" }),
  until: Nullable(Type.String({ format: "date-time", description: "Last scheduled time that the entry covers" })),
  job_id: Nullable(Id("job", "Job of the run")),
  chat_id: Nullable(Id("cht", "Chat of the run")),
  result: Nullable(Text("Beginning of its result", "Nothing has changed.")),
  error: RunErrorView,
  created_at: Timestamp,
});
export const MissionRunList = listOf("MissionRunList", "runs", MissionRunView, "Entries of the ledger, newest first");

export const RunStartedView = noun("MissionRunStarted", "A manual run", {
  mission: MissionView,
  run: Nullable(MissionRunView),
  job: Nullable(JobView),
});
export const TaskStartedView = noun("MissionTaskStarted", "The job that works on a task", {
  job: JobView,
  task: MissionTaskView,
});

const FORECAST = {
  timezone: Text("The zone of the local times", "Europe/London"),
  times: Type.Array(
    noun("MissionForecastTime", "A time of a schedule", {
      at: Timestamp,
      local_time: Text("The time in the time zone of the schedule", "2026-03-29T03:00:00.000+02:00"),
      note: Nullable(
        noun("ClockChangeNote", "Effect of a clock change on a scheduled time", {
          kind: OneOf(["shifted", "skipped", "repeated"] as const),
          message: Text("Effect of the clock change, in words", "02:30 does not exist on this day"),
        }),
      ),
    }),
  ),
};

export const ForecastView = noun("MissionForecast", "When a mission will run", {
  mission_id: ShownMissionId,
  ...FORECAST,
});

export const ScheduleForecastView = noun("ScheduleForecast", "When a mission with this schedule would run", {
  description: Text("The schedule in words", "Weekdays at 09:00, Europe/London"),
  ...FORECAST,
});

export const askerOf = ({ userId, role }: Principal) => ({ userId, isOwner: role === "owner" });

const scheduleFields = fieldsFrom(ScheduleView);

const missionFields = fieldsFrom(MissionView);

export const missionView = (mission: Mission, by: Principal, calendar: Calendar): Shown<typeof MissionView> => {
  const { id, schedule } = mission;
  return {
    ...missionFields(mission),
    schedule: {
      ...scheduleFields(schedule),
      description: mission.scheduleText,
      next_run_at: mission.next?.dueAt ?? null,
      last_run_at: mission.lastRunAt,
      upcoming_runs_at: upcomingTimes(calendar, mission, UPCOMING),
      run_count: mission.runCount,
    },
    budget: {
      max_tokens: mission.budget.maxTokens,
      max_cost: mission.budget.maxCost ?? null,
      max_steps: mission.budget.maxSteps,
    },
    metadata: mission.metadata ?? {},
    model_settings: settingsView(mission.modelSettings),
    tasks: mission.tasks.map((task) => missionTaskView(mission, task, by)),
    last_run: mission.lastRun === null ? null : lastRunView(mission.lastRun),
    ...recordView(
      mission,
      { self: `/api/missions/${id}`, runs: `/api/missions/${id}/runs`, forecast: `/api/missions/${id}/forecast` },
      permittedActions(by, "missions:write", actionsFor(mission, askerOf(by))),
    ),
  };
};

const taskFields = fieldsFrom(MissionTaskView);

export const missionTaskView = (mission: Mission, task: MissionTask, by: Principal): Shown<typeof MissionTaskView> => {
  const mayChange = actionsFor(mission, askerOf(by)).includes("change_tasks");
  return {
    ...taskFields(task),
    mission_id: mission.id,
    ...recordView(
      { ...task, organizationId: mission.organizationId },
      { self: `/api/missions/${mission.id}/tasks/${task.id}`, mission: `/api/missions/${mission.id}` },
      permittedActions(by, "missions:write", mayChange ? taskVerbs(mission, task) : []),
    ),
  };
};

const lastRunFields = fieldsFrom(LastRunView);

const lastRunView = (run: NonNullable<Mission["lastRun"]>): Shown<typeof LastRunView> => ({
  ...lastRunFields(run),
  run_number: run.number,
});

const runFields = fieldsFrom(MissionRunView);

export const missionRunView = (run: MissionRun): Shown<typeof MissionRunView> => ({
  ...runFields(run),
  run_number: run.number,
});

export const forecastView = (
  { id, schedule }: Mission,
  times: readonly ForecastTime[],
): Shown<typeof ForecastView> => ({
  mission_id: id,
  ...forecastTimes(schedule, times),
});

/** The times of a forecast, and their zone. */
export const forecastTimes = ({ timezone }: Pick<ScheduleSettings, "timezone">, times: readonly ForecastTime[]) => ({
  timezone,
  times: times.map(({ atMs, local, note }) => ({ at: isoTime(atMs), local_time: local, note })),
});
