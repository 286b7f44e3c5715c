/**
 * Connections that a run lacks (ACC-9). The job blocks, and its connections' actors tell it how each wait ends:
 *
 *   the tools cannot be opened, or a call is refused ─▶ blocked, auth_required ─┬─ connected ─────▶ running
 *                                                                               └─ denied, overdue ─▶ running
 *
 * A call without its connection gets that as its result. A run that cannot begin without one fails by itself, because the
 * record says that it was denied. The connection's actor is asked in the commit that blocks the job, so the answer comes
 * after it, also across a restart.
 */
import type { ConnectionCommand } from "../connection/protocol.ts";
import { connectionRef } from "../connection/schema.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { DAY_MS } from "../units.ts";
import type { Job, JobIn } from "./schema.ts";
import { type Authorization, type ConnectionNeed, isOpenAuthorization } from "./terms.ts";
import { blockJob } from "./transitions.ts";

/** How long a job waits for a connection. */
export const AUTHORIZATION_MS = 7 * DAY_MS;
/** A job asks a person this often for one connection before it gives up. */
const MAX_ASKS = 3;
/** Authorizations that a job keeps: the newest ones. */
const KEPT_AUTHORIZATIONS = 64;

/** Blocks a running job that cannot begin without these connections. */
export const blockedForNeeds = (
  tx: Tx,
  job: JobIn<"running">,
  { needs, result }: { readonly needs: readonly ConnectionNeed[]; readonly result: string },
): JobIn<"blocked"> =>
  blockedForConnections(
    tx,
    needs.reduce((next, need) => withNeed(tx, next, need), { ...job, result }),
  );

/** Blocks a running job whose remaining calls wait for connections or the client. */
export function blockedForConnections(tx: Tx, job: JobIn<"running">): JobIn<"blocked"> {
  for (const { connectionId, ownerId, resource, scopes, resourceMetadata, client = null } of openAuthorizations(job)) {
    const asked: ConnectionCommand = {
      kind: "await_connection",
      jobId: job.id,
      subject: { ownerId, resource, scopes, resourceMetadata, client },
    };
    tx.send(connectionRef(job.organizationId, connectionId), asked);
  }
  tx.setAlarm("decision", tx.now + AUTHORIZATION_MS, { kind: "decision_overdue" });
  return blockJob(tx, job, "auth_required", job.result ?? "");
}

export const openAuthorizations = ({ authorizations = [] }: Job): readonly Authorization[] =>
  authorizations.filter(isOpenAuthorization);

const asksFor = ({ asks = 1 }: Authorization): number => asks;

/** Consents to one connection that calls of a job ask for, whatever scopes their server wants each time. */
const MAX_CALL_ASKS = 10;

/** Whether the calls of this job have asked people for this connection too often. */
export const isAskedOutBy = ({ authorizations = [] }: Job, { connectionId }: ConnectionNeed): boolean =>
  authorizations.some(
    (one) => one.connectionId === connectionId && asksFor(one) >= MAX_CALL_ASKS && !isOpenAuthorization(one),
  );

/** Whether another consent would change nothing: the server has not taken this many that were just given. */
export const isAskedTooOften = (authorization: Authorization): boolean =>
  authorization.outcome === "connected" && asksFor(authorization) >= MAX_ASKS;

/** The newest wait for a connection stands for all earlier ones of this job. */
export function withNeed<J extends Job>(tx: Tx, job: J, need: ConnectionNeed): J {
  const before = (job.authorizations ?? []).filter(({ connectionId }) => connectionId !== need.connectionId);
  const former = (job.authorizations ?? []).find(({ connectionId }) => connectionId === need.connectionId);
  const isOpen = former?.outcome === null;
  const scopes = [...new Set([...(isOpen ? former.scopes : []), ...need.scopes])];
  const asks = former === undefined ? 1 : asksFor(former) + (isOpen ? 0 : 1);
  const wait = { ...need, scopes, requestedAt: isoTime(tx.now), outcome: null, message: null, asks };
  return { ...job, authorizations: [...before.slice(1 - KEPT_AUTHORIZATIONS), wait] };
}
