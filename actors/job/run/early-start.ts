/**
 * The start of a run in the commit of the message that it answers (JOB-11). As soon as the group with a
 * job's `run` effect is on its way to the store, the job's start follows it as a group of its own into the
 * same batch: one round trip to the database before the model is asked, instead of two.
 *
 *   group with the effect ─▶ a free slot? ── none ─▶ nothing; the run starts the job when it has a slot
 *                              │
 *                              ▼
 *                            run_started, turn_started, metering ─┬─ stored ──▶ the run goes on from there
 *                                                                 └─ not ─────▶ the run starts the job itself
 *
 * The slot is taken before the commit, because a job that is `running` holds one; it belongs to the run from
 * its first moment, and is released when there will be no run. Nothing is done to the world before the
 * commit: the model is asked by the run, which starts after it. A crash in between leaves a running job
 * whose effect is recovered like that of any other (JOB-4): it spends an attempt.
 */
import { chatRef } from "../../chat/schema.ts";
import type { EffectRow } from "../../runtime/store.ts";
import { followed, following } from "../../runtime/members.ts";
import { usageRef } from "../../usage/schema.ts";
import { usageOf } from "../metering.ts";
import type { ProgressReport } from "../protocol.ts";
import { type Job, jobRef } from "../schema.ts";
import { turnStartOf } from "./turn-end.ts";
import { askChat, askJob, askUsage, type RunIntent, type RunServices } from "./services.ts";
import type { SlotRequest } from "./slots.ts";

/** A job as it was started, and whether its chat had no turn before. */
export interface StartedJob {
  readonly job: Job;
  readonly isFirstTurn: boolean;
}

/** A start that is on its way, with the slot that it holds. `started` never rejects; null: the job was not started by it. */
export interface EarlyStart {
  readonly releaseSlot: () => void;
  readonly started: Promise<StartedJob | null>;
}

export class EarlyStarts {
  private readonly services: RunServices;
  /** By effect, until its run takes it or there will be none. */
  private readonly unclaimed = new Map<string, EarlyStart>();

  constructor(services: RunServices) {
    this.services = services;
  }

  /** Starts the job where a slot is free and its model can be used; `request` says for whom. */
  begin(effect: EffectRow, epoch: number, request: SlotRequest): void {
    const { begins: model, attempt } = effect.intent as Partial<RunIntent>;
    if (model === undefined || attempt === undefined) return;
    const runner = this.services.models.describe(model);
    if (!runner.ok) return;
    const releaseSlot = this.services.slots.acquireNow(request);
    if (releaseSlot === null) return;
    const command: ProgressReport = { kind: "run_started", effectId: effect.id, attempt, runner: runner.value };
    const started = this.start(effect, epoch, command);
    this.unclaimed.set(effect.id, { releaseSlot, started });
    // By now the run has taken it, or its group was not stored.
    void started.then(() => {
      if (this.unclaimed.delete(effect.id)) releaseSlot();
    });
  }

  /** The start of this effect's job, which is the run's from now on. */
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
      const started = followed(askJob(jobRef(organizationId, jobId), command), (job) => {
        return askChat(chatRef(organizationId, job.chatId), turnStartOf(job));
      });
      const metered = following(started, ([job]) => {
        const used = usageOf(job, command);
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
