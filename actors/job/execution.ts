/**
 * The runner's loop: the effect `run` of a job. It calls the model, runs the tools that the model
 * asks for, and reports each finding as a turn group of the job and its chat, so that both commit it
 * together or not at all. A step is committed before its first tool starts, and each result before
 * the next step (JOB-7); so whatever is lost in a crash is at most one model call or one tool call
 * for which the record says that it was open.
 *
 *   place ─▶ run_started ─▶ model ─▶ step_finished ─┬─ no calls ──▶ the run is over
 *                            ▲                      └─ calls ─▶ tools ─▶ tool_finished each ─┐
 *                            └───────────────────────────────────────────────────────────────┘
 *   any fault ──▶ run_failed        cancelled ──▶ run_stopped
 *   the process or the epoch ends, or the job has moved on ──▶ the loop ends and reports nothing
 */
import { assert } from "../assert.ts";
import type { ChatCommand } from "../chat/protocol.ts";
import { chatRef } from "../chat/schema.ts";
import type { Outcome } from "../fault.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EffectContext, EffectHandler } from "../runtime/effects.ts";
import type { EffectRow } from "../runtime/store.ts";
import type { Admission } from "../runtime/shards.ts";
import type { MemberStep } from "../runtime/turns.ts";
import type { ModelPort, ToolPort } from "./ports.ts";
import type { Recovery } from "./machine.ts";
import type { JobCommand, JobReplies, Transcripts } from "./protocol.ts";
import { turnEnd } from "./ending.ts";
import { newsOf } from "./news.ts";
import { Run } from "./run.ts";
import { type Job, jobRef } from "./schema.ts";
import { Place } from "./place.ts";
import type { Applicant, Slots } from "./slots.ts";
import type { JobPriority } from "./terms.ts";
import { Transcript } from "./run-transcript.ts";

export interface ExecutionParts {
  readonly models: ModelPort;
  readonly tools: ToolPort;
  readonly transcripts: Transcripts;
  readonly slots: Slots;
  /** Model calls of a job whose budget and agent name no number (RUN-3). */
  readonly steps: number;
  readonly clock: Clock;
  /** The system's `dispatchGroup`; late-bound, because the system is made with this handler. */
  readonly group: (members: readonly MemberStep[], options: Admission) => Promise<Outcome<readonly unknown[]>>;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** Tries of one recovery; a shard is not served meanwhile, so there must be an end. */
const RECOVERY_ATTEMPTS = 20;
const RECOVERY_RETRY_MS = 250;

/** The handler of `run` effects. */
export function jobExecution(parts: ExecutionParts): EffectHandler {
  return {
    async run(effect, context) {
      const place = new Place(parts.slots, applicantOf(effect));
      const run = new Run(parts, { effect, context, place });
      if (!(await place.take(context.signal))) return run.callOff();
      try {
        await run.go();
      } finally {
        place.leave();
      }
    },
    recover: (effect, context) => recoverSurely(parts, effect, context),
  };
}

/** The intent of a `run`: what is known of the job before it has a place. */
export interface RunIntent {
  readonly attempt: number;
  readonly priority: JobPriority;
  /** When the job was made, ISO 8601. */
  readonly since: string;
}

function applicantOf({ organizationId, intent }: EffectRow): Applicant {
  const { priority, since } = intent as Partial<RunIntent>;
  return { organizationId, priority: priority ?? "medium", since: Date.parse(since ?? "") || 0 };
}

/** The database may be away just when its jobs are taken up; a job must not be left without an owner for that. */
async function recoverSurely(parts: ExecutionParts, effect: EffectRow, context: EffectContext): Promise<void> {
  for (let attempt = 1; !context.isOver(); attempt++) {
    try {
      return await recover(parts, effect, context);
    } catch (err) {
      if (attempt === RECOVERY_ATTEMPTS) throw err;
      parts.log.error({ err, job: effect.actorId, attempt }, "a job could not be recovered yet");
    }
    await new Promise<void>((resolve) => parts.clock.after(RECOVERY_RETRY_MS, resolve));
  }
}

/** Decides by a turn what becomes of a run whose process ended (JOB-4), and tells the chat. */
async function recover(parts: ExecutionParts, effect: EffectRow, context: EffectContext): Promise<void> {
  const { organizationId, actorId: jobId } = effect;
  const transcript = new Transcript(await parts.transcripts.parts(organizationId, jobId));
  const outcome = await parts.group(
    [
      {
        ref: jobRef(organizationId, jobId),
        command: { kind: "recover", effectId: effect.id, result: transcript.text } as JobCommand,
      },
      ([reply]) => {
        const { job, recovery } = reply as JobReplies["recover"];
        const command = chatAfterRecovery(job, recovery, transcript);
        return command === null ? null : { ref: chatRef(organizationId, job.chatId), command };
      },
    ],
    { epoch: context.epoch },
  );
  // Of an older epoch by now: whoever has the shard recovers it.
  if (!outcome.ok && !context.isOver()) throw new Error(`the recovery was refused: ${outcome.fault.kind}`);
}

function chatAfterRecovery(job: Job, recovery: Recovery, transcript: Transcript): ChatCommand | null {
  const { id: jobId, inputMessageId, outputMessageId: messageId, metrics } = job;
  if (recovery.kind === "restart") return { kind: "turn_restarted", jobId, messageId, attempt: recovery.attempt };
  if (recovery.kind === "rerun" || recovery.kind === "over") return null;
  const end = turnEnd(job);
  assert(end !== null, "a recovered job runs again or has come to a stand");
  const usage = { inputTokens: metrics.inputTokens, outputTokens: metrics.outputTokens };
  return {
    kind: "turn_ended",
    jobId,
    inputMessageId,
    messageId,
    end,
    blocks: transcript.blocks,
    usage,
    news: newsOf(job),
  };
}
