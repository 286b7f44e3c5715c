/** How a job says no: with its present status and what may be done in it (GEN-5). */
import { type Outcome, refuse } from "../fault.ts";
import { allowedActions } from "./machine.ts";
import type { Job } from "./schema.ts";

/** The verb is not possible now. */
export const stale = (job: Job, message = `The job is ${job.status}`): Outcome<never> =>
  refuse({ kind: "invalid_state", status: job.status, allowedActions: allowedActions(job), message });

/** The approval has its decision, while others of the job wait for theirs. */
export const alreadyDecided = (job: Job): Outcome<never> => stale(job, "The approval has been decided already");

/** Something must be decided first. */
export const pending = (job: Job): Outcome<never> =>
  refuse({ kind: "approval_pending", status: job.status, allowedActions: allowedActions(job), jobId: job.id });

/**
 * Refuses the words of anybody but the user for whom the job acts (AUTH-8): it may reach what only
 * that user may use. Null where the words are theirs.
 */
export const unlessOwnWords = (job: Job, by: string): Outcome<never> | null =>
  job.createdBy === by
    ? null
    : refuse({ kind: "forbidden", message: "The job acts for the user who started it: only they may direct it" });
