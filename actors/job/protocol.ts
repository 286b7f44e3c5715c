/** What a job's actor can be asked, and what it answers. */
import type { ModelInfo } from "./ports.ts";
import type { Recovery } from "./machine.ts";
import type { Block, Job, OpenCall, RunError, TextBlock, ToolUseBlock, Usage } from "./schema.ts";

export type JobCommand =
  | { readonly kind: "read_job" }
  /** Its turn has come in the chat's queue. */
  | { readonly kind: "start" }
  /** A runner has a free place and begins. */
  | { readonly kind: "run_started"; readonly effectId: string; readonly attempt: number; readonly runner: ModelInfo }
  /** Text as it is made; not stored. */
  | { readonly kind: "run_text"; readonly attempt: number; readonly text: string }
  /** A model call is over: its content is committed before any of its tools starts (JOB-7). */
  | {
      readonly kind: "step_finished";
      readonly attempt: number;
      readonly step: number;
      /** In the order in which the model gave them. */
      readonly blocks: readonly (TextBlock | ToolUseBlock)[];
      /** The calls among them. */
      readonly calls: readonly OpenCall[];
      readonly usage: Usage;
      readonly timeToFirstTokenMs: number | null;
      /** Without calls the run is over: it ends in the same commit. */
      readonly final: { readonly effectId: string; readonly result: string } | null;
    }
  | { readonly kind: "tool_finished"; readonly attempt: number; readonly callId: string; readonly content: string; readonly isError: boolean }
  | {
      readonly kind: "run_failed";
      readonly attempt: number;
      readonly effectId: string;
      readonly error: RunError;
      /** Text of the unfinished step; not committed before. */
      readonly partial: string;
      /** All text of the run, `partial` included. */
      readonly result: string;
      readonly usage: Usage;
    }
  /** Its process or epoch ended under it (JOB-4). */
  | { readonly kind: "recover"; readonly effectId: string; readonly result: string };

export interface JobReplies {
  read_job: Job;
  start: null;
  run_started: Job;
  run_text: null;
  step_finished: Job;
  tool_finished: Job;
  run_failed: Job;
  recover: { readonly job: Job; readonly recovery: Recovery };
}

export interface JobProtocol {
  readonly command: JobCommand;
  readonly replies: JobReplies;
}

/** Reads a job's transcript and its chat's history: what a model call needs besides the records. */
export interface Transcripts {
  /** The chat's ended messages but this one, turn by turn, at most the newest `limit`: who waits in the queue has not ended. */
  history(of: { organizationId: string; chatId: string; beforeMessageId: string; limit: number }): Promise<readonly HistoryEntry[]>;
  /** The content of the job that is committed: texts, calls and results, in order. */
  blocks(organizationId: string, jobId: string): Promise<readonly Block[]>;
}

export interface HistoryEntry {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly blocks: readonly Block[];
}
