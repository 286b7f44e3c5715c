/** The commands and replies of a mission's actor. */
import type { SpentBudget } from "../usage/schema.ts";
import type { JobStatus } from "../job/schema.ts";
import type { ForecastTime } from "./ports.ts";
import type {
  FailedReason,
  Mission,
  MissionRun,
  MissionStatus,
  MissionTask,
  MissionRunError,
  ScheduleSettings,
} from "./schema.ts";

/** The caller. An owner of the organization may pause and delete missions of others. */
export interface Asker {
  readonly userId: string;
  readonly isOwner: boolean;
}

export type MissionSettings = Pick<
  Mission,
  | "title"
  | "goal"
  | "agentId"
  | "workspaceId"
  | "visibility"
  | "priority"
  | "reviewRequired"
  | "budget"
  | "metadata"
  | "modelSettings"
  | "settingsModel"
> & { readonly schedule: ScheduleSettings };

/** Omitted fields are unchanged. */
export type MissionChanges = Partial<Omit<MissionSettings, "schedule">> & {
  readonly schedule?: Partial<ScheduleSettings>;
  /** `running` means `run_now`; callers can set no other status. */
  readonly status?: MissionStatus;
  readonly pausedReason?: string | null;
};

export type TaskSettings = Pick<MissionTask, "title" | "description" | "priority" | "assignedTo" | "dependsOn">;
/** `position` is the place in the mission's list, from 0. */
export type MissionTaskChanges = Partial<TaskSettings & Pick<MissionTask, "status" | "position">>;

/** The ids that a new job and its chat get. */
export interface JobIds {
  readonly jobId: string;
  readonly chatId: string;
}

/** Why a run could not begin. */
export type ImpossibleReason = Extract<FailedReason, "agent_unavailable" | "workspace_deleted" | "creator_removed">;
export type RunRefusal =
  | { readonly kind: "budget_spent"; readonly of: SpentBudget }
  /** The agent or the workspace is gone, or the mission's user has left: the mission fails. */
  | { readonly kind: "impossible"; readonly reason: ImpossibleReason }
  /** Any other reason, such as an unavailable model: the run fails. */
  | { readonly kind: "failed"; readonly error: MissionRunError };

export type MissionCommand =
  | { readonly kind: "create_mission"; readonly by: Asker; readonly settings: MissionSettings }
  | { readonly kind: "read_mission"; readonly by: Asker }
  | { readonly kind: "read_forecast"; readonly by: Asker; readonly count: number }
  /** `version` is the version that the caller has read; null accepts any. */
  | {
      readonly kind: "update_mission";
      readonly by: Asker;
      readonly changes: MissionChanges;
      readonly version: number | null;
    }
  | { readonly kind: "delete_mission"; readonly by: Asker }
  /** Runs now; if a run is open, the overlap policy decides. */
  | { readonly kind: "run_now"; readonly by: Asker; readonly ids: JobIds }
  | { readonly kind: "add_task"; readonly by: Asker; readonly settings: TaskSettings; readonly taskId?: string }
  | { readonly kind: "read_task"; readonly by: Asker; readonly taskId: string }
  | {
      readonly kind: "update_task";
      readonly by: Asker;
      readonly taskId: string;
      readonly changes: MissionTaskChanges;
      readonly version: number | null;
    }
  /** Completes an open task, whatever it waits for. */
  | { readonly kind: "finish_task"; readonly by: Asker; readonly taskId: string }
  /** Starts a job for the task, unless one is active. */
  | { readonly kind: "start_task"; readonly by: Asker; readonly taskId: string; readonly ids: JobIds }
  /** The alarm: a time of the schedule is due. */
  | { readonly kind: "fire_due" }
  /** The effect of a fire asks this before it looks for the agent; null if the run is no longer wanted. */
  | { readonly kind: "read_run"; readonly runId: string; readonly effectId: string }
  /** The job of a fire begins, in this group. */
  | { readonly kind: "begin_run"; readonly runId: string; readonly effectId: string; readonly ids: JobIds }
  /** The process of the effect has ended: another effect begins the run. */
  | { readonly kind: "retry_run"; readonly runId: string; readonly effectId: string }
  | { readonly kind: "refuse_run"; readonly runId: string; readonly effectId: string; readonly refusal: RunRefusal }
  /** A job of the mission has ended, in the commit that sent this. */
  | {
      readonly kind: "job_ended";
      readonly jobId: string;
      readonly taskId: string | null;
      readonly status: Extract<JobStatus, "completed" | "failed" | "cancelled">;
      /** At most `KEPT_RESULT_CHARACTERS`. */
      readonly result: string | null;
      readonly error: MissionRunError | null;
    }
  /** The agent has been archived or uninstalled; or, with `isGone` false, it is back. */
  | { readonly kind: "agent_changed"; readonly agentId: string; readonly isGone: boolean }
  | { readonly kind: "workspace_deleted"; readonly workspaceId: string };

/** A run that may begin, with the context of its job. */
export interface RunBrief {
  readonly mission: Mission;
  readonly run: MissionRun;
  readonly content: string;
}
export interface TaskBrief {
  readonly mission: Mission;
  readonly task: MissionTask;
  /** Null if a job is active already. */
  readonly content: string | null;
}

export interface MissionReplies {
  create_mission: Mission;
  read_mission: Mission;
  read_forecast: readonly ForecastTime[];
  update_mission: Mission;
  delete_mission: Mission;
  /** `brief` is null if the run waits for an open one. */
  run_now: { readonly mission: Mission; readonly brief: RunBrief | null };
  add_task: { readonly mission: Mission; readonly task: MissionTask };
  read_task: { readonly mission: Mission; readonly task: MissionTask };
  update_task: { readonly mission: Mission; readonly task: MissionTask };
  finish_task: { readonly mission: Mission; readonly task: MissionTask };
  start_task: TaskBrief;
  fire_due: null;
  read_run: Mission | null;
  begin_run: RunBrief;
  retry_run: null;
  refuse_run: null;
  job_ended: null;
  agent_changed: null;
  workspace_deleted: null;
}

export interface MissionProtocol {
  readonly command: MissionCommand;
  readonly replies: MissionReplies;
}
