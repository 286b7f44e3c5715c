/**
 * Ends the process once, at the first request to end.
 *
 *   starting ──begin──▶ cancelled ──the start has been undone──▶ exit
 *      │ started
 *      ▼
 *   serving ──begin──▶ draining ──stopped──▶ exit
 *
 * A step that takes too long is cut off: that loses nothing acknowledged.
 */
import { DRAIN_LIMIT_MS } from "./drain-limits.ts";
import { Interrupted } from "./undo.ts";
import type { Logger } from "../log/log.ts";

/** Exit codes of sysexits(3). */
export const EXIT_CONFIG = 78;
export const EXIT_BUG = 70;
export const EXIT_UNAVAILABLE = 69;

export class Ending {
  private service: { stop(): Promise<void> } | null = null;
  private wanted: number | null = null;
  private readonly interruption = new AbortController();
  private readonly log: Logger;
  private readonly limitMs: number;

  /** A drain that takes longer than `limitMs` is cut off. */
  constructor(log: Logger, limitMs = DRAIN_LIMIT_MS) {
    this.log = log;
    this.limitMs = limitMs;
  }

  /** Aborts when the process is asked to end. */
  get signal(): AbortSignal {
    return this.interruption.signal;
  }

  /** The start has succeeded. */
  started(service: { stop(): Promise<void> }): void {
    this.service = service;
    if (this.wanted !== null) void this.stop(service);
  }

  /** The start has failed and has been undone. Calls `tell` unless the start was cancelled. */
  failed(cause: unknown, exitCode: number, tell: () => void): void {
    if (!(cause instanceof Interrupted)) tell();
    this.exit(this.wanted ?? exitCode);
  }

  /** Ends the process with this exit code. Later calls change nothing. */
  begin(reason: string, exitCode: number): void {
    if (this.wanted !== null) return;
    this.wanted = exitCode;
    this.log.info({ reason }, this.service === null ? "cancelling the start" : "draining");
    setTimeout(() => {
      this.log.error("the drain took too long and is cut off");
      this.exit(EXIT_UNAVAILABLE);
    }, this.limitMs);
    this.interruption.abort(new Interrupted(reason));
    if (this.service !== null) void this.stop(this.service);
  }

  private async stop(service: { stop(): Promise<void> }): Promise<void> {
    await service.stop().catch((err: unknown) => this.log.error({ err }, "the drain failed"));
    this.log.info("stopped");
    this.exit(this.wanted ?? 0);
  }

  private exit(code: number): void {
    void this.log.flush().finally(() => process.exit(code));
  }
}
