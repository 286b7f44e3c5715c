/**
 * Accounts for the event loop's time by organization: the loop is the one resource that all organizations share and
 * that cannot be divided. Time is measured where the work is done, in sections that do not wait; a nested section
 * counts as part of the outer one. Time outside of sections (sockets, the driver's parsing, garbage collection) is in
 * nobody's account.
 *
 * There are two readings: totals since the start, for the operator; and the use within the last second or so, by which
 * job slots, turns and batches are shared. A `Throttle` also tracks which organization uses most at this moment and has
 * to wait.
 */
import { assert } from "../../assert.ts";
import { BoundedMap } from "../../bounded-map.ts";
import type { Throttle } from "./throttle.ts";

/**
 * - `requests`: stages of requests, from the token to the answer
 * - `uploads`: the same of requests with a long streamed body, which yield to all others (`body-pace.ts`)
 * - `turns`: turns of actors that none of the others has dispatched
 * - `commits`: building the statement of a commit
 * - `pages`: parsing and rendering of pages, and parsing of long bodies, in slices (`bulk-work.ts`)
 * - `runs`: handling the answers of models and tools
 * - `streams`: writing to the readers of events
 */
export const LOOP_WORK = ["requests", "uploads", "pages", "turns", "commits", "runs", "streams"] as const;
export type LoopWork = (typeof LOOP_WORK)[number];
/** Work that clients and models cause directly, without uploads. Turns and commits follow from it, and from uploads. */
const DIRECT: ReadonlySet<LoopWork> = new Set(["requests", "pages", "runs", "streams"]);

/** Accounts that are kept: about 2 MiB. The least recently charged one is evicted. */
export const LOOP_ACCOUNTS = 10_000;
/** Recent use is that of the current window, and of the part of the last one within this time. */
export const LOOP_WINDOW_MS = 1_000;
/**
 * The window in which an organization counts as alone or not. It is throttled for the sake of others that are active
 * now, not of one that sends a request every few seconds and mostly finds the loop free.
 */
export const BESIDE_WINDOW_MS = 200;
/** If less than this part of the loop's time is in use, every request is served at once and nobody waits. */
export const BUSY_SHARE = 0.2;

/** Called at the beginning and end of each section, so that a watchdog can name the one in which the loop hung. */
export interface SectionNote {
  begin(work: LoopWork, organizationId: string | null, subject: string | null): void;
  end(): void;
}

/** In place of a time: the section is part of another one. */
const WITHIN = -1;

interface LoopAccount {
  window: number;
  currentMs: number;
  formerMs: number;
  readonly totalMs: Record<LoopWork, number>;
}

export interface LoopUse {
  readonly organizationId: string;
  /** Whether it currently waits because of its use (`throttle.ts`). */
  readonly isThrottled: boolean;
  /** In the last second, in ms. */
  readonly recentMs: number;
  /** Since the start, in ms. */
  readonly totalMs: Readonly<Record<LoopWork, number>>;
}

export interface LoopReading {
  readonly total: Omit<LoopUse, "organizationId" | "isThrottled"> & { readonly upMs: number };
  readonly leading: readonly LoopUse[];
}

/** The payers that were charged in the current window of time or in the one before. */
class RecentPayers {
  private window = 0;
  private present = new Set<string>();
  private former = new Set<string>();

  add(payer: string, window: number): void {
    this.roll(window);
    this.present.add(payer);
  }

  /** The number of payers in the window that had more of them. */
  count(window: number): number {
    this.roll(window);
    return Math.max(this.present.size, this.former.size);
  }

  /** Whether there was more than one. */
  areSeveral(window: number): boolean {
    if (this.count(window) > 1) return true;
    const [one] = this.present;
    const [other] = this.former;
    return one !== undefined && other !== undefined && one !== other;
  }

  private roll(window: number): void {
    if (window === this.window) return;
    this.former = window === this.window + 1 ? this.present : new Set();
    this.present = new Set();
    this.window = window;
  }
}

const newAccount = (): LoopAccount => ({
  window: 0,
  currentMs: 0,
  formerMs: 0,
  totalMs: { requests: 0, uploads: 0, pages: 0, turns: 0, commits: 0, runs: 0, streams: 0 },
});

export class LoopTime {
  private readonly now: () => number;
  private readonly note: SectionNote | null;
  private readonly throttle: Throttle | null;
  private readonly accounts = new BoundedMap<LoopAccount>(LOOP_ACCOUNTS);
  /** The total of all organizations. */
  private readonly all = newAccount();
  /** The `pages` of all. */
  private readonly pages = newAccount();
  /** The `DIRECT` work of all. */
  private readonly direct = newAccount();
  private readonly startedAt: number;
  /** Whether a section is being measured. */
  private isOpen = false;
  /** The recently charged payers: all, and the organizations among them. */
  private readonly payers = new RecentPayers();
  private readonly organizations = new RecentPayers();

  /** `now` is monotonic ms. Without a throttle nobody waits. */
  constructor(now: () => number, note: SectionNote | null = null, throttle: Throttle | null = null) {
    this.now = now;
    this.note = note;
    this.throttle = throttle;
    this.startedAt = now();
  }

  /** Does the work and charges the organization for its time. The work must not wait. */
  measure<T>(organizationId: string, work: LoopWork, run: () => T): T {
    const from = this.begin(work, organizationId);
    try {
      return run();
    } finally {
      this.end(from, organizationId, work);
    }
  }

  /**
   * Like `measure`, for work whose organization is only known afterwards. Pass the returned value to `end`, which must
   * follow. `subject` describes the work: the operation, or the kind of actor.
   */
  begin(work: LoopWork, organizationId: string | null, subject: string | null = null): number {
    if (this.isOpen) return WITHIN;
    this.isOpen = true;
    this.note?.begin(work, organizationId, subject);
    return this.now();
  }

  /** The duration of the section in ms; 0 if it was part of another one. */
  end(from: number, organizationId: string | null, work: LoopWork): number {
    if (from === WITHIN) return 0;
    assert(this.isOpen, "a section that ends has begun");
    this.isOpen = false;
    this.note?.end();
    const at = this.now();
    const ms = at - from;
    if (organizationId !== null) this.charge(organizationId, work, ms, at);
    return ms;
  }

  /** Charges the organization for finished work; `at` is now. */
  charge(organizationId: string, work: LoopWork, ms: number, at = this.now()): void {
    const window = windowOf(at);
    this.payers.add(organizationId, window);
    if (this.throttle?.isStranger(organizationId) !== true) this.organizations.add(organizationId, besideWindowOf(at));
    let account = this.accounts.get(organizationId);
    if (account === undefined) this.accounts.set(organizationId, (account = newAccount()));
    this.add(account, work, { ms, window });
    this.add(this.all, work, { ms, window });
    // An organization that is alone is not throttled, so the throttle's bookkeeping is skipped.
    if (this.throttle !== null && this.payers.areSeveral(window)) this.throttle.charge(organizationId, ms, at);
    if (work === "pages") this.add(this.pages, work, { ms, window });
    if (DIRECT.has(work)) this.add(this.direct, work, { ms, window });
  }

  private add(
    account: LoopAccount,
    work: LoopWork,
    { ms, window }: { readonly ms: number; readonly window: number },
  ): void {
    roll(account, window);
    account.currentMs += ms;
    account.totalMs[work] += ms;
  }

  /** The organization's use within the last second, in ms. */
  recentMs(organizationId: string): number {
    const account = this.accounts.get(organizationId);
    return account === undefined ? 0 : this.recentOf(account);
  }

  /** The part of the last second in which the loop did work other than pages. */
  get smallPart(): number {
    return (this.recentOf(this.all) - this.recentOf(this.pages)) / LOOP_WINDOW_MS;
  }

  /** The part of the last second in which the loop did work that clients and models cause directly, without uploads. */
  get directPart(): number {
    return this.recentOf(this.direct) / LOOP_WINDOW_MS;
  }

  /**
   * Whether more than one payer (an organization, or an address without one) was at work within the last second or two.
   */
  get isShared(): boolean {
    return this.payers.areSeveral(windowOf(this.now()));
  }

  /**
   * Whether more than one organization is at work at this moment. Callers without a valid token do not count, and are
   * throttled themselves.
   */
  get hasSeveralOrganizations(): boolean {
    return this.organizations.areSeveral(besideWindowOf(this.now()));
  }

  /** How long the organization must wait before it begins more work, in ms (`Throttle.waitMs`); 0 if it is alone. */
  waitMs(organizationId: string): number {
    if (this.throttle === null) return 0;
    const isBesideOthers = this.throttle.isStranger(organizationId) ? this.isShared : this.hasSeveralOrganizations;
    return isBesideOthers ? this.throttle.waitMs(organizationId, this.now()) : 0;
  }

  /** How much time the loop's thread uses for each measured millisecond (`Throttle.scale`). */
  get scale(): number {
    return this.throttle?.scale ?? 1;
  }

  /**
   * Whether the organization has used more than its share of a loop that is busy with several, or uses most at this
   * moment.
   */
  isOverShare(organizationId: string): boolean {
    if (!this.isShared) return false;
    if (this.throttle?.leads(organizationId, this.now()) === true) return true;
    const all = this.recentOf(this.all);
    if (all < BUSY_SHARE * LOOP_WINDOW_MS) return false;
    const sharers = Math.max(this.payers.count(windowOf(this.now())), 2);
    return this.recentMs(organizationId) > all / sharers;
  }

  /** The totals, and the organizations with the highest recent use, highest first. */
  reading(most: number): LoopReading {
    const { totalMs } = this.all;
    const total = { recentMs: this.recentOf(this.all), totalMs: { ...totalMs }, upMs: this.now() - this.startedAt };
    const leading = [...this.accounts.keys()]
      .map((organizationId) => this.readUse(organizationId))
      .sort((a, b) => b.recentMs - a.recentMs || sum(b.totalMs) - sum(a.totalMs))
      .slice(0, most);
    return { total, leading };
  }

  /** What this organization uses now, and has used since the start. */
  readUse(organizationId: string): LoopUse {
    const account = this.accounts.get(organizationId) ?? newAccount();
    const isThrottled = this.waitMs(organizationId) >= 1;
    return { organizationId, isThrottled, recentMs: this.recentOf(account), totalMs: { ...account.totalMs } };
  }

  /** The use of the last second: all of this window, and the part of the last one that is not older. */
  private recentOf(account: LoopAccount): number {
    const at = this.now() / LOOP_WINDOW_MS;
    const window = Math.floor(at);
    roll(account, window);
    return account.currentMs + account.formerMs * (1 - (at - window));
  }
}

const windowOf = (at: number): number => Math.floor(at / LOOP_WINDOW_MS);
const besideWindowOf = (at: number): number => Math.floor(at / BESIDE_WINDOW_MS);

/** The loop's time for the commit lane: shared if several organizations are at work. */
export const commitTime = (time: LoopTime) => ({
  get isShared(): boolean {
    return time.hasSeveralOrganizations;
  },
  isOverShare: (organizationId: string) => time.isOverShare(organizationId),
  begin: (...section: Parameters<LoopTime["begin"]>) => time.begin(...section),
  end: (...section: Parameters<LoopTime["end"]>) => time.end(...section),
  charge: (...use: Parameters<LoopTime["charge"]>) => time.charge(...use),
});

function roll(account: LoopAccount, window: number): void {
  if (account.window === window) return;
  account.formerMs = account.window === window - 1 ? account.currentMs : 0;
  account.currentMs = 0;
  account.window = window;
}

const sum = (ms: Readonly<Record<LoopWork, number>>): number => LOOP_WORK.reduce((all, work) => all + ms[work], 0);
