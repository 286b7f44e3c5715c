/** The account of the event loop's time of this process, and how its queues ask who has to wait. */
import { LoopTime, type SectionNote } from "../../actors/runtime/loop-time.ts";
import type { SlicePace } from "../../actors/runtime/slices.ts";
import { Throttle } from "../../actors/runtime/throttle.ts";
import { isStranger } from "../http/request/payer.ts";
import { systemClock } from "../wiring/clock.ts";

/** `part`: of the loop's time, for one organization beside others. Omitted: nobody is throttled. */
export function newLoopTime(note: SectionNote | null, part?: number): LoopTime {
  const throttle = part === undefined ? null : new Throttle({ cpuMs, later: setImmediate, part, isStranger });
  return new LoopTime(() => systemClock.monotonic(), note, throttle);
}

/** Of slices whose lanes are organizations. */
export const slicePace = (time: () => Pick<LoopTime, "waitMs">): SlicePace => ({
  waitMs: (organizationId) => time().waitMs(organizationId),
  after: (delayMs, run) => systemClock.after(delayMs, run),
});

/** Charges organizations for what runs have cost where no section measures it; work of nobody in particular is not charged. */
export const chargeOf =
  (time: Pick<LoopTime, "charge">) =>
  (organizationId: string, ms: number): void => {
    if (organizationId !== "") time.charge(organizationId, "runs", ms);
  };

/** CPU of the thread of the event loop. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
