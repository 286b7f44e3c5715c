/**
 * The requests to the operator's provider go through the guarded client, with a short time limit and a small limit of
 * the answer.
 */
import type { Egress, EgressResult } from "../../egress/egress.ts";

/** Documents, keys and tokens are small, and a person waits. */
const PROVIDER_TIMEOUT_MS = 8_000;
const PROVIDER_ANSWER_BYTES = 512 * 1_024;

/** The provider cannot be reached, or fails: not the person's fault. */
export class ProviderAway extends Error {
  override readonly name = "ProviderAway";
}

interface ProviderRequest {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | null | undefined;
}

/** `fetch` for the client library. Throws `ProviderAway`. */
export const providerFetch =
  (egress: Pick<Egress, "request">) =>
  async (url: string, { method, headers, body }: ProviderRequest): Promise<Response> => {
    const answer: EgressResult = await egress.request({
      url,
      method,
      headers,
      ...((body ?? null) === null ? {} : { body: String(body) }),
      limits: { timeoutMs: PROVIDER_TIMEOUT_MS, maxResponseBytes: PROVIDER_ANSWER_BYTES },
    });
    const { host, pathname } = new URL(url);
    if (answer.kind === "failed") throw new ProviderAway(`${host}${pathname}: ${answer.error}`);
    if (answer.status >= 500 || answer.truncated) throw new ProviderAway(`${host}${pathname}: ${answer.status}`);
    return new Response(new Uint8Array(answer.body), { status: answer.status, headers: answer.headers });
  };
