/**
 * The runner's loop: the effect `run` of a job. It calls the model, runs the tools that the model
 * asks for, and reports each finding as a turn group of the job and its chat, so that both commit it
 * together or not at all. A step is committed before its first tool starts, and each result before
 * the next step (JOB-7); so whatever is lost in a crash is at most one model call or one tool call
 * for which the record says that it was open.
 *
 *   place ─▶ run_started ─▶ model ─▶ step_finished ─┬─ no calls ──▶ run_completed
 *                            ▲                      └─ calls ─▶ tools ─▶ tool_finished each ─┐
 *                            └───────────────────────────────────────────────────────────────┘
 *   any fault ──▶ run_failed        aborted or refused ──▶ the loop ends and reports nothing
 */
import { chatRef } from "../chat/schema.ts";
import type { Outcome } from "../fault.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EffectContext, EffectHandler } from "../runtime/effects.ts";
import type { EffectRow } from "../runtime/store.ts";
import type { Admission } from "../runtime/shards.ts";
import type { MemberStep } from "../runtime/turns.ts";
import type { ModelPort, ToolPort } from "./ports.ts";
import type { JobReplies, Transcripts } from "./protocol.ts";
import { Run } from "./run.ts";
import { type Job, jobRef, textOf } from "./schema.ts";
import type { Slots } from "./slots.ts";

export interface ExecutionParts {
  readonly models: ModelPort;
  readonly tools: ToolPort;
  readonly transcripts: Transcripts;
  readonly slots: Slots;
  readonly clock: Clock;
  /** The system's `dispatchGroup`; late-bound, because the system is made with this handler. */
  readonly group: (members: readonly MemberStep[], options: Admission) => Promise<Outcome<readonly unknown[]>>;
  readonly log: { error(fields: object, message: string): void };
}

/** Tries of one recovery; a shard is not served meanwhile, so there must be an end. */
const RECOVERY_ATTEMPTS = 20;
const RECOVERY_RETRY_MS = 250;

/** The handler of `run` effects. */
export function jobExecution(parts: ExecutionParts): EffectHandler {
  return {
    async run(effect, context) {
      const release = await parts.slots.acquire(effect.organizationId, context.signal);
      if (release === null) return;
      try {
        await new Run(parts, effect, context).go();
      } finally {
        release();
      }
    },
    recover: (effect, context) => recoverSurely(parts, effect, context),
  };
}

/** The database may be away just when its jobs are taken up; a job must not be left without an owner for that. */
async function recoverSurely(parts: ExecutionParts, effect: EffectRow, context: EffectContext): Promise<void> {
  for (let attempt = 1; !context.signal.aborted; attempt++) {
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
  const blocks = await parts.transcripts.blocks(organizationId, jobId);
  const text = textOf(blocks);
  const command = { kind: "recover", effectId: effect.id, result: text };
  const outcome = await parts.group(
    [
      { ref: jobRef(organizationId, jobId), command },
      (replies) => {
        const { job, recovery } = replies[0] as JobReplies["recover"];
        const ref = chatRef(organizationId, job.chatId);
        const { inputMessageId, outputMessageId: messageId } = job;
        if (recovery.kind === "restart") {
          const { attempt } = recovery;
          return { ref, command: { kind: "turn_restarted", jobId, messageId, attempt, text } };
        }
        if (recovery.kind !== "interrupted" && recovery.kind !== "exhausted") return null;
        const end = recovery.kind === "interrupted" ? { status: "blocked" } : { status: "failed", error: job.error };
        return { ref, command: { kind: "turn_ended", jobId, inputMessageId, messageId, end, blocks, usage: usageOf(job) } };
      },
    ],
    { epoch: context.epoch },
  );
  // Aborted: of an older epoch by now, so whoever has the shard recovers it.
  if (!outcome.ok && !context.signal.aborted) throw new Error(`the recovery was refused: ${outcome.fault.kind}`);
}

const usageOf = ({ metrics }: Job) => ({ inputTokens: metrics.inputTokens, outputTokens: metrics.outputTokens });
