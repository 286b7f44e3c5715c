/** What every command of a connection shares: who may see it and decide about it, and telling the jobs that wait. */
import { notFound, type Outcome, refuse } from "../fault.ts";
import type { JobCommand } from "../job/protocol.ts";
import { jobRef } from "../job/schema.ts";
import type { OrganizationCommand } from "../organization/protocol.ts";
import { type AuditAction, organizationRef } from "../organization/schema.ts";
import type { Tx } from "../runtime/actor.ts";
import type { ConnectionOrigin, ConnectionUser, RevocationIntent } from "./protocol.ts";
import { type Connection, connectionTable, OF_ORGANIZATION } from "./schema.ts";

/** Everything in the record that is sealed. */
export const sealedTexts = ({ tokens, sealedClient, consent }: Connection): readonly string[] =>
  [tokens?.sealed, sealedClient, consent?.sealed].filter((text) => typeof text === "string");

/** The record's fields once it has no tokens. */
export const WITHOUT_ACCESS = {
  scopes: [],
  tokens: null,
  refresh: null,
  lostRefreshes: 0,
  refreshAfter: null,
  refreshFailures: 0,
} satisfies Partial<Connection>;

/** Sends the job the end of its wait. `refusal`: why there is no connection; null if there is one. */
export function tellJob(tx: Tx, jobId: string, refusal: string | null): void {
  const { organizationId, id: connectionId } = tx.self;
  const settled: JobCommand = { kind: "connection_settled", connectionId, refusal };
  tx.send(jobRef(organizationId, jobId), settled);
}

/** Tells all jobs that wait. */
export function tellWaiting(tx: Tx, { waiting }: Connection, refusal: string | null): void {
  for (const jobId of waiting) tellJob(tx, jobId, refusal);
}

/** Begins to revoke these tokens at their server, after this commit: the effect's id. */
export const revocationOf = (tx: Tx, { sealed, sealedClient, attempt }: RevocationIntent): string =>
  tx.effect(tx.self, "revoke_connection", { sealed, sealedClient, attempt });

/** Adds to the audit (AUTH-17) who has connected or ended it, in this commit. */
export function noteConnection(
  tx: Tx,
  { id, resource }: Connection,
  { action, origin }: { readonly action: AuditAction; readonly origin: ConnectionOrigin },
): void {
  const note: OrganizationCommand = { kind: "note", entry: { action, subjectId: id, detail: resource }, origin };
  tx.send(organizationRef(tx.self.organizationId), note);
}

/** Nobody can give access for a person who is gone: the organization answers if that is so. */
export function checkPerson(tx: Tx, { ownerId: userId }: Pick<Connection, "ownerId">): void {
  if (userId === OF_ORGANIZATION) return;
  const check: OrganizationCommand = { kind: "check_owner", connectionId: tx.self.id, userId };
  tx.send(organizationRef(tx.self.organizationId), check);
}

/** Refuses callers without the right to decide about a connection of this owner. */
export function unlessManages({ ownerId }: Pick<Connection, "ownerId">, by: ConnectionUser): Outcome<never> | null {
  if (ownerId === by.userId) return null;
  if (ownerId !== OF_ORGANIZATION) return notFound("connection");
  return by.isOwner ? null : refuse({ kind: "owner_required" });
}

/** Whether a person sees it: their own, and those of the organization. */
export function withShown<T>(tx: Tx, by: ConnectionUser, run: (connection: Connection) => Outcome<T>): Outcome<T> {
  const connection = tx.read(connectionTable, tx.self.id);
  const isShown = connection?.removedAt === null && [by.userId, OF_ORGANIZATION].includes(connection.ownerId);
  return isShown ? run(connection) : notFound("connection");
}

/** Calls `run` with the connection if this person decides about it. */
export const withManaged = <T>(tx: Tx, by: ConnectionUser, run: (connection: Connection) => Outcome<T>): Outcome<T> =>
  withShown(tx, by, (connection) => unlessManages(connection, by) ?? run(connection));
