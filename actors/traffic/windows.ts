/**
 * Rate windows (RATE-1): exact, and hardly a commit. A record says how many requests of a window are
 * reserved; how many of them are spent is only in mind.
 *
 *   spent < reserved ──▶ admitted at once: nothing is written
 *   spent = reserved ──▶ the next few are reserved, and the request is admitted when that is stored
 *   spent = budget ────▶ not admitted
 *
 * An actor that has forgotten takes all that is reserved for spent: so a crash admits a few too few,
 * and never too many. One that is dropped in good order gives back what is not spent.
 */
import { ok } from "../fault.ts";
import { type Handlers, memory, type Tx } from "../runtime/actor.ts";
import type { Mind } from "../runtime/mind.ts";
import { RATE_WINDOW_MS } from "./policy.ts";
import type { TrafficCommand, TrafficProtocol } from "./protocol.ts";
import { type RateWindow, rateWindowTable } from "./schema.ts";

/** How much of a window's reservation is spent. */
interface Spending {
  readonly window: number;
  readonly reserved: number;
  readonly spent: number;
}
const spendings = memory<Spending>("spending");

const windowAt = (now: number): number => Math.floor(now / RATE_WINDOW_MS);

type WindowCommand = "admit_request" | "give_back";

export const windowHandlers: Pick<Handlers<TrafficProtocol>, WindowCommand> = {
  admit_request(tx, { identity, limit: { budget, reservation } }) {
    const record = tx.read(rateWindowTable, identity);
    const now = spendingAt(tx, record, identity);
    const resetAtMs = (now.window + 1) * RATE_WINDOW_MS;
    if (now.spent >= budget) return ok({ isAdmitted: false, budget, remaining: 0, resetAtMs });
    const spent = now.spent + 1;
    const reserved = now.spent < now.reserved ? now.reserved : Math.min(budget, now.spent + reservation);
    if (reserved > now.reserved) reserve(tx, record, { id: identity, window: now.window, reserved });
    tx.remember(spendings, identity, { window: now.window, reserved, spent });
    return ok({ isAdmitted: true, budget, remaining: budget - spent, resetAtMs });
  },

  give_back(tx, { identities }) {
    for (const identity of identities) {
      const spending = tx.recall(spendings, identity);
      const record = tx.read(rateWindowTable, identity);
      if (spending === null || record?.window !== spending.window || spending.spent === record.reserved) continue;
      const { window, spent } = spending;
      reserve(tx, record, { id: identity, window, reserved: spent });
      tx.remember(spendings, identity, { window, reserved: spent, spent });
    }
    return ok(null);
  },
};

/** What an actor that is to be dropped gives back: the reservations of the present window that are not spent. */
export function unspent(mind: Mind, now: number): TrafficCommand | null {
  const identities: string[] = [];
  for (const [identity, { window, reserved, spent }] of mind.all(spendings)) {
    if (window >= windowAt(now) && spent < reserved) identities.push(identity);
  }
  return identities.length === 0 ? null : { kind: "give_back", identities };
}

/** The spending of the window in which this turn is. */
function spendingAt(tx: Tx, record: RateWindow | null, identity: string): Spending {
  const current = windowAt(tx.now);
  // The clocks of two replicas differ a little: a window that another one has begun is not left again.
  const window = record?.window === current + 1 ? record.window : current;
  if (record?.window !== window) return { window, reserved: 0, spent: 0 };
  const { reserved } = record;
  const known = tx.recall(spendings, identity);
  return known?.window === window && known.reserved === reserved ? known : { window, reserved, spent: reserved };
}

function reserve(
  tx: Tx,
  record: RateWindow | null,
  next: { readonly id: string; readonly window: number; readonly reserved: number },
): void {
  if (record === null) tx.create(rateWindowTable, next);
  else tx.update(rateWindowTable, { ...record, ...next });
}
