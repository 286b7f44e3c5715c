/**
 * Whose request is next on the event loop while several organizations are at work: deficit round robin (Shreedhar
 * and Varghese, 1995), with costs that are known only afterwards. In each turn of the loop an organization gets a
 * quantum of time. What it begins within that goes on at once; the rest waits for the next turns, one organization
 * after the other. What a piece of work has cost beyond its estimate is a debt, which the next quanta pay. A loop with
 * work never rests: where all that wait are in debt, the debts are paid at once.
 *
 * An organization that has used no more than its share of the last second comes before those that have, has two
 * quanta, and owes nothing: what a single request of it was measured at is as likely a collection of garbage, or a
 * moment in which the machine did something else. Turns of the loop can be long, and such an organization asks for so
 * little that it would otherwise wait for several.
 *
 * One that uses more than all others together waits besides until what it has used is paid for (`throttle.ts`).
 *
 *   enter ─ nobody else is at work, or quantum left ──▶ on, at once
 *      └──▶ waits ─ its turn ──▶ on          └ too many wait, or for too long ──▶ false
 */
import type { Clock } from "../../../actors/runtime/clock.ts";
import type { LoopTime } from "../../../actors/runtime/loop-time.ts";
import { isAddress } from "./payer.ts";
import { NextTurn } from "../../../actors/runtime/next-turn.ts";

/** What an organization may begin in one turn of the loop. A small request takes a tenth of it. */
export const QUANTUM_MS = 0.5;
/** What all together may begin in one turn of the loop, so that nobody waits longer for the next one. */
export const TURN_MS = 2;
/** What an organization may begin that has used no more than its share. */
export const LIGHT_QUANTUM_MS = 2 * QUANTUM_MS;
/** Requests of one organization that wait: clients may use their budget of a minute in one burst. */
export const MAX_WAITING = 10_000;
/** With so many that wait, of all, callers without a good token are refused at once: they are refused anyway. */
export const MAX_STRANGERS_WAITING = 1_000;
/** As for the mailbox of an actor: its caller has given up, or will retry. */
export const MAX_WAIT_MS = 5_000;
/** Of an organization of which nothing is known. */
const FIRST_ESTIMATE_MS = 0.05;
/** What a new cost counts in the estimate of the next one. */
const WEIGHT = 0.1;
/** Of such an organization a cost counts in it as so many times the former ones at most: one that stands out says nothing of the next. */
const OUTLIER = 4;
/** No debt is larger: one request must not keep all others of its organization away for long. */
const MOST_DEBT_MS = 50;

interface Waiting {
  readonly since: number;
  readonly resolve: (isTurn: boolean) => void;
}

interface Lane {
  balanceMs: number;
  estimateMs: number;
  readonly waiting: Waiting[];
}

interface TurnParts {
  readonly time: Pick<LoopTime, "isShared" | "isOverShare" | "waitMs" | "scale">;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
}

export class FairTurns {
  private readonly time: TurnParts["time"];
  private readonly clock: TurnParts["clock"];
  private readonly nextTurn: NextTurn;
  /** The lane that is first has the next turn. */
  private readonly lanes = new Map<string, Lane>();
  /** Requests that wait, of all. */
  private waitingCount = 0;

  constructor({ time, clock, later }: TurnParts) {
    this.time = time;
    this.clock = clock;
    this.nextTurn = new NextTurn({ later, after: (ms, run) => clock.after(ms, run) }, () => this.turn());
  }

  get waiting(): number {
    return this.waitingCount;
  }

  /** Whether `enter` would have to wait. */
  isFull(organizationId: string): boolean {
    const lane = this.lanes.get(organizationId);
    if (lane !== undefined && (lane.waiting.length > 0 || lane.balanceMs <= 0)) return true;
    return this.time.waitMs(organizationId) > 0;
  }

  /** Null where the work may begin now; else whether it may, when its turn has come. */
  enter(organizationId: string): Promise<boolean> | null {
    let lane = this.lanes.get(organizationId);
    if (lane === undefined) {
      if (!this.time.isShared) return null;
      const balanceMs = this.time.isOverShare(organizationId) ? QUANTUM_MS : LIGHT_QUANTUM_MS;
      lane = { balanceMs, estimateMs: FIRST_ESTIMATE_MS, waiting: [] };
      this.lanes.set(organizationId, lane);
    }
    this.plan();
    if (!this.isFull(organizationId)) {
      lane.balanceMs -= lane.estimateMs;
      return null;
    }
    if (lane.waiting.length >= MAX_WAITING) return REFUSED;
    if (isAddress(organizationId) && this.waitingCount >= MAX_STRANGERS_WAITING) return REFUSED;
    this.waitingCount++;
    return new Promise((resolve) => lane.waiting.push({ since: this.clock.monotonic(), resolve }));
  }

  /** What a piece of work of this organization has cost in the end, instead of what was estimated. */
  cost(organizationId: string, ms: number): void {
    const lane = this.lanes.get(organizationId);
    if (lane === undefined) return;
    lane.balanceMs = within(-MOST_DEBT_MS, lane.balanceMs + lane.estimateMs - ms, LIGHT_QUANTUM_MS);
    const most = this.time.isOverShare(organizationId) ? Number.POSITIVE_INFINITY : OUTLIER * lane.estimateMs;
    lane.estimateMs += (Math.min(ms, most) - lane.estimateMs) * WEIGHT;
  }

  /** For when the first of the lanes may begin something, or pay what it owes. */
  private plan(): void {
    if (this.nextTurn.isSoon) return;
    let least = Number.POSITIVE_INFINITY;
    for (const organizationId of this.lanes.keys()) {
      least = Math.min(least, this.time.waitMs(organizationId));
      if (least === 0) break;
    }
    this.nextTurn.plan(least);
  }

  private turn(): void {
    for (const lane of this.lanes.values()) this.refuseLate(lane);
    // Copies: a lane that has had its turn goes to the end, and is not to have another one.
    const { light = [], heavy = [] } = Object.groupBy(this.lanes, ([organizationId]) => {
      if (this.time.waitMs(organizationId) > 0) return "throttled";
      return this.time.isOverShare(organizationId) ? "heavy" : "light";
    });
    let leftMs = TURN_MS;
    for (const [organizationId, lane] of light) {
      lane.balanceMs = LIGHT_QUANTUM_MS;
      leftMs -= this.beginOf(organizationId, lane, { quantumMs: LIGHT_QUANTUM_MS, leftMs });
    }
    const debt = leastDebtMs(heavy);
    // However many come before them.
    leftMs = Math.max(leftMs, QUANTUM_MS);
    for (const [organizationId, lane] of heavy) {
      lane.balanceMs = Math.min(QUANTUM_MS, lane.balanceMs + QUANTUM_MS + debt);
      leftMs -= this.beginOf(organizationId, lane, { quantumMs: QUANTUM_MS, leftMs });
    }
    if (this.lanes.size > 0) this.plan();
  }

  /** Begins what the lane may; answers how much of the loop's time that is by its estimates. */
  private beginOf(organizationId: string, lane: Lane, { quantumMs, leftMs }: Allowed): number {
    let begunMs = 0;
    while (lane.waiting.length > 0 && lane.balanceMs > 0 && begunMs < leftMs) {
      begunMs += lane.estimateMs * this.time.scale;
      this.begin(lane);
    }
    // To the end: all others have their turn first.
    if (begunMs > 0 || lane.waiting.length === 0) this.lanes.delete(organizationId);
    if (lane.waiting.length > 0 || lane.balanceMs < quantumMs) this.lanes.set(organizationId, lane);
    return begunMs;
  }

  private begin(lane: Lane): void {
    lane.balanceMs -= lane.estimateMs;
    this.leave(lane, true);
  }

  /** Those that have waited for too long, also where nothing of the lane may begin. */
  private refuseLate(lane: Lane): void {
    const since = this.clock.monotonic() - MAX_WAIT_MS;
    while (lane.waiting.length > 0 && lane.waiting[0]!.since < since) this.leave(lane, false);
  }

  private leave(lane: Lane, isTurn: boolean): void {
    this.waitingCount--;
    lane.waiting.shift()!.resolve(isTurn);
  }
}

/** What a lane may begin. */
interface Allowed {
  readonly quantumMs: number;
  /** Of what all together may. */
  readonly leftMs: number;
}

/** What has to be given to all that wait, beyond a quantum, so that one of them has a whole one. */
function leastDebtMs(lanes: readonly (readonly [string, Lane])[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const [, { waiting, balanceMs }] of lanes) if (waiting.length > 0) least = Math.min(least, -balanceMs);
  return Number.isFinite(least) ? Math.max(0, least) : 0;
}

const within = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value));

const REFUSED = Promise.resolve(false);
