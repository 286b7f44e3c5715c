/** Which organizations use the service: one reading of `LoopTime`, of bodies in memory and of open streams. */
import { LOOP_WORK } from "../../actors/runtime/fairness/loop-time.ts";
import { renderTable } from "./arguments.ts";
import type { AdminCommand } from "./subjects.ts";
import { MIB } from "../../actors/units.ts";

/** Organizations shown: the heaviest recent users. */
const SHOWN_ORGANIZATIONS = 20;

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
const permille = (ms: number): string => `${(ms / 10).toFixed(1)} %`;

export const LOAD: Readonly<Record<string, AdminCommand>> = {
  load({ system, opened }) {
    const { total, leading } = system.loopTime.reading(SHOWN_ORGANIZATIONS);
    const { bodies, streams, waiting } = opened();
    const rows = leading.map(({ organizationId, isThrottled, recentMs, totalMs }) => [
      organizationId,
      permille(recentMs),
      isThrottled ? "yes" : "no",
      ...LOOP_WORK.map((work) => seconds(totalMs[work])),
    ]);
    const measured = LOOP_WORK.reduce((sum, work) => sum + total.totalMs[work], 0);
    const text = [
      `The event loop has worked ${seconds(measured)} s for organizations in ${seconds(total.upMs)} s, and ${permille(total.recentMs)} of the last second.`,
      `Waiting for their turn: ${waiting} requests. Bodies on their way: ${bodies.count}, ${(bodies.bytes / MIB).toFixed(1)} MiB. Open streams: ${streams}. Memory: ${Math.round(process.memoryUsage.rss() / MIB)} MiB.`,
      renderTable(
        ["ORGANIZATION", "LAST SECOND", "THROTTLED", ...LOOP_WORK.map((work) => `${work.toUpperCase()} S`)],
        rows,
      ),
    ].join("\n");
    const json = { total, organizations: leading, bodies, open_streams: streams, waiting_requests: waiting };
    return Promise.resolve({ text, json });
  },
};
