/**
 * Sends notices about approvals (REACH-2 to REACH-8): the handler of their effects. For each attempt the approval is
 * read from its job, so a notice never asks about something that is over; then its key is stored as a hash, and only
 * then the notice leaves.
 *
 *   read question, job, people ─▶ prepare_notice (key's hash) ─▶ mail or messenger ─▶ notice_ended
 *
 * A process that ends in between leaves the effect, and the next one sends the notice again: each is sent at least once.
 */
import { FairSlots } from "../../actors/fair-slots.ts";
import { isPassing, mapOutcome, type Outcome } from "../../actors/fault.ts";
import { decisionRefusal } from "../../actors/job/deciders.ts";
import { type Job, jobRef } from "../../actors/job/schema.ts";
import type { Approval } from "../../actors/job/terms.ts";
import type { Agent, Member } from "../../actors/organization/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import { type DecidersIntent, FIND_DECIDERS, SEND_NOTICE } from "../../actors/reach/notices.ts";
import type { NoticeHead, NoticeResult, PreparedNotice, ReachCommand } from "../../actors/reach/protocol.ts";
import {
  type ApprovalNotice,
  askedTerms,
  type Messenger,
  messengerContext,
  type Question,
  reachRef,
  type SkipReason,
} from "../../actors/reach/schema.ts";
import { Backoff } from "../../actors/runtime/backoff.ts";
import { type EffectContext, type EffectHandler, whenEntitled } from "../../actors/runtime/outputs/effects.ts";
import type { Chance, Clock } from "../../actors/runtime/ports.ts";
import type { EffectRow } from "../../actors/runtime/store.ts";
import type { Sealing } from "../../actors/sealing.ts";
import { ask, type TroupeSystem } from "../../actors/troupe.ts";
import { UNSENT } from "../../actors/webhook/delivering.ts";
import { isLinkDecision } from "../../actors/webhook/events.ts";
import type { Egress } from "../egress/egress.ts";
import { postOnce } from "../egress/webhook-sender.ts";
import { keyHash, newKey } from "../http/admission/token.ts";
import { approvalLink } from "../http/contract/paths.ts";
import { isMailable, type Mailer, mailText } from "../reach/mailer.ts";
import { messengerRequest } from "../reach/messenger-bodies.ts";
import { noticeWords, type NoticeWords } from "../reach/notice-words.ts";

export interface NoticeParts {
  readonly system: TroupeSystem;
  readonly agents: { find(by: { organizationId: string; userId: string }, id: string): MaybePromise<Outcome<Agent>> };
  readonly egress: Egress;
  readonly sealing: Sealing;
  /** Null: the operator has set no mail server. */
  readonly mailer: Mailer | null;
  readonly clock: Clock;
  readonly chance: Pick<Chance, "fraction">;
  /** Where people reach the service. */
  readonly appUrl: string;
  readonly log: { warn(fields: object, message: string): void };
}

/** Notices that are sent at once, in all and of one organization. */
const NOTICE_SLOTS = { slots: 16, each: 4 };
/** Pauses before a command is tried again. */
const COMMAND_RETRY = { firstMs: 50, lastMs: 5_000 };

export function noticeEffects(
  parts: NoticeParts,
): Readonly<Record<typeof SEND_NOTICE | typeof FIND_DECIDERS, EffectHandler>> {
  const slots = new FairSlots(NOTICE_SLOTS);
  const findDeciders: EffectHandler["run"] = (effect, context) =>
    new NoticeSending(parts, effect, context).findDeciders();
  return {
    [SEND_NOTICE]: {
      async run(effect, context) {
        using pass = await slots.enter(effect.organizationId, { signal: context.signal });
        if (pass === null) return;
        const sending = new NoticeSending(parts, effect, context);
        const result = await sending.attempt();
        if (result !== null) await sending.report(result);
      },
      recover: (effect, context) => new NoticeSending(parts, effect, context).report({ kind: "interrupted" }),
    },
    [FIND_DECIDERS]: { run: findDeciders, recover: findDeciders },
  };
}

/** One attempt to send one notice. */
class NoticeSending {
  private readonly parts: NoticeParts;
  private readonly effect: EffectRow;
  private readonly context: EffectContext;
  private readonly head: NoticeHead;

  constructor(parts: NoticeParts, effect: EffectRow, context: EffectContext) {
    this.parts = parts;
    this.effect = effect;
    this.context = context;
    this.head = effect.intent as unknown as NoticeHead;
  }

  /**
   * How it ended; null if there is nothing to report: the epoch is over, or the notice has ended already. A bug counts
   * as a failure of the attempt: as an interruption it would be repeated, and happen again, for ever.
   */
  async attempt(): Promise<NoticeResult | null> {
    try {
      return await this.tryOnce();
    } catch (err) {
      this.parts.log.warn({ err, notice: this.head.noticeId }, "a notice of an approval could not be sent: a bug");
      return UNSENT;
    }
  }

  private async tryOnce(): Promise<NoticeResult | null> {
    const facts = await this.readFacts();
    if (facts === null || "kind" in facts) return facts;
    const key = newKey();
    const { agent, approval, membership } = facts;
    const asked = { hash: keyHash(key), terms: keyHash(askedTerms(approval, agent)), membership };
    const prepared = await this.prepare(asked);
    if (prepared?.ok === false) return UNSENT;
    if (prepared === null || prepared.value === null) return null;
    if (!(await whenEntitled(this.context, this.parts))) return null;
    const { organizationId } = this.effect;
    const { noticeId, approvalId } = this.head;
    const url = this.parts.appUrl + approvalLink({ approvalId, organizationId, noticeId, key });
    return this.send(prepared.value, facts, this.wordsOf(prepared.value, facts, url));
  }

  /** Until the actor has taken it, or the epoch is over. */
  async report(result: NoticeResult): Promise<void> {
    const command = { kind: "notice_ended", effectId: this.effect.id, result, ...this.head } as const;
    await this.until(() => this.parts.system.dispatchGroup([ask(this.ref, command)], { epoch: this.context.epoch }));
  }

  /** Reads who is in the group, or who the owners are, and reports it. */
  async findDeciders(): Promise<void> {
    const { group, exceptUserId, approvalId } = this.effect.intent as unknown as DecidersIntent;
    const { system } = this.parts;
    const ref = organizationRef(this.effect.organizationId);
    const found =
      group === null
        ? await this.until(async () =>
            mapOutcome(await system.dispatch(ref, { kind: "read_organization" }), (of) => of.owners),
          )
        : await this.until(async () =>
            mapOutcome(await system.dispatch(ref, { kind: "read_group", name: group }), ({ memberIds }) => memberIds),
          );
    if (found === null) return;
    const userIds = found.ok ? found.value.filter((userId) => userId !== exceptUserId) : [];
    const command = { kind: "deciders_found", effectId: this.effect.id, approvalId, userIds } as const;
    await this.until(() => system.dispatchGroup([ask(this.ref, command)], { epoch: this.context.epoch }));
  }

  private get ref() {
    return reachRef(this.effect.organizationId);
  }

  private async prepare(
    asked: Pick<Extract<ReachCommand, { kind: "prepare_notice" }>, "hash" | "terms" | "membership">,
  ): Promise<Outcome<PreparedNotice | null> | null> {
    const command = { kind: "prepare_notice", effectId: this.effect.id, ...asked, ...this.head } as const;
    const found = await this.until(() =>
      this.parts.system.dispatchGroup([ask(this.ref, command)], { epoch: this.context.epoch }),
    );
    return found === null ? null : mapOutcome(found, ([prepared]) => prepared);
  }

  private async readFacts(): Promise<NoticeFactsFound | Extract<NoticeResult, { kind: "skipped" }> | null> {
    const { organizationId } = this.effect;
    const { system } = this.parts;
    const { approvalId, noticeId } = this.head;
    const question = await this.until(() => system.dispatch(this.ref, { kind: "read_question", approvalId }));
    if (question === null) return null;
    const notice = question.ok ? question.value.notices.find(({ id }) => id === noticeId) : undefined;
    if (!question.ok || notice === undefined) return { kind: "skipped", reason: "no_recipient" };
    const { jobId, links } = question.value;
    const job = await this.until(() => system.dispatch(jobRef(organizationId, jobId), { kind: "read_job" }));
    if (job === null) return null;
    const approval = job.ok ? job.value.approvals.find(({ id }) => id === approvalId) : undefined;
    if (!job.ok || approval === undefined) return { kind: "skipped", reason: "decided" };
    const isOpen = (approval.decision ?? null) === null;
    if (isOpen === (notice.kind === "decided")) return { kind: "skipped", reason: "decided" };
    const recipient = await this.recipientOf(notice, job.value, approval);
    if (recipient === null || typeof recipient === "string")
      return recipient === null ? null : { kind: "skipped", reason: recipient };
    const agent = await this.agentOf(job.value);
    const names = {
      begunBy: await this.nameOf(job.value.createdBy),
      decidedBy: await this.deciderOf(approval, question.value),
    };
    return { notice, links, job: job.value, approval, ...recipient, agent, ...names };
  }

  /** The address of a mail; a word says why nobody gets the notice. Null: the epoch is over. */
  private async recipientOf(
    { userId, kind }: ApprovalNotice,
    job: Job,
    approval: Approval,
  ): Promise<NoticeRecipient | SkipReason | null> {
    const hidden = await this.isHiddenFrom(userId, job);
    if (hidden === null) return null;
    if (hidden) return "private";
    if (userId === null) return { email: null, membership: 0 };
    const member = await this.memberOf(userId);
    if (member === null || member.status !== "active" || !isMailable(member.email)) return "no_recipient";
    if (kind !== "decided") {
      const isTheirs = await this.mayDecide(userId, job, approval);
      if (isTheirs !== true) return isTheirs === null ? null : "not_theirs";
    }
    const { email, membership = 0 } = member;
    return member.noApprovalMails === true ? "not_wanted" : { email, membership };
  }

  /** Whether the person may decide now, and has not yet: others do after an escalation. Null: the epoch is over. */
  private async mayDecide(userId: string, job: Job, approval: Approval): Promise<boolean | null> {
    if (approval.votes?.some(({ by }) => by === userId) === true) return false;
    const command = { kind: "read_deciders", userIds: [userId] } as const;
    const ref = organizationRef(this.effect.organizationId);
    const people = await this.until(() => this.parts.system.dispatch(ref, command));
    if (people === null) return null;
    const person = people.ok ? people.value[userId] : undefined;
    return decisionRefusal(job, approval, { userId, person, isService: false }) === null;
  }

  /** Whether the work of a private agent does not exist for this person (AGT-5); null user: for a messenger. */
  private async isHiddenFrom(userId: string | null, { agent, createdBy }: Job): Promise<boolean | null> {
    if (userId === createdBy) return false;
    const { organizationId } = this.effect;
    const by = { organizationId, userId: userId ?? "" };
    const command = { kind: "hides_work", by, agentId: agent.id } as const;
    const hidden = await this.until(() => this.parts.system.dispatch(organizationRef(organizationId), command));
    return hidden === null ? null : !hidden.ok || hidden.value;
  }

  private async memberOf(userId: string): Promise<Member | null> {
    const ref = organizationRef(this.effect.organizationId);
    const found = await this.until(() => this.parts.system.dispatch(ref, { kind: "read_member", userId }));
    return found?.ok === true ? found.value : null;
  }

  private nameOf = async (userId: string): Promise<string | null> => (await this.memberOf(userId))?.name ?? null;

  /** Whoever decided: a person, or nobody but a link. */
  private async deciderOf({ decidedBy = null }: Approval, { notices }: Question): Promise<string | null> {
    if (decidedBy === null) return null;
    if (!isLinkDecision(decidedBy)) return this.nameOf(decidedBy);
    const messengerId = notices.find(({ id }) => id === decidedBy)?.messengerId ?? null;
    const known = await this.until(() => this.parts.system.dispatch(this.ref, { kind: "list_messengers" }));
    const messenger = known?.ok === true ? known.value.find(({ id }) => id === messengerId) : undefined;
    return `Somebody with the link in ${messenger?.name ?? "a message"}`;
  }

  private async agentOf({ agent, createdBy: userId }: Job): Promise<Agent | null> {
    const { organizationId } = this.effect;
    const found = await this.until(async () => this.parts.agents.find({ organizationId, userId }, agent.id));
    return found?.ok === true ? found.value : null;
  }

  private wordsOf({ notice, question }: PreparedNotice, facts: NoticeFactsFound, url: string): NoticeWords {
    const { approval, job, begunBy, decidedBy } = facts;
    const needsSignIn = question.links === "signed_in";
    return noticeWords({
      kind: notice.kind,
      approval,
      agentName: job.agent.name,
      begunBy,
      decidedBy,
      url,
      needsSignIn,
    });
  }

  private async send({ messenger }: PreparedNotice, { email }: NoticeFactsFound, words: NoticeWords) {
    const { signal } = this.context;
    const { mailer } = this.parts;
    if (messenger !== null) {
      const { url, body } = messengerRequest({ format: messenger.format, url: this.urlOf(messenger) }, words);
      const headers = { "Content-Type": "application/json", "Idempotency-Key": this.head.noticeId };
      return postOnce(this.parts, { url, headers, body, signal });
    }
    const sent = mailer === null ? NO_MAIL_SERVER : await mailer.send({ ...mailText(words), to: email ?? "" }, signal);
    // The operator's server, and theirs to mend; the ledger has what concerns the organization.
    if (sent?.kind === "failed")
      this.parts.log.warn(
        { error: sent.error },
        "a mail about an approval could not be sent; GET /api/approval-notices says which",
      );
    return sent;
  }

  private urlOf({ id, sealedUrl }: Messenger): string {
    const url = this.parts.sealing.open("webhook", sealedUrl, messengerContext(this.effect.organizationId));
    if (url === null) throw new Error(`the address of ${id} does not open under the key of this service`);
    return url;
  }

  /** Asks until there is a reply; null when the epoch is over, and with it this effect. */
  private async until<T>(dispatch: () => Promise<Outcome<T>>): Promise<Outcome<T> | null> {
    const backoff = new Backoff(this.parts, COMMAND_RETRY);
    for (;;) {
      const outcome = await dispatch();
      if (outcome.ok || !isPassing(outcome.fault)) return outcome;
      if (this.context.isOver()) return null;
      await backoff.pause();
      if (this.context.isOver()) return null;
    }
  }
}

interface NoticeRecipient {
  /** Null: a messenger gets it. */
  readonly email: string | null;
  readonly membership: number;
}

/** What a notice is about, as it is now. */
interface NoticeFactsFound extends NoticeRecipient {
  readonly notice: ApprovalNotice;
  readonly links: Question["links"];
  readonly job: Job;
  readonly approval: Approval;
  readonly agent: Agent | null;
  readonly begunBy: string | null;
  readonly decidedBy: string | null;
}

/** The operator has taken the mail server away since. */
const NO_MAIL_SERVER = { ...UNSENT, error: "no_mail_server" } as const satisfies NoticeResult;
