/**
 * Whose request is next on the event loop while several organizations are active: deficit round robin (Shreedhar and
 * Varghese, 1995), with costs that are known only afterwards. In each turn of the loop an organization gets a
 * quantum of time. Requests within its quantum begin at once; the rest waits for later turns, one organization after
 * the other. Cost beyond the estimate becomes a debt, which later quanta pay. The loop never idles while requests
 * wait: if all waiting organizations are in debt, the debts are paid at once.
 *
 * An organization within its share of the last second goes first, has two quanta, and has no debts: a single
 * expensive measurement of it is more likely a garbage collection, or another activity of the machine. Turns of the
 * loop can be long, and this organization asks for so little that otherwise it would wait for several.
 *
 * An organization that uses more than all others together also waits until its use is paid for (`throttle.ts`).
 *
 *   enter ─ nobody else is active, or quantum left ──▶ begins at once
 *      └──▶ waits ─ its turn ──▶ begins
 *           └ too many wait, or for too long ──▶ false
 */
import type { Fault } from "../../../actors/fault.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { LoopTime } from "../../../actors/runtime/fairness/loop-time.ts";
import { PlannedRun } from "../../../actors/runtime/fairness/slices.ts";

/** What an organization may begin in one turn of the loop. A small request takes a tenth of it. */
export const QUANTUM_MS = 0.5;
/** What all organizations together may begin in one turn of the loop, so that the next turn comes soon. */
export const BEGUN_PER_TURN_MS = 2;
/** The quantum of an organization within its share. */
export const LIGHT_QUANTUM_MS = 2 * QUANTUM_MS;
/** Waiting requests of one organization: a client may use up its budget of a minute in one burst. */
export const MAX_WAITING = 10_000;
/**
 * When so many requests wait in total, callers without a valid token are refused at once: they would be refused
 * anyway.
 */
export const MAX_STRANGERS_WAITING = 1_000;
/** As for the mailbox of an actor: after this time the caller has given up, or will retry. */
export const MAX_WAIT_MS = 5_000;
/** Estimate for an organization without measurements. */
const FIRST_ESTIMATE_MS = 0.05;
/** Weight of a new cost in the moving estimate. */
const COST_WEIGHT = 0.1;
/**
 * For an organization within its share, a cost enters the estimate with at most so many times the estimate: an
 * outlier predicts nothing.
 */
const OUTLIER = 4;
/** Limit of a debt: one request must not delay all others of its organization for long. */
const MOST_DEBT_MS = 50;

const ADDRESS_LANE = "address ";
const ORGANIZATION = "org_";

/** Who is charged for the work of a caller without a valid token; else it is the organization, by its id. */
export const addressPayer = (address: string): string => `${ADDRESS_LANE}${address}`;
export const isAddress = (payer: string): boolean => payer.startsWith(ADDRESS_LANE);
/**
 * Whether the payer is not an organization: an address, or an actor for counting addresses or for accounts, which
 * also work for callers without a valid token.
 */
export const isStranger = (payer: string): boolean => !payer.startsWith(ORGANIZATION);

/** The refusal where too many requests of the payer wait for their turn, or this one has waited too long. */
export const CROWDED: Fault = { kind: "overloaded", retryAfterMs: 1_000 };

interface WaitingRequest {
  readonly since: number;
  readonly resolve: (isTurn: boolean) => void;
}

interface RequestLane {
  balanceMs: number;
  estimateMs: number;
  readonly waiting: WaitingRequest[];
}

interface TurnParts {
  readonly time: Pick<LoopTime, "isShared" | "isOverShare" | "waitMs" | "scale">;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Runs in the next turn of the loop. */
  readonly later: (run: () => void) => void;
}

export class FairTurns {
  private readonly time: TurnParts["time"];
  private readonly clock: TurnParts["clock"];
  private readonly planned: PlannedRun;
  /** In the order of turns: the first lane is next. */
  private readonly lanes = new Map<string, RequestLane>();
  /** Waiting requests of all organizations. */
  private waitingCount = 0;

  constructor({ time, clock, later }: TurnParts) {
    this.time = time;
    this.clock = clock;
    this.planned = new PlannedRun({ later, after: (ms, run) => clock.after(ms, run) }, () => this.turn());
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

  /** Null if the work may begin now; else resolves in its turn: whether it may begin. */
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

  /** Corrects the estimated cost of a piece of work to its real cost. */
  cost(organizationId: string, ms: number): void {
    const lane = this.lanes.get(organizationId);
    if (lane === undefined) return;
    lane.balanceMs = clamp(-MOST_DEBT_MS, lane.balanceMs + lane.estimateMs - ms, LIGHT_QUANTUM_MS);
    const most = this.time.isOverShare(organizationId) ? Number.POSITIVE_INFINITY : OUTLIER * lane.estimateMs;
    lane.estimateMs += (Math.min(ms, most) - lane.estimateMs) * COST_WEIGHT;
  }

  /** Plans a turn for the time when the first lane may begin something, or pay its debt. */
  private plan(): void {
    if (this.planned.isSoon) return;
    let least = Number.POSITIVE_INFINITY;
    for (const organizationId of this.lanes.keys()) {
      least = Math.min(least, this.time.waitMs(organizationId));
      if (least === 0) break;
    }
    this.planned.plan(least);
  }

  private turn(): void {
    for (const lane of this.lanes.values()) this.refuseLate(lane);
    // Copies, because a lane moves to the end after its turn, and must not get another one.
    const { light = [], heavy = [] } = Object.groupBy(this.lanes, ([organizationId]) => {
      if (this.time.waitMs(organizationId) > 0) return "throttled";
      return this.time.isOverShare(organizationId) ? "heavy" : "light";
    });
    let leftMs = BEGUN_PER_TURN_MS;
    for (const [organizationId, lane] of light) {
      lane.balanceMs = LIGHT_QUANTUM_MS;
      leftMs -= this.beginOf(organizationId, lane, { quantumMs: LIGHT_QUANTUM_MS, leftMs });
    }
    const debt = leastDebtMs(heavy);
    // However many light lanes come first.
    leftMs = Math.max(leftMs, QUANTUM_MS);
    for (const [organizationId, lane] of heavy) {
      lane.balanceMs = Math.min(QUANTUM_MS, lane.balanceMs + QUANTUM_MS + debt);
      leftMs -= this.beginOf(organizationId, lane, { quantumMs: QUANTUM_MS, leftMs });
    }
    if (this.lanes.size > 0) this.plan();
  }

  /** Begins what the lane may; returns the loop time of that by its estimates. */
  private beginOf(organizationId: string, lane: RequestLane, { quantumMs, leftMs }: TurnAllowance): number {
    let begunMs = 0;
    while (lane.waiting.length > 0 && lane.balanceMs > 0 && begunMs < leftMs) {
      begunMs += lane.estimateMs * this.time.scale;
      this.begin(lane);
    }
    // Moves to the end: all others get their turn first.
    if (begunMs > 0 || lane.waiting.length === 0) this.lanes.delete(organizationId);
    if (lane.waiting.length > 0 || lane.balanceMs < quantumMs) this.lanes.set(organizationId, lane);
    return begunMs;
  }

  private begin(lane: RequestLane): void {
    lane.balanceMs -= lane.estimateMs;
    this.leave(lane, true);
  }

  /** Refuses requests that have waited too long, even if the lane may not begin anything. */
  private refuseLate(lane: RequestLane): void {
    const since = this.clock.monotonic() - MAX_WAIT_MS;
    while (lane.waiting.length > 0 && lane.waiting[0]!.since < since) this.leave(lane, false);
  }

  private leave(lane: RequestLane, isTurn: boolean): void {
    this.waitingCount--;
    lane.waiting.shift()!.resolve(isTurn);
  }
}

/** What a lane may begin in this turn. */
interface TurnAllowance {
  readonly quantumMs: number;
  /** Left of what all lanes together may begin. */
  readonly leftMs: number;
}

/** What every waiting lane must get beyond a quantum so that one of them has a full quantum. */
function leastDebtMs(lanes: readonly (readonly [string, RequestLane])[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const [, { waiting, balanceMs }] of lanes) if (waiting.length > 0) least = Math.min(least, -balanceMs);
  return Number.isFinite(least) ? Math.max(0, least) : 0;
}

const clamp = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value));

const REFUSED = Promise.resolve(false);
