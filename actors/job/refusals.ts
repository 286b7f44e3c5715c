/** How a job says no: with its present status and what may be done in it (GEN-5). */
import { type Outcome, refuse } from "../fault.ts";
import { allowedActions } from "./machine.ts";
import type { Job } from "./schema.ts";

/** The verb is not possible now. */
export const stale = (job: Job): Outcome<never> =>
  refuse({
    kind: "invalid_state",
    status: job.status,
    allowedActions: allowedActions(job),
    message: `The job is ${job.status}`,
  });

/** Something must be decided first. */
export const pending = (job: Job): Outcome<never> =>
  refuse({ kind: "approval_pending", status: job.status, allowedActions: allowedActions(job), jobId: job.id });
