/**
 * Time and chance that a test owns (ports: `actors/runtime/ports.ts`). The clock stands still until
 * it is advanced; timers run in the order in which they are due, those of one instant in the order in
 * which they were set. Nothing here depends on the machine, so a run repeats exactly.
 */
import type { Chance, Clock } from "../../actors/runtime/ports.ts";

/** How much of a leap passes timer by timer: more than the horizon of alarms and the time between two scans of them. */
const LEAP_END_MS = 120_000;

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** 2026-01-01T00:00:00.000Z: any fixed time does. */
export const FAKE_EPOCH_MS = Date.UTC(2026, 0, 1);

/** Lets everything that waits for nothing but other code run: all microtasks, and what they queue. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class FakeClock implements Clock {
  private elapsed = 0;
  private correction = 0;
  /** In the order in which they are due. */
  private readonly timers: Timer[] = [];

  now(): number {
    return FAKE_EPOCH_MS + this.elapsed + this.correction;
  }

  /** Another origin than `now`, so that code that mixes them up fails. */
  monotonic(): number {
    return 1_000 + this.elapsed;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer: Timer = { at: this.elapsed + Math.max(0, delayMs), run };
    this.timers.splice(this.placeAt(timer.at), 0, timer);
    return () => this.remove(timer);
  }

  /** Timers that are set now. */
  get pending(): number {
    return this.timers.length;
  }

  /** When the next timer is due, in ms from now; null without one. */
  get nextInMs(): number | null {
    const next = this.next();
    return next === null ? null : next.at - this.elapsed;
  }

  /**
   * Moves the time, and runs what is due on the way. What a timer sets off has settled before the
   * next timer runs, and all of it when the promise resolves.
   */
  async advance(ms: number): Promise<void> {
    const end = this.elapsed + ms;
    await settle();
    for (let timer = this.next(); timer !== null && timer.at <= end; timer = this.next()) {
      this.runOne(timer);
      await settle();
    }
    this.elapsed = end;
    await settle();
  }

  /** Moves the time and runs nothing: a process that is paused. */
  jump(ms: number): void {
    this.elapsed += ms;
  }

  /**
   * Lets a long time pass, hours or days, in which a replica would only renew its lease: the wall clock goes forward but
   * for the last minutes, which pass as `advance` lets them, so that what is due is found by the scans of alarms. For
   * one replica: the leases of others end meanwhile.
   */
  async leap(ms: number): Promise<void> {
    const lastMs = Math.min(ms, LEAP_END_MS);
    this.setForward(ms - lastMs);
    await this.advance(lastMs);
  }

  /** Sets the wall clock forward, or back; timers and the monotonic clock know nothing of it. */
  setForward(ms: number): void {
    this.correction += ms;
  }

  /** Runs the next timer only; false without one. For a scheduler that decides what runs when. */
  step(): boolean {
    const timer = this.next();
    if (timer === null) return false;
    this.runOne(timer);
    return true;
  }

  private runOne(timer: Timer): void {
    this.remove(timer);
    this.elapsed = Math.max(this.elapsed, timer.at);
    timer.run();
  }

  /** Behind those that are due before, or were set before for the same instant. */
  private placeAt(at: number): number {
    let [low, high] = [0, this.timers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.timers[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private remove(timer: Timer): void {
    const at = this.timers.indexOf(timer);
    if (at !== -1) this.timers.splice(at, 1);
  }

  private next(): Timer | null {
    return this.timers[0] ?? null;
  }
}

const URL_SAFE = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-";

/** Chance from a seed (mulberry32): the same draws in the same order for the same seed. */
export function seededChance(seed: number): Chance {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    fraction,
    text: (length, alphabet = URL_SAFE) => {
      let text = "";
      for (let i = 0; i < length; i++) text += alphabet[Math.floor(fraction() * alphabet.length)];
      return text;
    },
  };
}
