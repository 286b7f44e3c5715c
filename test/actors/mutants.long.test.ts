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
    "yields to the pause",
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
    "effect that was replaced",
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
    "actors/runtime/turns/dispatch-order.ts",
    "while (at > 0 && line[at - 1]!.order > group.order) at--;",
    "",
    `${RUNTIME}dispatch-order.test.ts`,
    "runs again",
  ],
  [
    "actors/runtime/turns/live-actor.ts",
    " || this.pins?.has(key) === true",
    "",
    `${RUNTIME}live-actors.test.ts`,
    "a group waits for",
  ],
  [
    "actors/runtime/turns/live-actor.ts",
    "if (left > 0) this.pins?.set(key, left);\n    else ",
    "",
    `${RUNTIME}live-actors.test.ts`,
    "a group waits for",
  ],
  [
    "actors/runtime/placement/hand-over.ts",
    "host.shards.leave(shards);",
    "",
    `${RUNTIME}hand-over.test.ts`,
    "new commands are refused",
  ],
  [
    "actors/runtime/placement/take-up.ts",
    "if (!this.isCurrent(grant)) return NONE_FAILED;",
    "",
    `${RUNTIME}take-up.test.ts`,
    "after its shard is lost",
  ],
  [
    "actors/runtime/outputs/effects.ts",
    "if (known !== undefined && !known.isOver) return;",
    "",
    `${RUNTIME}effects.test.ts`,
    "being recovered does not start",
  ],
  [
    "actors/runtime/outputs/effects.ts",
    " || this.leaving.has(grant.shard)",
    "",
    `${RUNTIME}hand-over.test.ts`,
    "none starts on a shard that leaves",
  ],
  [
    "actors/runtime/placement/shards.ts",
    " || held.leaving",
    "",
    `${RUNTIME}hand-over.test.ts`,
    "new commands are refused",
  ],
  [
    "actors/runtime/placement/shards.ts",
    " else if (admission.epoch !== held.epoch) return refuse(SHARD_UNAVAILABLE);",
    "",
    `${RUNTIME}effects.test.ts`,
    "an effect of an older epoch",
  ],
  [
    "actors/runtime/placement/shards.ts",
    "if (before?.epoch === held.epoch) return held.grant;",
    "",
    `${RUNTIME}hand-over.test.ts`,
    "a started group that waits",
  ],
  [
    "actors/runtime/turns/turns.ts",
    'if (isEvicted || result.kind === "evicted") draft.forget();',
    "",
    `${RUNTIME}volatile-state.test.ts`,
    "not remembered twice",
  ],
  [
    "actors/runtime/turns/live-actor.ts",
    "if (slot?.pending === group) slot.pending = null;",
    "if (slot !== undefined) slot.pending = null;",
    `${RUNTIME}live-actors.test.ts`,
    "two groups have changed",
  ],
  [
    "actors/runtime/turns/live-actor.ts",
    "else slot.record ??= record;",
    "else slot.record = record;",
    `${RUNTIME}live-actors.test.ts`,
    "never replaces one in the set",
  ],
  [
    "actors/webhook/attempts.ts",
    "if (!feed.inFlight.some((flight) => flight.effectId === effectId)) tx.settle(effectId);",
    "tx.settle(effectId);",
    `${WEBHOOK}delivery.test.ts`,
    "until the last of them has ended",
  ],
  [
    "actors/webhook/attempts.ts",
    'if (trigger === "test") return feed;',
    "",
    `${WEBHOOK}delivery.test.ts`,
    "that were given up",
  ],
  [
    "actors/webhook/deliveries.ts",
    "range.eventTypes.length === 0 ? sentAgain(feed, bounded) : feed",
    "sentAgain(feed, bounded)",
    `${WEBHOOK}delivery.test.ts`,
    "that were given up",
  ],
  [
    "actors/webhook/deliveries.ts",
    "undelivered.sinceSequence > after && ",
    "",
    `${WEBHOOK}delivery.test.ts`,
    "that were given up",
  ],
  [
    "actors/webhook/policy.ts",
    "Math.min(retryAfterMs ?? 0, RETRY_AFTER_LIMIT_MS)",
    "(retryAfterMs ?? 0)",
    `${WEBHOOK}delivery.test.ts`,
    "by at most a minute",
  ],
  [
    "actors/mission/machine.ts",
    "return openRuns.length < OPEN_RUNS;",
    "return openRuns.length <= OPEN_RUNS;",
    `${MISSION}overlap.test.ts`,
    "up to a bound",
  ],
  [
    "actors/mission/machine.ts",
    "return buffered === null;",
    "return true;",
    `${MISSION}overlap.test.ts`,
    "the others are skipped",
  ],
  [
    "actors/mission/firing.ts",
    "if (next !== null && tx.now < Date.parse(next.dueAt)) setAlarm(tx, next.dueAt);\n  else\n    ",
    "",
    `${MISSION}firing.test.ts`,
    "before its time fires nothing",
  ],
  [
    "actors/mission/firing.ts",
    'if (outcome !== "failed") return mission;',
    "",
    `${MISSION}firing.test.ts`,
    "is skipped and is not a failure",
  ],
  [
    "actors/mission/runs.ts",
    "if (effectId !== null) tx.settle(effectId);\n  assert(end.outcome",
    "assert(end.outcome",
    `${MISSION}recovery.test.ts`,
    "effect that was replaced",
  ],
  [
    "actors/mission/schedule.ts",
    "Math.min(longest, following - timeMs)",
    "longest",
    `${MISSION}schedule.test.ts`,
    "never reaches the next time",
  ],
  [
    "actors/mission/tasks.ts",
    'if (id === taskId) return invalid(path, "A task cannot depend on itself");',
    "",
    `${MISSION}tasks.test.ts`,
    "cannot depend on itself",
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
