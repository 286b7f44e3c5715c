/**
 * Serializes the claims of shards: with two at once, an older answer could bring back shards that were given up since.
 *
 *   idle ──asked──▶ claiming ──over──▶ idle, or claiming again if asked meanwhile
 *     ▲                 └──failed──▶ pausing ──▶ asked
 */
import { Backoff, type BackoffBounds, type BackoffParts } from "../backoff.ts";

export interface Claimer {
  /** Whether a claim may begin now. */
  mayClaim(): boolean;
  claim(): Promise<void>;
  onFailure(err: unknown): void;
  /** Aborts when nothing is claimed any more. */
  readonly halted: AbortSignal;
}

export class Claims {
  /** The claim in flight, or null. Never rejects. */
  running: Promise<void> | null = null;
  private readonly claimer: Claimer;
  private readonly pauses: Backoff;
  private isAsked = false;
  private isPausing = false;

  constructor(claimer: Claimer, parts: BackoffParts, bounds: BackoffBounds) {
    this.claimer = claimer;
    this.pauses = new Backoff(parts, bounds);
  }

  /** Claims, if no claim is in flight and one may begin. Rejects as the claim does. */
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

  /** Claims now, or as soon as possible. */
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

  /** Call when claims are possible again: claims if a claim was requested meanwhile. */
  goOn(): void {
    if (this.isAsked) this.ask();
  }

  /** Retries soon: clients wait for the shards, and the next renewal would be too late. */
  private async askLater(): Promise<void> {
    if (this.isPausing) return;
    this.isPausing = true;
    await this.pauses.pause(this.claimer.halted);
    this.isPausing = false;
    if (!this.claimer.halted.aborted) this.ask();
  }
}
