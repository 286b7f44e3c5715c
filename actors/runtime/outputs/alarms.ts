/**
 * Alarms: commands that an actor sends itself at a later time. The row is the truth. Memory holds timers only for
 * alarms that are due soon, and a scan brings in the others.
 *
 *   row ──due soon──▶ armed ──due, and there is room──▶ firing ──its turn's commit──▶ no row
 *                       ▲                                 │ the turn cannot run now
 *                       └─────────────────────────────────┘
 *   replaced, cleared, or its shard lost ──▶ neither armed nor firing
 *
 * Thousands may be due in the same second. Only some fire at once and the others wait for room, so that requests get
 * turns and commits in between. Organizations take turns.
 *
 * An alarm takes effect exactly once. Its row is deleted in the commit of the turn that answers it. That turn runs only
 * while the alarm is still set, and while no earlier group in the store's queue replaces or clears it. A scan's result
 * is a moment old, so it brings in nothing that was armed, fired, replaced or cleared since the scan began.
 */
import { assert } from "../../assert.ts";
import type { Clock } from "../ports.ts";
import { shardOf } from "../placement/placement.ts";
import type { Shards } from "../placement/shards.ts";
import type { ActorStore, AlarmKey, AlarmRow } from "../store.ts";

/** Alarms due within this time have a timer in memory. */
export const ALARM_HORIZON_MS = 60_000;
/** How often the table is scanned for alarms that have come near. */
export const ALARM_SCAN_MS = 30_000;
/** Alarms in one scan, soonest first. When half of a full page has fired, the next scan brings more. */
export const ALARM_PAGE = 5_000;
/** Alarms that fire at once, in the process and of one organization: a request waits behind no more than these. */
export const FIRING = { inProcess: 64, ofOrganization: 32 };
/** A refused firing (no lease, overloaded) is retried after this time. */
const ALARM_RETRY_MS = 1_000;

const keyOf = (k: AlarmKey): string => `${k.organizationId}/${k.actorId}/${k.name}`;

interface Armed {
  readonly alarm: AlarmRow;
  readonly cancel: () => void;
  /** Its time has come, and it waits for room. */
  readonly isDue: () => boolean;
}

/** Gives an alarm's command to its actor while `isStillSet` holds; false means that it must be retried. */
export type Fire = (alarm: AlarmRow, isStillSet: () => boolean) => Promise<boolean>;

export class Alarms {
  private readonly armed = new Map<string, Armed>();
  private readonly firing = new Map<string, AlarmRow>();
  /** Due alarms that are still armed, by organization: the first organization of the map has the next turn. */
  private readonly due = new Map<string, string[]>();
  /** How many turns of alarms are in flight, by organization. */
  private readonly ringing = new Map<string, number>();
  private ringingInAll = 0;
  /** How many groups in flight to the store replace or clear the alarm; meanwhile it must not fire. */
  private readonly superseded = new Map<string, number>();
  /** For each running scan: the keys whose rows have changed since it began. */
  private readonly scans = new Set<Set<string>>();
  /** Shards whose last scan was full, so there may be more of their alarms within the horizon. */
  private readonly more = new Set<number>();
  private isRefilling = false;
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

  /** Whether due alarms wait for room. */
  get hasDue(): boolean {
    return this.due.size > 0;
  }

  /** Call after the commit that set it. */
  set(alarm: AlarmRow): void {
    this.clear(alarm);
    if (alarm.dueAtMs - this.clock.now() <= ALARM_HORIZON_MS) this.arm(alarm, alarm.dueAtMs);
  }

  /** Call after the commit that cleared or answered it. */
  clear(key: AlarmKey): void {
    this.forget(keyOf(key));
  }

  /**
   * An uncommitted turn has replaced or cleared the alarm. Until the caller runs the returned function, at the end of
   * the turn's group, the alarm does not fire. If the group fails, the next scan brings the alarm back.
   */
  supersede(alarm: AlarmKey): () => void {
    const key = keyOf(alarm);
    this.firing.delete(key);
    this.superseded.set(key, (this.superseded.get(key) ?? 0) + 1);
    return () => {
      const left = (this.superseded.get(key) ?? 0) - 1;
      assert(left >= 0, "an alarm is released as often as it was superseded");
      if (left === 0) this.superseded.delete(key);
      else this.superseded.set(key, left);
    };
  }

  /** The shards or their epochs are gone; their next owner reads the rows. */
  drop(shards: ReadonlySet<number>): void {
    const isDropped = (alarm: AlarmRow): boolean => shards.has(shardOf(alarm.organizationId));
    for (const [key, { alarm }] of this.armed) if (isDropped(alarm)) this.forget(key);
    for (const [key, alarm] of this.firing) if (isDropped(alarm)) this.forget(key);
    for (const shard of shards) this.more.delete(shard);
  }

  clearAll(): void {
    this.due.clear();
    this.more.clear();
    for (const key of [...this.armed.keys(), ...this.firing.keys()]) this.forget(key);
  }

  /** Arms the alarms that are due within the horizon. Throws when the database cannot be reached. */
  async scan(shards: readonly number[] = this.shards.all()): Promise<void> {
    const epochs = new Map(shards.map((shard) => [shard, this.shards.epochOf(shard)]));
    const changed = new Set<string>();
    this.scans.add(changed);
    try {
      const alarms = await this.store.alarms(shards, this.clock.now() + ALARM_HORIZON_MS, ALARM_PAGE);
      for (const shard of shards)
        if (alarms.length === ALARM_PAGE) this.more.add(shard);
        else this.more.delete(shard);
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
    let isDue = false;
    const cancel = this.clock.after(Math.max(0, atMs - this.clock.now()), () => {
      const { organizationId } = alarm;
      const waiting = this.due.get(organizationId);
      if (waiting === undefined) this.due.set(organizationId, [key]);
      else waiting.push(key);
      isDue = true;
      this.ringNext();
    });
    this.armed.set(key, { alarm, cancel, isDue: () => isDue });
  }

  /** Fires due alarms while there is room. */
  private ringNext(): void {
    for (let next = this.takeDue(); next !== null; next = this.takeDue()) {
      const { organizationId } = next.alarm;
      this.ringing.set(organizationId, (this.ringing.get(organizationId) ?? 0) + 1);
      this.ringingInAll++;
      void this.ring(next.key, next.alarm).finally(() => {
        const left = this.ringing.get(organizationId)! - 1;
        if (left === 0) this.ringing.delete(organizationId);
        else this.ringing.set(organizationId, left);
        this.ringingInAll--;
        assert(left >= 0 && this.ringingInAll >= left, "each alarm that has rung was counted once");
        this.ringNext();
      });
    }
  }

  /** The next due alarm that has room to fire; its organization goes to the end of the line. */
  private takeDue(): { readonly key: string; readonly alarm: AlarmRow } | null {
    if (this.ringingInAll >= FIRING.inProcess) return null;
    for (const [organizationId, keys] of this.due) {
      if ((this.ringing.get(organizationId) ?? 0) >= FIRING.ofOrganization) continue;
      this.due.delete(organizationId);
      for (let key = keys.shift(); key !== undefined; key = keys.shift()) {
        // It was replaced or cleared meanwhile: the alarm under this key may be another one that is not due yet.
        const armed = this.armed.get(key);
        if (armed?.isDue() !== true) continue;
        this.armed.delete(key);
        if (keys.length > 0) this.due.set(organizationId, keys);
        return { key, alarm: armed.alarm };
      }
    }
    return null;
  }

  private async ring(key: string, alarm: AlarmRow): Promise<void> {
    this.firing.set(key, alarm);
    const taken = await this.fire(alarm, () => this.firing.get(key) === alarm && !this.superseded.has(key));
    this.refill();
    if (this.firing.get(key) !== alarm) return;
    this.forget(key);
    if (!taken) this.arm(alarm, this.clock.now() + ALARM_RETRY_MS);
  }

  /**
   * Scans again early: thousands of alarms that are due together do not wait for the next regular scan. That one also
   * retries a failed scan.
   */
  private refill(): void {
    if (this.isRefilling || this.more.size === 0 || this.armed.size + this.firing.size > ALARM_PAGE / 2) return;
    this.isRefilling = true;
    void this.scan([...this.more])
      .catch(() => {})
      .finally(() => (this.isRefilling = false));
  }
}
