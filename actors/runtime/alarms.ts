/**
 * Alarms: commands that an actor sends itself at a later time. The row is the truth; memory holds a
 * timer only for what is due soon, and a scan brings in the rest. An alarm fires at least once and
 * its row goes in the commit of the turn that answers it, so it takes effect exactly once.
 */
import type { Clock } from "./clock.ts";
import type { Shards } from "./shards.ts";
import type { ActorStore, AlarmKey, AlarmRow } from "./store.ts";

/** Alarms due within this time have a timer in memory. */
export const ALARM_HORIZON_MS = 60_000;
/** The table is looked at this often for those that have come near. */
export const ALARM_SCAN_MS = 30_000;
/** Alarms taken in by one scan; the next scan follows at once where there are more. */
const ALARM_PAGE = 5_000;
/** A refused firing (no lease, overloaded) is tried again after this. */
const ALARM_RETRY_MS = 1_000;

const keyOf = (k: AlarmKey): string => `${k.actorId}/${k.name}`;

export class Alarms {
  private readonly timers = new Map<string, { readonly dueAtMs: number; readonly cancel: () => void }>();
  private readonly store: ActorStore;
  private readonly shards: Shards;
  private readonly clock: Clock;
  /** Answers whether it was taken; false means that it is to be tried again. */
  private readonly fire: (alarm: AlarmRow) => Promise<boolean>;

  constructor(
    parts: { readonly store: ActorStore; readonly shards: Shards; readonly clock: Clock },
    fire: (alarm: AlarmRow) => Promise<boolean>,
  ) {
    this.store = parts.store;
    this.shards = parts.shards;
    this.clock = parts.clock;
    this.fire = fire;
  }

  /** After the commit that set it. */
  set(alarm: AlarmRow): void {
    this.clear(alarm);
    if (alarm.dueAtMs - this.clock.now() <= ALARM_HORIZON_MS) this.arm(alarm);
  }

  clear(key: AlarmKey): void {
    const timer = this.timers.get(keyOf(key));
    if (timer === undefined) return;
    timer.cancel();
    this.timers.delete(keyOf(key));
  }

  clearAll(): void {
    for (const timer of this.timers.values()) timer.cancel();
    this.timers.clear();
  }

  /** Arms what is due within the horizon. Throws when the database cannot be reached. */
  async scan(shards: readonly number[] = this.shards.all()): Promise<void> {
    const alarms = await this.store.alarms(shards, this.clock.now() + ALARM_HORIZON_MS, ALARM_PAGE);
    for (const alarm of alarms) if (!this.timers.has(keyOf(alarm))) this.arm(alarm);
  }

  private arm(alarm: AlarmRow): void {
    const key = keyOf(alarm);
    const delayMs = Math.max(0, alarm.dueAtMs - this.clock.now());
    const cancel = this.clock.after(delayMs, () => {
      this.timers.delete(key);
      void this.ring(alarm);
    });
    this.timers.set(key, { dueAtMs: alarm.dueAtMs, cancel });
  }

  private async ring(alarm: AlarmRow): Promise<void> {
    const taken = await this.fire(alarm);
    if (taken || this.timers.has(keyOf(alarm))) return;
    const cancel = this.clock.after(ALARM_RETRY_MS, () => {
      this.timers.delete(keyOf(alarm));
      void this.ring(alarm);
    });
    this.timers.set(keyOf(alarm), { dueAtMs: alarm.dueAtMs, cancel });
  }
}
