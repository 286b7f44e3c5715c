/**
 * Rate windows (RATE-1): exact, with few commits. A record has the number of reserved requests of a window; how many of
 * them are used is volatile state.
 *
 *   spent < stored ────▶ admitted at once, and nothing is written
 *   spent < reserved ──▶ admitted when the reservation in flight is stored
 *   spent = reserved ──▶ the next are reserved, and the request is admitted when that is stored
 *   spent = budget ────▶ not admitted
 *
 * The next reservation is made when three quarters of the last one are used, so few requests wait. One commit reserves
 * for all of the organization's identities that need it soon. An actor that has lost its volatile state counts
 * everything reserved as used: a crash admits a few requests too few, and never too many. An orderly eviction returns
 * the unused part.
 */
import { assert } from "../assert.ts";
import { ok } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { type VolatileState, volatileTable } from "../runtime/turns/volatile-state.ts";
import { NEIGHBOURS, RATE_WINDOW_MS, type RateLimit } from "./policy.ts";
import type { TrafficCommand, TrafficProtocol } from "./protocol.ts";
import { type RateWindow, rateWindowTable } from "./schema.ts";

/** The used part of a window's reservation. */
interface Spending {
  readonly window: number;
  readonly reserved: number;
  /** The part of it that is known to be stored. */
  readonly stored: number;
  readonly spent: number;
  readonly limit: RateLimit;
}
const spendings = volatileTable<Spending>("spending");

const windowAt = (now: number): number => Math.floor(now / RATE_WINDOW_MS);

export const windowHandlers = {
  admit_request(tx, { identity, limit, requests = 1 }) {
    const { budget } = limit;
    const spending = spendingOf(tx, identity, limit);
    const { window, reserved, stored } = spending;
    const resetAtMs = (window + 1) * RATE_WINDOW_MS;
    const spent = spending.spent + requests;
    if (spent > budget) {
      tx.read(rateWindowTable, identity);
      return ok({ isAdmitted: false, budget, remaining: Math.max(0, budget - spending.spent), resetAtMs });
    }
    const isNew = spent > reserved;
    if (isNew || (stored === reserved && isBelow({ ...spending, spent, limit }, OWN_SHARE))) {
      // The limit may have changed since the last request.
      reserve(tx, identity, { ...spending, spent, limit });
      reserveForNeighbours(tx, identity, window);
    } else {
      if (spent > stored) tx.read(rateWindowTable, identity);
      tx.remember(spendings, identity, { window, reserved, stored, spent, limit });
    }
    return ok({ isAdmitted: true, budget, remaining: budget - spent, resetAtMs });
  },

  give_back(tx, { identities }) {
    for (const identity of identities) {
      const spending = tx.recall(spendings, identity);
      const record = tx.read(rateWindowTable, identity);
      if (spending === null || record?.window !== spending.window || spending.spent === record.reserved) continue;
      const { spent } = spending;
      tx.update(rateWindowTable, { ...record, reserved: spent });
      tx.remember(spendings, identity, { ...spending, reserved: spent, stored: spent });
    }
    return ok(null);
  },
} satisfies Partial<Handlers<TrafficProtocol>>;

/** What an actor returns before its eviction: the unused reservations of the current window. */
export function unspent(state: VolatileState, now: number): TrafficCommand | null {
  const identities: string[] = [];
  for (const [identity, { window, reserved, spent }] of state.all(spendings)) {
    if (window >= windowAt(now) && spent < reserved) identities.push(identity);
  }
  return identities.length === 0 ? null : { kind: "give_back", identities };
}

/** The spending of this turn's window. */
function spendingOf(tx: Tx, identity: string, limit: RateLimit): Spending {
  const { record, isStored } = tx.peek(rateWindowTable, identity);
  const current = windowAt(tx.now);
  // The clocks of two replicas differ a little: a window that another replica has begun continues here.
  const window = record?.window === current + 1 ? record.window : current;
  if (record?.window !== window) return { window, reserved: 0, stored: 0, spent: 0, limit };
  const { reserved } = record;
  const known = tx.recall(spendings, identity);
  const isKnown = known?.window === window && known.reserved === reserved;
  if (!isKnown) return { window, reserved, stored: isStored ? reserved : 0, spent: reserved, limit };
  return isStored && known.stored < reserved ? { ...known, stored: reserved } : known;
}

/** With less than this of a reservation left, the next one is made. */
const OWN_SHARE = 1 / 4;
/** With less than this left, it is made along with another identity's, to save a later commit. */
const NEIGHBOURS_SHARE = 3 / 4;

const isBelow = ({ reserved, spent, limit }: Spending, share: number): boolean =>
  reserved < limit.budget && reserved - spent < limit.reservation * share;

/** Reserves the next requests of an identity, after the used ones. */
function reserve(tx: Tx, identity: string, { window, stored, spent, limit }: Spending): void {
  const reserved = Math.min(limit.budget, Math.max(spent, spent - 1 + limit.reservation));
  assert(spent <= reserved && reserved <= limit.budget, "what is used is reserved, and no more than the budget");
  const { record } = tx.peek(rateWindowTable, identity);
  const next = { id: identity, window, reserved };
  if (record === null) tx.create(rateWindowTable, next);
  else tx.update<RateWindow>(rateWindowTable, { ...record, ...next });
  tx.remember(spendings, identity, { window, reserved, stored, spent, limit });
}

/** Also reserves, in the same commit, for identities that need it soon. */
function reserveForNeighbours(tx: Tx, identity: string, window: number): void {
  let looks = 0;
  for (const other of tx.recallKeys(spendings)) {
    if (++looks > NEIGHBOURS) return;
    const known = other === identity ? null : tx.recall(spendings, other);
    if (known?.window !== window || !isBelow(known, NEIGHBOURS_SHARE)) continue;
    const spending = spendingOf(tx, other, known.limit);
    if (spending.window === window && spending.stored === spending.reserved) reserve(tx, other, spending);
  }
}
