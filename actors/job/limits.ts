/** What one job may take, and how many may run (RUN-3, JOB-10). The operator sets what is usual; a job's budget says otherwise for itself. */

export interface JobLimits {
  /** Model calls of one job. */
  readonly steps: number;
  /** Wall clock of one run, in ms. */
  readonly runMs: number;
}

export const USUAL_JOB_LIMITS: JobLimits = { steps: 32, runMs: 30 * 60_000 };

/** Silence of a model's stream after which the call has failed, unless the operator says otherwise. */
export const STALLED_STREAM_MS = 60_000;
/** Of one tool's result, in bytes of UTF-8, the note about a cut included, unless the operator says otherwise. */
export const USUAL_RESULT_BYTES = 64 * 1024;

/** Model calls that a budget or an agent may allow a job at most. */
export const MOST_STEPS = 256;
/** The longest run that a budget may allow, in ms. */
export const LONGEST_RUN_MS = 24 * 60 * 60_000;
