/**
 * Alarms: commands that an actor sends itself at a later time. The row is the truth; memory holds a
 * timer only for what is due soon, and a scan brings in the rest.
 *
 *   row ──due soon──▶ armed ──due, and there is room──▶ firing ──its turn's commit──▶ no row
 *                       ▲                                 │ nobody can take it now
 *                       └─────────────────────────────────┘
 *   replaced, cleared, or its shard lost ──▶ neither armed nor firing
 *
 * Thousands may be due in the same second. Only some fire at once, the others wait for room, so that requests
 * get their turns and commits between them; organizations take turns.
 *
 * An alarm takes effect exactly once: its row goes in the commit of the turn that answers it, and
 * that turn runs only while the alarm still stands, and no group before it in the store's queue has
 * ended it. A scan's answer is a moment old: it brings in
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
/** Alarms taken in by one scan, soonest first; when half of a full page has fired, the next scan brings more. */
export const ALARM_PAGE = 5_000;
/** Alarms that fire at once, in the process and of one organization: what a request has to wait behind. */
export const FIRING = { inProcess: 64, ofOrganization: 32 };
/** A refused firing (no lease, overloaded) is tried again after this. */
const ALARM_RETRY_MS = 1_000;

const keyOf = (k: AlarmKey): string => `${k.organizationId}/${k.actorId}/${k.name}`;

interface Armed {
  readonly alarm: AlarmRow;
  readonly cancel: () => void;
  /** Its time has come, and it waits for room. */
  readonly isDue: () => boolean;
}

/** Gives an alarm's command to its actor while `isStillSet` holds; false means that it is to be tried again. */
export type Fire = (alarm: AlarmRow, isStillSet: () => boolean) => Promise<boolean>;

export class Alarms {
  private readonly armed = new Map<string, Armed>();
  private readonly firing = new Map<string, AlarmRow>();
  /** Alarms that are due and still armed, by organization: the first organization of the map has the next turn. */
  private readonly due = new Map<string, string[]>();
  /** How many turns of alarms are under way, by organization. */
  private readonly ringing = new Map<string, number>();
  private ringingInAll = 0;
  /** How many groups on their way to the store replace or clear the alarm: meanwhile it must not have its turn. */
  private readonly superseded = new Map<string, number>();
  /** For each scan under way: the keys whose rows have changed since it began. */
  private readonly scans = new Set<Set<string>>();
  /** The last scan was full: there may be more within the horizon. */
  private hasMore = false;
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

  /** Whether some are due that have not fired yet, for want of room. */
  get hasDue(): boolean {
    return this.due.size > 0;
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

  /**
   * A turn has replaced or cleared it and is not committed yet: until its group has ended, which the
   * answer is told, a firing does not get its turn. If the group fails, the next scan brings it back.
   */
  supersede(alarm: AlarmKey): () => void {
    const key = keyOf(alarm);
    this.firing.delete(key);
    this.superseded.set(key, (this.superseded.get(key) ?? 0) + 1);
    return () => {
      const left = this.superseded.get(key)! - 1;
      if (left === 0) this.superseded.delete(key);
      else this.superseded.set(key, left);
    };
  }

  /** The shards are gone, or their epoch is: their next owner reads the rows. */
  drop(shards: ReadonlySet<number>): void {
    const isDropped = (alarm: AlarmRow): boolean => shards.has(shardOf(alarm.organizationId));
    for (const [key, { alarm }] of this.armed) if (isDropped(alarm)) this.forget(key);
    for (const [key, alarm] of this.firing) if (isDropped(alarm)) this.forget(key);
  }

  clearAll(): void {
    this.due.clear();
    for (const key of [...this.armed.keys(), ...this.firing.keys()]) this.forget(key);
  }

  /** Arms what is due within the horizon. Throws when the database cannot be reached. */
  async scan(shards: readonly number[] = this.shards.all()): Promise<void> {
    const epochs = new Map(shards.map((shard) => [shard, this.shards.epochOf(shard)]));
    const changed = new Set<string>();
    this.scans.add(changed);
    try {
      const alarms = await this.store.alarms(shards, this.clock.now() + ALARM_HORIZON_MS, ALARM_PAGE);
      this.hasMore = alarms.length === ALARM_PAGE;
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

  /** Fires what is due, as far as there is room. */
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
        this.ringNext();
      });
    }
  }

  /** The next alarm that is due and has room to fire; its organization goes to the end of the line. */
  private takeDue(): { readonly key: string; readonly alarm: AlarmRow } | null {
    if (this.ringingInAll >= FIRING.inProcess) return null;
    for (const [organizationId, keys] of this.due) {
      if ((this.ringing.get(organizationId) ?? 0) >= FIRING.ofOrganization) continue;
      this.due.delete(organizationId);
      for (let key = keys.shift(); key !== undefined; key = keys.shift()) {
        // Replaced or cleared meanwhile: another one may stand under the same key, which is not due yet.
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

  /** Thousands of alarms that are due together do not wait for the next regular scan, which also retries a failed one. */
  private refill(): void {
    if (!this.hasMore || this.armed.size + this.firing.size > ALARM_PAGE / 2) return;
    this.hasMore = false;
    void this.scan().catch(() => {});
  }
}
