/**
 * `fetch` over the guarded client, for libraries of protocols that ask for one and that read small documents: metadata,
 * keys, tokens. It follows no redirect, and an answer that is too long is a failure, never a part of a document.
 */
import type { Egress, EgressLimits } from "./egress.ts";
import type { EgressError } from "./failure.ts";

/** There is no answer that could be read. */
export class SmallFetchFailed extends Error {
  override readonly name = "SmallFetchFailed";
  /** Where the answer was to come from. */
  readonly host: string;
  /** What the client says, or the status of a server that fails. */
  readonly reason: EgressError | number;

  constructor({ host, pathname }: URL, reason: EgressError | number) {
    super(`${host}${pathname}: ${reason}`);
    this.host = host;
    this.reason = reason;
  }
}

export interface SmallRequest {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | string | null | undefined;
  readonly signal?: AbortSignal | null | undefined;
}

export type SmallFetch = (url: string, request: SmallRequest) => Promise<Response>;

/** Throws `SmallFetchFailed`, also for a status of 500 or more. `lane`: the organization that the requests are for. */
export const smallFetch =
  (egress: Pick<Egress, "request">, limits: EgressLimits, lane?: string): SmallFetch =>
  async (url, { method, headers, body, signal }) => {
    const answer = await egress.request({
      url,
      method,
      headers,
      ...((body ?? null) === null ? {} : { body: String(body) }),
      limits,
      ...(signal ? { signal } : {}),
      ...(lane === undefined ? {} : { lane }),
    });
    const at = new URL(url);
    if (answer.kind === "failed") throw new SmallFetchFailed(at, answer.error);
    if (answer.truncated) throw new SmallFetchFailed(at, "too_large");
    if (answer.status < 200 || answer.status >= 500) throw new SmallFetchFailed(at, answer.status);
    const isEmpty = [204, 205, 304].includes(answer.status);
    return new Response(isEmpty ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: answer.headers,
    });
  };
