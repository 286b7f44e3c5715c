/**
 * The states of a job (JOB-1, JOB-2), as a pure and total table: status × trigger → next status, or
 * null where the trigger is refused. `allowed_actions`, the 409s and `GET /api/state-machines` all
 * come from it.
 *
 *   queued ──begin──▶ running ──complete──▶ completed ◀── approve, iterate, expire ── needs_review
 *     │                │ ▲ │ └──review───────────────────────────────────────────────▲
 *     │           block│ │ └──fail──▶ failed
 *     │                ▼ │approve, resume
 *     │              blocked
 *     └──cancel──▶ cancelled ◀──stopped── cancelling ◀──cancel── running, blocked, needs_review
 *
 * `restart` is the recovery of a running job after a crash: the status stays, and the attempt rises. `resume` of a
 * failed or cancelled job and `iterate` of a finished one do not change it: the work continues in a child job.
 */
import { type BlockedReason, type Job, JOB_STATUSES, type JobStatus } from "./schema.ts";
import type { Approval } from "./terms.ts";
import { type Outcome, refuse } from "../fault.ts";

export const JOB_TRIGGERS = [
  "begin",
  "restart",
  "block",
  "review",
  "complete",
  "fail",
  "stopped",
  "expire",
  "approve",
  "cancel",
  "resume",
  "tool_results",
  "connect",
  "iterate",
] as const;
export type JobTrigger = (typeof JOB_TRIGGERS)[number];

/** The triggers that callers have a verb for, in display order. */
export const JOB_ACTIONS = [
  "approve",
  "cancel",
  "resume",
  "tool_results",
  "iterate",
] as const satisfies readonly JobTrigger[];
export type JobAction = (typeof JOB_ACTIONS)[number];

type JobTransitions = Readonly<Record<JobTrigger, JobStatus | null>>;

/** Total: a new trigger does not compile until each status has an answer to it. */
export const JOB_MACHINE: Readonly<Record<JobStatus, JobTransitions>> = {
  queued: {
    begin: "running",
    restart: null,
    block: null,
    review: null,
    complete: null,
    fail: "failed",
    stopped: null,
    expire: null,
    approve: null,
    cancel: "cancelled",
    resume: null,
    tool_results: null,
    connect: null,
    iterate: null,
  },
  running: {
    begin: null,
    restart: "running",
    block: "blocked",
    review: "needs_review",
    complete: "completed",
    fail: "failed",
    stopped: null,
    expire: null,
    approve: null,
    cancel: "cancelling",
    resume: null,
    tool_results: null,
    connect: null,
    iterate: null,
  },
  blocked: {
    begin: null,
    restart: null,
    block: null,
    review: null,
    complete: null,
    fail: "failed",
    stopped: null,
    expire: null,
    approve: "running",
    cancel: "cancelling",
    resume: "running",
    tool_results: "running",
    connect: "running",
    iterate: null,
  },
  needs_review: {
    begin: null,
    restart: null,
    block: null,
    review: null,
    complete: null,
    fail: null,
    stopped: null,
    expire: "completed",
    approve: "completed",
    cancel: "cancelling",
    resume: null,
    tool_results: null,
    connect: null,
    iterate: "completed",
  },
  cancelling: {
    begin: null,
    restart: null,
    block: null,
    review: null,
    complete: null,
    fail: null,
    stopped: "cancelled",
    expire: null,
    approve: null,
    cancel: "cancelling",
    resume: null,
    tool_results: null,
    connect: null,
    iterate: null,
  },
  completed: {
    begin: null,
    restart: null,
    block: null,
    review: null,
    complete: null,
    fail: null,
    stopped: null,
    expire: null,
    approve: null,
    cancel: null,
    resume: null,
    tool_results: null,
    connect: null,
    iterate: "completed",
  },
  failed: {
    begin: null,
    restart: null,
    block: null,
    review: null,
    complete: null,
    fail: null,
    stopped: null,
    expire: null,
    approve: null,
    cancel: null,
    resume: "failed",
    tool_results: null,
    connect: null,
    iterate: "failed",
  },
  cancelled: {
    begin: null,
    restart: null,
    block: null,
    review: null,
    complete: null,
    fail: null,
    stopped: null,
    expire: null,
    approve: null,
    cancel: "cancelled",
    resume: "cancelled",
    tool_results: null,
    connect: null,
    iterate: null,
  },
};

/** The status after the trigger, or null where it is refused. */
export const jobStatusAfter = (status: JobStatus, trigger: JobTrigger): JobStatus | null =>
  JOB_MACHINE[status][trigger];

/** What a job in each status does: waits for its run, runs, waits for somebody else, or is over. */
const STATUS_PHASE: Readonly<Record<JobStatus, "waiting" | "at_work" | "at_rest" | "over">> = {
  queued: "waiting",
  running: "at_work",
  cancelling: "at_work",
  blocked: "at_rest",
  needs_review: "at_rest",
  completed: "over",
  failed: "over",
  cancelled: "over",
};

export const isTerminal = (status: JobStatus): boolean => STATUS_PHASE[status] === "over";
/** Whether no run is active and none starts by itself. */
export const isSettled = (status: JobStatus): boolean => isTerminal(status) || STATUS_PHASE[status] === "at_rest";
/** In the order in which a job passes through them. */
export const UNFINISHED_STATUSES = JOB_STATUSES.filter((status) => !isTerminal(status));
export const SETTLED_STATUSES = JOB_STATUSES.filter(isSettled);
/** A job in one of these has an effect that runs it. */
export const RUN_STATUSES = JOB_STATUSES.filter((status) => STATUS_PHASE[status] === "at_work");

/** The approvals that are still undecided. */
export const openApprovals = <A extends Pick<Approval, "decision">>({
  approvals,
}: {
  readonly approvals: readonly A[];
}): A[] => approvals.filter(({ decision }) => (decision ?? null) === null);
export const hasOpenApprovals = (job: { readonly approvals: readonly Pick<Approval, "decision">[] }): boolean =>
  openApprovals(job).length > 0;

/**
 * The verbs that a caller may use now. Approvals are approved, client calls get results, and any other blocked job is
 * resumed.
 */
export function allowedJobActions(job: {
  readonly status: JobStatus;
  readonly approvals: readonly Pick<Approval, "decision">[];
  readonly blockedReason?: BlockedReason | null;
  readonly isCompaction?: true;
}): readonly JobAction[] {
  const isApproval = hasOpenApprovals(job);
  const isClient = job.blockedReason === "tool_result_required";
  return JOB_ACTIONS.filter((action) => {
    if (jobStatusAfter(job.status, action) === null) return false;
    // A summary gives no work to continue: the chat is compacted again instead.
    if (job.isCompaction === true && action === "iterate") return false;
    if (job.isCompaction === true && action === "resume" && job.status !== "blocked") return false;
    if (job.status === "blocked" && action === "approve") return isApproval;
    if (job.status === "blocked" && action === "resume") return !isApproval && !isClient;
    if (action === "tool_results") return isClient;
    // A second cancel is answered, but it has nothing left to do.
    return !(action === "cancel" && (job.status === "cancelling" || job.status === "cancelled"));
  });
}

/** What happens to a job whose process or epoch ended during its run (JOB-4). */
export type Recovery =
  | { readonly kind: "rerun" }
  | { readonly kind: "restart"; readonly attempt: number }
  | { readonly kind: "interrupted" }
  | { readonly kind: "exhausted" }
  | { readonly kind: "stopped" }
  | { readonly kind: "over" };

export function recoveryOf(
  job: {
    readonly status: JobStatus;
    readonly attempt: number;
    readonly openCalls: readonly { readonly safe: boolean; readonly started: boolean }[];
  },
  maxAttempts: number,
): Recovery {
  if (job.status === "queued") return { kind: "rerun" };
  if (job.status === "cancelling") return { kind: "stopped" };
  if (job.status !== "running") return { kind: "over" };
  if (job.openCalls.some((call) => call.started && !call.safe)) return { kind: "interrupted" };
  if (job.attempt >= maxAttempts) return { kind: "exhausted" };
  return { kind: "restart", attempt: job.attempt + 1 };
}

/** A refusal with the current status and the allowed verbs (GEN-5): the verb is not allowed now. */
export const stale = (job: Job, message = `The job is ${job.status}`): Outcome<never> =>
  refuse({ kind: "invalid_state", status: job.status, allowedActions: allowedJobActions(job), message });

/** The approval has been decided already, and the job waits for another decision. */
export const alreadyDecided = (job: Job): Outcome<never> => stale(job, "The approval has been decided already");

/** The job waits for a decision first. */
export const pending = (job: Job): Outcome<never> =>
  refuse({ kind: "approval_pending", status: job.status, allowedActions: allowedJobActions(job), jobId: job.id });

/**
 * Refuses input from anybody but the user for whom the job acts (AUTH-8): the job may reach things that only that user
 * may use. Null if the input is theirs.
 */
export const unlessOwnWords = (job: Job, by: string): Outcome<never> | null =>
  job.createdBy === by
    ? null
    : refuse({ kind: "forbidden", message: "The job acts for the user who started it: only they may direct it" });
