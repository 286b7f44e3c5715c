/**
 * The states of a job (JOB-1, JOB-2), as a pure and total table: status × trigger → next status, or
 * null where the trigger is refused.
 *
 *   queued ──begin──▶ running ──complete──▶ completed ◀──approve── needs_review
 *     │                │ ▲ │ └─review──────────────────────────────────▲
 *     │           block│ │ └──fail──▶ failed
 *     │                ▼ │resume
 *     │              blocked
 *     └──cancel──▶ cancelled ◀──stopped── cancelling ◀──cancel── running, blocked, needs_review
 *
 * `restart` is the recovery of a running job after a crash: the status stays, the attempt rises.
 */
import type { JobStatus } from "./schema.ts";

export const JOB_TRIGGERS = [
  "begin", "restart", "block", "review", "complete", "fail", "approve", "resume", "cancel", "stopped",
] as const;
export type JobTrigger = (typeof JOB_TRIGGERS)[number];

type Row = Readonly<Record<JobTrigger, JobStatus | null>>;

const NOTHING: Row = {
  begin: null, restart: null, block: null, review: null, complete: null,
  fail: null, approve: null, resume: null, cancel: null, stopped: null,
};

export const JOB_MACHINE: Readonly<Record<JobStatus, Row>> = {
  queued: { ...NOTHING, begin: "running", fail: "failed", cancel: "cancelled" },
  running: {
    ...NOTHING, restart: "running", block: "blocked", review: "needs_review",
    complete: "completed", fail: "failed", cancel: "cancelling",
  },
  blocked: { ...NOTHING, approve: "running", resume: "running", fail: "failed", cancel: "cancelling" },
  needs_review: { ...NOTHING, approve: "completed", complete: "completed", cancel: "cancelling" },
  cancelling: { ...NOTHING, stopped: "cancelled" },
  completed: NOTHING,
  failed: NOTHING,
  cancelled: NOTHING,
};

/** The status after the trigger, or null where it is refused. */
export const afterTrigger = (status: JobStatus, trigger: JobTrigger): JobStatus | null => JOB_MACHINE[status][trigger];

export const isTerminal = (status: JobStatus): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

/** What becomes of a job whose process or epoch ended under it (JOB-4). */
export type Recovery =
  | { readonly kind: "rerun" }
  | { readonly kind: "restart"; readonly attempt: number }
  | { readonly kind: "interrupted" }
  | { readonly kind: "exhausted" }
  | { readonly kind: "over" };

export function recoveryOf(
  job: { readonly status: JobStatus; readonly attempt: number; readonly openCalls: readonly { readonly safe: boolean }[] },
  maxAttempts: number,
): Recovery {
  if (job.status === "queued") return { kind: "rerun" };
  if (job.status !== "running") return { kind: "over" };
  if (job.openCalls.some((call) => !call.safe)) return { kind: "interrupted" };
  if (job.attempt >= maxAttempts) return { kind: "exhausted" };
  return { kind: "restart", attempt: job.attempt + 1 };
}
