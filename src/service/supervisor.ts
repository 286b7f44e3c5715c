/**
 * Keeps N replicas running on one machine: starts the first alone (it migrates the database and founds the first
 * organization), then the others, and restarts those that end.
 *
 *   starting ──serves──▶ serving ──ends──▶ (a pause that doubles while it fails) ──▶ starting
 *                           └──restart──▶ leaving ──ends──▶ starting
 *
 * The service ends when a replica reports invalid settings, or when none serves and one cannot start.
 */
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Logger } from "../log/log.ts";
import { EXIT_CONFIG } from "./process-end.ts";

/** The supervisor's view of a replica process. */
export interface ReplicaProcess {
  readonly pid: number;
  /** Resolves when it serves; never resolves if it ends before that. */
  readonly serving: Promise<void>;
  /** The exit code; above 128 for a signal. */
  readonly exited: Promise<number>;
  /** Lets it drain, together with all others. */
  end(): void;
  /** Lets it hand over to the others and end. */
  leave(): void;
}

/**
 * The pause before restarting a replica that has not served for `STEADY_MS`: doubled each time, up to the longest
 * pause.
 */
export const FIRST_PAUSE_MS = 500;
export const LONGEST_PAUSE_MS = 15_000;
/** A replica that has served for this long is restarted at once. */
export const STEADY_MS = 10_000;

export interface SupervisorParts {
  readonly count: number;
  /** Starts the replica with this number. */
  readonly spawn: (number: number, isFirstStart: boolean) => ReplicaProcess;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly log: Pick<Logger, "info" | "warn">;
  /** The service cannot continue; the exit code says why. Called once. */
  readonly onFatal: (reason: string, exitCode: number) => void;
}

interface ReplicaSlot {
  readonly number: number;
  process: ReplicaProcess | null;
  isServing: boolean;
  isLeaving: boolean;
  /** Resolves when it serves again. */
  serving: PromiseWithResolvers<void>;
  servedSinceMs: number;
  pauseMs: number;
  cancelPause: () => void;
}

export class Supervisor {
  private readonly parts: SupervisorParts;
  private readonly slots: readonly ReplicaSlot[];
  private isEnding = false;
  private hasFailed = false;
  private restarting: Promise<void> | null = null;

  constructor(parts: SupervisorParts) {
    this.parts = parts;
    this.slots = Array.from({ length: parts.count }, (_, i) => ({
      number: i + 1,
      process: null,
      isServing: false,
      isLeaving: false,
      serving: Promise.withResolvers(),
      servedSinceMs: 0,
      pauseMs: FIRST_PAUSE_MS,
      cancelPause: () => {},
    }));
  }

  /** Resolves when all serve. If one cannot start, calls `onFatal` and never resolves. */
  async start(): Promise<void> {
    const [first, ...others] = this.slots;
    await this.run(first!, true);
    await Promise.all(others.map((slot) => this.run(slot, true)));
  }

  /**
   * Restarts them one after the other, each after the previous one serves again, so that the others serve meanwhile. If
   * one cannot start, the rest stays as it is.
   */
  restart(): Promise<void> {
    this.restarting ??= this.restartEach().finally(() => (this.restarting = null));
    return this.restarting;
  }

  /** Drains all of them at once; resolves when each has ended. */
  async stop(): Promise<void> {
    this.isEnding = true;
    for (const { cancelPause } of this.slots) cancelPause();
    await Promise.all(
      this.slots.map(async ({ process }) => {
        process?.end();
        await process?.exited;
      }),
    );
  }

  private async restartEach(): Promise<void> {
    for (const slot of this.slots) {
      if (this.isEnding) return;
      if (slot.process !== null && slot.isServing) {
        slot.isLeaving = true;
        slot.serving = Promise.withResolvers();
        slot.process.leave();
      }
      await slot.serving.promise;
    }
  }

  /** Starts the replica; resolves when it serves. */
  private run(slot: ReplicaSlot, isFirstStart: boolean): Promise<void> {
    const { spawn, clock, log } = this.parts;
    const started = spawn(slot.number, isFirstStart);
    slot.process = started;
    void started.exited.then((code) => {
      slot.process = null;
      this.ended(slot, code, isFirstStart);
    });
    return started.serving.then(() => {
      slot.isServing = true;
      slot.servedSinceMs = clock.monotonic();
      slot.serving.resolve();
      log.info({ number: slot.number, pid: started.pid }, "a replica serves");
    });
  }

  private ended(slot: ReplicaSlot, code: number, isFirstStart: boolean): void {
    const { clock, log } = this.parts;
    const hasServed = slot.isServing;
    const wasLeaving = slot.isLeaving;
    slot.isServing = false;
    slot.isLeaving = false;
    if (this.isEnding) return;
    if (wasLeaving) return void this.run(slot, false);
    if (hasServed) slot.serving = Promise.withResolvers();
    const cannotGoOn = !hasServed && (isFirstStart || !this.slots.some(({ isServing }) => isServing));
    if (code === EXIT_CONFIG || cannotGoOn)
      return this.fail(`replica ${slot.number} could not start (code ${code})`, code);
    if (hasServed && clock.monotonic() - slot.servedSinceMs >= STEADY_MS) slot.pauseMs = 0;
    const pauseMs = slot.pauseMs;
    slot.pauseMs = Math.min(Math.max(pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    log.warn({ number: slot.number, code, pauseMs }, "a replica has ended: it is started anew");
    slot.cancelPause = clock.after(pauseMs, () => void this.run(slot, false));
  }

  private fail(reason: string, exitCode: number): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.parts.onFatal(reason, exitCode);
  }
}
