/**
 * Alarms: commands that an actor sends itself at a later time. The row is the truth; memory holds a
 * timer only for what is due soon, and a scan brings in the rest.
 *
 *   row ──due soon──▶ armed ──due──▶ firing ──its turn's commit──▶ no row
 *                       ▲              │ nobody can take it now
 *                       └──────────────┘
 *   replaced, cleared, or its shard lost ──▶ neither armed nor firing
 *
 * An alarm takes effect exactly once: its row goes in the commit of the turn that answers it, and
 * that turn runs only while the alarm still stands. A scan's answer is a moment old: it brings in
 * nothing that has been armed, fired, replaced or cleared since it was asked for.
 */
import type { Clock } from "./clock.ts";
import { shardOf } from "./placement.ts";
import type { Shards } from "./shards.ts";
import type { ActorStore, AlarmKey, AlarmRow } from "./store.ts";

/** Alarms due within this time have a timer in memory. */
export const ALARM_HORIZON_MS = 60_000;
/** The table is looked at this often for those that have come near. */
export const ALARM_SCAN_MS = 30_000;
/** Alarms taken in by one scan, soonest first; the next scan brings the rest. */
const ALARM_PAGE = 5_000;
/** A refused firing (no lease, overloaded) is tried again after this. */
const ALARM_RETRY_MS = 1_000;

const keyOf = (k: AlarmKey): string => `${k.organizationId}/${k.actorId}/${k.name}`;

interface Armed {
  readonly alarm: AlarmRow;
  readonly cancel: () => void;
}

/** Gives an alarm's command to its actor while `stands` holds; false means that it is to be tried again. */
export type Fire = (alarm: AlarmRow, stands: () => boolean) => Promise<boolean>;

export class Alarms {
  private readonly armed = new Map<string, Armed>();
  private readonly firing = new Map<string, AlarmRow>();
  /** For each scan under way: the keys whose rows have changed since it began. */
  private readonly scans = new Set<Set<string>>();
  private readonly store: ActorStore;
  private readonly shards: Shards;
  private readonly clock: Clock;
  private readonly fire: Fire;

  constructor(parts: { readonly store: ActorStore; readonly shards: Shards; readonly clock: Clock }, fire: Fire) {
    this.store = parts.store;
    this.shards = parts.shards;
    this.clock = parts.clock;
    this.fire = fire;
  }

  /** After the commit that set it. */
  set(alarm: AlarmRow): void {
    this.clear(alarm);
    if (alarm.dueAtMs - this.clock.now() <= ALARM_HORIZON_MS) this.arm(alarm, alarm.dueAtMs);
  }

  /** After the commit that cleared or answered it. */
  clear(key: AlarmKey): void {
    this.forget(keyOf(key));
  }

  /** A turn has replaced or cleared it and is not committed yet: a firing that has not had its turn has lost it. */
  supersede(key: AlarmKey): void {
    this.firing.delete(keyOf(key));
  }

  /** The shards are gone, or their epoch is: their next owner reads the rows. */
  drop(shards: ReadonlySet<number>): void {
    const isDropped = (alarm: AlarmRow): boolean => shards.has(shardOf(alarm.organizationId));
    for (const [key, { alarm }] of this.armed) if (isDropped(alarm)) this.forget(key);
    for (const [key, alarm] of this.firing) if (isDropped(alarm)) this.forget(key);
  }

  clearAll(): void {
    for (const key of [...this.armed.keys(), ...this.firing.keys()]) this.forget(key);
  }

  /** Arms what is due within the horizon. Throws when the database cannot be reached. */
  async scan(shards: readonly number[] = this.shards.all()): Promise<void> {
    const epochs = new Map(shards.map((shard) => [shard, this.shards.epochOf(shard)]));
    const changed = new Set<string>();
    this.scans.add(changed);
    try {
      const alarms = await this.store.alarms(shards, this.clock.now() + ALARM_HORIZON_MS, ALARM_PAGE);
      for (const alarm of alarms) {
        const key = keyOf(alarm);
        const shard = shardOf(alarm.organizationId);
        if (this.armed.has(key) || this.firing.has(key) || changed.has(key)) continue;
        if (this.shards.epochOf(shard) === epochs.get(shard)) this.arm(alarm, alarm.dueAtMs);
      }
    } finally {
      this.scans.delete(changed);
    }
  }

  private forget(key: string): void {
    this.armed.get(key)?.cancel();
    this.armed.delete(key);
    this.firing.delete(key);
    for (const changed of this.scans) changed.add(key);
  }

  private arm(alarm: AlarmRow, atMs: number): void {
    const key = keyOf(alarm);
    const cancel = this.clock.after(Math.max(0, atMs - this.clock.now()), () => {
      this.armed.delete(key);
      void this.ring(key, alarm);
    });
    this.armed.set(key, { alarm, cancel });
  }

  private async ring(key: string, alarm: AlarmRow): Promise<void> {
    this.firing.set(key, alarm);
    const taken = await this.fire(alarm, () => this.firing.get(key) === alarm);
    if (this.firing.get(key) !== alarm) return;
    this.forget(key);
    if (!taken) this.arm(alarm, this.clock.now() + ALARM_RETRY_MS);
  }
}
