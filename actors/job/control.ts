/** What people decide about a job: approve, cancel, resume, ask for changes (JOB-2, JOB-3, JOB-8, JOB-9). */
import { assert } from "../assert.ts";
import { invalid, notFound, ok, type Outcome } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { approvalsMeant, approveCalls, dueApprovals, expireApprovals, resumedOrBlocked } from "./approvals.ts";
import { settleConnection, withoutConnections, withoutWaits } from "./lacking-calls.ts";
import { budgetFromHere, hasUnknownCost, spentParts } from "./budget.ts";
import { waitingCalls } from "./client-call.ts";
import { takeResults, withoutClient } from "./client-calls.ts";
import { cancelChildren, recordDelegation } from "./delegation.ts";
import { JOB_ATTEMPTS, JOB_STEERS } from "./limits.ts";
import { callsLeft, withCallsLeft, withCallsEnded } from "./open-calls.ts";
import { blockJob, cancelledJob, failJob, reviewJob, sendTurnEnd, unblockJob, withRun } from "./transitions.ts";
import { appendJobEvent, appendRunnerStatus } from "./events.ts";
import {
  allowedJobActions,
  alreadyDecided,
  hasOpenApprovals,
  isTerminal,
  jobStatusAfter,
  pending,
  type Recovery,
  recoveryOf,
  stale,
  unlessOwnWords,
} from "./machine.ts";
import { reviewUpdate, sendUpdates, statusUpdate } from "./chat-updates.ts";
import type { JobCommand, JobProtocol, JobReplies } from "./protocol.ts";
import { type Job, type JobIn, jobTable } from "./schema.ts";
import { attach } from "../upload/schema.ts";
import { type InputBlock, isAttachment } from "../upload/terms.ts";
import type { Budget, Review, Steer } from "./terms.ts";
import { blocksField } from "./transcript.ts";

type JobCommandOf<K extends JobCommand["kind"]> = Extract<JobCommand, { readonly kind: K }>;

export const jobControlHandlers = {
  read_job: (tx) => withLiveJob(tx, (job) => ok(job)),

  start: (tx) =>
    withLiveJob(tx, (job) => {
      if (job.status === "queued" && job.runEffectId === null) tx.update<Job>(jobTable, withRun(tx, job));
      return ok(null);
    }),

  cancel: (tx, { unlessOver, inGroup }) =>
    withLiveJob(tx, (job) => {
      if (job.status === "cancelled" || job.status === "cancelling") return ok(job);
      if (job.status === "completed" || job.status === "failed") return unlessOver === true ? ok(job) : stale(job);
      if (job.status === "running" && job.runEffectId !== null) {
        tx.interrupt(job.runEffectId);
        cancelChildren(tx, job);
        appendJobEvent(tx, "job.cancelling", {});
        const cancelling = tx.update<Job>(jobTable, { ...job, status: "cancelling" });
        sendUpdates(tx, cancelling, [statusUpdate(cancelling)]);
        return ok(cancelling);
      }
      return ok(over(tx, cancelledJob(tx, job), inGroup));
    }),

  approve: (tx, command) =>
    withLiveJob(tx, (job) => {
      if (job.status === "needs_review") return approveReview(tx, job, command);
      if (job.status !== "blocked" || !hasOpenApprovals(job)) return stale(job);
      return approveCalls(tx, job, command);
    }),

  resume: (tx, command) =>
    withLiveJob(tx, (job) => {
      if (!allowedJobActions(job).includes("resume")) return hasOpenApprovals(job) ? pending(job) : stale(job);
      // An ended job continues in a child job; this command only decides whether it may.
      if (job.status !== "blocked") return ok(job);
      return (command.input === null ? null : unlessOwnWords(job, command.by)) ?? unblock(tx, job, command);
    }),

  request_changes: (tx, { by, feedback, blocks, inGroup }) =>
    withLiveJob(tx, (job) => {
      if (jobStatusAfter(job.status, "iterate") === null || job.isCompaction === true) return stale(job);
      appendJobEvent(tx, "job.iteration_requested", { by, feedback, ...blocksField(blocks) });
      const comment = feedback === "" ? null : feedback;
      if (job.status !== "needs_review") {
        const changed = tx.update(jobTable, { ...job, review: changesRequested(tx, job, by, comment) });
        sendUpdates(tx, changed, [reviewUpdate(changed)]);
        return ok(changed);
      }
      return ok(over(tx, reviewJob(tx, job, { state: "changes_requested", by, comment }), inGroup));
    }),

  begin_pushes: (tx) =>
    withLiveJob(tx, (job) =>
      ok(job.isPushed === true || isTerminal(job.status) ? job : tx.update<Job>(jobTable, { ...job, isPushed: true })),
    ),

  steer: (tx, { by, messageId, content, blocks }) =>
    withLiveJob(tx, (job) => {
      // A job that compacts does not read messages, so this one is queued.
      if (job.isCompaction === true) return stale(job);
      if (job.status === "blocked" || job.status === "needs_review") return pending(job);
      if (job.status !== "running" && job.status !== "queued") return stale(job);
      const foreign = unlessOwnWords(job, by);
      if (foreign !== null) return foreign;
      if (job.steers.length >= JOB_STEERS)
        return invalid("/content", `More than ${JOB_STEERS} messages wait for the next model call`);
      return ok(
        tx.update(jobTable, {
          ...job,
          steers: [...job.steers, { messageId, content, ...(blocks === undefined ? {} : { blocks }) }],
        }),
      );
    }),

  tool_results: (tx, command) => withLiveJob(tx, (job) => takeResults(tx, job, command)),

  connection_settled: (tx, command) => {
    const job = tx.read(jobTable, tx.self.id);
    return job === null ? ok(null) : settleConnection(tx, job, command);
  },

  delegate: (tx, command) => withLiveJob(tx, (job) => recordDelegation(tx, job, command)),

  decision_overdue: (tx) => withLiveJob(tx, (job) => overdue(tx, job)),

  recover: (tx, { effectId, result }) =>
    withLiveJob<JobReplies["recover"]>(tx, (job) => {
      const recovery = recoveryOf({ ...job, openCalls: callsLeft(job) }, JOB_ATTEMPTS + (job.excusedAttempts ?? 0));
      if (job.runEffectId !== effectId || recovery.kind === "over") {
        tx.settle(effectId);
        return ok({ job, recovery: { kind: "over" } });
      }
      return ok({ job: tx.update(jobTable, recoverJob(tx, job, { kind: recovery.kind, result })), recovery });
    }),
} satisfies Partial<Handlers<JobProtocol>>;

function withLiveJob<T>(tx: Tx, run: (job: Job) => Outcome<T>): Outcome<T> {
  const job = tx.read(jobTable, tx.self.id);
  return job === null ? notFound("job") : run(job);
}

/** How a job recovers; `result` is all text of the run. */
interface Recovering {
  readonly kind: Exclude<Recovery["kind"], "over">;
  readonly result: string;
}

/** Stores an ended job, and ends its chat's turn unless the group does so. */
function over(tx: Tx, job: Job, inGroup?: true): Job {
  const end = tx.update(jobTable, job);
  if (inGroup !== true) sendTurnEnd(tx, end);
  return end;
}

const changesRequested = (tx: Tx, job: Job, decidedBy: string, comment: string | null): Review => ({
  ...job.review,
  state: "changes_requested",
  decidedBy,
  comment,
  decidedAt: isoTime(tx.now),
});

function approveReview(
  tx: Tx,
  job: JobIn<"needs_review">,
  { by, decision, comment, inGroup, approvalId, toolCallId, arguments: edited }: JobCommandOf<"approve">,
): Outcome<Job> {
  // A caller who decides an already decided call has not seen the review.
  if (approvalId !== null || toolCallId !== null)
    return approvalsMeant(job, { approvalId, toolCallId }).length === 0 ? notFound("approval") : alreadyDecided(job);
  if (edited !== null) return invalid("/arguments", "arguments are only for tool calls, not for a review");
  if (decision === "deny")
    return invalid("/decision", "A review cannot be denied: approve it, or request changes with iterate");
  return ok(over(tx, reviewJob(tx, job, { state: "approved", by, comment }), inGroup));
}

/**
 * Resumes a job that is blocked for a reason other than an approval. If all remaining calls need an approval, the job
 * requests the approvals instead of running.
 */
function unblock(tx: Tx, job: JobIn<"blocked">, command: JobCommandOf<"resume">): Outcome<Job> {
  const { input, blocks, retryStep, budget = null } = command;
  const isInterrupted = job.blockedReason === "interrupted";
  if (isInterrupted && retryStep === null) {
    return invalid("/retry_step", "Set retry_step to true or false: whether the interrupted tool call is made again");
  }
  const unpaid = missingBudget(job, budget);
  if (unpaid !== null) return unpaid;
  let next = unblockJob(job, "resume");
  if (budget !== null) next = { ...next, ...budgetFromHere(next, budget) };
  if (isInterrupted) next = retryStep === true ? withCallsUnstarted(next) : abandonCalls(tx, next);
  if (input !== null) next = { ...next, steers: [...next.steers, resumeInput(tx, job, input, blocks)] };
  if (job.blockedReason === "auth_required") {
    tx.clearAlarm("decision");
    next = withoutWaits(next);
  }
  return ok(tx.update<Job>(jobTable, resumedOrBlocked(tx, next)));
}

/** The input of a resume. It belongs to the message that the job answers, and so does its attached content. */
function resumeInput(
  tx: Tx,
  { chatId, inputMessageId: messageId }: Job,
  content: string,
  blocks: readonly InputBlock[] | undefined,
): Steer {
  for (const block of blocks ?? [])
    if (isAttachment(block)) attach(tx, { id: `${messageId}/${tx.id("msg")}`, chatId, messageId }, block);
  return { messageId, content, ...blocksField(blocks) };
}

/** A spent part of the budget stays spent, so the resume must bring a new one. */
function missingBudget(job: Job, budget: Budget | null): Outcome<never> | null {
  const { maxTokens, maxSteps, maxCost } = job.budget;
  switch (spentParts(job).find((part) => (budget?.[part] ?? null) === null)) {
    case "maxSteps":
      return missing("max_steps", `The job has made the ${maxSteps} steps of its budget`);
    case "maxTokens":
      return missing("max_tokens", `The job has used the ${maxTokens} tokens of its budget`);
    case "maxCost":
      return missing(
        "max_cost",
        hasUnknownCost(job)
          ? "The job has used a model without a price, so what is left of its budget is not known"
          : `The job has spent the ${maxCost} of its budget`,
      );
    case undefined:
      return null;
  }
}
const missing = (field: string, why: string): Outcome<never> =>
  invalid(`/budget/${field}`, `${why}: send budget.${field}`);

const withCallsUnstarted = (job: JobIn<"running">): JobIn<"running"> =>
  withCallsLeft(
    job,
    callsLeft(job).map((call) => ({ ...call, started: false })),
  );

/** Ends calls with an unknown outcome; their result says so. */
function abandonCalls(tx: Tx, job: JobIn<"running">): JobIn<"running"> {
  const unknown = callsLeft(job).filter((call) => call.started && !call.safe);
  for (const { id } of unknown) {
    const content = "The call was interrupted; it is not known whether it took effect. It is not made again.";
    appendJobEvent(tx, "transcript.event", { kind: "tool_result", toolUseId: id, content, isError: true });
  }
  return withCallsEnded(
    job,
    unknown.map(({ id }) => id),
  );
}

function overdue(tx: Tx, job: Job): Outcome<null> {
  if (job.status === "needs_review") {
    over(tx, reviewJob(tx, job, { state: "expired", by: null, comment: null }));
  } else if (job.status === "blocked" && hasOpenApprovals(job)) {
    if (dueApprovals(tx, job).some((approval) => approval.onExpiry === "cancel")) {
      over(tx, cancelledJob(tx, job));
    } else {
      tx.update(jobTable, expireApprovals(tx, job));
    }
  } else if (job.status === "blocked" && waitingCalls(job).length > 0) {
    tx.update<Job>(jobTable, withoutClient(tx, job));
  } else if (job.status === "blocked" && job.blockedReason === "auth_required") {
    tx.update<Job>(jobTable, withoutConnections(tx, job));
  }
  return ok(null);
}

function recoverJob(tx: Tx, job: Job, { kind, result }: Recovering): Job {
  if (job.runEffectId !== null) tx.settle(job.runEffectId);
  const free: Job = { ...job, runEffectId: null };
  switch (kind) {
    case "rerun":
      return withRun(tx, free);
    case "restart": {
      // A job that only waited did not cause the restart.
      const excusedAttempts = (free.excusedAttempts ?? 0) + ((free.waiting ?? null) === null ? 0 : 1);
      const next: Job = { ...free, attempt: free.attempt + 1, excusedAttempts };
      appendJobEvent(tx, "job.restarted", { attempt: next.attempt });
      // No reader has seen text of this attempt yet.
      tx.beginText(next.outputMessageId, next.attempt, "");
      appendRunnerStatus(tx, next, "starting");
      return withRun(tx, next);
    }
    case "interrupted":
      assert(free.status === "running", "a running job is interrupted");
      return blockJob(tx, free, "interrupted", result);
    case "stopped":
      assert(free.status === "cancelling", "a cancelling job stops");
      return cancelledJob(tx, free, result);
    case "exhausted": {
      assert(free.status === "running", "a running job exhausts its attempts");
      const message = `The run was interrupted ${JOB_ATTEMPTS} times and was abandoned`;
      return failJob(tx, free, { error: { code: "attempts_exhausted", message }, result });
    }
  }
}
