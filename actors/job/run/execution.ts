/**
 * The runner's loop: the effect `run` of a job. It calls the model, runs the tools that the model requests, and reports
 * each result as a turn group of the job and its chat, so that both commit it or neither does. A step is committed
 * before its first tool starts, and each result before the next step (JOB-7). So a crash loses one model call at most,
 * or tool calls that the record shows as open.
 *
 *   slot ─▶ run_started ─▶ model ─▶ step_finished ─┬─ no calls ──▶ the run is over
 *                            ▲                      └─ calls ─▶ tools ─▶ tool_finished each ─┐
 *                            └───────────────────────────────────────────────────────────────┘
 *   any fault ──▶ run_failed        cancelled ──▶ run_stopped
 *   the process or the epoch ends, or the job has moved on ──▶ the loop ends without a report
 */
import { Backoff } from "../../runtime/backoff.ts";
import { type Ask, followedBy } from "../../runtime/turns/members.ts";
import { assert } from "../../assert.ts";
import type { ChatCommand } from "../../chat/protocol.ts";
import { chatRef } from "../../chat/schema.ts";
import type { EffectContext, EffectHandler } from "../../runtime/outputs/effects.ts";
import type { EffectRow } from "../../runtime/store.ts";
import type { Recovery } from "../machine.ts";
import type { JobCommand, JobReplies } from "../protocol.ts";
import { jobTurnEnd } from "../transitions.ts";
import { updatesOf } from "../chat-updates.ts";
import { EarlyStarts } from "./early-start.ts";
import { JobRun } from "./run.ts";
import { runSlice } from "./run-slices.ts";
import { type Job, jobRef, metricsUsage } from "../schema.ts";
import { ProviderLimits } from "./provider-limits.ts";
import { JobSlot } from "./job-slot.ts";
import type { JobRunIntent, RunServices } from "./services.ts";
import type { SlotRequest } from "./slots.ts";
import { Transcript } from "./transcript.ts";

/** Attempts of one recovery. The shard is not served meanwhile, so they are bounded. */
const RECOVERY_ATTEMPTS = 20;
const RECOVERY_RETRY = { firstMs: 250, lastMs: 250 };

/** The handler of `run` effects. `limits` are those of model calls, for each provider and key. */
export function jobExecution(parts: RunServices, limits = new ProviderLimits(parts.clock)): EffectHandler {
  const earlyStarts = new EarlyStarts(parts);
  return {
    intended(effect, epoch) {
      earlyStarts.begin(effect, epoch, slotRequestOf(effect));
    },
    async run(effect, context) {
      const early = earlyStarts.claim(effect.id);
      using slot = new JobSlot(parts.slots, slotRequestOf(effect), early?.slot);
      const run = new JobRun(parts, { effect, context, slot, limits, started: early?.started ?? null });
      if (!(await slot.take(context.signal))) return run.abandon();
      const turn = runSlice(parts, effect.organizationId);
      if (turn !== null) await turn;
      await run.go();
    },
    recover: (effect, context) => recoverWithRetries(parts, effect, context),
  };
}

function slotRequestOf({ organizationId, intent }: EffectRow): SlotRequest {
  const { priority, since } = intent as Partial<JobRunIntent>;
  return { organizationId, priority: priority ?? "medium", since: Date.parse(since ?? "") || 0 };
}

/** The database may be unavailable during a take-over; that must not leave a job without an owner. */
async function recoverWithRetries(parts: RunServices, effect: EffectRow, context: EffectContext): Promise<void> {
  const backoff = new Backoff(parts, RECOVERY_RETRY);
  for (let attempt = 1; !context.isOver(); attempt++) {
    try {
      return await recover(parts, effect, context);
    } catch (err) {
      if (attempt === RECOVERY_ATTEMPTS) throw err;
      parts.log.error({ err, job: effect.actorId, attempt }, "a job could not be recovered yet");
    }
    await backoff.pause();
  }
}

/** Decides in a turn what happens to a run whose process ended (JOB-4), and updates the chat. */
async function recover(parts: RunServices, effect: EffectRow, context: EffectContext): Promise<void> {
  const { organizationId, actorId: jobId } = effect;
  const transcript = new Transcript(await parts.transcripts.parts(organizationId, jobId));
  const command: JobCommand = { kind: "recover", effectId: effect.id, result: transcript.text };
  const recovering: Ask<JobReplies["recover"]> = { ref: jobRef(organizationId, jobId), command };
  const outcome = await parts.group(
    followedBy(recovering, ({ job, recovery }) => {
      const command = chatAfterRecovery(job, recovery, transcript);
      return command === null ? null : { ref: chatRef(organizationId, job.chatId), command };
    }),
    { epoch: context.epoch },
  );
  // After a newer epoch has begun, the shard's new owner recovers the job.
  if (!outcome.ok && !context.isOver()) throw new Error(`the recovery was refused: ${outcome.fault.kind}`);
}

function chatAfterRecovery(job: Job, recovery: Recovery, transcript: Transcript): ChatCommand | null {
  const { id: jobId, inputMessageId, outputMessageId: messageId, metrics } = job;
  if (recovery.kind === "restart") return { kind: "turn_restarted", jobId, messageId, attempt: recovery.attempt };
  if (recovery.kind === "rerun" || recovery.kind === "over") return null;
  const end = jobTurnEnd(job);
  assert(end !== null, "a recovered job runs again or is settled");
  const usage = metricsUsage(metrics);
  return {
    kind: "turn_ended",
    jobId,
    inputMessageId,
    messageId,
    end,
    blocks: transcript.blocks,
    interjections: transcript.interjections(inputMessageId),
    usage,
    stopReason: job.stopReason ?? null,
    updates: updatesOf(job),
  };
}
