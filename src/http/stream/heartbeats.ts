/**
 * One timer for all streams: a wheel of seconds that checks each stream when its silence may have lasted long
 * enough. So ten thousand quiet connections cost one timer; and an audience, whose streams are silent together,
 * counts as one.
 */
import type { Clock } from "../../../actors/runtime/ports.ts";
import { sseComment } from "./sse.ts";

/** Silence after which a comment keeps the connection alive (SSE-1). */
export const HEARTBEAT_MS = 10_000;
const TICK_MS = 1_000;
const SLOTS = HEARTBEAT_MS / TICK_MS;

export interface Beating {
  /** Checks its silence; returns in how many ms to check again, at most `HEARTBEAT_MS`. */
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

  /** Number of supervised streams. */
  get count(): number {
    return this.places.size;
  }

  /** Its first check comes in so many ms. */
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
      // After a long suspension of the process, each stream is checked once.
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
      // An earlier stream may have ended this one.
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
