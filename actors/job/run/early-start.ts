/**
 * Starts a run in the commit of the message that it answers (JOB-11). As soon as the group with a job's `run` effect is
 * on its way to the store, the job's start follows as a group of its own in the same batch. So there is one round trip
 * to the database before the model call, instead of two.
 *
 *   group with the effect ─▶ a free slot? ── none ─▶ nothing; the run starts the job when it has a slot
 *                              │
 *                              ▼
 *                            run_started, turn_started, metering ─┬─ stored ──▶ the run continues from there
 *                                                                 └─ not ─────▶ the run starts the job itself
 *
 * The slot is taken before the commit, because a `running` job holds one. It belongs to the run from the start, and is
 * released if there will be no run. Nothing leaves before the commit: the run, which begins after it, makes the model
 * call. A crash in between leaves a running job whose effect is recovered like any other (JOB-4), which costs it an
 * attempt.
 */
import { chatRef } from "../../chat/schema.ts";
import type { Pass } from "../../fair-slots.ts";
import type { EffectRow } from "../../runtime/store.ts";
import { followedBy, following } from "../../runtime/turns/members.ts";
import { usageRef } from "../../usage/schema.ts";
import { jobUsage } from "../metering.ts";
import type { ProgressReport } from "../protocol.ts";
import { type Job, jobRef } from "../schema.ts";
import { turnStartOf } from "./turn-end.ts";
import { askChat, askJob, askUsage, type JobRunIntent, type RunServices } from "./services.ts";
import type { SlotRequest } from "./slots.ts";

/** The started job, and whether its turn is the chat's first. */
export interface StartedJob {
  readonly job: Job;
  readonly isFirstTurn: boolean;
}

/** A start in flight, and the slot that it holds. `started` never rejects; null: it did not start the job. */
export interface EarlyStart {
  readonly slot: Pass;
  readonly started: Promise<StartedJob | null>;
}

export class EarlyStarts {
  private readonly services: RunServices;
  /** By effect, until the run claims it or there will be no run. */
  private readonly unclaimed = new Map<string, EarlyStart>();

  constructor(services: RunServices) {
    this.services = services;
  }

  /** Starts the job if a slot is free and its model is available; `request` is the slot's request. */
  begin(effect: EffectRow, epoch: number, request: SlotRequest): void {
    const { begins: model, attempt } = effect.intent as Partial<JobRunIntent>;
    if (model === undefined || attempt === undefined) return;
    const runner = this.services.models.describe(model);
    if (!runner.ok) return;
    const slot = this.services.slots.acquireNow(request);
    if (slot === null) return;
    const command: ProgressReport = { kind: "run_started", effectId: effect.id, attempt, runner: runner.value };
    const started = this.start(effect, epoch, command);
    this.unclaimed.set(effect.id, { slot, started });
    // By now the run has claimed it, or its group was not stored.
    void started.then(() => {
      if (this.unclaimed.delete(effect.id)) slot.end();
    });
  }

  /** Hands over the start of this effect's job to the run. */
  claim(effectId: string): EarlyStart | null {
    const start = this.unclaimed.get(effectId) ?? null;
    this.unclaimed.delete(effectId);
    return start;
  }

  private async start(
    { organizationId, actorId: jobId }: EffectRow,
    epoch: number,
    command: ProgressReport,
  ): Promise<StartedJob | null> {
    try {
      const started = followedBy(askJob(jobRef(organizationId, jobId), command), (job) => {
        return askChat(chatRef(organizationId, job.chatId), turnStartOf(job));
      });
      const metered = following(started, ([job]) => {
        const used = jobUsage(job, command);
        return used === null ? null : askUsage(usageRef(organizationId), used);
      });
      const outcome = await this.services.group(metered, { epoch });
      if (!outcome.ok) return null;
      const [job, { isFirstTurn }] = outcome.value;
      return { job, isFirstTurn };
    } catch (err) {
      this.services.log.error({ err, job: jobId }, "a job could not be started with its message");
      return null;
    }
  }
}
