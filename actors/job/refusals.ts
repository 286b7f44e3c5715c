/** A job's refusals, with its current status and the allowed verbs (GEN-5). */
import { type Outcome, refuse } from "../fault.ts";
import { allowedJobActions } from "./machine.ts";
import type { Job } from "./schema.ts";

/** The verb is not allowed now. */
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
