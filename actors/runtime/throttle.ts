/**
 * Bandwidth control of the event loop, as Linux has it for groups of processes (`cpu.max`): while several organizations
 * are at work, one that uses more than all others together begins new work only while it has used no more than a part of
 * the loop. A loop that has no time left makes everybody wait, in whatever order it works; so the one that fills it
 * waits instead. Two bounds: on average, by the generic cell rate algorithm (ITU-T I.371), which keeps for each
 * organization the time at which its use so far is paid for; and in each turn of the loop, because nobody else is served
 * before its end.
 *
 * Callers without a valid token share one account, whatever their addresses, with a small part of the loop however much
 * others use: all they get are refusals.
 *
 * What an organization uses is what was measured for it, times what the loop's thread has used for each millisecond that
 * was measured for anybody (`scale`): sockets, the driver and collections of garbage are in nobody's account, and are most
 * of it.
 */
import { BoundedMap } from "../bounded-map.ts";

/** Of the loop's time, for one organization beside others, unless an operator says otherwise. */
export const DEFAULT_PART = 0.4;
/** Of the loop's time, for all callers without a valid token: some thousand refusals a second. */
export const STRANGERS_PART = 0.1;
/** What an organization that has used nothing may use at once, in ms: some twenty small requests. */
export const BURST_MS = 20;
/** What an organization that uses most may use in one turn of the loop, in ms: about two small requests. */
export const TURN_MS = 1;
/** No organization waits longer than this for what it has used. */
export const MOST_WAIT_MS = 100;
/** After that it may begin work for so long, although what began before (streams, text of runs) still uses more than its part. */
const PASS_MS = 20;
/** Use counts for about so long: a flood is seen within a part of it. */
export const RECENT_MS = 100;
/** With less of the loop's time in use than this nobody uses too much of it. */
export const QUIET_PART = 0.25;
/** How often the CPU of the loop's thread is read. */
const LOOK_MS = 100;
/** What a new reading counts in `scale`. */
const WEIGHT = 0.3;
/** Until the CPU was read twice. */
const FIRST_SCALE = 2;
/** A reading counts if at least this part of its time was measured: a loop at rest uses CPU for nobody. */
const MEASURED_PART = 0.05;
const MOST_SCALE = 10;
/** Accounts that are kept. The one that is forgotten was charged longest ago, so it owes nothing. */
const ACCOUNTS = 1_000;

export interface ThrottleParts {
  /** CPU that the thread of the loop has used since its start, in ms. */
  readonly cpuMs: () => number;
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
  /** Of the loop's time, for one organization; 1 or more: no bound on average. */
  readonly part: number;
  /** Whether the payer is a caller without a valid token, who is charged by address. */
  readonly isStranger: (payer: string) => boolean;
}

/** The account that all of them share. */
const STRANGERS = "strangers";

/** A sum in which what was added counts less the longer ago that was. */
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

class Account {
  /** As measured. */
  readonly recent = new Recent();
  /** When all of its use is paid for. */
  paidAt = 0;
  /** Since when it has to wait. */
  heldSince: number | null = null;
  /** The turn of the loop in which it was charged last, and what it has used in that. */
  turn = -1;
  turnMs = 0;
}

export class Throttle {
  private readonly parts: ThrottleParts;
  private readonly accounts = new BoundedMap<Account>(ACCOUNTS);
  private readonly all = new Recent();
  /** The present turn of the loop; whether its end is awaited. */
  private turn = 0;
  private isTurnCounted = false;
  private currentScale = FIRST_SCALE;
  /** When the CPU was read last, what it was, and what was measured since. */
  private lookedAt: number | null = null;
  private cpuMs = 0;
  private measuredMs = 0;

  constructor(parts: ThrottleParts) {
    this.parts = parts;
  }

  isStranger(payer: string): boolean {
    return this.parts.isStranger(payer);
  }

  /** What the loop's thread uses for each millisecond that is measured, at least 1. */
  get scale(): number {
    return this.currentScale;
  }

  /** The loop has worked so long for the payer (an organization, or an address), as measured; `at` is now, in monotonic ms. */
  charge(payer: string, ms: number, at: number): void {
    const isStranger = this.parts.isStranger(payer);
    const key = isStranger ? STRANGERS : payer;
    const part = isStranger ? STRANGERS_PART : this.parts.part;
    this.look(ms, at);
    this.countTurn();
    let account = this.accounts.get(key);
    if (account === undefined) this.accounts.set(key, (account = new Account()));
    this.all.add(ms, at);
    account.recent.add(ms, at);
    const usedMs = ms * this.currentScale;
    account.turnMs = usedMs + (account.turn === this.turn ? account.turnMs : 0);
    account.turn = this.turn;
    if (part >= 1) return;
    const from = Math.max(account.paidAt, at - BURST_MS / part);
    account.paidAt = Math.min(at + MOST_WAIT_MS, from + usedMs / part);
  }

  /** Whether the payer uses more than all others together, of a loop that is busy. */
  leads(payer: string, at: number): boolean {
    const account = this.accounts.get(payer);
    if (account === undefined) return false;
    const all = this.all.valueAt(at);
    if (all * this.currentScale < QUIET_PART * RECENT_MS) return false;
    return 2 * account.recent.valueAt(at) > all;
  }

  /** How long the payer has to wait before it begins more, in ms; below 1: until the next turn; 0: it may now. */
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

  /** Reads the CPU now and then, and compares it with what was measured. */
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

/** How long the account still has to wait for what it has used; it passes now and then whatever that is. */
function heldMsOf(account: Account, at: number): number {
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

/** Less than a timer knows. */
const UNTIL_NEXT_TURN = 0.1;
