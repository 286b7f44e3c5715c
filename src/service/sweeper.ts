/**
 * Deletes expired data in the background (SSE-10): all sweeps one after the other, then a pause until the next round.
 * It works in small batches and pauses after each for several times as long as it took, so that it uses only a part of
 * the database's capacity. After a failed batch (a timeout, for example) it continues with smaller ones; if these fail
 * too, it logs that, and the next round retries.
 *
 * A wrong clock would delete what is still needed. So each round first compares this process's clock with the
 * database's, and is skipped if they differ by more than what the retention times allow for.
 *
 *   waiting ──interval──▶ batch ─▶ rest ─▶ batch … ─▶ next sweep … ─▶ waiting
 */
import { sleep } from "../../actors/runtime/backoff.ts";
import { type Chance, type Clock, CLOCK_SKEW_MS } from "../../actors/runtime/ports.ts";
import type { Logger } from "../log/log.ts";
import type { Database } from "../../db/client.ts";
import { type Retention, sweepOnce, sweepsOf, type Taken } from "../../db/sweeps.ts";
import { workspaceSweeps } from "../../db/workspace-sweeps.ts";
import type { Files } from "../files/files.ts";

/** Rows of one batch: some ms of work. */
export const BATCH_ROWS = 1_000;
/** Rows of a batch after a larger one has failed. */
export const SMALL_BATCH_ROWS = 50;
/** The pause after a batch is this many times the duration of the batch. */
const SWEEP_REST = 4;
/** The shortest pause after a batch. */
export const LEAST_SWEEP_REST_MS = 50;

export interface SweeperParts<S extends { readonly name: string }> {
  readonly sweeps: readonly S[];
  /** Runs one batch of at most `limit` rows; `now` is wall clock in ms. */
  readonly take: (sweep: S, at: { readonly now: number; readonly limit: number }) => Promise<Taken>;
  /** The wall clock of the database, in ms. */
  readonly databaseNow: () => Promise<number>;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly chance: Pick<Chance, "fraction">;
  readonly log: Pick<Logger, "info" | "error">;
}

export interface Sweeper {
  /** Stops; resolves when no batch is in flight. */
  stop(): Promise<void>;
}

/**
 * Starts sweeping. The first round begins at a random time within the interval, so that replicas do not sweep at the
 * same time.
 */
export function startSweeper<S extends { readonly name: string }>(parts: SweeperParts<S>): Sweeper {
  const { clock, intervalMs } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    await sleep(intervalMs * parts.chance.fraction(), clock, signal);
    while (!signal.aborted) {
      const now = await agreedTime(parts);
      if (now !== null) for (const sweep of parts.sweeps) await sweepAll(parts, sweep, { now, signal });
      await sleep(intervalMs, clock, signal);
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

/**
 * The time of this round, by a clock that cannot be set meanwhile. Null if this process's clock and the database's
 * differ: it is unknown which of them is wrong.
 */
async function agreedTime({
  clock,
  databaseNow,
  log,
}: Pick<SweeperParts<never>, "clock" | "databaseNow" | "log">): Promise<(() => number) | null> {
  const [wall, from] = [clock.now(), clock.monotonic()];
  try {
    const aheadMs = Math.round(wall - (await databaseNow()));
    if (Math.abs(aheadMs) <= CLOCK_SKEW_MS) return () => wall + (clock.monotonic() - from);
    log.error({ aheadMs }, "this machine's clock and the database's differ: no expired data is deleted");
  } catch (err) {
    log.error({ err }, "the database's clock could not be read: no expired data is deleted in this round");
  }
  return null;
}

async function sweepAll<S extends { readonly name: string }>(
  { take, clock, log }: SweeperParts<S>,
  sweep: S,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): Promise<void> {
  let rows = 0;
  let limit = BATCH_ROWS;
  while (!signal.aborted) {
    const startedAt = clock.monotonic();
    try {
      const { deleted, isDone } = await take(sweep, { now: now(), limit });
      rows += deleted;
      if (isDone) break;
    } catch (err) {
      if (limit === SMALL_BATCH_ROWS) {
        log.error({ err, sweep: sweep.name }, "expired data could not be deleted; the next round tries again");
        break;
      }
      limit = SMALL_BATCH_ROWS;
    }
    await sleep(Math.max(LEAST_SWEEP_REST_MS, SWEEP_REST * (clock.monotonic() - startedAt)), clock, signal);
  }
  if (rows > 0) log.info({ sweep: sweep.name, rows }, "deleted expired data");
}

export interface ServiceSweep {
  readonly name: string;
  /** Runs one batch; `now` is wall clock in ms. */
  readonly take: (at: { readonly now: number; readonly limit: number }) => Promise<Taken>;
}

/** Everything that the service deletes when it expires: rows of the tables, and files on this disk. */
export const serviceSweeps = (
  { database, files }: { readonly database: Database; readonly files: Files },
  retention: Retention,
): readonly ServiceSweep[] => [
  ...[...sweepsOf(retention), ...workspaceSweeps(files.blobs)].map((sweep) => ({
    name: sweep.name,
    take: (at: { readonly now: number; readonly limit: number }) => sweepOnce(database, sweep, at),
  })),
  // Last: it concerns only this machine, and no transaction is open meanwhile.
  { name: "received_files", take: async ({ now }) => ({ deleted: await files.sweep(now), isDone: true }) },
];
