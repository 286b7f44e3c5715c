/** Accounts for the event loop's time in this process, and tells its queues which organizations must wait. */
import { LoopTime, type SectionNote } from "../../actors/runtime/fairness/loop-time.ts";
import type { SlicePace } from "../../actors/runtime/fairness/slices.ts";
import { Throttle } from "../../actors/runtime/fairness/throttle.ts";
import { isStranger } from "../http/admission/fair-turns.ts";
import { systemClock } from "../wiring/clock.ts";

/** `part`: one organization's maximum part of the loop's time beside others. Omitted: none is throttled. */
export function newLoopTime(note: SectionNote | null, part?: number): LoopTime {
  const throttle = part === undefined ? null : new Throttle({ cpuMs, later: setImmediate, part, isStranger });
  return new LoopTime(() => systemClock.monotonic(), note, throttle);
}

/** The pace of slices whose lanes are organizations. */
export const slicePace = (time: Pick<LoopTime, "waitMs">): SlicePace => ({
  waitMs: (organizationId) => time.waitMs(organizationId),
  after: (delayMs, run) => systemClock.after(delayMs, run),
});

/**
 * Charges organizations for the cost of slices that no section measures; work without an organization is not charged.
 */
export const chargeOf =
  (time: Pick<LoopTime, "charge">) =>
  (organizationId: string, ms: number): void => {
    if (organizationId !== "") time.charge(organizationId, "runs", ms);
  };

/** CPU time of the event loop's thread. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
