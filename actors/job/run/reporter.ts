/**
 * Reports of a run to its job, its chat and the usage of its organization. Each report is one atomic group, so all of
 * them commit it or none does. Text is shown without being stored, and never overtakes a report.
 */
import type { ChatCommand, ChatProtocol } from "../../chat/protocol.ts";
import { chatRef } from "../../chat/schema.ts";
import { isPassing, type Outcome } from "../../fault.ts";
import { type EffectContext, whenEntitled } from "../../runtime/outputs/effects.ts";
import type { EffectRow } from "../../runtime/store.ts";
import { Backoff } from "../../runtime/backoff.ts";
import type { ReplyOf } from "../../runtime/actor.ts";
import { followedBy, following, type MemberStep, type RepliesOf } from "../../runtime/turns/members.ts";
import type { TextWriter } from "../../runtime/streams/text-writer.ts";
import { usageRef } from "../../usage/schema.ts";
import { askChat, askJob, askUsage, type JobRunIntent, type RunServices } from "./services.ts";
import type { StartedJob } from "./early-start.ts";
import { costOfReport, runSlice } from "./run-slices.ts";
import { jobUsage } from "../metering.ts";
import type { ProgressReport } from "../protocol.ts";
import { type Job, jobRef } from "../schema.ts";

/** Pauses before retrying a report that could not be dispatched: a full mailbox, a lapsed lease. */
const REPORT_RETRY = { firstMs: 200, lastMs: 1_000 };

/** Thrown when a report is refused: the job has moved on without this run. */
export class RunOver extends Error {}

export class Reporter {
  private readonly parts: RunServices;
  private readonly effect: EffectRow;
  private readonly context: EffectContext;
  private currentAttempt: number;
  private latest: Job | null = null;
  /** Text that waits for the turn group before it. */
  private unshown = "";
  /** The turn group with text that is in flight, if any. */
  private carrying: Promise<void> | null = null;
  private text: { readonly attempt: number; readonly writer: Pick<TextWriter, "add"> } | null = null;

  constructor(parts: RunServices, effect: EffectRow, context: EffectContext) {
    this.parts = parts;
    this.effect = effect;
    this.context = context;
    this.currentAttempt = (effect.intent as Partial<JobRunIntent>).attempt ?? 1;
  }

  /** The job after the last report. */
  get job(): Job {
    if (this.latest === null) throw new RunOver();
    return this.latest;
  }

  /** The attempt of this run's reports: the effect's, until a step of the run begins again. */
  get attempt(): number {
    return this.currentAttempt;
  }

  /** Adopts a job that was started with its message; returns whether its turn is the chat's first. */
  adopt({ job, isFirstTurn }: StartedJob): boolean {
    this.latest = job;
    return isFirstTurn;
  }

  async read(): Promise<Job> {
    const [job] = await this.untilAnswered([askJob(this.ref, { kind: "read_job" })]);
    return (this.latest = job);
  }

  /**
   * Reports to the job and then, depending on its reply, sends up to two commands to the chat; returns the chat's first
   * reply.
   */
  async report<C extends ChatCommand>(
    command: ProgressReport,
    chat: (job: Job) => readonly C[],
  ): Promise<ReplyOf<ChatProtocol, C> | undefined> {
    const { organizationId } = this.effect;
    const turn = runSlice(this.parts, organizationId, costOfReport(command));
    if (turn !== null) await turn;
    await this.allShown();
    const toChat = (job: Job, index: number) => {
      const next = chat(job)[index];
      return next === undefined ? null : askChat(chatRef(organizationId, job.chatId), next);
    };
    const used = this.latest === null ? null : jobUsage(this.latest, command);
    const counting = () => (used === null ? null : askUsage(usageRef(organizationId), used));
    const toJob = [askJob(this.ref, command)] as const;
    const toBoth = following(
      following(toJob, ([job]) => toChat(job, 0)),
      ([job]) => toChat(job, 1),
    );
    const [job, reply] = await this.untilAnswered(following(toBoth, counting));
    this.latest = job;
    if (command.kind === "step_restarted") this.currentAttempt = job.attempt;
    return reply;
  }

  /** Reports with best effort, and never rejects. The next report finds out whether the job has moved on. */
  async mention(command: ProgressReport): Promise<void> {
    try {
      await this.report(command, () => []);
    } catch (err) {
      if (!(err instanceof RunOver)) this.parts.log.error({ err, job: this.effect.actorId }, "a heartbeat was lost");
    }
  }

  /**
   * Takes the messages that wait for the next model call. If the organization's budget is spent, or limits cost while
   * the call's price is unknown, the job blocks and the chat gets the update.
   */
  async takeSteers(result: string, hasKnownCost: boolean, chat: (job: Job) => readonly ChatCommand[]) {
    const { attempt } = this;
    const { organizationId } = this.effect;
    const taking = followedBy(this.askBudget, ({ spent, limitsCost }) => {
      const isSpent = spent !== null || (limitsCost && !hasKnownCost);
      return askJob(this.ref, { kind: "take_steers", attempt, isSpent, result });
    });
    const members = following(taking, ([, { job }]) => {
      const [command] = chat(job);
      return command === undefined ? null : askChat(chatRef(organizationId, job.chatId), command);
    });
    const [, { job, steers }] = await this.untilAnswered(members);
    this.latest = job;
    return steers;
  }

  /** Whether the job's budget, or the organization's monthly one, limits cost. */
  async limitsCost(): Promise<boolean> {
    if ((this.job.budget.maxCost ?? null) !== null) return true;
    const [{ limitsCost }] = await this.untilAnswered([this.askBudget]);
    return limitsCost;
  }

  /**
   * Resolves when the run may act on the world, or was aborted: await it right before a call of a model or a tool.
   * While the lease has lapsed, another replica may make that call.
   */
  async entitled(signal: AbortSignal): Promise<void> {
    await whenEntitled(this.context, this.parts, signal);
    if (this.context.isOver()) throw new RunOver();
  }

  /**
   * Shows text to the readers: at once if nothing of the job and its chat is pending, else through a turn group. While
   * earlier text waits for a commit, new text is joined, so that a fast model and a slow database cost one waiting
   * command and not thousands.
   */
  showText(attempt: number, text: string): void {
    if (text === "") return;
    this.unshown += text;
    this.show(attempt);
  }

  private async allShown(): Promise<void> {
    while (this.carrying !== null) await this.carrying;
  }

  private writer(attempt: number): Pick<TextWriter, "add"> {
    if (this.text?.attempt !== attempt) {
      const { organizationId, actorId } = this.effect;
      const { outputMessageId: messageId, chatId } = this.job;
      const actors = [jobRef(organizationId, actorId), chatRef(organizationId, chatId)];
      const writer = this.parts.textWriter({ actors, epoch: this.context.epoch, messageId, attempt });
      this.text = { attempt, writer };
    }
    return this.text.writer;
  }

  private show(attempt: number): void {
    const text = this.unshown;
    if (text === "" || this.carrying !== null) return;
    this.unshown = "";
    try {
      if (this.writer(attempt).add(text)) return;
    } catch (err) {
      return this.couldNotShow(err);
    }
    this.carrying = this.carry(attempt, text).then(() => {
      this.carrying = null;
      this.show(attempt);
    });
  }

  /** Never rejects. The next report finds out about a refusal; the text itself is in the step that it belongs to. */
  private async carry(attempt: number, text: string): Promise<void> {
    try {
      const { outputMessageId: messageId, chatId } = this.job;
      await this.dispatch([
        askJob(this.ref, { kind: "run_text", attempt, text }),
        askChat(chatRef(this.effect.organizationId, chatId), { kind: "turn_text", messageId, text }),
      ]);
    } catch (err) {
      this.couldNotShow(err);
    }
  }

  private couldNotShow(err: unknown): void {
    this.parts.log.error({ err, job: this.effect.actorId }, "text could not be shown");
  }

  private async untilAnswered<const S extends readonly MemberStep[]>(members: S): Promise<RepliesOf<S>> {
    const outcome = await this.dispatch(members);
    if (!outcome.ok) throw new RunOver();
    return outcome.value;
  }

  /**
   * The answer to a question that the run cannot do without, such as the key for a call: asked again while the service
   * cannot answer. Throws `RunOver` when the epoch is over: the next owner goes on, and the job does not fail.
   */
  async answerTo<T>(ask: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const backoff = new Backoff(this.parts, REPORT_RETRY);
    for (;;) {
      const outcome = await ask();
      if (outcome.ok || !isPassing(outcome.fault)) return outcome;
      if (this.context.isOver()) throw new RunOver();
      await backoff.pause();
    }
  }

  /** Retries until the report is decided or the epoch is over: a job must not lose its loop. */
  private async dispatch<const S extends readonly MemberStep[]>(members: S): Promise<Outcome<RepliesOf<S>>> {
    const backoff = new Backoff(this.parts, REPORT_RETRY);
    for (;;) {
      const outcome = await this.parts.group(members, { epoch: this.context.epoch });
      if (outcome.ok || !isPassing(outcome.fault) || this.context.isOver()) return outcome;
      await backoff.pause();
    }
  }

  private get askBudget() {
    return askUsage(usageRef(this.effect.organizationId), { kind: "check_budget" });
  }

  private get ref() {
    return jobRef(this.effect.organizationId, this.effect.actorId);
  }
}
