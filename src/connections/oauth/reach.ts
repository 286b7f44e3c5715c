/**
 * What the OAuth client needs of its surroundings: requests through the guarded client, and the time. Answers are parsed
 * in this process, so they are small: 128 KiB of JSON take about a millisecond.
 */
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { Egress } from "../../egress/egress.ts";
import { smallFetch, type SmallFetch } from "../../egress/small-fetch.ts";

export interface OAuthReach {
  /** Throws `SmallFetchFailed`. */
  readonly fetch: SmallFetch;
  /** Whether the operator has opened this address of plain http. Does not reject. */
  opensPlain(url: string): Promise<boolean>;
  readonly now: () => number;
}

/** A document or a token is small, and a person waits for it. */
const OAUTH_LIMITS = { timeoutMs: 8_000, maxResponseBytes: 128 * 1_024 };

/** `lane`: the organization that the requests are for. `limits`: shorter ones, for tests. */
export function oauthReach(
  egress: Pick<Egress, "request" | "resolve">,
  clock: Pick<Clock, "now">,
  lane: string,
  limits = OAUTH_LIMITS,
): OAuthReach {
  return {
    fetch: smallFetch(egress, limits, lane),
    async opensPlain(url) {
      const found = await egress.resolve(url, limits);
      return found.kind === "destination" && found.isOpened;
    },
    now: () => clock.now(),
  };
}
