/**
 * Work that a job delegates to another agent: a child job in its own chat, for which one tool call of the parent waits.
 * The child's id comes from the call's key, so each attempt of the call names the same child. The parent records the
 * child in the commit that creates it, so ending the parent ends the child too.
 */
import { ok, type Outcome } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { budgetLeft } from "./budget.ts";
import { stale } from "./machine.ts";
import { callsLeft, withCallsLeft } from "./open-calls.ts";
import type { JobCommand } from "./protocol.ts";
import { type Job, jobRef, jobTable, type JobTerms, PLAIN_TERMS } from "./schema.ts";

/** Delegations between a job and its root. The limit ends circles of agents that delegate to each other. */
export const DELEGATION_DEPTH = 3;
/** Children of one job. Each costs model calls, and the parent's model can request many at once. */
export const DELEGATIONS = 16;

/** Records the child of an open call. Idempotent. */
export function recordDelegation(
  tx: Tx,
  job: Job,
  { key, childJobId }: Extract<JobCommand, { readonly kind: "delegate" }>,
): Outcome<Job> {
  const calls = callsLeft(job);
  const call = calls.find(({ id }) => `${job.id}:${job.step}:${id}` === key);
  if (job.status !== "running" || call?.started !== true) return stale(job, "The job does not wait for this call");
  if (call.childJobId !== null) return ok(job);
  if (job.depth >= DELEGATION_DEPTH)
    return stale(job, `Work is handed on at most ${DELEGATION_DEPTH} times: do this yourself`);
  if (job.delegations >= DELEGATIONS)
    return stale(job, `A job delegates at most ${DELEGATIONS} times: do the rest yourself`);
  const delegated = calls.map((other) => (other === call ? { ...other, childJobId } : other));
  return ok(tx.update(jobTable, { ...withCallsLeft(job, delegated), delegations: job.delegations + 1 }));
}

/** The child has its parent's priority, and the parent's remaining tokens and cost. */
export function childTerms(parent: Job): JobTerms {
  return {
    ...PLAIN_TERMS,
    priority: parent.priority,
    requestId: parent.requestId,
    metadata: parent.metadata,
    ...delegatedFrom(parent),
    budget: { ...PLAIN_TERMS.budget, ...budgetLeft(parent) },
    lineage: {
      parentJobId: parent.id,
      rootJobId: parent.rootJobId ?? parent.id,
      relation: "delegation",
      iteration: 0,
      depth: parent.depth + 1,
    },
  };
}

/** A delegated job keeps the origin of its lineage, so that no rule about it is escaped by handing work on (APR-5). */
const delegatedFrom = ({ provenance, agent }: Job): Pick<JobTerms, "provenance"> =>
  provenance === undefined
    ? {}
    : { provenance: { origin: provenance.origin, delegators: [...(provenance.delegators ?? []), agent.id] } };

/** Cancels the children of open calls in this commit: no call waits for them any more. */
export function cancelChildren(tx: Tx, job: Job): void {
  const cancel: JobCommand = { kind: "cancel", unlessOver: true };
  for (const { childJobId } of callsLeft(job))
    if (childJobId !== null) tx.send(jobRef(job.organizationId, childJobId), cancel);
}
