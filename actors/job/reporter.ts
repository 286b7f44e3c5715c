/**
 * Brings what a run finds to its job, its chat and the usage of its organization: each report is one
 * atomic group of them, so they commit it together or not at all. Text is shown without being stored, and never overtakes a report.
 */
import type { ChatCommand } from "../chat/protocol.ts";
import { chatRef } from "../chat/schema.ts";
import { isPassing, type Outcome } from "../fault.ts";
import type { EffectContext } from "../runtime/effects.ts";
import type { EffectRow } from "../runtime/store.ts";
import type { MemberStep } from "../runtime/turns.ts";
import { usageRef } from "../usage/schema.ts";
import type { UsageReplies } from "../usage/protocol.ts";
import type { ExecutionParts } from "./execution.ts";
import { usageOf } from "./metering.ts";
import type { JobCommand, JobReplies } from "./protocol.ts";
import { type Job, jobRef } from "./schema.ts";

/** Between two tries of a report that nobody could take: a full mailbox, a lease that has lapsed for a moment. */
const REPORT_RETRY_MS = 200;

/** Thrown when a report was refused: the job has moved on without this run, and there is nobody to tell. */
export class RunOver extends Error {}

export class Reporter {
  private readonly parts: ExecutionParts;
  private readonly effect: EffectRow;
  private readonly context: EffectContext;
  private latest: Job | null = null;
  /** Text that waits for the text before it to be shown. */
  private untold = "";
  private textShown: Promise<void> = Promise.resolve();

  constructor(parts: ExecutionParts, effect: EffectRow, context: EffectContext) {
    this.parts = parts;
    this.effect = effect;
    this.context = context;
  }

  /** The job after the last report. */
  get job(): Job {
    if (this.latest === null) throw new RunOver();
    return this.latest;
  }

  async read(): Promise<Job> {
    const replies = await this.surely([this.forJob({ kind: "read_job" })]);
    this.latest = replies[0] as Job;
    return this.latest;
  }

  /** Reports to the job and, by what that answers, up to two things to the chat; answers its first reply. */
  async report(command: JobCommand, chat: (job: Job) => readonly ChatCommand[]): Promise<unknown> {
    await this.textShown;
    const told =
      (index: number): MemberStep =>
      ([reply]) => {
        const job = reply as Job;
        const next = chat(job)[index];
        return next === undefined ? null : { ref: chatRef(this.effect.organizationId, job.chatId), command: next };
      };
    const used = this.latest === null ? null : usageOf(this.latest, command);
    const counting: MemberStep = () =>
      used === null ? null : { ref: usageRef(this.effect.organizationId), command: used };
    const replies = await this.surely([this.forJob(command), told(0), told(1), counting]);
    this.latest = replies[0] as Job;
    return replies[1];
  }

  /** For what the run can do without: a job that has moved on is found out by the next report. */
  async mention(command: JobCommand): Promise<void> {
    try {
      await this.report(command, () => []);
    } catch (err) {
      if (!(err instanceof RunOver)) this.parts.log.error({ err, job: this.effect.actorId }, "a sign of life was lost");
    }
  }

  /**
   * Takes the messages that wait for the next model call; without any it is only a look. Where the
   * organization's budget is used up the job waits from then on, and the chat is told.
   */
  async takeSteers(attempt: number, result: string, chat: (job: Job) => readonly ChatCommand[]) {
    const { organizationId } = this.effect;
    const replies = await this.surely([
      { ref: usageRef(organizationId), command: { kind: "check_budget" } },
      ([budget]) => {
        const { isSpent } = budget as UsageReplies["check_budget"];
        return this.forJob({ kind: "take_steers", attempt, isSpent, result });
      },
      ([, taken]) => {
        const { job } = taken as JobReplies["take_steers"];
        const [command] = chat(job);
        return command === undefined ? null : { ref: chatRef(organizationId, job.chatId), command };
      },
    ]);
    const { job, steers } = replies[1] as JobReplies["take_steers"];
    this.latest = job;
    return steers;
  }

  /**
   * Resolves when the run may act on the world, or has been called off: to be awaited right before a call
   * of a model or a tool. While the lease has lapsed another replica may make that call.
   */
  async entitled(signal: AbortSignal): Promise<void> {
    while (!this.context.mayAct() && !signal.aborted) {
      if (this.context.isOver()) throw new RunOver();
      await new Promise<void>((resolve) => this.parts.clock.after(REPORT_RETRY_MS, resolve));
    }
    if (this.context.isOver()) throw new RunOver();
  }

  /**
   * Shows text to the readers. While the text before it waits for a commit, what comes is joined, so
   * that a fast model and a slow database cost one waiting command and not thousands.
   */
  tell(attempt: number, text: string): void {
    if (text === "") return;
    this.untold += text;
    if (this.untold.length === text.length) this.textShown = this.textShown.then(() => this.show(attempt));
  }

  private async show(attempt: number): Promise<void> {
    const text = this.untold;
    this.untold = "";
    const { outputMessageId: messageId, chatId } = this.job;
    const chat: ChatCommand = { kind: "turn_text", messageId, text };
    try {
      // A refusal is found by the next report; the text itself is in the step that it belongs to.
      await this.dispatch([
        this.forJob({ kind: "run_text", attempt, text }),
        { ref: chatRef(this.effect.organizationId, chatId), command: chat },
      ]);
    } catch (err) {
      this.parts.log.error({ err, job: this.effect.actorId }, "text could not be shown");
    }
  }

  private async surely(members: readonly MemberStep[]): Promise<readonly unknown[]> {
    const outcome = await this.dispatch(members);
    if (!outcome.ok) throw new RunOver();
    return outcome.value;
  }

  /** Goes on until somebody has decided, or the epoch is over: a job must not be left without its loop. */
  private async dispatch(members: readonly MemberStep[]): Promise<Outcome<readonly unknown[]>> {
    for (;;) {
      const outcome = await this.parts.group(members, { epoch: this.context.epoch });
      if (outcome.ok || !isPassing(outcome.fault) || this.context.isOver()) return outcome;
      await new Promise<void>((resolve) => this.parts.clock.after(REPORT_RETRY_MS, resolve));
    }
  }

  private forJob(command: JobCommand) {
    return { ref: jobRef(this.effect.organizationId, this.effect.actorId), command };
  }
}
