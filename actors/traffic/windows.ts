/** Rate windows (RATE-1): how many requests of an identity a fixed window has admitted. */
import { ok } from "../fault.ts";
import type { Handlers } from "../runtime/actor.ts";
import { RATE_WINDOW_MS } from "./policy.ts";
import type { TrafficProtocol } from "./protocol.ts";
import { rateWindowTable } from "./schema.ts";

type WindowCommand = "admit_request";

export const windowHandlers: Pick<Handlers<TrafficProtocol>, WindowCommand> = {
  admit_request(tx, { identity, budget }) {
    const record = tx.read(rateWindowTable, identity);
    const current = Math.floor(tx.now / RATE_WINDOW_MS);
    // Clocks differ a little: a window that another replica has begun is not left again.
    const window = record?.window === current + 1 ? record.window : current;
    const resetAtMs = (window + 1) * RATE_WINDOW_MS;
    const spent = record?.window === window ? record.reserved : 0;
    if (spent >= budget) return ok({ isAdmitted: false, budget, remaining: 0, resetAtMs });
    const reserved = spent + 1;
    if (record === null) tx.create(rateWindowTable, { id: identity, window, reserved });
    else tx.update(rateWindowTable, { ...record, window, reserved });
    return ok({ isAdmitted: true, budget, remaining: budget - reserved, resetAtMs });
  },
};
