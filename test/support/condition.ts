/** Waiting for what must become true: the event loop is turned until it is, never a time that should do. */

/** No condition of a test takes longer than this on a working system, however slow or busy its machine is. */
export const GIVE_UP_MS = 90_000;
/** After so many turns in a row it is looked at each millisecond: the processors are for what is waited for. */
const EAGER_TURNS = 50;
/** A look that takes longer asks somebody, and is followed by a pause as long as itself. */
const EAGER_LOOK_MS = 1;
/** And after so many more each 20 ms: one that asks the service must not use up its budget of requests. */
const QUICK_TURNS = 250;
const SLOW_MS = 20;

/** Resolves when `holds` answers true; fails by name when it does not come true. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  let lookedAt = performance.now();
  for (let turns = 0; !(await holds()); turns++) {
    const now = performance.now();
    if (now > giveUpAt) throw new Error(`did not come true: ${what}`);
    const tookMs = now - lookedAt;
    if (turns < EAGER_TURNS && tookMs < EAGER_LOOK_MS) await new Promise<void>((resolve) => setImmediate(resolve));
    else await Bun.sleep(turns < QUICK_TURNS ? Math.min(Math.max(tookMs, 1), SLOW_MS) : SLOW_MS);
    lookedAt = performance.now();
  }
}
