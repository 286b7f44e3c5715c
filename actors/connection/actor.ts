/**
 * The connection's actor (ACC-6): who has consented to what, which tokens are valid, and which jobs wait. All of an
 * organization's actors are on one replica, so a refresh happens once however many runs ask for it.
 */
import { ok } from "../fault.ts";
import type { ActorDefinition, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import {
  checkPerson,
  noteConnection,
  revocationOf,
  sealedTexts,
  tellJob,
  tellWaiting,
  unlessManages,
  withManaged,
  withShown,
  WITHOUT_ACCESS,
} from "./access.ts";
import { CONSENT_HANDLERS } from "./consent.ts";
import { sendEnd } from "./end-event.ts";
import type { ConnectionOrigin, ConnectionProtocol, ConnectionSubject } from "./protocol.ts";
import { REFRESH_HANDLERS } from "./refreshing.ts";
import { type Connection, connectionTable, MAX_ASKED_SCOPES, MAX_CONNECTION_JOBS } from "./schema.ts";

export const connectionActor: ActorDefinition<ConnectionProtocol> = {
  kind: "connection",
  needs: ({ id }) => [{ table: connectionTable.name, id }],
  handlers: {
    ...CONSENT_HANDLERS,
    ...REFRESH_HANDLERS,

    read_connection: (tx, { by }) => withShown(tx, by, ok),

    want_connection(tx, { by, subject }) {
      const refused = unlessManages(subject, by);
      return refused ?? ok(withSubject(tx, subject));
    },

    await_connection(tx, { jobId, subject }) {
      const connection = withSubject(tx, subject);
      const hasAll = subject.scopes.every((scope) => connection.scopes.includes(scope));
      if (connection.status === "connected" && hasAll) tellJob(tx, jobId, null);
      else if (!connection.waiting.includes(jobId)) {
        const waiting = [...connection.waiting, jobId];
        // Most likely they have ended: a job that does not wait any more keeps its place.
        for (const former of waiting.splice(0, waiting.length - MAX_CONNECTION_JOBS))
          tellJob(tx, former, `More than ${MAX_CONNECTION_JOBS} jobs wait for this connection`);
        tx.update(connectionTable, { ...connection, waiting });
        checkPerson(tx, subject);
      }
      return ok(null);
    },

    remove_connection: (tx, { by, origin }) =>
      withManaged(tx, by, (connection) =>
        ok(removeConnection(tx, connection, { why: "The connection was removed", origin })),
      ),

    forsake_connection(tx, { removedAt, origin }) {
      const connection = tx.read(connectionTable, tx.self.id);
      const { connectedAt = null } = connection ?? {};
      if (connection === null || connection.removedAt !== null) return ok(null);
      if (connection.tokens !== null && connectedAt !== null && connectedAt > removedAt) return ok(null);
      const removed = removeConnection(tx, connection, { why: PERSON_IS_GONE, origin });
      if (connection.tokens !== null)
        sendEnd(tx, { ...removed, status: "ended" }, { reason: "member_removed", message: `${PERSON_IS_GONE}.` });
      return ok(null);
    },

    end_revocation(tx, { effectId, again }) {
      tx.settle(effectId);
      const connection = tx.read(connectionTable, tx.self.id);
      if (connection?.revocation !== effectId) return ok(null);
      const revocation =
        again === null || again.attempt >= REVOCATION_ATTEMPTS
          ? null
          : revocationOf(tx, { ...again, attempt: again.attempt + 1 });
      tx.update(connectionTable, { ...connection, revocation });
      return ok(null);
    },

    read_sealed_connection: (tx) => ok(tx.read(connectionTable, tx.self.id)),

    reseal_connection(tx, { resealed }) {
      const connection = tx.read(connectionTable, tx.self.id);
      if (connection === null) return ok(0);
      const fresh = new Map(resealed.map(({ former, sealed }) => [former, sealed]));
      const { tokens, sealedClient, consent } = connection;
      const next = {
        ...connection,
        tokens: tokens === null ? null : { ...tokens, sealed: fresh.get(tokens.sealed) ?? tokens.sealed },
        sealedClient: sealedClient === null ? null : (fresh.get(sealedClient) ?? sealedClient),
        consent: consent === null ? null : { ...consent, sealed: fresh.get(consent.sealed) ?? consent.sealed },
      };
      const count = sealedTexts(connection).filter((text) => fresh.has(text)).length;
      if (count > 0) tx.update(connectionTable, next);
      return ok(count);
    },
  },
};

const PERSON_IS_GONE = "The person is no longer a member of the organization";

/** Forgets everything that is secret, and revokes it. */
function removeConnection(
  tx: Tx,
  connection: Connection,
  { why, origin }: { readonly why: string; readonly origin: ConnectionOrigin },
): Connection {
  // The effect has its own copy of what it revokes: nothing sealed stays in the record.
  const { tokens, sealedClient } = connection;
  const revocation =
    tokens === null || sealedClient === null
      ? connection.revocation
      : revocationOf(tx, { sealed: tokens.sealed, sealedClient, attempt: 1 });
  if (connection.refresh !== null) tx.settle(connection.refresh.effectId);
  tellWaiting(tx, connection, why);
  if (tokens !== null) noteConnection(tx, connection, { action: "connection.ended", origin });
  return tx.update(connectionTable, {
    ...connection,
    ...WITHOUT_ACCESS,
    status: "required",
    sealedClient: null,
    consent: null,
    finishedState: null,
    end: null,
    waiting: [],
    revocation,
    removedAt: isoTime(tx.now),
  });
}

/** Interrupted revocations are tried this often. */
const REVOCATION_ATTEMPTS = 3;

/** The connection of this subject, which asks for the scopes at its next consent. It is created if it does not exist. */
function withSubject(tx: Tx, { ownerId, resource, scopes, resourceMetadata, client }: ConnectionSubject): Connection {
  const known = tx.read(connectionTable, tx.self.id);
  if (known === null)
    return tx.create(connectionTable, {
      ...WITHOUT_ACCESS,
      id: tx.self.id,
      generation: 0,
      ownerId,
      resource,
      status: "required",
      issuer: null,
      askedScopes: [...scopes],
      resourceMetadata,
      ...(client === null ? {} : { client }),
      connectedBy: null,
      connectedAt: null,
      sealedClient: null,
      consent: null,
      finishedState: null,
      end: null,
      waiting: [],
      revocation: null,
      removedAt: null,
    });
  // Of a removed connection nothing counts any more.
  const before = known.removedAt === null ? known.askedScopes : [];
  const askedScopes = withScopes(before, scopes);
  const isKnown =
    known.removedAt === null &&
    scopes.every((scope) => before.includes(scope)) &&
    (resourceMetadata === null || resourceMetadata === known.resourceMetadata);
  if (isKnown) return known;
  return tx.update(connectionTable, {
    ...known,
    askedScopes,
    resourceMetadata: resourceMetadata ?? known.resourceMetadata,
    removedAt: null,
  });
}

/** Servers may ask for other scopes each time: the oldest are forgotten. */
function withScopes(before: readonly string[], more: readonly string[]): string[] {
  const all = [...new Set([...before, ...more])];
  if (all.length <= MAX_ASKED_SCOPES) return all;
  return [...before.filter((scope) => !more.includes(scope)), ...more].slice(-MAX_ASKED_SCOPES);
}
