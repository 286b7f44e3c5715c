/**
 * When shards are claimed: one claim at a time, because an older answer must not bring back what was given up since.
 *
 *   idle ──asked──▶ claiming ──over──▶ idle, or claiming again where it was asked for meanwhile
 *     ▲                 └──failed──▶ pausing ──▶ asked
 */
import { Backoff, type BackoffBounds, type BackoffParts } from "./backoff.ts";

export interface Claimer {
  /** Whether a claim may begin now. */
  mayClaim(): boolean;
  claim(): Promise<void>;
  onFailure(err: unknown): void;
  /** Nothing is claimed any more. */
  readonly halted: AbortSignal;
}

export class ClaimTurns {
  /** The claim that is under way; null where there is none. Never rejects. */
  running: Promise<void> | null = null;
  private readonly claimer: Claimer;
  private readonly pauses: Backoff;
  private isAsked = false;
  private isPausing = false;

  constructor(claimer: Claimer, parts: BackoffParts, bounds: BackoffBounds) {
    this.claimer = claimer;
    this.pauses = new Backoff(parts, bounds);
  }

  /** Claims, where nothing is under way and it may. Rejects as the claim does. */
  async run(): Promise<void> {
    if (this.running !== null || !this.claimer.mayClaim()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.running = promise;
    this.isAsked = false;
    try {
      await this.claimer.claim();
    } finally {
      this.running = null;
      resolve();
      this.goOn();
    }
  }

  /** Claims now, or as soon as it may. */
  ask(): void {
    if (this.running !== null || !this.claimer.mayClaim()) this.isAsked = true;
    else
      this.run().then(
        () => this.pauses.reset(),
        (err: unknown) => {
          this.claimer.onFailure(err);
          void this.askLater();
        },
      );
  }

  /** It may claim again: does so where that was asked for meanwhile. */
  goOn(): void {
    if (this.isAsked) this.ask();
  }

  /** Clients wait for the shards: not until the next renewal. */
  private async askLater(): Promise<void> {
    if (this.isPausing) return;
    this.isPausing = true;
    await this.pauses.pause(this.claimer.halted);
    this.isPausing = false;
    if (!this.claimer.halted.aborted) this.ask();
  }
}
