/**
 * Alarms: commands that an actor sends itself at a later time. The row is the truth, and a record of its actor: the turn
 * of an alarm that has come due reads it, and does nothing if it was replaced or cleared. So what is in memory here are
 * only timers for rows that are due soon, and a timer that is wrong costs a turn. A scan finds the rows.
 *
 *   row ──due soon──▶ timer ──due, and there is a slot──▶ turn ──its commit──▶ no row
 *                       ▲                                   │ it cannot run now
 *                       └───────────────────────────────────┘
 *
 * Thousands may be due in the same second. Only some have their turns at once, and organizations take turns, so that
 * requests get turns and commits in between. A scan goes through the table page by page, as the timers of a page fire.
 * So rows whose turns always throw stay at the beginning of the table, but do not keep later rows from firing.
 *
 * - AL-1: an alarm takes effect exactly once. Its row goes in the commit of its turn, and its turn reads the row with
 *   all earlier changes of the actor (`Draft.takeAlarm`).
 * - AL-2: a row that is due gets a timer: by its commit, or by the next scan, which begins within `ALARM_SCAN_MS` of the
 *   end of the one before.
 * - AL-3: nothing of a shard that this replica has lost stays here. Each row has one timer at most.
 */
import { assert } from "../../assert.ts";
import { FairSlots } from "../../fair-slots.ts";
import { shardOf } from "../placement/placement.ts";
import type { Shards } from "../placement/shards.ts";
import type { Clock } from "../ports.ts";
import type { ActorStore, AlarmKey, AlarmRow } from "../store.ts";

/** Alarms due within this time have a timer in memory. */
export const ALARM_HORIZON_MS = 60_000;
/** How often the table is scanned for alarms that have come near. */
export const ALARM_SCAN_MS = 30_000;
/** Alarms in one page of a scan, soonest first. The next page is read when at most half of one waits. */
export const ALARM_PAGE = 5_000;
/** Alarms that fire at once, in the process and of one organization: a request waits behind no more than these. */
export const FIRING = { slots: 64, each: 32 };
/** A refused firing (no lease, overloaded) is tried again after this time, or by the next scan if a page waits. */
const ALARM_RETRY_MS = 1_000;

const keyOf = (k: AlarmKey): string => `${k.organizationId}/${k.actorId}/${k.name}`;

/** A row with its timer, until its turn is over. */
interface Armed {
  readonly alarm: AlarmRow;
  /** Whether a scan has found it. Those that commits set fill no page, however many they are. */
  readonly isFound: boolean;
  cancel: () => void;
}

/** A scan of these shards that has more pages. */
interface Scan {
  readonly shards: Set<number>;
  /** The last row of the page before; null: the first page comes. */
  after: AlarmRow | null;
}

/** Gives an alarm's command to its actor; false means that it must be retried. */
export type Fire = (alarm: AlarmRow) => Promise<boolean>;

export class Alarms {
  private readonly armed = new Map<string, Armed>();
  /** How many of them scans have found. */
  private found = 0;
  private readonly slots = new FairSlots(FIRING);
  /** Scans that have more pages; the one that has waited longest is first. */
  private readonly scans = new Set<Scan>();
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

  /** Whether due alarms wait for a slot. */
  get hasDue(): boolean {
    return this.slots.isAwaited;
  }

  /** Call after the commit that set it. */
  set(alarm: AlarmRow): void {
    this.clear(alarm);
    if (alarm.dueAtMs - this.clock.now() <= ALARM_HORIZON_MS) this.arm({ alarm, isFound: false }, alarm.dueAtMs);
  }

  /** Call after the commit that cleared or answered it. */
  clear(key: AlarmKey): void {
    this.forget(keyOf(key));
  }

  /** The shards or their epochs are gone; their next owner reads the rows. */
  drop(shards: ReadonlySet<number>): void {
    for (const [key, { alarm }] of this.armed) if (shards.has(shardOf(alarm.organizationId))) this.forget(key);
    for (const scan of this.scans) for (const shard of shards) scan.shards.delete(shard);
  }

  clearAll(): void {
    this.scans.clear();
    for (const key of this.armed.keys()) this.forget(key);
  }

  /**
   * Begins to arm the alarms that are due within the horizon; omitted: those of all shards whose last scan has ended.
   * Throws when the database cannot be reached.
   */
  async scan(shards: readonly number[] = this.scannedShards()): Promise<void> {
    await this.readPage({ shards: new Set(shards), after: null });
    this.refill();
  }

  private scannedShards(): readonly number[] {
    const scans = [...this.scans];
    return this.shards.all().filter((shard) => !scans.some((scan) => scan.shards.has(shard)));
  }

  private async readPage(scan: Scan): Promise<void> {
    const epochs = new Map([...scan.shards].map((shard) => [shard, this.shards.epochOf(shard)]));
    const horizonMs = this.clock.now() + ALARM_HORIZON_MS;
    const alarms = await this.store.alarms([...scan.shards], horizonMs, ALARM_PAGE, scan.after);
    // Also a shard that was lost before the scan: while this replica does not own it, its epoch does not change.
    const isOurs = (shard: number): boolean => {
      const epoch = this.shards.epochOf(shard);
      return epoch !== null && epoch === epochs.get(shard);
    };
    for (const shard of epochs.keys()) if (!isOurs(shard)) scan.shards.delete(shard);
    this.scans.delete(scan);
    scan.after = alarms.at(-1) ?? null;
    if (alarms.length === ALARM_PAGE && scan.shards.size > 0) this.scans.add(scan);
    for (const alarm of alarms) {
      const isHeld = scan.shards.has(shardOf(alarm.organizationId));
      if (isHeld && !this.armed.has(keyOf(alarm))) this.arm({ alarm, isFound: true }, alarm.dueAtMs);
    }
  }

  private forget(key: string): void {
    const one = this.armed.get(key);
    if (one === undefined) return;
    one.cancel();
    this.armed.delete(key);
    if (one.isFound) this.found--;
  }

  private arm({ alarm, isFound }: Pick<Armed, "alarm" | "isFound">, atMs: number): void {
    const key = keyOf(alarm);
    assert(!this.armed.has(key), "a row has one timer (AL-3)");
    const one: Armed = { alarm, isFound, cancel: () => {} };
    one.cancel = this.clock.after(Math.max(0, atMs - this.clock.now()), () => void this.ring(key, one));
    this.armed.set(key, one);
    if (isFound) this.found++;
  }

  /** Its time has come: gives it a turn when there is a slot, unless it was dropped meanwhile. */
  private async ring(key: string, one: Armed): Promise<void> {
    const isWanted = (): boolean => this.armed.get(key) === one;
    using pass = await this.slots.enter(one.alarm.organizationId, { isWanted });
    if (pass === null) return;
    // The clock was set back meanwhile. A turn before the alarm's time would find nothing due: the alarm would be lost.
    if (one.alarm.dueAtMs > this.clock.now()) return this.set(one.alarm);
    const isTaken = await this.fire(one.alarm);
    if (isWanted()) {
      this.forget(key);
      // Many that cannot run now must not hold the next page back.
      const isInTheWay = one.isFound && this.scans.size > 0 && this.found >= ALARM_PAGE / 2;
      if (!isTaken && !isInTheWay) this.arm(one, this.clock.now() + ALARM_RETRY_MS);
    }
    this.refill();
  }

  /**
   * Reads the next page of a scan: thousands of alarms that are due together do not wait for the next regular scan. That
   * one also retries a failed page.
   */
  private refill(): void {
    const [scan] = this.scans;
    if (this.isRefilling || scan === undefined || this.found > ALARM_PAGE / 2) return;
    this.isRefilling = true;
    void this.readPage(scan)
      .then(
        () => true,
        () => false,
      )
      .then((isRead) => {
        this.isRefilling = false;
        if (isRead) this.refill();
      });
  }
}
