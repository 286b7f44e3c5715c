/** How long a tool asks the service again where it has decided nothing: a restart must not become a tool's error. */
import type { Outcome } from "../../../actors/fault.ts";
import { type BackoffParts, type Patience, untilDecided } from "../../../actors/runtime/backoff.ts";

/** After `limitMs` the model gets the refusal and can try again later; a restart or a take-over is over sooner. */
const PATIENCE: Patience = { firstMs: 100, lastMs: 500, limitMs: 30_000 };

/** What a call of a tool waits with, and when it stops. */
export interface Waiting {
  readonly pauses: BackoffParts;
  readonly signal: AbortSignal;
}

/** The service's decision, for calls that may be made again. */
export const patiently = <T>({ pauses, signal }: Waiting, ask: () => Promise<Outcome<T>>): Promise<Outcome<T>> =>
  untilDecided(pauses, PATIENCE, signal, ask);
