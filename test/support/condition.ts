/** Waiting for what must become true: the event loop is turned until it is, never a time that should do. */

/** No condition of a test takes longer than this on a working system: more than the longest wait for a database. */
const GIVE_UP_MS = 25_000;
/** After so many turns in a row it is looked at each millisecond: the processors are for what is waited for. */
const EAGER_TURNS = 50;

/** Resolves when `holds` answers true; fails by name when it does not come true. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  for (let turns = 0; !(await holds()); turns++) {
    if (performance.now() > giveUpAt) throw new Error(`did not come true: ${what}`);
    await (turns < EAGER_TURNS ? new Promise<void>((resolve) => setImmediate(resolve)) : Bun.sleep(1));
  }
}
