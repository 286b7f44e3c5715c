/**
 * Whose request is next on the event loop while several organizations are at work: deficit round robin (Shreedhar
 * and Varghese, 1995), with costs that are known only afterwards. In each turn of the loop an organization gets a
 * quantum of time. What it begins within that goes on at once; the rest waits for the next turns, one organization
 * after the other. What a piece of work has cost beyond its estimate is a debt, which the next quanta pay. An
 * organization that asks for little never waits, and a loop with work never rests: where all that wait are in
 * debt, the debts are paid at once.
 *
 *   enter ─ nobody else is at work, or quantum left ──▶ on, at once
 *      └──▶ waits ─ its turn ──▶ on          └ too many wait, or for too long ──▶ false
 */
import type { LoopTime } from "../../../actors/runtime/loop-time.ts";

/** What an organization may begin in one turn of the loop. A small request takes a tenth of it. */
export const QUANTUM_MS = 0.5;
/** What all together may begin in one turn of the loop, so that nobody waits longer for the next one. */
export const TURN_MS = 2;
/** Requests of one organization that wait: clients may use their budget of a minute in one burst. */
export const MAX_WAITING = 10_000;
/** As for the mailbox of an actor: its caller has given up, or will retry. */
export const MAX_WAIT_MS = 5_000;
/** Of an organization of which nothing is known. */
const FIRST_ESTIMATE_MS = 0.05;
/** What a new cost counts in the estimate of the next one. */
const WEIGHT = 0.1;
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

export class FairTurns {
  private readonly time: Pick<LoopTime, "isShared">;
  private readonly now: () => number;
  private readonly later: (run: () => void) => void;
  /** The lane that is first has the next turn. */
  private readonly lanes = new Map<string, Lane>();
  private isPlanned = false;
  /** Requests that wait, of all. */
  private waitingCount = 0;

  /** `now` is monotonic ms; `later` runs at the next turn of the loop. */
  constructor(
    time: Pick<LoopTime, "isShared">,
    now: () => number = () => performance.now(),
    later: (run: () => void) => void = setImmediate,
  ) {
    this.time = time;
    this.now = now;
    this.later = later;
  }

  get waiting(): number {
    return this.waitingCount;
  }

  /** Whether `enter` would have to wait. */
  isFull(organizationId: string): boolean {
    const lane = this.lanes.get(organizationId);
    return lane !== undefined && (lane.waiting.length > 0 || lane.balanceMs <= 0);
  }

  /** Null where the work may begin now; else whether it may, when its turn has come. */
  enter(organizationId: string): Promise<boolean> | null {
    let lane = this.lanes.get(organizationId);
    if (lane === undefined) {
      if (!this.time.isShared) return null;
      lane = { balanceMs: QUANTUM_MS, estimateMs: FIRST_ESTIMATE_MS, waiting: [] };
      this.lanes.set(organizationId, lane);
    }
    this.plan();
    if (!this.isFull(organizationId)) {
      lane.balanceMs -= lane.estimateMs;
      return null;
    }
    if (lane.waiting.length >= MAX_WAITING) return REFUSED;
    this.waitingCount++;
    return new Promise((resolve) => lane.waiting.push({ since: this.now(), resolve }));
  }

  /** What a piece of work of this organization has cost in the end, instead of what was estimated. */
  cost(organizationId: string, ms: number): void {
    const lane = this.lanes.get(organizationId);
    if (lane === undefined) return;
    lane.balanceMs = within(-MOST_DEBT_MS, lane.balanceMs + lane.estimateMs - ms, QUANTUM_MS);
    lane.estimateMs += (ms - lane.estimateMs) * WEIGHT;
  }

  private plan(): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    this.later(() => this.turn());
  }

  private turn(): void {
    this.isPlanned = false;
    const debt = this.leastDebtMs();
    let leftMs = TURN_MS;
    // A copy: a lane that has had its turn goes to the end, and is not to have another one.
    for (const [organizationId, lane] of Array.from(this.lanes)) {
      lane.balanceMs = Math.min(QUANTUM_MS, lane.balanceMs + QUANTUM_MS + debt);
      const before = leftMs;
      while (lane.waiting.length > 0 && lane.balanceMs > 0 && leftMs > 0) {
        leftMs -= lane.estimateMs;
        this.begin(lane);
      }
      // To the end: all others have their turn first.
      if (leftMs < before || lane.waiting.length === 0) this.lanes.delete(organizationId);
      if (lane.waiting.length > 0 || lane.balanceMs < QUANTUM_MS) this.lanes.set(organizationId, lane);
    }
    if (this.lanes.size > 0) this.plan();
  }

  private begin(lane: Lane): void {
    const { since, resolve } = lane.waiting.shift()!;
    this.waitingCount--;
    const isInTime = this.now() - since <= MAX_WAIT_MS;
    if (isInTime) lane.balanceMs -= lane.estimateMs;
    resolve(isInTime);
  }

  /** What has to be given to all that wait, beyond a quantum, so that one of them has a whole one. */
  private leastDebtMs(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { waiting, balanceMs } of this.lanes.values())
      if (waiting.length > 0) least = Math.min(least, -balanceMs);
    return Number.isFinite(least) ? Math.max(0, least) : 0;
  }
}

const within = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value));

const REFUSED = Promise.resolve(false);
