/** The numbers of the rate limits: windows, budgets. Everything that tells of them reads them here. */

/** Windows are fixed: `floor(time / 60 s)` (RATE-1). */
export const RATE_WINDOW_MS = 60_000;
