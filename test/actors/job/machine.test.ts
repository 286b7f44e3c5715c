import { expect, test } from "bun:test";
import { callsLeft } from "../../../actors/job/open-calls.ts";
import {
  jobStatusAfter,
  isTerminal,
  JOB_MACHINE,
  JOB_TRIGGERS,
  type JobTrigger,
  recoveryOf,
  RUN_STATUSES,
  SETTLED_STATUSES,
  UNFINISHED_STATUSES,
} from "../../../actors/job/machine.ts";
import { JOB_ATTEMPTS } from "../../../actors/job/limits.ts";
import { JOB_STATUSES, type JobStatus } from "../../../actors/job/schema.ts";

/** The table of JOB-2, written down a second time by hand; what is not here is refused. */
const MOVES: Readonly<Record<JobStatus, Partial<Record<JobTrigger, JobStatus>>>> = {
  queued: { begin: "running", fail: "failed", cancel: "cancelled" },
  running: {
    restart: "running",
    block: "blocked",
    review: "needs_review",
    complete: "completed",
    fail: "failed",
    cancel: "cancelling",
  },
  blocked: {
    approve: "running",
    resume: "running",
    tool_results: "running",
    connect: "running",
    fail: "failed",
    cancel: "cancelling",
  },
  needs_review: { approve: "completed", expire: "completed", iterate: "completed", cancel: "cancelling" },
  cancelling: { cancel: "cancelling", stopped: "cancelled" },
  completed: { iterate: "completed" },
  failed: { iterate: "failed", resume: "failed" },
  cancelled: { cancel: "cancelled", resume: "cancelled" },
};

test("[JOB-1] unfinished jobs are counted; settled ones have no run, and active ones have one", () => {
  const of = (statuses: readonly JobStatus[]): string[] => [...statuses].sort();
  expect(of(UNFINISHED_STATUSES)).toEqual(["blocked", "cancelling", "needs_review", "queued", "running"]);
  expect(of(SETTLED_STATUSES)).toEqual(["blocked", "cancelled", "completed", "failed", "needs_review"]);
  expect(of(RUN_STATUSES)).toEqual(["cancelling", "running"]);
});

test("[JOB-2] every trigger in every status leads to the status in the table, or is refused", () => {
  for (const status of JOB_STATUSES) {
    for (const trigger of JOB_TRIGGERS) {
      expect(`${status} ${trigger} ${jobStatusAfter(status, trigger)}`).toBe(
        `${status} ${trigger} ${MOVES[status][trigger] ?? null}`,
      );
    }
  }
});

test("[JOB-1] the table is total, and exactly the terminal statuses have no transition", () => {
  expect(Object.keys(JOB_MACHINE).sort()).toEqual([...JOB_STATUSES].sort());
  for (const status of JOB_STATUSES) {
    expect(Object.keys(JOB_MACHINE[status]).sort()).toEqual([...JOB_TRIGGERS].sort());
    expect(JOB_TRIGGERS.every((trigger) => [null, status].includes(jobStatusAfter(status, trigger)))).toBe(
      isTerminal(status),
    );
  }
});

test("[JOB-2] every status can be reached from queued, and every live one can end", () => {
  const reach = (from: JobStatus): Set<JobStatus> => {
    const seen = new Set<JobStatus>([from]);
    for (const status of seen)
      for (const trigger of JOB_TRIGGERS) {
        const next = jobStatusAfter(status, trigger);
        if (next !== null) seen.add(next);
      }
    return seen;
  };
  expect(reach("queued").size).toBe(JOB_STATUSES.length);
  for (const status of JOB_STATUSES) expect([...reach(status)].some(isTerminal)).toBe(true);
});

const job = (status: JobStatus, attempt: number, safe: readonly boolean[] = []) => ({
  status,
  attempt,
  openCalls: safe.map((s) => ({ safe: s, started: true })),
});

test("[JOB-4] after a crash a queued job runs, a running one restarts, an unsafe open call interrupts it, and the third attempt is the last", () => {
  expect(recoveryOf(job("queued", 1), JOB_ATTEMPTS)).toEqual({ kind: "rerun" });
  expect(recoveryOf(job("running", 1), JOB_ATTEMPTS)).toEqual({ kind: "restart", attempt: 2 });
  expect(recoveryOf(job("running", 1, [true, true]), JOB_ATTEMPTS)).toEqual({ kind: "restart", attempt: 2 });
  expect(recoveryOf(job("running", 1, [true, false]), JOB_ATTEMPTS)).toEqual({ kind: "interrupted" });
  expect(recoveryOf(job("running", JOB_ATTEMPTS - 1), JOB_ATTEMPTS)).toEqual({
    kind: "restart",
    attempt: JOB_ATTEMPTS,
  });
  expect(recoveryOf(job("running", JOB_ATTEMPTS), JOB_ATTEMPTS)).toEqual({ kind: "exhausted" });
  expect(recoveryOf(job("running", JOB_ATTEMPTS, [false]), JOB_ATTEMPTS)).toEqual({ kind: "interrupted" });
  expect(recoveryOf(job("cancelling", 1, [false]), JOB_ATTEMPTS)).toEqual({ kind: "stopped" });
  const unstarted = { status: "running", attempt: 1, openCalls: [{ safe: false, started: false }] } as const;
  expect(recoveryOf(unstarted, JOB_ATTEMPTS)).toEqual({ kind: "restart", attempt: 2 });
  for (const status of JOB_STATUSES) {
    if (status !== "queued" && status !== "running" && status !== "cancelling")
      expect(recoveryOf(job(status, 1), JOB_ATTEMPTS)).toEqual({ kind: "over" });
  }
});

test("[JOB-7] the open calls are those without a result, in order; a job of an earlier version has them alone", () => {
  const ended = { openCalls: ["a", "b", "c"].map(openCall), endedCalls: ["b"] };
  expect(callsLeft(ended).map(({ id }) => id)).toEqual(["a", "c"]);
  expect(callsLeft({ openCalls: ["a", "b"].map(openCall) }).map(({ id }) => id)).toEqual(["a", "b"]);
});

const openCall = (id: string) => ({
  id,
  name: "look",
  safe: true,
  started: true,
  childJobId: null,
  asks: false,
  arguments: null,
});
