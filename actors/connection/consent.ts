/**
 * A person's consent (ACC-8), in three turns, because the code is exchanged between them:
 *
 *   begin_consent ─▶ the person's browser, at the authorization server ─▶ take_consent ─▶ exchange ─▶ finish_consent
 *
 * `take_consent` stores that the code is about to be sent. If the answer to it is lost, it is never sent again: a server
 * that sees a code twice revokes the tokens that it has issued for it. The person then consents once more, with a new
 * code; nothing is revoked for that, because servers revoke all tokens of a person and a client together.
 */
import { notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isSameHash } from "../sealing.ts";
import { isoTime } from "../schema.ts";
import { checkPerson, noteConnection, tellWaiting, withManaged } from "./access.ts";
import type { ConnectionProtocol, TakenConsent } from "./protocol.ts";
import { type Connection, connectionTable, CONSENT_MS } from "./schema.ts";
import { withTokens } from "./refreshing.ts";

export const CONSENT_HANDLERS = {
  begin_consent: (tx, { by, stateHash, sealed, issuer }) =>
    withManaged(tx, by, (connection) => {
      if (connection.revocation !== null)
        return refuse({
          kind: "invalid_state",
          status: connection.status,
          allowedActions: [],
          message: "The former access is being revoked; try again in a moment",
        });
      const consent = {
        stateHash,
        sealed,
        userId: by.userId,
        expiresAt: isoTime(tx.now + CONSENT_MS),
        isRedeemed: false,
      };
      // The issuer of a connection with tokens is that of its tokens.
      const from = connection.tokens === null ? issuer : connection.issuer;
      return ok(tx.update(connectionTable, { ...connection, consent, issuer: from }));
    }),

  take_consent: (tx, { by, stateHash }) =>
    withManaged(tx, by, (connection): Outcome<TakenConsent> => {
      if (connection.finishedState === stateHash) return ok({ kind: "finished" });
      const consent = openConsent(tx, connection, { userId: by.userId, stateHash });
      if (consent === null) return notFound("connection");
      if (consent.isRedeemed) return ok({ kind: "unknown" });
      tx.update(connectionTable, { ...connection, consent: { ...consent, isRedeemed: true } });
      return ok({ kind: "redeem", sealed: consent.sealed });
    }),

  finish_consent: (tx, { by, stateHash, issuer, sealedClient, tokens, origin }) =>
    withManaged(tx, by, (connection): Outcome<Connection> => {
      // A repetition, after an outcome that the caller does not know.
      if (connection.finishedState === stateHash) return ok(connection);
      // A newer consent, or a removal, has taken its place.
      if (connection.consent?.stateHash !== stateHash) return notFound("connection");
      if (connection.refresh !== null) tx.settle(connection.refresh.effectId);
      tellWaiting(tx, connection, null);
      noteConnection(tx, connection, { action: "connection.made", origin });
      // Who was removed meanwhile may have been looked for before this.
      checkPerson(tx, connection);
      return ok(
        tx.update(connectionTable, {
          ...withTokens(tx, connection, tokens),
          status: "connected",
          issuer,
          sealedClient,
          connectedBy: by.userId,
          connectedAt: isoTime(tx.now),
          consent: null,
          finishedState: stateHash,
          end: null,
          waiting: [],
        }),
      );
    }),

  refuse_consent: (tx, { by, stateHash, message }) =>
    withManaged(tx, by, (connection) => {
      const isMeant = stateHash === null || openConsent(tx, connection, { userId: by.userId, stateHash }) !== null;
      if (!isMeant) return notFound("connection");
      // Tokens that it has stay: only more access was refused.
      tellWaiting(tx, connection, message);
      return ok(tx.update(connectionTable, { ...connection, consent: null, waiting: [] }));
    }),
} satisfies Partial<Handlers<ConnectionProtocol>>;

/** The consent with this state, if this person began it and it has not expired. */
function openConsent(
  tx: Tx,
  { consent }: Connection,
  { userId, stateHash }: { readonly userId: string; readonly stateHash: string },
): NonNullable<Connection["consent"]> | null {
  const isIt = consent !== null && isSameHash(consent.stateHash, stateHash) && consent.userId === userId;
  return isIt && Date.parse(consent.expiresAt) > tx.now ? consent : null;
}
