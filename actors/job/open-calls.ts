/**
 * The open calls of a job. Its record has the calls of the step as they were opened and, beside them, the ids of those
 * that have ended since. So the commit of a result carries an id, and not all calls that are still open, with their
 * arguments. Every other change stores the calls that are still open.
 *
 *   step ─▶ openCalls: a b c ─ result of b ─▶ endedCalls: b ─ results of a, c ─▶ both empty
 */
import type { Job } from "./schema.ts";
import type { OpenCall } from "./terms.ts";

type CallsOf = Pick<Job, "openCalls" | "endedCalls">;

/** The calls whose results are not committed yet, in the order of their step. */
export const callsLeft = ({ openCalls, endedCalls = [] }: CallsOf): readonly OpenCall[] =>
  endedCalls.length === 0 ? openCalls : openCalls.filter(({ id }) => !endedCalls.includes(id));

/** The job with these calls in place of those that were left. */
export const withCallsLeft = <J extends Job>(job: J, calls: readonly OpenCall[]): J => ({
  ...job,
  openCalls: [...calls],
  endedCalls: [],
});

/** The job after these calls have their results. */
export function withCallsEnded<J extends Job>(job: J, ids: readonly string[]): J {
  const left = callsLeft(job);
  const ended = left.flatMap(({ id }) => (ids.includes(id) ? [id] : []));
  if (ended.length === left.length) return withCallsLeft(job, []);
  return { ...job, endedCalls: [...(job.endedCalls ?? []), ...ended] };
}
