/**
 * Rules of the core that one line holds: each line is taken out, and the test that is named for it must fail. The fast
 * tests of the files named here run on the sources as they are.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { MutantFolder, type SourceMutant } from "../support/source-mutants.ts";

const MISSION = "test/actors/mission/";
const RUNTIME = "test/actors/runtime/";
const WEBHOOK = "test/actors/webhook/";

const MUTANTS: readonly SourceMutant[] = [
  [
    "actors/mission/firing.ts",
    ' || buffered.trigger === "manual"',
    "",
    `${MISSION}overlap.test.ts`,
    "by hand that waits",
  ],
  [
    "actors/mission/firing.ts",
    "settled.retryAt === null || ",
    "true || ",
    `${MISSION}overlap.test.ts`,
    "gives way to the pause",
  ],
  [
    "actors/mission/firing.ts",
    "Math.max(afterMs, decidedMs)",
    "afterMs",
    `${MISSION}firing.test.ts`,
    "decided already",
  ],
  [
    "actors/mission/firing.ts",
    "if (next !== null) return Date.parse(next.scheduledAt) - 1;",
    "",
    `${MISSION}firing.test.ts`,
    "outlives",
  ],
  [
    "actors/mission/firing.ts",
    "Math.min(tx.now, Date.parse(next.scheduledAt) - 1)",
    "tx.now",
    `${MISSION}firing.test.ts`,
    "in the ledger after a pause",
  ],
  ["actors/mission/firing.ts", "jitterSeconds: 0 }", "}", `${MISSION}firing.test.ts`, "in the ledger after a pause"],
  [
    "actors/mission/firing.ts",
    "Date.parse(after.decidedUntil ?? scheduledAt)",
    "tx.now",
    `${MISSION}firing.test.ts`,
    "not passed yet is not due",
  ],
  [
    "actors/mission/firing.ts",
    "    retryAt: null,\n    consecutiveFailures: 0,\n",
    "",
    `${MISSION}firing.test.ts`,
    "is resumed has no failures",
  ],
  [
    "actors/mission/firing.ts",
    "    retryAt: null,\n    consecutiveFailures: 0,\n",
    "    consecutiveFailures: 0,\n",
    `${MISSION}firing.test.ts`,
    "is resumed has no failures",
  ],
  [
    "actors/mission/schedule.ts",
    "dueMs(calendar, { ...mission, retryAt: null }, timeMs) <= nowMs",
    "timeMs <= nowMs",
    `${MISSION}firing.test.ts`,
    "not passed yet is not due",
  ],
  [
    "actors/mission/control.ts",
    "schedule[field] === mission.schedule[field]",
    "true || field",
    `${MISSION}firing.test.ts`,
    "decided already",
  ],
  ["actors/mission/task-work.ts", " && task.jobId === jobId", "", `${MISSION}tasks.test.ts`, "the end of a former job"],
  [
    "actors/mission/fires.ts",
    " && open.effectId === effectId",
    "",
    `${MISSION}recovery.test.ts`,
    "another one has replaced",
  ],
  ["actors/webhook/attempts.ts", " || feed.isSearchStale", "", `${WEBHOOK}delivery.test.ts`, "during a search"],
  ["actors/webhook/queue.ts", "!feed.hasMore && ", "", `${WEBHOOK}delivery.test.ts`, "during a search"],
  [
    "actors/webhook/reports.ts",
    "`${organizationId}/${epoch}`",
    "organizationId",
    `${WEBHOOK}delivering.test.ts`,
    "ends of one epoch",
  ],
  [
    "actors/webhook/delivering.ts",
    "before.then(() => preparing)",
    "preparing",
    `${WEBHOOK}delivering.test.ts`,
    "in the order of their effects",
  ],
  [
    "actors/runtime/dispatch-order.ts",
    "while (at > 0 && line[at - 1]!.order > group.order) at--;",
    "",
    `${RUNTIME}dispatch-order.test.ts`,
    "runs again",
  ],
  [
    "actors/runtime/live-actor.ts",
    " || this.pins?.has(key) === true",
    "",
    `${RUNTIME}live-actors.test.ts`,
    "a group waits for",
  ],
  [
    "actors/runtime/live-actor.ts",
    "if (left > 0) this.pins?.set(key, left);\n    else ",
    "",
    `${RUNTIME}live-actors.test.ts`,
    "a group waits for",
  ],
  [
    "actors/runtime/hand-over.ts",
    "host.shards.leave(shards);",
    "",
    `${RUNTIME}hand-over.test.ts`,
    "new commands are refused",
  ],
  [
    "actors/runtime/take-up.ts",
    "if (!this.isCurrent(grant)) return NONE;",
    "",
    `${RUNTIME}take-up.test.ts`,
    "after its shard is lost",
  ],
];

let folder!: MutantFolder;
beforeAll(() => void (folder = new MutantFolder()));
afterAll(() => folder.end());

test.each(MUTANTS)(
  "[MIS-4] [HOOK-6] [RT-1] caught: %s without `%s`, with `%s`: %s, %s",
  async (file, from, to, tests, caughtBy) => {
    const { failed, output } = await folder.failuresWith([file, from, to, tests, caughtBy]);
    expect(failed, output).toBeGreaterThan(0);
  },
);
