/** Asking the service again where it has decided nothing: a restart must not become a tool's error. */
import { isPassing, type Outcome } from "../../../actors/fault.ts";

const RETRY_MS = 250;
/** After this the model is told to try again later; a restart or a take-over is over sooner. */
const PATIENCE_MS = 30_000;

/**
 * The first answer that is a decision, for calls that may be made again: the last refusal when
 * `patienceMs` have passed or the call was stopped.
 */
export async function patiently<T>(
  signal: AbortSignal,
  ask: () => Promise<Outcome<T>>,
  patienceMs = PATIENCE_MS,
): Promise<Outcome<T>> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const outcome = await ask();
    if (outcome.ok || !isPassing(outcome.fault) || signal.aborted || performance.now() >= until) return outcome;
    await new Promise<void>((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
