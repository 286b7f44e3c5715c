/**
 * Deletes what is past its time, in the background of a process (SSE-10): all sweeps one after the other,
 * then nothing until the next round. It goes in small batches and rests after each for longer than it
 * took, so that it never takes more than a part of the database. After a batch that fails (it has taken
 * too long, for example) it goes on in small ones; when these fail too, it says so, and the next round
 * tries again.
 *
 *   waiting ──interval──▶ batch ─▶ rest ─▶ batch … ─▶ next sweep … ─▶ waiting
 */
import type { Chance, Clock } from "../../actors/runtime/clock.ts";
import type { Taken } from "../../db/sweeps.ts";
import type { Logger } from "../log/log.ts";

/** Rows of one batch: some ms of work. */
export const BATCH_ROWS = 1_000;
/** Of one on a database that cannot do as much in its time. */
export const SMALL_BATCH_ROWS = 50;
/** After a batch it rests for so many times as long as that took, */
const REST_FACTOR = 4;
/** and at least for so long. */
export const REST_MS = 50;

export interface SweeperParts<S extends { readonly name: string }> {
  readonly sweeps: readonly S[];
  /** One batch of at most so many rows; `now` is wall clock in ms. */
  readonly take: (sweep: S, at: { readonly now: number; readonly limit: number }) => Promise<Taken>;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly chance: Pick<Chance, "fraction">;
  readonly log: Pick<Logger, "info" | "error">;
}

export interface Sweeper {
  /** Resolves when nothing of it is under way any more. */
  stop(): Promise<void>;
}

/** Begins to sweep; the first round comes at any time within an interval, so that replicas do not go together. */
export function startSweeper<S extends { readonly name: string }>(parts: SweeperParts<S>): Sweeper {
  const { clock, intervalMs } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    await pause(clock, intervalMs * parts.chance.fraction(), signal);
    while (!signal.aborted) {
      for (const sweep of parts.sweeps) await sweepAll(parts, sweep, signal);
      await pause(clock, intervalMs, signal);
    }
  };
  const running = run();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

async function sweepAll<S extends { readonly name: string }>(
  { take, clock, log }: SweeperParts<S>,
  sweep: S,
  signal: AbortSignal,
): Promise<void> {
  let rows = 0;
  let limit = BATCH_ROWS;
  while (!signal.aborted) {
    const startedAt = clock.monotonic();
    try {
      const { deleted, isDone } = await take(sweep, { now: clock.now(), limit });
      rows += deleted;
      if (isDone) break;
    } catch (err) {
      if (limit === SMALL_BATCH_ROWS) {
        log.error({ err, sweep: sweep.name }, "what is past its time could not be deleted; the next round tries again");
        break;
      }
      limit = SMALL_BATCH_ROWS;
    }
    await pause(clock, Math.max(REST_MS, REST_FACTOR * (clock.monotonic() - startedAt)), signal);
  }
  if (rows > 0) log.info({ sweep: sweep.name, rows }, "deleted what was past its time");
}

/** Resolves after the time, or at once when it is called off. */
function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal.addEventListener("abort", done, { once: true });
  });
}
