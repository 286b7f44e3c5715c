/**
 * The effects of connections: renewing the access, and revoking it. `actors/connection/refreshing.ts` has the order of
 * what is stored and what is sent.
 */
import type { RefreshOutcome, RevocationIntent } from "../../actors/connection/protocol.ts";
import { connectionRef } from "../../actors/connection/schema.ts";
import { isPassing, type Outcome } from "../../actors/fault.ts";
import { type BackoffParts, Backoff, untilDecided } from "../../actors/runtime/backoff.ts";
import type { EffectContext, EffectHandler } from "../../actors/runtime/outputs/effects.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Ask } from "../../actors/runtime/turns/members.ts";
import type { EffectRow } from "../../actors/runtime/store.ts";
import type { Sealing } from "../../actors/sealing.ts";
import { ask, type TroupeSystem } from "../../actors/troupe.ts";
import type { Egress } from "../egress/egress.ts";
import { type SecretReader, isOwnersToMend, withClientSecret } from "./client-secret.ts";
import { sealTokens } from "./connections.ts";
import { refreshTokens, revokeAtServer } from "./oauth/client.ts";
import { AuthorizationFault } from "./oauth/fault.ts";
import { oauthReach } from "./oauth/reach.ts";
import { SealedGrant } from "./sealed-grant.ts";

export interface ConnectionEffectParts {
  readonly system: Pick<TroupeSystem, "dispatch" | "dispatchGroup">;
  readonly sealing: Sealing;
  readonly secrets: SecretReader;
  readonly egress: Pick<Egress, "request" | "resolve">;
  readonly clock: Pick<Clock, "now">;
  readonly pauses: BackoffParts;
  readonly log: { warn(fields: object, message: string): void };
}

/**
 * How long the outcome of a refresh is offered to the actor after another replica has become the owner: longer than a
 * database is away in a restart.
 */
const REPORTING = { firstMs: 100, lastMs: 2_000, limitMs: 10 * 60_000 };
const LEASE_LOOKS = { firstMs: 200, lastMs: 200 };

export function connectionEffects(parts: ConnectionEffectParts) {
  /**
   * Answers that the actor has not taken yet, by connection and generation. A commit with an unknown outcome begins the
   * effect again in this process, and the refresh token is then not sent a second time.
   */
  const answers = new Map<string, Promise<RefreshOutcome | null>>();
  const recovered = async (recovering: Ask<unknown>, epoch: number): Promise<void> => {
    const outcome = await parts.system.dispatchGroup([recovering], { epoch });
    if (!outcome.ok) throw new Error(`the recovery of an effect was refused: ${outcome.fault.kind}`);
  };
  return {
    refresh_connection: {
      async run(effect, context) {
        const { organizationId, actorId: id } = effect;
        const { generation } = effect.intent as unknown as { readonly generation: number };
        const key = `${organizationId}/${id}/${generation}`;
        let outcome: RefreshOutcome | null = null;
        while (outcome === null) {
          if (!(await untilMayAct(parts, context))) return;
          const asked = answers.get(key) ?? askedTokens(parts, effect, { generation, context });
          answers.set(key, asked);
          try {
            outcome = await asked;
          } finally {
            // Only an answer is kept: what failed, or was not asked, is asked again.
            if (outcome === null && answers.get(key) === asked) answers.delete(key);
          }
        }
        const command = { kind: "end_refresh", effectId: effect.id, generation, outcome } as const;
        // Not under the epoch: the present owner of the connection takes the tokens, unless it has newer ones.
        const ended = await untilTaken(parts, context, new AbortController().signal, () =>
          parts.system.dispatch(connectionRef(organizationId, id), command),
        );
        answers.delete(key);
        if (ended.ok && ended.value.ended !== null)
          parts.log.warn({ organizationId, connection: id, reason: ended.value.ended }, "a connection has ended");
      },
      async recover({ organizationId, actorId, id: effectId }, { epoch }) {
        await recovered(ask(connectionRef(organizationId, actorId), { kind: "recover_refresh", effectId }), epoch);
      },
    },
    revoke_connection: {
      async run(effect, context) {
        if (!(await untilMayAct(parts, context))) return;
        await revokeTokens(parts, effect);
        const ref = connectionRef(effect.organizationId, effect.actorId);
        await untilTaken(parts, context, context.signal, () =>
          parts.system.dispatch(ref, { kind: "end_revocation", effectId: effect.id, again: null }),
        );
      },
      async recover({ organizationId, actorId, id: effectId, intent }, { epoch }) {
        const again = intent as unknown as RevocationIntent;
        await recovered(
          ask(connectionRef(organizationId, actorId), { kind: "end_revocation", effectId, again }),
          epoch,
        );
      },
    },
  } satisfies Readonly<Record<string, EffectHandler>>;
}

/**
 * Offers the end of an effect until its actor has decided: for a while, and as long as the effect is this replica's.
 * Nobody else would offer it meanwhile, and the jobs that need the access would wait forever.
 */
async function untilTaken<T>(
  { pauses }: ConnectionEffectParts,
  context: EffectContext,
  signal: AbortSignal,
  offer: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  for (;;) {
    const outcome = await untilDecided(pauses, REPORTING, signal, offer);
    if (outcome.ok || !isPassing(outcome.fault) || context.signal.aborted) return outcome;
  }
}

/** False if the effect is over: its next owner does it. */
async function untilMayAct({ pauses }: ConnectionEffectParts, context: EffectContext): Promise<boolean> {
  const backoff = new Backoff(pauses, LEASE_LOOKS);
  while (!context.mayAct()) {
    if (context.isOver() || context.signal.aborted) return false;
    await backoff.pause(context.signal);
  }
  return !context.signal.aborted;
}

/** Null: this replica may not act any more, so nothing was sent. */
async function askedTokens(
  { system, sealing, secrets, egress, clock, pauses, log }: ConnectionEffectParts,
  { organizationId, actorId: id }: EffectRow,
  { generation, context }: { readonly generation: number; readonly context: EffectContext },
): Promise<RefreshOutcome | null> {
  const found = await untilDecided(pauses, REPORTING, new AbortController().signal, () =>
    system.dispatch(connectionRef(organizationId, id), { kind: "read_sealed_connection" }),
  );
  if (!found.ok || found.value?.tokens?.generation !== generation) return { kind: "failed" };
  const { tokens, sealedClient, scopes } = found.value;
  const grant = new SealedGrant(sealing, organizationId, id);
  const kept = grant.open("tokens", tokens.sealed);
  const known = sealedClient === null ? null : grant.open("client", sealedClient);
  if (kept?.refreshToken === undefined || sealedClient === null || known === null)
    return { kind: "refused", message: "It cannot be decrypted with any key that the service has." };
  try {
    const reach = oauthReach(egress, clock, organizationId);
    const { target, client } = await withClientSecret(secrets, organizationId, known);
    // The reads may have taken longer than the lease: then the next owner sends the token.
    if (!context.mayAct() || context.signal.aborted) return null;
    const renewed = await refreshTokens(reach, target, client, kept.refreshToken);
    return { kind: "refreshed", tokens: sealTokens(grant, renewed, scopes), sealedClient };
  } catch (error) {
    if (!(error instanceof AuthorizationFault)) throw error;
    if (error.kind === "refused" && !isOwnersToMend(known, error)) return { kind: "refused", message: error.message };
    log.warn({ organizationId, connection: id, why: error.message }, "a connection could not be refreshed yet");
    return { kind: "failed" };
  }
}

/** Best effort: the tokens are forgotten, whatever the server says. */
async function revokeTokens(
  { sealing, secrets, egress, clock, log }: ConnectionEffectParts,
  { organizationId, actorId: id, intent }: EffectRow,
): Promise<void> {
  const { sealed, sealedClient } = intent as unknown as RevocationIntent;
  const grant = new SealedGrant(sealing, organizationId, id);
  const kept = grant.open("tokens", sealed);
  const known = grant.open("client", sealedClient);
  if (kept === null || known === null) return;
  const { accessToken, refreshToken } = kept;
  const token =
    refreshToken === undefined
      ? ({ value: accessToken, kind: "access_token" } as const)
      : ({ value: refreshToken, kind: "refresh_token" } as const);
  try {
    const { target, client } = await withClientSecret(secrets, organizationId, known);
    await revokeAtServer(oauthReach(egress, clock, organizationId), target, client, token);
  } catch (error) {
    if (!(error instanceof AuthorizationFault)) throw error;
    log.warn({ organizationId, connection: id, why: error.message }, "a removed connection could not be revoked");
  }
}
