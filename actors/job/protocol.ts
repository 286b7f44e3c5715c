/** The commands and replies of a job's actor. */
import type { ContextMeasure } from "../chat/schema.ts";
import type { JsonObject } from "../schema.ts";
import type { Recovery } from "./machine.ts";
import type { CheckedOutput, ModelInfo } from "./ports.ts";
import type { TranscriptPart } from "./transcript.ts";
import type { AttachmentBlock, InputBlock } from "../upload/terms.ts";
import type { Budget, ConnectionNeed, MadeArtifact, JobProgress, Steer, RunWaiting, Warning } from "./terms.ts";
import type { Citation } from "./citation.ts";
import type { ApprovalPolicy, CallDecision, RuleExpiry } from "./approval-rule.ts";
import type { DecidingPeople } from "./approval-rule.ts";
import type { Block, Job, RunError, ToolUseBlock, Usage } from "./schema.ts";
import type { StopReason } from "./stop-reason.ts";

/** A call that a step has made. */
export interface StepCall {
  readonly block: ToolUseBlock;
  /** Whether it may be repeated after a crash. */
  readonly safe: boolean;
  /** Whether it waits for a person. */
  readonly needsApproval: boolean;
  /** The JSON Schema of its arguments, if it waits. */
  readonly inputSchema?: JsonObject;
  /** Whether the client runs it. */
  readonly isClient?: true;
  /** Why it is not made, in words for the model: they are its result. */
  readonly refusal?: string;
  /** What decided about it, if the agent has approval rules. */
  readonly decision?: CallDecision;
  /** Who decides about it, and until when, if a rule says so. */
  readonly policy?: ApprovalPolicy;
  readonly expiry?: RuleExpiry;
}

/** The result of a client's tool: its content, or an error. */
export interface ClientResult {
  readonly toolCallId: string;
  readonly content: string;
  readonly isError: boolean;
}

/** Reports of the runner's loop. One of an older attempt is refused. */
export type RunReport = { readonly attempt: number } &
  /** A runner has a job slot and begins. */
  (
    | {
        readonly kind: "run_started";
        /** The effect of the run: no other effect can start the job. */
        readonly effectId: string;
        readonly runner: ModelInfo;
      }
    /** A runner continues a job that was restarted or resumed; `text` is its committed text. */
    | { readonly kind: "run_resumed"; readonly text: string }
    /** Live text; not stored. */
    | { readonly kind: "run_text"; readonly text: string }
    /**
     * Before each model call: takes the messages that wait for it (CHAT-5). If the organization's budget `isSpent`, there
     * is no call and nothing is taken: the job blocks. `result` is all text of the run.
     */
    | { readonly kind: "take_steers"; readonly isSpent: boolean; readonly result: string }
    /** A heartbeat, perhaps with progress. */
    | { readonly kind: "run_alive"; readonly progress: JobProgress | null }
    /** A line that a tool logs. */
    | { readonly kind: "run_logged"; readonly level: "info" | "warn"; readonly message: string }
    /** The run waits for its provider or its tools; null: the wait is over. `usage` is that of the failed call. */
    | {
        readonly kind: "run_waiting";
        readonly waiting: RunWaiting | null;
        readonly error: string | null;
        readonly usage: Usage;
      }
    /** The replica gives the job away in good order while it runs: the interruption does not count as an attempt. */
    | { readonly kind: "run_handed_over"; readonly attempt: number }
    /** A step begins again after readers have seen text of it; `text` is the committed text of the message. */
    | { readonly kind: "step_restarted"; readonly text: string }
    /** The run continues without something. With `runner`, it continues with another model. */
    | {
        readonly kind: "run_warned";
        readonly warnings: readonly Omit<Warning, "at">[];
        readonly runner: ModelInfo | null;
      }
    /** A model call is over. Its content is committed before any of its tools starts (JOB-7). */
    | {
        readonly kind: "step_finished";
        readonly step: number;
        /** The model's output in order, then the results of calls that will not run. */
        readonly blocks: readonly Block[];
        /** The calls that will run. */
        readonly calls: readonly StepCall[];
        readonly usage: Usage;
        readonly timeToFirstTokenMs: number | null;
        readonly stopReason: StopReason;
        /** All text of the run. A step without calls ends the run in the same commit. */
        readonly result: string;
        /** For a step without calls: the citations of its text. */
        readonly citations?: readonly Citation[];
        /** For a step without calls, if the answer must fit a schema: whether it does. */
        readonly output?: CheckedOutput;
      }
    /**
     * A summary replaces the turns before the run, and the first `covers` parts of the run. It ends a job that compacts.
     */
    | {
        readonly kind: "run_compacted";
        readonly text: string;
        readonly covers: number;
        readonly usage: Usage;
      }
    /**
     * A resumed run makes these open calls from now on. After a crash the unsafe ones are not repeated. The calls of a step
     * that the run has made itself are started by `step_finished`.
     */
    | { readonly kind: "tools_started"; readonly callIds: readonly string[] }
    /** The run ends, and has not made these calls: the next attempt makes them, also unsafe ones. */
    | { readonly kind: "tools_not_made"; readonly callIds: readonly string[] }
    | {
        readonly kind: "tool_finished";
        readonly callId: string;
        readonly content: string;
        readonly isError: boolean;
        readonly artifacts?: readonly MadeArtifact[];
        readonly attachments?: readonly AttachmentBlock[];
      }
    /** A call has found that a connection is lacking, and had no effect: it is made again once there is one. */
    | {
        readonly kind: "call_lacks_connection";
        readonly callId: string;
        readonly need: ConnectionNeed;
      }
    /** The run cannot begin without these connections. `result` is all text of the run. */
    | {
        readonly kind: "run_lacks_connections";
        readonly needs: readonly ConnectionNeed[];
        readonly result: string;
      }
    | {
        readonly kind: "run_failed";
        readonly error: RunError;
        /** Text of the unfinished step, which is not committed yet. */
        readonly partial: string;
        /** All text of the run, including `partial`. */
        readonly result: string;
        readonly usage: Usage;
        /** Why the model stopped, if it had answered nothing. */
        readonly stopReason?: StopReason;
      }
    /** The loop has stopped because the job is being cancelled. */
    | {
        readonly kind: "run_stopped";
        readonly partial: string;
        readonly result: string;
        readonly usage: Usage;
      }
  );

/** Reports whose reply is the job after them. */
export type ProgressReport = Exclude<RunReport, { readonly kind: "run_text" | "take_steers" }>;

export type StepFinished = Extract<RunReport, { readonly kind: "step_finished" }>;

/**
 * Commands of people and other actors. `by` is a user's id. `inGroup`: the group updates the chat itself (`chatAfter`).
 */
type Control =
  | { readonly kind: "read_job" }
  /** The job is next in the chat's queue. */
  | { readonly kind: "start" }
  /** `unlessOver`: a job that has ended meanwhile is not refused. */
  | { readonly kind: "cancel"; readonly inGroup?: true; readonly unlessOver?: true }
  | {
      readonly kind: "approve";
      readonly by: string;
      readonly decision: "approve" | "deny";
      /** The approval, by either of its names; null: all open approvals, or the review. */
      readonly approvalId: string | null;
      readonly toolCallId: string | null;
      readonly arguments: JsonObject | null;
      readonly comment: string | null;
      /** The people who may decide, as the organization knows them in this commit; absent: nobody is known. */
      readonly people?: DecidingPeople;
      /** The token of a service decides. */
      readonly isService?: boolean;
      /** The approval that the changed arguments were checked for; null: none, so that no call may get them. */
      readonly checkedFor?: string | null;
      /** What the rules say about the changed arguments. */
      readonly judged?: { readonly decision: CallDecision; readonly policy?: ApprovalPolicy };
      readonly inGroup?: true;
    }
  | {
      readonly kind: "resume";
      readonly by: string;
      readonly input: string | null;
      /** All pieces of an input that is more than text. */
      readonly blocks?: readonly InputBlock[] | undefined;
      readonly retryStep: boolean | null;
      /** Null: the present one stays. */ readonly budget?: Budget | null;
    }
  /** Results of tools that the client runs, for calls that wait for one (JOB-17). */
  | { readonly kind: "tool_results"; readonly by: string; readonly results: readonly ClientResult[] }
  /** A message: the wait for a connection is over. `refusal`: why there is none; null if there is one. */
  | { readonly kind: "connection_settled"; readonly connectionId: string; readonly refusal: string | null }
  /** The tool call with this key delegates work to the job with this id, which is the same for each attempt. */
  | { readonly kind: "delegate"; readonly key: string; readonly childJobId: string }
  /** The first half of iterate; the second is a new job in the same chat. */
  | {
      readonly kind: "request_changes";
      readonly by: string;
      readonly feedback: string;
      readonly blocks?: readonly InputBlock[] | undefined;
      readonly inGroup?: true;
    }
  /** From now on the job sends its states to push addresses, which the same group adds (`webhook/pushes.ts`). */
  | { readonly kind: "begin_pushes" }
  | ({ readonly kind: "steer"; readonly by: string } & Steer)
  /** An alarm: a decision is overdue (JOB-8, JOB-9). */
  | { readonly kind: "decision_overdue" }
  /** The process or epoch of the job's run has ended (JOB-4). */
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
  run_handed_over: Job;
  step_restarted: Job;
  run_warned: Job;
  take_steers: { readonly job: Job; readonly steers: readonly Steer[] };
  step_finished: Job;
  run_compacted: Job;
  tools_started: Job;
  tools_not_made: Job;
  tool_finished: Job;
  call_lacks_connection: Job;
  run_lacks_connections: Job;
  connection_settled: null;
  run_failed: Job;
  run_stopped: Job;
  cancel: Job;
  approve: Job;
  resume: Job;
  tool_results: Job;
  delegate: Job;
  request_changes: Job;
  begin_pushes: Job;
  steer: Job;
  decision_overdue: null;
  recover: { readonly job: Job; readonly recovery: Recovery };
}

export interface JobProtocol {
  readonly command: JobCommand;
  readonly replies: JobReplies;
}

/** Reads a job's transcript and its chat's history: the part of a model call that is not in records. */
export interface Transcripts {
  /**
   * The chat's summary, and the ended messages that it does not replace, without those of this job, turn by turn, at
   * most the newest `limit`. Queued messages, and messages that were cancelled before their turn, are left out.
   */
  history(of: { organizationId: string; chatId: string; jobId: string; limit: number }): Promise<ChatHistory>;
  /** The job's committed content, in order. */
  parts(organizationId: string, jobId: string): Promise<readonly TranscriptPart[]>;
}

/** The history that a chat's next turn continues from. */
export interface ChatHistory {
  /** The summary's text, what it replaces, and the pinned messages; null: nothing was compacted. */
  readonly summary: {
    readonly text: string;
    readonly messages: number;
    readonly pinned: readonly HistoryEntry[];
  } | null;
  readonly entries: readonly HistoryEntry[];
  /** The measure of the chat's newest model call; null: none has been counted yet. */
  readonly measured: ContextMeasure | null;
}
export const NO_HISTORY: ChatHistory = { summary: null, entries: [], measured: null };

export interface ToldAmid {
  readonly at: number;
  readonly content: string;
  readonly blocks: readonly (Block | AttachmentBlock)[];
}

export interface HistoryEntry {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly blocks: readonly (Block | AttachmentBlock)[];
  /** Of an answer: what the model got before the block with this number. */
  readonly told?: readonly ToldAmid[];
  /** The model got it while it wrote the answer of its turn, which has it in `told`. */
  readonly isAmid?: true;
  /** The number of its turn: rising, and the same for a message and its answer. */
  readonly turn: number;
  readonly isPinned: boolean;
}
