/**
 * Bandwidth control of the event loop, like Linux's for groups of processes (`cpu.max`). While several organizations
 * are at work, one that uses more than all others together begins new work only while its use is below a part of the
 * loop. A loop with no time left makes everybody wait, whatever the order of its work; so the organization that fills
 * it waits instead. There are two bounds. On average: the generic cell rate algorithm (ITU-T I.371) keeps for each
 * organization the time at which its use so far is paid for. In each turn of the loop: because nobody else is served
 * before its end.
 *
 * Callers without a valid token share one account, whatever their addresses. It has a small, fixed part of the loop:
 * all they get are refusals.
 *
 * An organization's use is its measured time, times the ratio of the thread's CPU time to all measured time (`scale`):
 * sockets, the driver and garbage collection are in nobody's account, and are most of the work.
 */
import { BoundedMap } from "../../bounded-map.ts";

/** The default part of the loop's time for one organization beside others. */
export const DEFAULT_PART = 0.4;
/** The part of the loop's time for all callers without a valid token: about a thousand refusals a second. */
export const STRANGERS_PART = 0.1;
/** How much an idle organization may use at once, in ms: about twenty small requests. */
export const BURST_MS = 20;
/** How much the organization with the highest use may use in one turn of the loop, in ms: about two small requests. */
export const TURN_MS = 1;
/** The longest wait of an organization because of its use. */
export const MOST_WAIT_MS = 100;
/**
 * After the longest wait an organization may begin work for this long, even if its earlier work (streams, text of runs)
 * still uses more than its part.
 */
const PASS_MS = 20;
/** Use decays within about this time; a flood is noticed within a part of it. */
export const RECENT_MS = 100;
/** If less than this part of the loop's time is in use, no organization uses too much. */
export const QUIET_PART = 0.25;
/** How often the CPU time of the loop's thread is read. */
const LOOK_MS = 100;
/** The weight of a new reading in `scale`. */
const WEIGHT = 0.3;
/** The scale until CPU time was read twice. */
const FIRST_SCALE = 2;
/** A reading counts only if at least this part of its time was measured: an idle loop's CPU time serves nobody. */
const MEASURED_PART = 0.05;
const MOST_SCALE = 10;
/** Accounts that are kept. The least recently charged one is evicted, which owes nothing by then. */
const ACCOUNTS = 1_000;

export interface ThrottleParts {
  /** CPU time that the loop's thread has used since its start, in ms. */
  readonly cpuMs: () => number;
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
  /** The part of the loop's time for one organization; 1 or more: no bound on average. */
  readonly part: number;
  /** Whether the payer is a caller without a valid token, who is charged by address. */
  readonly isStranger: (payer: string) => boolean;
}

/** The account that all callers without a valid token share. */
const STRANGERS = "strangers";

/** A sum whose items count less the older they are. */
class Recent {
  private sum = 0;
  private at = 0;

  add(ms: number, at: number): void {
    this.sum = this.valueAt(at) + ms;
    this.at = at;
  }

  valueAt(at: number): number {
    return this.sum * Math.exp((this.at - at) / RECENT_MS);
  }
}

class UseAccount {
  /** Measured, without `scale`. */
  readonly recent = new Recent();
  /** When all of its use is paid for. */
  paidAt = 0;
  /** Since when it must wait. */
  heldSince: number | null = null;
  /** The last turn of the loop in which it was charged, and its use in that turn. */
  turn = -1;
  turnMs = 0;
}

export class Throttle {
  private readonly parts: ThrottleParts;
  private readonly accounts = new BoundedMap<UseAccount>(ACCOUNTS);
  private readonly all = new Recent();
  /** The current turn of the loop, and whether its end is already awaited. */
  private turn = 0;
  private isTurnCounted = false;
  private currentScale = FIRST_SCALE;
  /** The time and value of the last CPU reading, and the time measured since. */
  private lookedAt: number | null = null;
  private cpuMs = 0;
  private measuredMs = 0;

  constructor(parts: ThrottleParts) {
    this.parts = parts;
  }

  isStranger(payer: string): boolean {
    return this.parts.isStranger(payer);
  }

  /** How much time the loop's thread uses for each measured millisecond, at least 1. */
  get scale(): number {
    return this.currentScale;
  }

  /** Charges the payer (an organization, or an address) for measured work of the loop; `at` is now, in monotonic ms. */
  charge(payer: string, ms: number, at: number): void {
    const isStranger = this.parts.isStranger(payer);
    const key = isStranger ? STRANGERS : payer;
    const part = isStranger ? STRANGERS_PART : this.parts.part;
    this.look(ms, at);
    this.countTurn();
    let account = this.accounts.get(key);
    if (account === undefined) this.accounts.set(key, (account = new UseAccount()));
    this.all.add(ms, at);
    account.recent.add(ms, at);
    const usedMs = ms * this.currentScale;
    account.turnMs = usedMs + (account.turn === this.turn ? account.turnMs : 0);
    account.turn = this.turn;
    if (part >= 1) return;
    const from = Math.max(account.paidAt, at - BURST_MS / part);
    account.paidAt = Math.min(at + MOST_WAIT_MS, from + usedMs / part);
  }

  /** Whether the payer uses more of a busy loop than all others together. */
  leads(payer: string, at: number): boolean {
    const account = this.accounts.get(payer);
    if (account === undefined) return false;
    const all = this.all.valueAt(at);
    if (all * this.currentScale < QUIET_PART * RECENT_MS) return false;
    return 2 * account.recent.valueAt(at) > all;
  }

  /** How long the payer must wait before it begins more, in ms; below 1: until the next turn; 0: it may begin now. */
  waitMs(payer: string, at: number): number {
    const isStranger = this.parts.isStranger(payer);
    const account = this.accounts.get(isStranger ? STRANGERS : payer);
    if (account === undefined) return 0;
    const heldMs = heldMsOf(account, at);
    const isSpent = account.turn === this.turn && account.turnMs >= TURN_MS;
    if (heldMs === 0 && !isSpent) return 0;
    if (!isStranger && !this.leads(payer, at)) return 0;
    return Math.max(heldMs, isSpent ? UNTIL_NEXT_TURN : 0);
  }

  private countTurn(): void {
    if (this.isTurnCounted) return;
    this.isTurnCounted = true;
    this.parts.later(() => {
      this.isTurnCounted = false;
      this.turn++;
    });
  }

  /** Reads the CPU time periodically, and compares it with the measured time. */
  private look(ms: number, at: number): void {
    this.measuredMs += ms;
    if (this.lookedAt !== null && at - this.lookedAt < LOOK_MS) return;
    const cpuMs = this.parts.cpuMs();
    if (this.lookedAt !== null && this.measuredMs >= MEASURED_PART * (at - this.lookedAt)) {
      const scale = Math.min(MOST_SCALE, Math.max(1, (cpuMs - this.cpuMs) / this.measuredMs));
      this.currentScale += (scale - this.currentScale) * WEIGHT;
    }
    this.lookedAt = at;
    this.cpuMs = cpuMs;
    this.measuredMs = 0;
  }
}

/** How long the account must still wait because of its use; from time to time it passes regardless. */
function heldMsOf(account: UseAccount, at: number): number {
  if (account.paidAt <= at) {
    account.heldSince = null;
    return 0;
  }
  account.heldSince ??= at;
  const passesAt = account.heldSince + MOST_WAIT_MS;
  if (at < passesAt) return Math.min(account.paidAt, passesAt) - at;
  if (at >= passesAt + PASS_MS) account.heldSince = at;
  return at < passesAt + PASS_MS ? 0 : Math.min(account.paidAt - at, MOST_WAIT_MS);
}

/** Shorter than any timer. */
const UNTIL_NEXT_TURN = 0.1;
