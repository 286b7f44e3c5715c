/**
 * What the event loop has worked for each organization: the one thing that all of them share and that cannot be
 * divided. It is measured where the work is done, in sections that do not wait; a section within another one is part of
 * that. What no section covers (sockets, the driver's parsing, collections of garbage) is in
 * nobody's account.
 *
 * Two readings: totals since the start, for the operator; and what was used within the last second or so, by which
 * places, turns and batches are shared out.
 */
import { BoundedMap } from "../bounded-map.ts";

/**
 * - `requests`: stages of requests, from the token to the answer
 * - `turns`: turns of actors that none of the others has dispatched
 * - `commits`: building the statement of a commit
 * - `pages`: parsing and rendering of pages, and parsing of long bodies, in slices (`bulk-work.ts`)
 * - `runs`: what models and tools answer
 * - `streams`: what is written to the readers of events
 */
export const LOOP_WORK = ["requests", "pages", "turns", "commits", "runs", "streams"] as const;
export type LoopWork = (typeof LOOP_WORK)[number];

/** Accounts that are kept: about 2 MiB. The one that has not been charged for longest is forgotten. */
export const LOOP_ACCOUNTS = 10_000;
/** Recent use is that of the present window and of the part of the last one that is within this time. */
export const LOOP_WINDOW_MS = 1_000;
/**
 * With less of the loop's time in use than this, every request is served at once, so nobody waits for anybody.
 */
export const BUSY_SHARE = 0.2;

/** Called when a section begins and when it ends, so that a watchdog can name the one in which the loop hung. */
export interface SectionNote {
  begin(work: LoopWork, organizationId: string | null, subject: string | null): void;
  end(): void;
}

/** Instead of a time: the section is part of another one. */
const WITHIN = -1;

interface Account {
  window: number;
  currentMs: number;
  formerMs: number;
  readonly totalMs: Record<LoopWork, number>;
}

export interface LoopUse {
  readonly organizationId: string;
  /** Of the last second, in ms. */
  readonly recentMs: number;
  /** Since the start, in ms. */
  readonly totalMs: Readonly<Record<LoopWork, number>>;
}

export interface LoopReading {
  readonly total: Omit<LoopUse, "organizationId"> & { readonly upMs: number };
  readonly leading: readonly LoopUse[];
}

const newAccount = (): Account => ({
  window: 0,
  currentMs: 0,
  formerMs: 0,
  totalMs: { requests: 0, pages: 0, turns: 0, commits: 0, runs: 0, streams: 0 },
});

export class LoopTime {
  private readonly now: () => number;
  private readonly note: SectionNote | null;
  private readonly accounts = new BoundedMap<Account>(LOOP_ACCOUNTS);
  /** Of all organizations together. */
  private readonly all = newAccount();
  /** The pages of all. */
  private readonly pages = newAccount();
  private readonly startedAt: number;
  /** Whether a section is being measured. */
  private isOpen = false;
  /** Organizations that were charged in the present window, and in the last one. */
  private window = 0;
  private active = new Set<string>();
  private formerlyActive = new Set<string>();

  /** `now` is monotonic ms. */
  constructor(now: () => number, note: SectionNote | null = null) {
    this.now = now;
    this.note = note;
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
   * As `measure`, where the organization is known for certain only afterwards: what it answers is for `end`, which must
   * follow. `subject` says more about the work: the operation, the kind of actor.
   */
  begin(work: LoopWork, organizationId: string | null, subject: string | null = null): number {
    if (this.isOpen) return WITHIN;
    this.isOpen = true;
    this.note?.begin(work, organizationId, subject);
    return this.now();
  }

  /** Answers what the section has taken, in ms; 0 where it was part of another one. */
  end(from: number, organizationId: string | null, work: LoopWork): number {
    if (from === WITHIN) return 0;
    this.isOpen = false;
    this.note?.end();
    const at = this.now();
    const ms = at - from;
    if (organizationId !== null) this.charge(organizationId, work, ms, at);
    return ms;
  }

  /** Charges the organization for work that was done; `at` is now. */
  charge(organizationId: string, work: LoopWork, ms: number, at = this.now()): void {
    this.turnWindow(at);
    this.active.add(organizationId);
    let account = this.accounts.get(organizationId);
    if (account === undefined) this.accounts.set(organizationId, (account = newAccount()));
    this.add(account, work, ms);
    this.add(this.all, work, ms);
    if (work === "pages") this.add(this.pages, work, ms);
  }

  private add(account: Account, work: LoopWork, ms: number): void {
    roll(account, this.window);
    account.currentMs += ms;
    account.totalMs[work] += ms;
  }

  /** What the organization has used within the last second, in ms. */
  recentMs(organizationId: string): number {
    const account = this.accounts.get(organizationId);
    return account === undefined ? 0 : this.recentOf(account);
  }

  /** The part of the last second in which the loop worked for anybody on anything else than pages. */
  get smallPart(): number {
    return (this.recentOf(this.all) - this.recentOf(this.pages)) / LOOP_WINDOW_MS;
  }

  /** The part of the last second in which the loop worked for anybody. */
  get busyPart(): number {
    return this.recentOf(this.all) / LOOP_WINDOW_MS;
  }

  /** Whether more than one organization was at work within the last second or two. */
  get isShared(): boolean {
    this.turnWindow();
    if (this.active.size > 1 || this.formerlyActive.size > 1) return true;
    const [one] = this.active;
    const [other] = this.formerlyActive;
    return one !== undefined && other !== undefined && one !== other;
  }

  /** Whether the organization has used more than its part of a loop that is busy with several. */
  isOverShare(organizationId: string): boolean {
    if (!this.isShared) return false;
    const all = this.recentOf(this.all);
    if (all < BUSY_SHARE * LOOP_WINDOW_MS) return false;
    const sharers = Math.max(this.active.size, this.formerlyActive.size, 2);
    return this.recentMs(organizationId) > all / sharers;
  }

  /** All together, and those that have used most lately, the first one most. */
  reading(most: number): LoopReading {
    const { totalMs } = this.all;
    const total = { recentMs: this.recentOf(this.all), totalMs: { ...totalMs }, upMs: this.now() - this.startedAt };
    const leading = [...this.accounts.keys()]
      .map((organizationId) => this.useOf(organizationId))
      .sort((a, b) => b.recentMs - a.recentMs || sum(b.totalMs) - sum(a.totalMs))
      .slice(0, most);
    return { total, leading };
  }

  private useOf(organizationId: string): LoopUse {
    const account = this.accounts.get(organizationId) ?? newAccount();
    return { organizationId, recentMs: this.recentOf(account), totalMs: { ...account.totalMs } };
  }

  /** The use of the last second: all of this window, and of the last one what is not older. */
  private recentOf(account: Account): number {
    const at = this.now() / LOOP_WINDOW_MS;
    const window = Math.floor(at);
    roll(account, window);
    return account.currentMs + account.formerMs * (1 - (at - window));
  }

  private turnWindow(at = this.now()): void {
    const window = Math.floor(at / LOOP_WINDOW_MS);
    if (window !== this.window) {
      this.formerlyActive = window === this.window + 1 ? this.active : new Set();
      this.active = new Set();
      this.window = window;
    }
  }
}

function roll(account: Account, window: number): void {
  if (account.window === window) return;
  account.formerMs = account.window === window - 1 ? account.currentMs : 0;
  account.currentMs = 0;
  account.window = window;
}

const sum = (ms: Readonly<Record<LoopWork, number>>): number => LOOP_WORK.reduce((all, work) => all + ms[work], 0);
