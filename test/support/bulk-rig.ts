/** Work in slices, on a clock and a loop that the test moves. */
import { AT_ONCE_BYTES, BulkWork, SLICE_MS } from "../../actors/runtime/fairness/bulk-work.ts";
import { LoopTime } from "../../actors/runtime/fairness/loop-time.ts";
import { settle } from "./fake-clock.ts";

/** Each item has the size of what is done at once, and takes this long. */
export const ITEM_MS = SLICE_MS / 2;

export function bulkRig({ isShared = true, smallMs = 0 } = {}) {
  let now = 1_000;
  let due: (() => void)[] = [];
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  const clock = {
    monotonic: () => now,
    after(delayMs: number, run: () => void) {
      timers.push({ at: now + delayMs, run });
      return () => {};
    },
  };
  const time = new LoopTime(clock.monotonic);
  const bulk = new BulkWork({ time, clock, later: (run) => void due.push(run) });
  if (isShared) for (const organizationId of ["c", "d"]) time.charge(organizationId, "requests", smallMs / 2);
  const done: string[] = [];
  const work = (item: string): void => {
    done.push(item);
    now += ITEM_MS;
  };
  return {
    bulk,
    clock,
    time,
    done,
    /** Does one item now. */
    work,
    /** Begins a piece of so many items. */
    begin(organizationId: string, name: string, items: number): Promise<void> {
      const names = Array.from({ length: items }, (_, i) => `${name}${i}`);
      return bulk.each(organizationId, names, (item) => {
        work(item);
        return AT_ONCE_BYTES;
      });
    },
    /** Begins work that cannot be divided. */
    whole(organizationId: string, name: string, bytes: number): Promise<string> {
      return bulk.whole(organizationId, bytes, () => {
        work(name);
        return name;
      });
    },
    /** So much time passes, and the loop turns. */
    async turn(ms = 0): Promise<void> {
      now += ms;
      const isDue = ({ at }: { readonly at: number }): boolean => at <= now;
      const runs = [...due, ...timers.filter(isDue).map(({ run }) => run)];
      due = [];
      timers = timers.filter((timer) => !isDue(timer));
      for (const run of runs) run();
      await settle();
    },
  };
}
