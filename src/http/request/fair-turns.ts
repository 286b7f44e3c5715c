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
 *   enter ─ nobody else is at work, or quantum left ──▶ on, at once
 *      └──▶ waits ─ its turn ──▶ on          └ too many wait, or for too long ──▶ false
 */
import type { LoopTime } from "../../../actors/runtime/loop-time.ts";

/** What an organization may begin in one turn of the loop. A small request takes a tenth of it. */
export const QUANTUM_MS = 0.5;
/** What all together may begin in one turn of the loop, so that nobody waits longer for the next one. */
export const TURN_MS = 2;
/** What an organization may begin that has used no more than its share. */
export const LIGHT_QUANTUM_MS = 2 * QUANTUM_MS;
/** Requests of one organization that wait: clients may use their budget of a minute in one burst. */
export const MAX_WAITING = 10_000;
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

export class FairTurns {
  private readonly time: Pick<LoopTime, "isShared" | "isOverShare">;
  private readonly now: () => number;
  private readonly later: (run: () => void) => void;
  /** The lane that is first has the next turn. */
  private readonly lanes = new Map<string, Lane>();
  private isPlanned = false;
  /** Requests that wait, of all. */
  private waitingCount = 0;

  /** `now` is monotonic ms; `later` runs at the next turn of the loop. */
  constructor(
    time: Pick<LoopTime, "isShared" | "isOverShare">,
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
    this.waitingCount++;
    return new Promise((resolve) => lane.waiting.push({ since: this.now(), resolve }));
  }

  /** What a piece of work of this organization has cost in the end, instead of what was estimated. */
  cost(organizationId: string, ms: number): void {
    const lane = this.lanes.get(organizationId);
    if (lane === undefined) return;
    lane.balanceMs = within(-MOST_DEBT_MS, lane.balanceMs + lane.estimateMs - ms, LIGHT_QUANTUM_MS);
    const most = this.time.isOverShare(organizationId) ? Number.POSITIVE_INFINITY : OUTLIER * lane.estimateMs;
    lane.estimateMs += (Math.min(ms, most) - lane.estimateMs) * WEIGHT;
  }

  private plan(): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    this.later(() => this.turn());
  }

  private turn(): void {
    this.isPlanned = false;
    // Copies: a lane that has had its turn goes to the end, and is not to have another one.
    const { light = [], heavy = [] } = Object.groupBy(this.lanes, ([organizationId]) =>
      this.time.isOverShare(organizationId) ? "heavy" : "light",
    );
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

  /** Begins what the lane may; answers how much that is by its estimates. */
  private beginOf(organizationId: string, lane: Lane, { quantumMs, leftMs }: Allowed): number {
    let begunMs = 0;
    while (lane.waiting.length > 0 && lane.balanceMs > 0 && begunMs < leftMs) {
      begunMs += lane.estimateMs;
      this.begin(lane);
    }
    // To the end: all others have their turn first.
    if (begunMs > 0 || lane.waiting.length === 0) this.lanes.delete(organizationId);
    if (lane.waiting.length > 0 || lane.balanceMs < quantumMs) this.lanes.set(organizationId, lane);
    return begunMs;
  }

  private begin(lane: Lane): void {
    const { since, resolve } = lane.waiting.shift()!;
    this.waitingCount--;
    const isInTime = this.now() - since <= MAX_WAIT_MS;
    if (isInTime) lane.balanceMs -= lane.estimateMs;
    resolve(isInTime);
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
