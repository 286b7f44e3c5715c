/**
 * The mission: work for an agent that begins by hand or on a schedule (MIS-2), its tasks (MIS-7) and the
 * ledger of its runs (MIS-5). The tasks are part of the mission's record, which bounds them; each entry of
 * the ledger is a record of its own.
 */
import { CallSettingsField } from "../job/model-settings.ts";
import { JOB_PRIORITIES } from "../job/terms.ts";
import { TASK_PRIORITIES, TASK_STATUSES } from "../organization/schema.ts";
import { refTo, table } from "../runtime/actor.ts";
import {
  type JsonObject,
  Nullable,
  NullableText,
  NullableTime,
  OneOf,
  RecordBase,
  type Static,
  Timestamp,
  Type,
} from "../schema.ts";

export const MISSION_STATUSES = ["pending", "running", "paused", "completed", "failed"] as const;
export const MISSION_VISIBILITIES = ["private", "organization"] as const;
export const SCHEDULE_TYPES = ["none", "once", "cron", "continuous"] as const;
/** What a fire does while an earlier run is still open (MIS-4). */
export const OVERLAPS = ["skip", "buffer_one", "cancel_other", "allow_all"] as const;
export const RUN_TRIGGERS = ["schedule", "manual", "catchup", "continuous"] as const;
export const RUN_OUTCOMES = [
  "started",
  "succeeded",
  "failed",
  "cancelled",
  "skipped_overlap",
  "skipped_paused",
  "skipped_budget",
  "missed",
] as const;
/** Why a mission has failed; null if it has not. */
export const FAILED_REASONS = [
  "consecutive_failures",
  "run_failed",
  "agent_unavailable",
  "workspace_deleted",
  "creator_removed",
] as const;

export type MissionStatus = (typeof MISSION_STATUSES)[number];
export type RunTrigger = (typeof RUN_TRIGGERS)[number];
export type RunOutcome = (typeof RUN_OUTCOMES)[number];
export type FailedReason = (typeof FAILED_REASONS)[number];

/** Tasks of one mission: they are part of its record, which each fire writes. */
export const MISSION_TASKS = 50;
/** Runs of one mission that are open at once under `allow_all`: each is a job with a chat. */
export const OPEN_RUNS = 20;
/** Results of earlier runs in the context of a new one. */
export const REMEMBERED_RESULTS = 3;
/** Characters of a result that the mission keeps; the whole is in the job. */
export const KEPT_RESULT_CHARACTERS = 1_000;

/** The fields of a schedule that its owner sets. */
export const ScheduleSettings = Type.Object({
  type: OneOf(SCHEDULE_TYPES),
  /** A time (`once`), a cron expression (`cron`), the pause between runs as a duration (`continuous`). */
  value: NullableText,
  timezone: Type.String(),
  startAt: NullableTime,
  endAt: NullableTime,
  maxRuns: Nullable(Type.Integer({ minimum: 1 })),
  overlap: OneOf(OVERLAPS),
  catchupWindowSeconds: Type.Integer({ minimum: 0 }),
  jitterSeconds: Type.Integer({ minimum: 0 }),
});
export type ScheduleSettings = Static<typeof ScheduleSettings>;

/** A fire that waits for its time. `scheduledAt` is what the schedule says; `dueAt` adds jitter and pauses. */
export const NextFire = Type.Object({ scheduledAt: Timestamp, dueAt: Timestamp });
export type NextFire = Static<typeof NextFire>;

/** A fire that waits for the end of an open run. */
export const BufferedFire = Type.Object({ scheduledAt: NullableTime, trigger: OneOf(RUN_TRIGGERS) });
export type BufferedFire = Static<typeof BufferedFire>;

/** A run whose job has not begun or has not ended. */
export const OpenRun = Type.Object({
  id: Type.String(),
  /** Null until its job has begun; so is `jobId`. */
  number: Nullable(Type.Integer()),
  jobId: NullableText,
  /** The effect that begins its job, until the job exists. */
  effectId: NullableText,
});
export type OpenRun = Static<typeof OpenRun>;

export const MissionRunError = Type.Object({ code: Type.String(), message: Type.String() });
export type MissionRunError = Static<typeof MissionRunError>;

export const LastRun = Type.Object({
  id: Type.String(),
  number: Nullable(Type.Integer()),
  trigger: OneOf(RUN_TRIGGERS),
  outcome: OneOf(RUN_OUTCOMES),
  scheduledAt: NullableTime,
  firedAt: Timestamp,
  endedAt: NullableTime,
  jobId: NullableText,
  chatId: NullableText,
  error: Nullable(MissionRunError),
});
export type LastRun = Static<typeof LastRun>;

export const MissionTask = Type.Object({
  id: Type.String(),
  title: Type.String(),
  description: NullableText,
  status: OneOf(TASK_STATUSES),
  priority: OneOf(TASK_PRIORITIES),
  /** An agent's or a user's id, kept as given. */
  assignedTo: NullableText,
  position: Type.Integer(),
  dependsOn: Type.Array(Type.String()),
  /** The newest job that works on it. */
  jobId: NullableText,
  createdBy: Type.String(),
  completedAt: NullableTime,
  version: Type.Integer(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type MissionTask = Static<typeof MissionTask>;

/** The budget of each run of a mission. */
export const MissionBudget = Type.Object({
  maxTokens: Nullable(Type.Integer({ minimum: 1 })),
  /** An amount of `actors/money.ts`; absent or null: no limit. */
  maxCost: Type.Optional(Nullable(Type.String())),
  maxSteps: Nullable(Type.Integer({ minimum: 1 })),
});
export type MissionBudget = Static<typeof MissionBudget>;

export const Mission = Type.Object({
  ...RecordBase,
  title: Type.String(),
  goal: Type.String(),
  agentId: Type.String(),
  /** Set when the agent can no longer be used: archived, uninstalled, or no longer visible to the creator. */
  isAgentGone: Type.Boolean(),
  workspaceId: Type.String(),
  /** Set when the workspace has been deleted; absent in records of earlier versions. */
  isWorkspaceGone: Type.Optional(Type.Boolean()),
  visibility: OneOf(MISSION_VISIBILITIES),
  priority: OneOf(JOB_PRIORITIES),
  status: OneOf(MISSION_STATUSES),
  pausedReason: NullableText,
  failedReason: Nullable(OneOf(FAILED_REASONS)),
  schedule: ScheduleSettings,
  /** The schedule in words. */
  scheduleText: Type.String(),
  reviewRequired: Type.Boolean(),
  budget: MissionBudget,
  /** The metadata of its jobs; absent in missions of earlier versions: none. */
  metadata: Type.Optional(Type.Unsafe<JsonObject>({ type: "object" })),
  /** Settings of the model for its jobs, over the agent's; absent or null: the agent's. */
  modelSettings: CallSettingsField,
  /** The model of the agent for which they were chosen. */
  settingsModel: Type.Optional(NullableText),
  next: Nullable(NextFire),
  buffered: Nullable(BufferedFire),
  /** The newest decided time of the schedule: no earlier time fires any more. */
  decidedUntil: NullableTime,
  /** No scheduled fire before this: the pause after a failure. */
  retryAt: NullableTime,
  /** When the schedule stopped firing, while the mission is paused or failed. */
  stoppedAt: NullableTime,
  runCount: Type.Integer(),
  lastRunAt: NullableTime,
  consecutiveFailures: Type.Integer(),
  openRuns: Type.Array(OpenRun, { maxItems: OPEN_RUNS }),
  lastRun: Nullable(LastRun),
  /** The newest results, oldest first. */
  results: Type.Array(Type.Object({ number: Type.Integer(), outcome: OneOf(RUN_OUTCOMES), text: Type.String() })),
  tasks: Type.Array(MissionTask, { maxItems: MISSION_TASKS }),
  lastSeq: Type.Integer(),
  /** Scheduled runs act with the permissions of this user (AUTH-7). */
  createdBy: Type.String(),
  /** Deleted missions are kept, but no request finds them. */
  deletedAt: NullableTime,
});
export type Mission = Static<typeof Mission>;

/** An entry of the ledger: a run, or times of the schedule that did not become one. */
export const MissionRun = Type.Object({
  ...RecordBase,
  missionId: Type.String(),
  /** Null if nothing ran. */
  number: Nullable(Type.Integer()),
  trigger: OneOf(RUN_TRIGGERS),
  outcome: OneOf(RUN_OUTCOMES),
  /** Null if somebody started it by hand. (mission, scheduledAt) is unique. */
  scheduledAt: NullableTime,
  /** How many times of the schedule the entry covers, and the last of them; more than one only if none of them ran. */
  count: Type.Integer(),
  until: NullableTime,
  firedAt: NullableTime,
  endedAt: NullableTime,
  jobId: NullableText,
  chatId: NullableText,
  result: NullableText,
  error: Nullable(MissionRunError),
  /** The mission's newest event when the entry was last written: the sweep also deletes the events up to it. */
  missionSeq: Type.Integer(),
});
export type MissionRun = Static<typeof MissionRun>;

export const missionTable = table<Mission>("mission");
export const missionRunTable = table<MissionRun>("mission_run");
export const missionRef = refTo("mission");
