/**
 * The access token for a request, and its renewal (ACC-10, ACC-11). A refresh is an effect: its row is committed before
 * the request is sent, and it ends in the commit that stores the new tokens.
 *
 *   use_connection ─ nearly expired ─▶ refresh (committed) ─▶ request ─▶ end_refresh (tokens committed)
 *                                            └── the process ends ─▶ recover_refresh: the same refresh token again
 *
 * Servers that rotate refresh tokens may have replaced the old one when the process ended. Those with a grace period
 * accept it once more, so nothing is lost; others refuse, and the connection ends as `refresh_lost`, which says what
 * happened.
 */
import { pauseMs } from "../runtime/backoff.ts";
import { notFound, ok } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { revocationOf, WITHOUT_ACCESS } from "./access.ts";
import { sendEnd } from "./end-event.ts";
import type { ConnectionProtocol, RefreshOutcome, SealedTokens } from "./protocol.ts";
import { type Connection, type ConnectionEnd, connectionTable, type ConnectionTokens } from "./schema.ts";

type RefreshedTokens = Extract<RefreshOutcome, { readonly kind: "refreshed" }>;

/** A token is renewed when this is left of it, or a quarter of its lifetime if that is shorter. */
const REFRESH_BEFORE_MS = 60_000;
/** Pauses after refreshes that failed for a passing reason. */
const REFRESH_PAUSES = { firstMs: 1_000, lastMs: 60_000, jitter: 0 };

export const REFRESH_HANDLERS = {
  use_connection(tx, { spent }) {
    const connection = tx.read(connectionTable, tx.self.id);
    if (connection === null || connection.status !== "connected" || connection.tokens === null)
      return ok({ kind: "lacking" });
    const { tokens, scopes, refresh, refreshAfter } = connection;
    const ready = { kind: "ready", sealed: tokens.sealed, generation: tokens.generation, scopes } as const;
    const isUsable = spent !== tokens.generation && !isExpired(tokens, tx.now);
    if (isUsable && !isNearlyOver(tokens, tx.now)) return ok(ready);
    if (refresh !== null) return ok({ kind: "refreshing" });
    if (!tokens.isRefreshable) {
      if (isUsable) return ok(ready);
      endConnection(tx, connection, isExpired(tokens, tx.now) ? "expired" : "rejected");
      return ok({ kind: "lacking" });
    }
    if (refreshAfter !== null && isPausing(refreshAfter, tx.now))
      return ok(isUsable ? ready : { kind: "unavailable", retryAt: refreshAfter });
    beginRefresh(tx, connection, tokens.generation);
    return ok({ kind: "refreshing" });
  },

  reject_connection(tx, { generation }) {
    const connection = tx.read(connectionTable, tx.self.id);
    if (connection?.tokens?.generation === generation) endConnection(tx, connection, "rejected");
    return ok(null);
  },

  end_refresh(tx, { effectId, generation, outcome }) {
    tx.settle(effectId);
    const connection = tx.read(connectionTable, tx.self.id);
    // Other tokens, or none: nothing waits for this refresh any more.
    if (connection === null || connection.tokens?.generation !== generation) {
      if (connection !== null && outcome.kind === "refreshed") revokeLate(tx, connection, outcome);
      return ok({ ended: null });
    }
    // After a commit whose outcome was unknown, a second effect has begun; the first one still has the answer.
    if (connection.refresh !== null && connection.refresh.effectId !== effectId) tx.settle(connection.refresh.effectId);
    switch (outcome.kind) {
      case "refreshed":
        tx.update(connectionTable, withTokens(tx, connection, outcome.tokens));
        return ok({ ended: null });
      case "refused": {
        const reason = connection.lostRefreshes > 0 ? "refresh_lost" : "refused";
        endConnection(tx, connection, reason, outcome.message);
        return ok({ ended: reason });
      }
      case "failed": {
        const { refreshFailures: failures } = connection;
        const pause = pauseMs(REFRESH_PAUSES, failures, { fraction: () => 1 });
        tx.update(connectionTable, {
          ...connection,
          refresh: null,
          lostRefreshes: connection.lostRefreshes + 1,
          refreshAfter: isoTime(tx.now + pause),
          refreshFailures: failures + 1,
        });
        return ok({ ended: null });
      }
    }
  },

  recover_refresh(tx, { effectId }) {
    tx.settle(effectId);
    const connection = tx.read(connectionTable, tx.self.id);
    if (connection === null) return notFound("connection");
    if (connection.refresh?.effectId !== effectId || connection.tokens === null) return ok(null);
    const lost = { ...connection, lostRefreshes: connection.lostRefreshes + 1 };
    beginRefresh(tx, lost, connection.tokens.generation);
    return ok(null);
  },
} satisfies Partial<Handlers<ConnectionProtocol>>;

/** Tokens that came after the connection was removed. Not during a consent: revoking could end what it gives. */
function revokeLate(tx: Tx, connection: Connection, { tokens, sealedClient }: RefreshedTokens): void {
  if (connection.removedAt === null || connection.consent !== null) return;
  const revocation = revocationOf(tx, { sealed: tokens.sealed, sealedClient, attempt: 1 });
  tx.update(connectionTable, { ...connection, revocation });
}

/** A pause that is longer than any was begun before the clock was set back: it is over. */
function isPausing(refreshAfter: string, now: number): boolean {
  const leftMs = Date.parse(refreshAfter) - now;
  return leftMs > 0 && leftMs <= REFRESH_PAUSES.lastMs;
}

const isExpired = ({ expiresAt }: ConnectionTokens, now: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;

function isNearlyOver({ obtainedAt, expiresAt }: ConnectionTokens, now: number): boolean {
  if (expiresAt === null) return false;
  const endsAt = Date.parse(expiresAt);
  return endsAt - now <= Math.min(REFRESH_BEFORE_MS, (endsAt - Date.parse(obtainedAt)) / 4);
}

function beginRefresh(tx: Tx, connection: Connection, generation: number): void {
  const effectId = tx.effect(tx.self, "refresh_connection", { generation });
  tx.update(connectionTable, { ...connection, refresh: { effectId, startedAt: isoTime(tx.now) } });
}

/** The connection with new tokens, in memory. */
export const withTokens = (
  tx: Tx,
  connection: Connection,
  { sealed, expiresAt, isRefreshable, scopes }: SealedTokens,
): Connection => ({
  ...connection,
  ...WITHOUT_ACCESS,
  scopes: [...scopes],
  generation: connection.generation + 1,
  tokens: {
    sealed,
    generation: connection.generation + 1,
    obtainedAt: isoTime(tx.now),
    expiresAt,
    isRefreshable,
  },
});

const END_WORDS: Readonly<Record<ConnectionEnd, string>> = {
  refused: "The authorization server refused to renew the access.",
  refresh_lost:
    "The answer to an earlier renewal was lost, and the authorization server had replaced the refresh token already.",
  expired: "The access has expired, and the authorization server gave no way to renew it.",
  rejected: "The tool server does not accept the access any more.",
};

/** Ends it aloud: an event of the webhooks, and words in the record. */
function endConnection(tx: Tx, connection: Connection, reason: ConnectionEnd, said = ""): void {
  const message = [END_WORDS[reason], said].filter((words) => words !== "").join(" ");
  if (connection.refresh !== null) tx.settle(connection.refresh.effectId);
  const ended = tx.update(connectionTable, {
    ...connection,
    ...WITHOUT_ACCESS,
    status: "ended",
    end: { reason, message, at: isoTime(tx.now) },
  });
  sendEnd(tx, ended, { reason, message });
}
