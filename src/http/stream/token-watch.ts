/**
 * Checks regularly whether the tokens of open streams are still valid (AUTH-2). A revocation over HTTP ends a
 * token's streams at once. This check catches what this process is not notified of: expiry, removal of the person, a
 * revocation at another replica. Without open streams it asks nothing, and a transient refusal (the database, an
 * overload) ends nothing.
 */
import { organizationRef } from "../../../actors/organization/schema.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import type { HttpLog } from "../../log/port.ts";
import type { OpenStreams } from "./open-streams.ts";

/** Interval of the check: a stream outlives its token by at most this. */
export const CONFIRM_MS = 15_000;
/** Tokens that are checked at once. */
const CHECKED_TOKENS = 100;

export interface TokenWatchParts {
  readonly system: Pick<TroupeSystem, "dispatch">;
  readonly streams: Pick<OpenStreams, "bearers" | "endOf">;
  readonly clock: Pick<Clock, "after">;
  readonly log: HttpLog;
}

/** Starts the watch; call the returned function to stop it. */
export function watchTokens(parts: TokenWatchParts): () => void {
  let cancel = (): void => {};
  let isOver = false;
  const next = (): void => {
    if (isOver) return;
    cancel = parts.clock.after(CONFIRM_MS, () => {
      confirmAll(parts)
        .catch((err: unknown) => parts.log.error({ err }, "the tokens of open streams could not be checked"))
        .finally(next);
    });
  };
  next();
  return () => {
    isOver = true;
    cancel();
  };
}

async function confirmAll({ system, streams }: TokenWatchParts): Promise<void> {
  const bearers = streams.bearers();
  for (let at = 0; at < bearers.length; at += CHECKED_TOKENS) {
    await Promise.all(
      bearers.slice(at, at + CHECKED_TOKENS).map(async ({ organizationId, tokenId }) => {
        const confirmed = await system.dispatch(organizationRef(organizationId), { kind: "confirm_token", tokenId });
        if (confirmed.ok) return;
        const isRevoked =
          confirmed.fault.kind === "unauthenticated" || confirmed.fault.kind === "organization_suspended";
        if (isRevoked) streams.endOf(tokenId, "revoked");
        if (confirmed.fault.kind === "token_expired") streams.endOf(tokenId, "expired");
      }),
    );
  }
}
