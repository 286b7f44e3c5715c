/** What people decide about a job: approve, cancel, resume, ask for changes (JOB-2, JOB-3, JOB-8, JOB-9). */
import { invalid, notFound, ok, type Outcome } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { approveCalls, expired, waiting } from "./approvals.ts";
import { cancelChildren, delegate } from "./delegation.ts";
import { blocked, cancelled, failed, moved, resumed, reviewed, running, tellChat } from "./ending.ts";
import { appendJobEvent, appendRunnerStatus } from "./events.ts";
import { afterTrigger, allowedActions, recoveryOf } from "./machine.ts";
import { newsOf, reviewNews, statusNews, tellReaders } from "./news.ts";
import type { JobCommand, JobProtocol, JobReplies } from "./protocol.ts";
import { pending, stale, unlessOwnWords } from "./refusals.ts";
import { hasSpentBudget, JOB_ATTEMPTS, JOB_STEERS, type Job, jobTable } from "./schema.ts";
import { type Review } from "./terms.ts";

type ControlCommand =
  | "read_job"
  | "start"
  | "cancel"
  | "approve"
  | "resume"
  | "request_changes"
  | "steer"
  | "delegate"
  | "decision_overdue"
  | "recover";
type Command<K extends JobCommand["kind"]> = Extract<JobCommand, { readonly kind: K }>;

export const controlHandlers: Pick<Handlers<JobProtocol>, ControlCommand> = {
  read_job: (tx) => withJob(tx, (job) => ok(job)),

  start: (tx) =>
    withJob(tx, (job) => {
      if (job.status === "queued" && job.runEffectId === null) tx.update(jobTable, running(tx, job));
      return ok(null);
    }),

  cancel: (tx, { unlessOver, inGroup }) =>
    withJob(tx, (job) => {
      if (job.status === "cancelled" || job.status === "cancelling") return ok(job);
      if (afterTrigger(job.status, "cancel") === null) return unlessOver === true ? ok(job) : stale(job);
      if (job.status === "running" && job.runEffectId !== null) {
        tx.interrupt(job.runEffectId);
        cancelChildren(tx, job);
        appendJobEvent(tx, "job.cancelling", {});
        const cancelling = tx.update<Job>(jobTable, { ...job, status: "cancelling" });
        tellReaders(tx, cancelling, [statusNews(cancelling)]);
        return ok(cancelling);
      }
      return ok(over(tx, cancelled(tx, job), inGroup));
    }),

  approve: (tx, command) =>
    withJob(tx, (job) => {
      if (job.status === "needs_review") return approveReview(tx, job, command);
      if (job.status !== "blocked" || job.approvals.length === 0) return stale(job);
      return approveCalls(tx, job, command);
    }),

  resume: (tx, command) =>
    withJob(tx, (job) => {
      if (!allowedActions(job).includes("resume")) return job.approvals.length > 0 ? pending(job) : stale(job);
      // A job that has ended goes on in a child job; here only whether it may is decided.
      if (job.status !== "blocked") return ok(job);
      return (command.input === null ? null : unlessOwnWords(job, command.by)) ?? unblock(tx, job, command);
    }),

  request_changes: (tx, { by, feedback, inGroup }) =>
    withJob(tx, (job) => {
      if (afterTrigger(job.status, "iterate") === null) return stale(job);
      appendJobEvent(tx, "job.iteration_requested", { by, feedback });
      if (job.status !== "needs_review") {
        const changed = tx.update(jobTable, { ...job, review: changesRequested(tx, job, by, feedback) });
        tellReaders(tx, changed, [reviewNews(changed)]);
        return ok(changed);
      }
      return ok(over(tx, reviewed(tx, job, { state: "changes_requested", by, comment: feedback }), inGroup));
    }),

  steer: (tx, { by, messageId, content }) =>
    withJob(tx, (job) => {
      if (job.status === "blocked" || job.status === "needs_review") return pending(job);
      if (job.status !== "running" && job.status !== "queued") return stale(job);
      const foreign = unlessOwnWords(job, by);
      if (foreign !== null) return foreign;
      if (job.steers.length >= JOB_STEERS)
        return invalid("/content", `More than ${JOB_STEERS} messages wait for the next model call`);
      return ok(tx.update(jobTable, { ...job, steers: [...job.steers, { messageId, content }] }));
    }),

  delegate: (tx, command) => withJob(tx, (job) => delegate(tx, job, command)),

  decision_overdue: (tx) => withJob(tx, (job) => overdue(tx, job)),

  recover: (tx, { effectId, result }) =>
    withJob<JobReplies["recover"]>(tx, (job) => {
      const recovery = recoveryOf(job, JOB_ATTEMPTS);
      if (job.runEffectId !== effectId || recovery.kind === "over") {
        tx.settle(effectId);
        return ok({ job, recovery: { kind: "over" } });
      }
      return ok({ job: tx.update(jobTable, recovered(tx, job, { kind: recovery.kind, result })), recovery });
    }),
};

function withJob<T>(tx: Tx, run: (job: Job) => Outcome<T>): Outcome<T> {
  const job = tx.read(jobTable, tx.self.id);
  return job === null ? notFound("job") : run(job);
}

/** Keeps a job that has ended, and tells its chat unless the group does. */
function over(tx: Tx, job: Job, inGroup?: true): Job {
  const end = tx.update(jobTable, job);
  if (inGroup !== true) tellChat(tx, end);
  return end;
}

const changesRequested = (tx: Tx, job: Job, decidedBy: string, comment: string): Review => ({
  ...job.review,
  state: "changes_requested",
  decidedBy,
  comment,
  decidedAt: isoTime(tx.now),
});

function approveReview(tx: Tx, job: Job, { by, decision, comment, inGroup }: Command<"approve">): Outcome<Job> {
  if (decision === "deny")
    return invalid("/decision", "A review is approved, or answered with iterate; it is not denied");
  return ok(over(tx, reviewed(tx, job, { state: "approved", by, comment }), inGroup));
}

/**
 * Goes on with a job that waits for something else than an approval. With nothing left to make but
 * calls that need one it does not run, but asks for that.
 */
function unblock(tx: Tx, job: Job, { input, retryStep }: Command<"resume">): Outcome<Job> {
  if (job.blockedReason === "interrupted" && retryStep === null) {
    return invalid("/retry_step", "Say whether the interrupted tool call is made again: retry_step true or false");
  }
  const { inputTokens, outputTokens } = job.metrics;
  let next: Job = { ...job, status: moved(job, "resume") };
  if (hasSpentBudget(job)) next = { ...next, budgetFrom: inputTokens + outputTokens };
  if (job.blockedReason === "interrupted") next = retryStep === true ? unstarted(next) : givenUp(tx, next);
  if (input !== null) next = { ...next, steers: [...next.steers, { messageId: job.inputMessageId, content: input }] };
  const asking = waiting(tx, next);
  if (asking.status !== "blocked") return ok(tx.update(jobTable, resumed(tx, asking)));
  tellReaders(tx, asking, newsOf(asking));
  return ok(tx.update(jobTable, asking));
}

const unstarted = (job: Job): Job => ({
  ...job,
  openCalls: job.openCalls.map((call) => ({ ...call, started: false })),
});

/** Calls of which nobody knows whether they were made get that as their result. */
function givenUp(tx: Tx, job: Job): Job {
  const unknown = job.openCalls.filter((call) => call.started && !call.safe);
  for (const { id } of unknown) {
    const content = "The call was interrupted; it is not known whether it took effect. It is not made again.";
    appendJobEvent(tx, "transcript.event", { kind: "tool_result", toolUseId: id, content, isError: true });
  }
  return { ...job, openCalls: job.openCalls.filter((call) => !unknown.includes(call)) };
}

function overdue(tx: Tx, job: Job): Outcome<null> {
  if (job.status === "needs_review") {
    over(tx, reviewed(tx, job, { state: "expired", by: null, comment: null }));
  } else if (job.status === "blocked" && job.approvals.length > 0) {
    if (job.approvals.some((approval) => approval.onExpiry === "cancel")) {
      over(tx, cancelled(tx, job));
    } else {
      tx.update(jobTable, expired(tx, job));
    }
  }
  return ok(null);
}

function recovered(
  tx: Tx,
  job: Job,
  how: { readonly kind: "rerun" | "restart" | "interrupted" | "exhausted" | "stopped"; readonly result: string },
): Job {
  if (job.runEffectId !== null) tx.settle(job.runEffectId);
  const { result } = how;
  switch (how.kind) {
    case "rerun":
      return running(tx, job);
    case "restart": {
      const attempt = job.attempt + 1;
      appendJobEvent(tx, "job.restarted", { attempt });
      // Of this attempt nobody has been told anything.
      tx.beginText(job.outputMessageId, attempt, "");
      const next = { ...job, attempt };
      appendRunnerStatus(tx, next, "starting");
      return running(tx, next);
    }
    case "interrupted":
      return blocked(tx, { ...job, runEffectId: null }, "interrupted", result);
    case "stopped":
      return cancelled(tx, { ...job, runEffectId: null, result });
    case "exhausted": {
      const message = `The run was interrupted ${JOB_ATTEMPTS} times and is given up`;
      return failed(tx, { ...job, runEffectId: null, result }, { code: "attempts_exhausted", message });
    }
  }
}
