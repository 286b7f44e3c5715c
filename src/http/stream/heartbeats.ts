/**
 * One clock hand for all streams: a wheel of seconds that looks at each stream when its silence may
 * have lasted long enough. Ten thousand quiet connections cost one timer, not ten thousand; and an
 * audience, whose streams are silent together, is looked at as one.
 */
import type { Clock } from "../../../actors/runtime/clock.ts";
import { sseComment } from "./sse.ts";

/** Silence after which a comment shows that the connection lives (SSE-1). */
export const HEARTBEAT_MS = 10_000;
const TICK_MS = 1_000;
const SLOTS = HEARTBEAT_MS / TICK_MS;

export interface Beating {
  /** Looks at its silence; answers in how many ms it wants to be looked at again, at most `HEARTBEAT_MS`. */
  beat(nowMs: number): number;
}

export class Heartbeats {
  private readonly clock: Clock;
  private readonly slots = Array.from({ length: SLOTS }, () => new Set<Beating>());
  private readonly places = new Map<Beating, Set<Beating>>();
  private tick = 0;
  private tickedAt = 0;
  private frame: { readonly tick: number; readonly bytes: Uint8Array } | null = null;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** How many streams are looked after. */
  get count(): number {
    return this.places.size;
  }

  /** It is looked at first in so many ms. */
  add(stream: Beating, inMs = HEARTBEAT_MS): void {
    if (this.places.size === 0) this.start();
    this.place(stream, inMs);
  }

  remove(stream: Beating): void {
    this.places.get(stream)?.delete(stream);
    this.places.delete(stream);
  }

  /** The comment of this second, the same bytes for every stream. */
  comment(): Uint8Array {
    if (this.frame?.tick !== this.tick) {
      const text = sseComment(`heartbeat ${new Date(this.clock.now()).toISOString()}`);
      this.frame = { tick: this.tick, bytes: new TextEncoder().encode(text) };
    }
    return this.frame.bytes;
  }

  private start(): void {
    this.tickedAt = this.clock.monotonic();
    this.next();
  }

  private next(): void {
    const waitMs = Math.max(0, this.tickedAt + TICK_MS - this.clock.monotonic());
    this.clock.after(waitMs, () => {
      const now = this.clock.monotonic();
      // A process that was stopped for long looks at each stream once.
      for (let turned = 0; this.tickedAt + TICK_MS <= now; turned++) {
        this.tickedAt += TICK_MS;
        this.tick++;
        if (turned < SLOTS) this.turn(now);
      }
      if (this.places.size > 0) this.next();
    });
  }

  private turn(now: number): void {
    const slot = this.tick % SLOTS;
    const due = this.slots[slot]!;
    this.slots[slot] = new Set();
    for (const stream of due) {
      // One of them may have ended another.
      if (this.places.get(stream) !== due) continue;
      const againMs = stream.beat(now);
      if (this.places.has(stream)) this.place(stream, againMs);
    }
  }

  private place(stream: Beating, inMs: number): void {
    const ticks = Math.min(SLOTS, Math.max(1, Math.ceil(inMs / TICK_MS)));
    const slot = this.slots[(this.tick + ticks) % SLOTS]!;
    slot.add(stream);
    this.places.set(stream, slot);
  }
}
