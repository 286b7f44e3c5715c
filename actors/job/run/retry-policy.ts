/** When a failed model call is retried, and after which pause. Pure. */
import type { BackoffBounds } from "../../runtime/backoff.ts";
import type { RunErrorCode } from "../schema.ts";
import type { WaitReason } from "../terms.ts";

export interface RetrySettings {
  /** Retries of one model call, and of opening the tools of a run. */
  readonly retries: number;
  /** Models that replace the agent's own, in this order, when its retries are used up. */
  readonly fallbacks: readonly string[];
}
/** Every failure is final, as in benchmarks. */
export const NO_RETRIES: RetrySettings = { retries: 0, fallbacks: [] };

/** The pauses before retries of a model call: half of each is jitter. */
export const MODEL_PAUSES: BackoffBounds = { firstMs: 1_000, lastMs: 60_000, jitter: 0.5 };

/** Why a call that failed with this code may succeed later; null for final errors, which are not retried. */
const RETRY_REASONS: Readonly<Record<RunErrorCode, WaitReason | null>> = {
  provider_unreachable: "provider_unavailable",
  provider_rate_limited: "provider_rate_limited",
  provider_error: "provider_unavailable",
  provider_stalled: "provider_unavailable",
  tools_unavailable: "tools_unavailable",
  provider_unauthorized: null,
  provider_key_rejected: null,
  provider_rejected: null,
  context_length_exceeded: null,
  model_unavailable: null,
  step_limit: null,
  timeout: null,
  attempts_exhausted: null,
  authorization_required: null,
  clone_failed: null,
  output_invalid: null,
  no_answer: null,
  internal_error: null,
};
export const waitReason = (code: RunErrorCode): WaitReason | null => RETRY_REASONS[code];
