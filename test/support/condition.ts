/** Waiting for what must become true: the event loop is turned until it is, never a time. */

/** No condition of a test takes longer than this on a working system: more than the longest wait for a database. */
const GIVE_UP_MS = 25_000;

/** Resolves when `holds` answers true; fails by name when it does not come true. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`did not come true: ${what}`);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
