/** Limits of one job (RUN-3). The operator sets the defaults; a job's budget overrides them. */

export interface JobLimits {
  /** Model calls of one job. */
  readonly steps: number;
  /** Wall clock time of one run, in ms. */
  readonly runMs: number;
}

export const DEFAULT_JOB_LIMITS: JobLimits = { steps: 32, runMs: 30 * 60_000 };

/** Messages that may wait for one model call. */
export const JOB_STEERS = 20;
/** How long a review waits for a person, and an approval unless its agent sets another time (JOB-8). */
export const DECISION_MS = 24 * 60 * 60_000;
/** How often a job is started before it fails for good (JOB-9). */
export const JOB_ATTEMPTS = 3;
/** Default retries of one model call: with the pauses of `retry-policy.ts`, about a minute. */
export const DEFAULT_MODEL_RETRIES = 6;
/** Files that a job lists as artifacts. Its record is loaded and stored whole with each of its steps. */
export const JOB_ARTIFACTS = 100;
/** Images and files of tool results that a job keeps, and their bytes. */
export const JOB_RESULT_FILES = 200;
export const JOB_RESULT_FILE_BYTES = 128 * 1024 * 1024;
/** Warnings that a job keeps: the first ones. */
export const JOB_WARNINGS = 32;

/** Default silence of a model's stream after which the call has failed. */
export const STALLED_STREAM_MS = 60_000;
/** Default size of one tool's result, in bytes of UTF-8, including the note about a cut. */
export const DEFAULT_RESULT_BYTES = 64 * 1024;

/** The most model calls that a budget or an agent may allow a job. */
export const MOST_STEPS = 256;
/** The longest run that a budget may allow, in ms. */
export const LONGEST_RUN_MS = 24 * 60 * 60_000;
