/**
 * How a wait for a connection begins with a call, and how it ends for the calls and the job (ACC-9). `authorizations.ts`
 * has the whole.
 */
import { ok, type Outcome } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { blockedForCalls, resumedOrBlocked } from "./approvals.ts";
import { isAskedOutBy, openAuthorizations, withNeed } from "./authorizations.ts";
import { tellResult } from "./chat-updates.ts";
import { callsLeft, withCallsLeft, withCallsEnded } from "./open-calls.ts";
import { type Job, type JobIn, jobTable } from "./schema.ts";
import { type Authorization, type ConnectionNeed, isOpenAuthorization, type OpenCall } from "./terms.ts";
import { unblockJob } from "./transitions.ts";

/** The result of a call whose server does not take a connection that was just made for it. */
export const inVainWords = ({ name }: Pick<ConnectionNeed, "name">): string =>
  `${name} does not accept the connection, although it was just made.`;

/** The job after one of its calls has found that a connection is lacking. */
export function withLackingCall(
  tx: Tx,
  job: JobIn<"running">,
  { callId, need }: { readonly callId: string; readonly need: ConnectionNeed },
): JobIn<"running" | "blocked"> {
  const waitedFor = need.scopes.join(" ");
  const call = callsLeft(job).find(({ id }) => id === callId);
  if (call === undefined) return job;
  // The person has consented to just this, or often enough, and the server still refuses.
  if (call.waitedFor === waitedFor || isAskedOutBy(job, need)) {
    return blockedForCalls(tx, withResult(tx, job, call, inVainWords(need)));
  }
  const calls = callsLeft(job).map((one) =>
    one.id === callId ? { ...one, started: false, lacks: need.connectionId, waitedFor } : one,
  );
  return blockedForCalls(tx, withNeed(tx, withCallsLeft(job, calls), need));
}

/** The wait for a connection is over. A late message, about a wait that has ended otherwise, changes nothing. */
export function settleConnection(
  tx: Tx,
  job: Job,
  { connectionId, refusal }: { readonly connectionId: string; readonly refusal: string | null },
): Outcome<null> {
  const isMeant = openAuthorizations(job).some((one) => one.connectionId === connectionId);
  if (job.status === "blocked" && job.blockedReason === "auth_required" && isMeant)
    tx.update<Job>(
      jobTable,
      continued(
        tx,
        withOutcome(tx, job, connectionId, {
          outcome: refusal === null ? "connected" : "denied",
          message: refusal,
        }),
      ),
    );
  return ok(null);
}

/** The job after its wait has taken too long: it goes on without the connections. */
export const withoutConnections = (tx: Tx, job: JobIn<"blocked">): JobIn<"running" | "blocked"> =>
  continued(
    tx,
    openAuthorizations(job).reduce(
      (next, { connectionId }) =>
        withOutcome(tx, next, connectionId, { outcome: "expired", message: "Nobody connected it in time" }),
      job,
    ),
  );

/** The job as if it had not found out yet which connections are lacking: a person has it try again. */
export const withoutWaits = <J extends Job>(job: J): J => ({
  ...withCallsLeft(
    job,
    callsLeft(job).map(({ lacks: _lacks, waitedFor: _scopes, ...call }) => call),
  ),
  authorizations: (job.authorizations ?? []).flatMap(({ asks: _asks, ...one }) =>
    isOpenAuthorization(one) ? [] : [one],
  ),
});

function withOutcome(
  tx: Tx,
  job: JobIn<"blocked">,
  connectionId: string,
  how: Pick<Authorization, "outcome" | "message">,
): JobIn<"blocked"> {
  const authorizations = (job.authorizations ?? []).map((one) =>
    one.connectionId === connectionId && isOpenAuthorization(one) ? { ...one, ...how } : one,
  );
  const next = { ...job, authorizations };
  const calls = callsLeft(job).filter(({ lacks }) => lacks === connectionId);
  if (how.outcome === "connected")
    return withCallsLeft(
      next,
      callsLeft(job).map(({ lacks, ...call }) =>
        lacks === undefined || lacks === connectionId ? call : { ...call, lacks },
      ),
    );
  const why = `The call was not made, because it needs a connection. ${how.message ?? ""}.`;
  return calls.reduce((at, call) => withResult(tx, at, call, why), next);
}

/** Gives a call an error as its result, so that the model can continue without it. */
function withResult<J extends JobIn<"running" | "blocked">>(tx: Tx, job: J, { id }: OpenCall, content: string): J {
  tellResult(tx, job, { toolCallId: id, content, isError: true });
  return withCallsEnded(job, [id]);
}

/** Runs again once it waits for no connection. */
function continued(tx: Tx, job: JobIn<"blocked">): JobIn<"running" | "blocked"> {
  if (openAuthorizations(job).length > 0) return job;
  tx.clearAlarm("decision");
  return resumedOrBlocked(tx, unblockJob(job, "connect"));
}
