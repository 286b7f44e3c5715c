/** How long a tool retries a call that the service has not decided: a restart must not become a tool's error. */
import type { Outcome } from "../../../actors/fault.ts";
import { type BackoffParts, type Patience, untilDecided } from "../../../actors/runtime/backoff.ts";

/** After `limitMs` the model gets the refusal and can try again later; a restart or a take-over ends sooner. */
const TOOL_PATIENCE: Patience = { firstMs: 100, lastMs: 500, limitMs: 30_000 };

/** The pauses of a tool's call, and the signal that ends it. */
export interface WaitingTool {
  readonly pauses: BackoffParts;
  readonly signal: AbortSignal;
}

/** Retries until the service decides; only for repeatable calls. */
export const untilServiceDecides = <T>(
  { pauses, signal }: WaitingTool,
  ask: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> => untilDecided(pauses, TOOL_PATIENCE, signal, ask);
