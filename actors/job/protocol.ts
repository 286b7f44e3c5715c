/** What a job's actor can be asked, and what it answers. */
import type { ContextMeasure } from "../chat/schema.ts";
import type { JsonObject } from "../schema.ts";
import type { Recovery } from "./machine.ts";
import type { CheckedOutput, ModelInfo } from "./ports.ts";
import type { TranscriptPart } from "./transcript.ts";
import type { AttachmentBlock, InputBlock } from "../upload/terms.ts";
import type { MadeArtifact, Budget, Progress, Steer, Waiting, Warning } from "./terms.ts";
import type { Citation } from "./citation.ts";
import type { Block, Job, RunError, ToolUseBlock, Usage } from "./schema.ts";

/** A call that a step has made. */
export interface StepCall {
  readonly block: ToolUseBlock;
  /** Whether it may be made again after a crash. */
  readonly safe: boolean;
  /** Whether it waits for a person. */
  readonly needsApproval: boolean;
  /** What its arguments must be, where it waits. */
  readonly inputSchema?: JsonObject;
  /** Whether the client runs it. */
  readonly isClient?: true;
}

/** What a client's tool has come to: its content, or what went wrong. */
export interface ClientResult {
  readonly toolCallId: string;
  readonly content: string;
  readonly isError: boolean;
}

/** Reports of the runner's loop. Each carries the attempt; one of an older attempt is refused. */
type RunReport =
  /** A runner has a job slot and begins. */
  | {
      readonly kind: "run_started";
      /** The effect that runs it: of no other the job is started. */
      readonly effectId: string;
      readonly attempt: number;
      readonly runner: ModelInfo;
    }
  /** A runner goes on with a job that was restarted or resumed; `text` is what is committed of it. */
  | { readonly kind: "run_resumed"; readonly attempt: number; readonly text: string }
  /** Text as it is made; not stored. */
  | { readonly kind: "run_text"; readonly attempt: number; readonly text: string }
  /**
   * Before each model call: takes the messages that wait for it (CHAT-5). Where the organization's budget
   * `isSpent`, there is no call and nothing is taken: the job waits. `result` is all text of the run.
   */
  | { readonly kind: "take_steers"; readonly attempt: number; readonly isSpent: boolean; readonly result: string }
  /** A heartbeat, perhaps with progress. */
  | { readonly kind: "run_alive"; readonly attempt: number; readonly progress: Progress | null }
  /** A line that a tool logs. */
  | { readonly kind: "run_logged"; readonly attempt: number; readonly level: "info" | "warn"; readonly message: string }
  /** The run waits for its provider or its tools; null: the wait is over. `usage` is that of the failed call. */
  | {
      readonly kind: "run_waiting";
      readonly attempt: number;
      readonly waiting: Waiting | null;
      readonly error: string | null;
      readonly usage: Usage;
    }
  /** A step begins again whose first text had been shown; `text` is what is committed of the message. */
  | { readonly kind: "step_restarted"; readonly attempt: number; readonly text: string }
  /** Something that the run does without; with `runner`, another model goes on with it. */
  | {
      readonly kind: "run_warned";
      readonly attempt: number;
      readonly warnings: readonly Omit<Warning, "at">[];
      readonly runner: ModelInfo | null;
    }
  /** A model call is over: its content is committed before any of its tools starts (JOB-7). */
  | {
      readonly kind: "step_finished";
      readonly attempt: number;
      readonly step: number;
      /** The model's output in its order, then the results of calls that are not made. */
      readonly blocks: readonly Block[];
      /** The calls that are made. */
      readonly calls: readonly StepCall[];
      readonly usage: Usage;
      readonly timeToFirstTokenMs: number | null;
      /** All text of the run; without calls the run is over and ends in the same commit. */
      readonly result: string;
      /** Without calls: what the text cites. */
      readonly citations?: readonly Citation[];
      /** Without calls, where the answer must fit a schema: whether it does. */
      readonly output?: CheckedOutput;
    }
  /**
   * A summary replaces the turns before the run, and the first `covers` parts of the run. A job that
   * compacts is over with it.
   */
  | {
      readonly kind: "run_compacted";
      readonly attempt: number;
      readonly text: string;
      readonly covers: number;
      readonly usage: Usage;
    }
  /** These calls are made from now on: what is unsafe among them is not made again after a crash. */
  | { readonly kind: "tools_started"; readonly attempt: number; readonly callIds: readonly string[] }
  | {
      readonly kind: "tool_finished";
      readonly attempt: number;
      readonly callId: string;
      readonly content: string;
      readonly isError: boolean;
      readonly artifacts?: readonly MadeArtifact[];
    }
  | {
      readonly kind: "run_failed";
      readonly attempt: number;
      readonly error: RunError;
      /** Text of the unfinished step; not committed before. */
      readonly partial: string;
      /** All text of the run, `partial` included. */
      readonly result: string;
      readonly usage: Usage;
    }
  /** The loop has stopped because the job is being cancelled. */
  | {
      readonly kind: "run_stopped";
      readonly attempt: number;
      readonly partial: string;
      readonly result: string;
      readonly usage: Usage;
    };

/** Reports that are answered by the job as it is then. */
export type ProgressReport = Exclude<RunReport, { readonly kind: "run_text" | "take_steers" }>;

export type StepFinished = Extract<RunReport, { readonly kind: "step_finished" }>;

/** Commands of people and other actors. `by` is a user's id; `inGroup`: the group updates the chat itself (`chatAfter`). */
type Control =
  | { readonly kind: "read_job" }
  /** Its turn has come in the chat's queue. */
  | { readonly kind: "start" }
  /** `unlessOver`: a job that has come to its end meanwhile is no refusal. */
  | { readonly kind: "cancel"; readonly inGroup?: true; readonly unlessOver?: true }
  | {
      readonly kind: "approve";
      readonly by: string;
      readonly decision: "approve" | "deny";
      /** Which one, by either of its names; null means all that wait, or the review. */
      readonly approvalId: string | null;
      readonly toolCallId: string | null;
      readonly arguments: JsonObject | null;
      readonly comment: string | null;
      readonly inGroup?: true;
    }
  | {
      readonly kind: "resume";
      readonly by: string;
      readonly input: string | null;
      /** What the input has besides text. */
      readonly blocks?: readonly InputBlock[] | undefined;
      readonly retryStep: boolean | null;
      /** Null: the present one stays. */ readonly budget?: Budget | null;
    }
  /** Results of tools that its client runs, for calls that wait for one (JOB-17). */
  | { readonly kind: "tool_results"; readonly by: string; readonly results: readonly ClientResult[] }
  /** A tool call of it, by its key, hands a part of the work to the job of this id: the same for each attempt. */
  | { readonly kind: "delegate"; readonly key: string; readonly childJobId: string }
  /** The first half of iterate: the second is a new job in the same chat. */
  | {
      readonly kind: "request_changes";
      readonly by: string;
      readonly feedback: string;
      readonly blocks?: readonly InputBlock[] | undefined;
      readonly inGroup?: true;
    }
  | ({ readonly kind: "steer"; readonly by: string } & Steer)
  /** An alarm: a decision is overdue (JOB-8, JOB-9). */
  | { readonly kind: "decision_overdue" }
  /** Its process or epoch ended under it (JOB-4). */
  | { readonly kind: "recover"; readonly effectId: string; readonly result: string };

export type JobCommand = RunReport | Control;

export interface JobReplies {
  read_job: Job;
  start: null;
  run_started: Job;
  run_resumed: Job;
  run_text: null;
  run_alive: Job;
  run_logged: Job;
  run_waiting: Job;
  step_restarted: Job;
  run_warned: Job;
  take_steers: { readonly job: Job; readonly steers: readonly Steer[] };
  step_finished: Job;
  run_compacted: Job;
  tools_started: Job;
  tool_finished: Job;
  run_failed: Job;
  run_stopped: Job;
  cancel: Job;
  approve: Job;
  resume: Job;
  tool_results: Job;
  delegate: Job;
  request_changes: Job;
  steer: Job;
  decision_overdue: null;
  recover: { readonly job: Job; readonly recovery: Recovery };
}

export interface JobProtocol {
  readonly command: JobCommand;
  readonly replies: JobReplies;
}

/** Reads a job's transcript and its chat's history: what a model call needs besides the records. */
export interface Transcripts {
  /**
   * The chat's summary, and the ended messages that it does not stand for without those of this job, turn by
   * turn, at most the newest `limit`. Queued messages and messages that were cancelled before their turn are
   * left out.
   */
  history(of: { organizationId: string; chatId: string; jobId: string; limit: number }): Promise<ChatHistory>;
  /** The content of the job that is committed, in order. */
  parts(organizationId: string, jobId: string): Promise<readonly TranscriptPart[]>;
}

/** What a chat's next turn goes on from. */
export interface ChatHistory {
  /** The text of the summary, what it replaces, and its pinned messages; null: nothing was compacted. */
  readonly summary: {
    readonly text: string;
    readonly messages: number;
    readonly pinned: readonly HistoryEntry[];
  } | null;
  readonly entries: readonly HistoryEntry[];
  /** Of the newest model call of the chat; null: nobody has counted yet. */
  readonly measured: ContextMeasure | null;
}
export const NO_HISTORY: ChatHistory = { summary: null, entries: [], measured: null };

export interface HistoryEntry {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly blocks: readonly (Block | AttachmentBlock)[];
  /** The number of its turn: rising, the same for a message and its answer. */
  readonly turn: number;
  readonly isPinned: boolean;
}
