/**
 * The requests to the operator's provider go through the guarded client, with a short time limit and a small limit of
 * the answer.
 */
import type { Egress } from "../../egress/egress.ts";
import { smallFetch, SmallFetchFailed, type SmallRequest } from "../../egress/small-fetch.ts";

/** Documents, keys and tokens are small, and a person waits. */
const PROVIDER_LIMITS = { timeoutMs: 8_000, maxResponseBytes: 512 * 1_024 };

/** The provider cannot be reached, or fails: not the person's fault. */
export class ProviderAway extends Error {
  override readonly name = "ProviderAway";
}

/** `fetch` for the client library. Throws `ProviderAway`. */
export function providerFetch(egress: Pick<Egress, "request">) {
  const fetching = smallFetch(egress, PROVIDER_LIMITS);
  return async (url: string, request: SmallRequest): Promise<Response> => {
    try {
      return await fetching(url, request);
    } catch (error) {
      throw error instanceof SmallFetchFailed ? new ProviderAway(error.message) : error;
    }
  };
}
