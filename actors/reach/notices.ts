/**
 * Notices about approvals (REACH-2 to REACH-8): who gets one, the attempts to send it, reminders, and the follow-up
 * after the decision. A notice is in the same record as the others about its approval. Its content is not: the sender
 * reads the approval from its job for each attempt, so a notice never says anything that is over.
 *
 *   ask_people ─▶ asked ──attempts──▶ success ──┬─ remind ──▶ reminder
 *                                               └─ follow_up ─▶ decided, to everybody who was told
 */
import { retryWaitMs } from "../delivery-retries.ts";
import { notFound, ok } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime, type JsonObject } from "../schema.ts";
import { isSameHash } from "../sealing.ts";
import type { AskPeople, NoticeHead, NoticeResult, ReachCommand, ReachProtocol } from "./protocol.ts";
import {
  type ApprovalNotice,
  type NoticeKind,
  type Question,
  questionTable,
  type ReachBook,
  reachTable,
  type SkipReason,
} from "./schema.ts";
import { HOUR_MS } from "../units.ts";

// The numbers of reach (REACH-8).

/** The window in which attempts are counted. */
export const NOTICE_WINDOW_MS = HOUR_MS;
/** Attempts for one organization in a window, successful or not. */
export const NOTICES_OF_ORGANIZATION = 300;
/** Attempts for one job in a window. */
export const NOTICES_OF_JOB = 60;
/** Messengers of one organization. */
export const MESSENGERS_LIMIT = 8;
/** Attempts of one notice; each has a key. */
export const NOTICE_ATTEMPTS = 10;
/** People who get a mail about one approval; after an escalation as many others. */
export const MAILED_PEOPLE = 16;

/** The effect that makes one attempt. */
export const SEND_NOTICE = "send_notice";
/** The effect that finds the people of a group, or the owners. */
export const FIND_DECIDERS = "find_deciders";
/** Its intent. */
export interface DecidersIntent extends JsonObject {
  readonly approvalId: string;
  readonly group: string | null;
  readonly exceptUserId: string | null;
}

type NoticeCommand =
  | "ask_people"
  | "deciders_found"
  | "follow_up"
  | "read_question"
  | "check_link"
  | "prepare_notice"
  | "notice_ended"
  | "notice_due"
  | "remind";

/** `hasMail`: whether the operator has set a mail server. */
export const noticeCommandHandlers = (hasMail: boolean): Pick<Handlers<ReachProtocol>, NoticeCommand> => ({
  ask_people(tx, { jobId, reach, approvals }) {
    const messengers = (reachBookOf(tx)?.messengers ?? []).map(({ id }): Recipient => ({
      userId: null,
      messengerId: id,
    }));
    const asked = approvals.map((approval) => {
      const people = hasMail ? approval.userIds : [];
      return {
        ...approval,
        others: hasMail ? approval.others : null,
        recipients: [...people.map(byMail), ...messengers],
      };
    });
    if (asked.every(({ recipients, others }) => recipients.length === 0 && others === null)) {
      tx.mayWait();
      return ok(null);
    }
    for (const { id, expiresAt, recipients, others } of asked) {
      const fields = { id, jobId, links: reach.links, expiresAt, isFollowedUp: false };
      const former = tx.read(questionTable, id);
      const question = former ?? tx.create(questionTable, { ...fields, notices: [] });
      askAll(tx, { ...question, expiresAt }, recipients);
      planReminder(tx, id, { remindAfterSeconds: reach.remindAfterSeconds, expiresAt });
      if (others !== null) tx.effect(tx.self, FIND_DECIDERS, { approvalId: id, ...others } satisfies DecidersIntent);
    }
    return ok(null);
  },

  deciders_found(tx, { effectId, approvalId, userIds }) {
    tx.settle(effectId);
    const question = tx.read(questionTable, approvalId);
    if (question !== null && !question.isFollowedUp) askAll(tx, question, userIds.map(byMail));
    return ok(null);
  },

  remind(tx, { approvalId }) {
    const question = tx.read(questionTable, approvalId);
    if (question === null || question.isFollowedUp || tx.now >= Date.parse(question.expiresAt)) return ok(null);
    addNotices(tx, question, "reminder");
    return ok(null);
  },

  follow_up(tx, { approvalId }) {
    const question = tx.read(questionTable, approvalId);
    if (question === null || question.isFollowedUp) {
      tx.mayWait();
      return ok(null);
    }
    tx.clearAlarm(reminderAlarm(approvalId));
    addNotices(tx, { ...question, isFollowedUp: true }, "decided");
    return ok(null);
  },

  read_question(tx, { approvalId }) {
    const question = tx.read(questionTable, approvalId);
    return question === null ? notFound("approval") : ok(question);
  },

  check_link(tx, { approvalId, noticeId, hash }) {
    const question = tx.read(questionTable, approvalId);
    const notice = question?.notices.find(({ id }) => id === noticeId);
    const isKnown = notice?.keyHashes.map((known) => isSameHash(known, hash)).includes(true) === true;
    return question !== null && notice !== undefined && isKnown ? ok({ question, notice }) : notFound("approval");
  },

  prepare_notice(tx, { effectId, hash, terms, membership, ...head }) {
    const question = tx.read(questionTable, head.approvalId);
    const notice = question?.notices.find(({ id }) => id === head.noticeId);
    if (question === null || notice?.effectId !== effectId) {
      tx.settle(effectId);
      return ok(null);
    }
    const messenger = reachBookOf(tx)?.messengers.find(({ id }) => id === notice.messengerId) ?? null;
    const reason = reasonToSkip(tx, question, {
      notice,
      hasRecipient: notice.messengerId === null || messenger !== null,
    });
    if (reason !== null) {
      tx.settle(effectId);
      endNotice(tx, head, { kind: "skipped", reason });
      return ok(null);
    }
    // The keys of a membership that has ended open nothing any more.
    const former = (notice.membership ?? 0) === membership ? notice.keyHashes : [];
    const prepared = {
      ...notice,
      attempts: notice.attempts + 1,
      keyHashes: [...former, hash].slice(-NOTICE_ATTEMPTS),
      terms,
      membership,
    };
    return ok({ question: changeNotice(tx, question, prepared), notice: prepared, messenger });
  },

  notice_ended(tx, { effectId, result, ...head }) {
    tx.settle(effectId);
    const notice = tx.read(questionTable, head.approvalId)?.notices.find(({ id }) => id === head.noticeId);
    if (notice?.effectId === effectId) endNotice(tx, head, result);
    return ok(null);
  },

  notice_due(tx, { approvalId, noticeId }) {
    const question = tx.read(questionTable, approvalId);
    const notice = question?.notices.find(({ id }) => id === noticeId);
    if (question !== null && notice?.status === "retrying") sendAll(tx, question, [notice]);
    return ok(null);
  },
});

const reachBookOf = (tx: Tx): ReachBook | null => tx.read(reachTable, tx.self.id);

type Recipient = Pick<ApprovalNotice, "userId" | "messengerId">;
const byMail = (userId: string): Recipient => ({ userId, messengerId: null });

/** Asks these recipients: each messenger again if others decide now, and each person once. */
function askAll(tx: Tx, question: Question, recipients: readonly Recipient[]): void {
  const mailed = new Set(
    question.notices.flatMap(({ kind, userId }) => (kind === "asked" && userId !== null ? [userId] : [])),
  );
  const added: ApprovalNotice[] = [];
  // Those who decide after an escalation are counted anew: nobody before them takes their place.
  const people = new Set<string>();
  for (const recipient of recipients) {
    const { userId } = recipient;
    if (userId !== null) {
      if (people.has(userId) || people.size >= MAILED_PEOPLE) continue;
      people.add(userId);
      if (mailed.has(userId)) continue;
    }
    added.push(newNotice(tx, "asked", recipient));
  }
  sendAll(tx, { ...question, notices: [...question.notices, ...added] }, added);
}

const reminderAlarm = (approvalId: string): string => `remind:${approvalId}`;

/** One reminder, if it comes before the end of the approval. */
function planReminder(
  tx: Tx,
  approvalId: string,
  { remindAfterSeconds, expiresAt }: Pick<AskPeople["reach"], "remindAfterSeconds"> & Pick<Question, "expiresAt">,
): void {
  if (remindAfterSeconds === null) return;
  const dueAtMs = tx.now + remindAfterSeconds * 1_000;
  const command: ReachCommand = { kind: "remind", approvalId };
  if (dueAtMs < Date.parse(expiresAt)) tx.setAlarm(reminderAlarm(approvalId), dueAtMs, command);
}

function newNotice(tx: Tx, kind: NoticeKind, to: Recipient): ApprovalNotice {
  return {
    id: tx.id("ntc"),
    kind,
    ...to,
    status: "pending",
    skipped: null,
    attempts: 0,
    failures: 0,
    error: null,
    httpStatus: null,
    durationMs: null,
    effectId: null,
    nextAttemptAt: null,
    createdAt: isoTime(tx.now),
    endedAt: null,
    keyHashes: [],
    terms: null,
  };
}

/**
 * Tells everybody again who was told, or may have been: an attempt that failed may have reached its recipient. A
 * recipient whose first notice was never tried hears nothing.
 */
function addNotices(tx: Tx, question: Question, kind: "reminder" | "decided"): void {
  const told = question.notices.filter((notice) => notice.kind === "asked" && notice.attempts > 0);
  // A messenger may have been asked twice.
  const recipients = new Map(told.map(({ userId, messengerId }) => [userId ?? messengerId, { userId, messengerId }]));
  const added = [...recipients.values()].map((recipient) => newNotice(tx, kind, recipient));
  sendAll(tx, { ...question, notices: [...question.notices, ...added] }, added);
}

/** Starts an attempt of each of these notices of the question. */
function sendAll(tx: Tx, question: Question, notices: readonly ApprovalNotice[]): void {
  const effects = new Map(
    notices.map(({ id: noticeId }) => {
      const head: NoticeHead = { approvalId: question.id, noticeId };
      return [noticeId, tx.effect(tx.self, SEND_NOTICE, { ...head })];
    }),
  );
  const started = question.notices.map((notice): ApprovalNotice => {
    const effectId = effects.get(notice.id);
    return effectId === undefined ? notice : { ...notice, status: "pending", effectId, nextAttemptAt: null };
  });
  tx.update(questionTable, { ...question, notices: started });
}

function changeNotice(tx: Tx, question: Question, changed: ApprovalNotice): Question {
  const notices = question.notices.map((notice) => (notice.id === changed.id ? changed : notice));
  return tx.update<Question>(questionTable, { ...question, notices });
}

/** Why this attempt must not be made; null: it is made, and counted. */
function reasonToSkip(
  tx: Tx,
  { jobId, isFollowedUp }: Question,
  { notice, hasRecipient }: { readonly notice: ApprovalNotice; readonly hasRecipient: boolean },
): SkipReason | null {
  if (!hasRecipient) return "no_recipient";
  // The follow-up is planned already, so whoever is asked now would never hear of the decision.
  if (notice.kind !== "decided" && isFollowedUp) return "decided";
  return countAttempt(tx, jobId) ? null : "too_many";
}

/** Counts an attempt in the window; false if the organization or the job has had too many. */
function countAttempt(tx: Tx, jobId: string): boolean {
  const book = reachBookOf(tx) ?? tx.create(reachTable, { id: tx.self.id, messengers: [], window: null });
  const { window } = book;
  const isOver = window === null || tx.now - Date.parse(window.startedAt) >= NOTICE_WINDOW_MS;
  const present = isOver ? { startedAt: isoTime(tx.now), attempts: 0, ofJobs: {} } : window;
  const ofJob = present.ofJobs[jobId] ?? 0;
  if (present.attempts >= NOTICES_OF_ORGANIZATION || ofJob >= NOTICES_OF_JOB) return false;
  const counted = { ...present, attempts: present.attempts + 1, ofJobs: { ...present.ofJobs, [jobId]: ofJob + 1 } };
  tx.update<ReachBook>(reachTable, { ...book, window: counted });
  return true;
}

/** The end of an attempt: the notice is over, or has another attempt later. */
function endNotice(tx: Tx, { approvalId, noticeId }: NoticeHead, result: NoticeResult): void {
  const question = tx.read(questionTable, approvalId);
  const notice = question?.notices.find(({ id }) => id === noticeId);
  if (question === null || notice === undefined) return;
  const ended = { ...notice, effectId: null, endedAt: isoTime(tx.now) };
  switch (result.kind) {
    case "delivered": {
      const { httpStatus, durationMs } = result;
      changeNotice(tx, question, { ...ended, status: "success", error: null, httpStatus, durationMs });
      noteMessenger(tx, notice, "lastSuccessAt");
      return;
    }
    case "skipped":
      changeNotice(tx, question, { ...ended, status: "skipped", skipped: result.reason });
      return;
    case "interrupted":
      if (notice.attempts >= NOTICE_ATTEMPTS)
        changeNotice(tx, question, { ...ended, status: "failed", error: "connection_reset" });
      else sendAll(tx, changeNotice(tx, question, { ...notice, error: "connection_reset" }), [notice]);
      return;
    case "failed":
      failNotice(tx, question, ended, result);
      noteMessenger(tx, notice, "lastFailureAt");
  }
}

function failNotice(
  tx: Tx,
  question: Question,
  ended: ApprovalNotice,
  result: Extract<NoticeResult, { readonly kind: "failed" }>,
): void {
  const { error, httpStatus, durationMs, isTransient, retryAfterMs } = result;
  const failures = ended.failures + 1;
  const reported = { ...ended, failures, error, httpStatus, durationMs };
  // An attempt that could not be prepared has failed too.
  const isLast = Math.max(ended.attempts, failures) >= NOTICE_ATTEMPTS;
  const waitMs = isTransient && !isLast ? retryWaitMs(failures, "durable", retryAfterMs) : null;
  if (waitMs === null) {
    changeNotice(tx, question, { ...reported, status: "failed" });
    return;
  }
  const dueAtMs = tx.now + waitMs;
  const command: ReachCommand = { kind: "notice_due", approvalId: question.id, noticeId: ended.id };
  tx.setAlarm(`notice:${ended.id}`, dueAtMs, command);
  changeNotice(tx, question, { ...reported, status: "retrying", endedAt: null, nextAttemptAt: isoTime(dueAtMs) });
}

/** Notes the outcome with the messenger, if there is still one. */
function noteMessenger(tx: Tx, { messengerId }: ApprovalNotice, field: "lastSuccessAt" | "lastFailureAt"): void {
  const book = reachBookOf(tx);
  if (book === null || messengerId === null) return;
  const messengers = book.messengers.map((messenger) =>
    messenger.id === messengerId ? { ...messenger, [field]: isoTime(tx.now) } : messenger,
  );
  tx.update<ReachBook>(reachTable, { ...book, messengers });
}
