/**
 * Fetches content that messages refer to by URL through the guarded client, and stores it (port: `UrlContents` of
 * `src/work`).
 */
import { refuse } from "../../actors/fault.ts";
import { SHARD_UNAVAILABLE } from "../../actors/runtime/placement/shards.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import type { Egress } from "../egress/egress.ts";
import { type EgressError, EgressInterrupted } from "../egress/failure.ts";
import type { UrlContents } from "../work/attaching.ts";

const URL_TIMEOUT_MS = 20_000;
const MAX_REDIRECTS = 5;
const URL_ACCEPT = "image/png, image/jpeg, image/gif, image/webp, application/pdf, text/*;q=0.9, */*;q=0.1";
const NOT_PUBLIC = "leads to no address on the public internet";

const URL_ERROR_WORDS: Readonly<Record<EgressError, string>> = {
  invalid_url: "is not a complete URL, such as https://example.com/a.png, without a user name",
  https_required: "must begin with https://",
  invalid_header: "cannot be requested",
  blocked_address: NOT_PUBLIC,
  dns_error: NOT_PUBLIC,
  connection_refused: "leads to a host that does not accept connections",
  connection_reset: "leads to a host that closed the connection before its answer was complete",
  tls_error: "leads to a host without a valid certificate for its name",
  invalid_response: "leads to a host whose answer is not valid HTTP",
  too_large: "leads to more bytes than this message may have",
  too_many_redirects: `is redirected more than ${MAX_REDIRECTS} times`,
  timeout: `gave no complete answer within ${URL_TIMEOUT_MS / 1_000} seconds`,
  aborted: "was not fetched: the request was closed",
};

/** Transient failures of a host. */
const PASSING_URL_ERRORS: ReadonlySet<EgressError> = new Set(["timeout", "connection_refused", "connection_reset"]);
const SERVER_FAULTS = 500;
const isPassingStatus = (status: number): boolean =>
  status >= SERVER_FAULTS || status === 408 || status === 425 || status === 429;

export const urlContents = (egress: Pick<Egress, "open">, contents: Pick<FileContents, "receive">): UrlContents => ({
  async fetch(organizationId, url, { maxBytes, signal, check }) {
    const failed = (words: string, isPassing = false) => ({ kind: "failed", why: words, isPassing }) as const;
    // After an abort nobody waits for the answer, and the failure says nothing about the URL. It is transient, so that
    // a retry with the same idempotency key does not get a 400.
    const why = (error: EgressError) =>
      error === "aborted"
        ? ({ kind: "refused", refusal: refuse(SHARD_UNAVAILABLE) } as const)
        : failed(URL_ERROR_WORDS[error], PASSING_URL_ERRORS.has(error));
    const limits = { timeoutMs: URL_TIMEOUT_MS, maxResponseBytes: maxBytes, maxRedirects: MAX_REDIRECTS };
    const headers = { accept: URL_ACCEPT };
    const answer = await egress.open({ url: url.trim(), method: "GET", headers, limits, signal });
    if (answer.kind === "failed") return why(answer.error);
    const { status, body, finalUrl } = answer;
    const encoding = answer.headers.get("content-encoding") ?? "identity";
    if (status !== 200 || encoding.toLowerCase() !== "identity") {
      await body.cancel().catch(() => {}); // closed already
      return status === 200
        ? failed("answered with compressed content")
        : failed(`answered with status ${status}`, isPassingStatus(status));
    }
    const mime = answer.headers.get("content-type") ?? "";
    try {
      const received = await contents.receive(organizationId, body, maxBytes, (content) => check(content, mime));
      if (!received.ok)
        return received.fault.kind === "payload_too_large"
          ? failed(URL_ERROR_WORDS.too_large)
          : { kind: "refused", refusal: refuse(received.fault) };
      const { sha256, size } = received.value;
      return { kind: "fetched", content: { sha256, size, mime }, finalUrl };
    } catch (cause) {
      if (cause instanceof EgressInterrupted) return why(cause.error);
      throw cause;
    }
  },
});
