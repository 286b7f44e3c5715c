/**
 * The waits of a run, for its provider or for tools. A wait is visible (`runner.status`, the record), a cancel ends it
 * at once, and a wait of more than 5 s releases the job slot.
 */
import type { ChatCommand } from "../../chat/protocol.ts";
import { sleep } from "../../runtime/backoff.ts";
import type { Clock } from "../../runtime/ports.ts";
import { isoTime } from "../../schema.ts";
import { type Usage, NO_USAGE } from "../schema.ts";
import type { RunWaiting } from "../terms.ts";
import type { JobSlot } from "./job-slot.ts";
import type { Reporter } from "./reporter.ts";

/** A run that waits longer than this releases its job slot, in ms. */
export const SLOT_HOLD_MS = 5_000;
/** Waits for the limiter that are shorter than this are not reported, in ms: each report is a commit. */
export const QUIET_WAIT_MS = 1_000;

const NO_CHAT_COMMANDS = (): readonly ChatCommand[] => [];

/** A wait as the record shows it, and the cost of the failed call before it. */
export interface WaitReport {
  readonly reason: RunWaiting["reason"];
  readonly retries: number;
  /** For the transcript; null if it is there already. */
  readonly error: string | null;
  readonly usage?: Usage;
}

interface WaitOptions<T> {
  readonly reason: RunWaiting["reason"];
  readonly knownMs?: number;
  readonly again?: () => Promise<T>;
}

export class RunWait {
  private readonly clock: Clock;
  private readonly run: { readonly reporter: Reporter; readonly slot: JobSlot };

  constructor(clock: Clock, run: { readonly reporter: Reporter; readonly slot: JobSlot }) {
    this.clock = clock;
    this.run = run;
  }

  /** Waits for `ms`; false if the signal aborts first. */
  async pause(ms: number, why: WaitReport, signal: AbortSignal): Promise<boolean> {
    const retryAt = isoTime(this.clock.now() + ms);
    await this.report({ reason: why.reason, retries: why.retries, retryAt, waitMs: ms }, why);
    if (ms > SLOT_HOLD_MS) this.run.slot.release();
    await sleep(ms, this.clock, signal);
    return this.resume(signal);
  }

  /** Waits for the remaining time of a wait that an earlier attempt began; false if the signal aborts first. */
  async rest({ reason, retries, retryAt, waitMs }: RunWaiting, signal: AbortSignal): Promise<boolean> {
    const left = retryAt === null ? 0 : Math.max(0, Date.parse(retryAt) - this.clock.now());
    // If the clock has been set back since then, the rest is not longer than the whole wait.
    const ms = Math.min(left, waitMs ?? left);
    return this.pause(ms, { reason, retries, error: null }, signal);
  }

  /**
   * Waits for `ready`, which also resolves when the signal aborts; a long wait is reported and releases the slot. If
   * the job has changed state meanwhile, it throws, and ends what it has waited for, because nothing else could.
   * `again`: what it has waited for is scarce, and is not kept while the run waits for a slot; it is waited for anew.
   */
  async until<T extends Disposable | null>(
    ready: Promise<T>,
    { reason, knownMs = 0, again }: WaitOptions<T>,
    signal: AbortSignal,
  ): Promise<T> {
    let isReported = false;
    using timers = new DisposableStack();
    const cancelReport = this.clock.after(QUIET_WAIT_MS, () => {
      isReported = true;
      const waitMs = Math.max(0, knownMs - QUIET_WAIT_MS);
      const known = knownMs > 0 ? { retryAt: isoTime(this.clock.now() + waitMs), waitMs } : { retryAt: null };
      void this.run.reporter.mention({
        kind: "run_waiting",
        attempt: this.run.reporter.attempt,
        waiting: { reason, retries: 0, ...known },
        error: null,
        usage: NO_USAGE,
      });
    });
    timers.defer(cancelReport);
    timers.defer(this.clock.after(SLOT_HOLD_MS, () => this.run.slot.release()));
    const value = await ready;
    timers.dispose();
    using unclaimed = new DisposableStack();
    unclaimed.use(value);
    if (again !== undefined && !signal.aborted && !this.run.slot.takeNow()) {
      unclaimed.dispose();
      await this.run.slot.take(signal);
      if (isReported && !signal.aborted) await this.report(null, null);
      return this.until(again(), { reason, again }, signal);
    }
    await this.run.slot.take(signal);
    if (isReported && !signal.aborted) await this.report(null, null);
    unclaimed.move();
    return value;
  }

  private async resume(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || !(await this.run.slot.take(signal))) return false;
    await this.report(null, null);
    return true;
  }

  private async report(waiting: RunWaiting | null, why: WaitReport | null): Promise<void> {
    const { reporter } = this.run;
    const { error = null, usage = NO_USAGE } = why ?? {};
    await reporter.report({ kind: "run_waiting", attempt: reporter.attempt, waiting, error, usage }, NO_CHAT_COMMANDS);
  }
}
