/**
 * Makes one attempt to deliver an event (port: `WebhookSender`): one signed POST through the guarded client. It
 * follows no redirect, reads at most 16 KiB of the answer, keeps nothing of it, and ends after 15 s (HOOK-6,
 * HOOK-7). The status decides: a receiver that has sent it has the event, whatever becomes of the body after it.
 */
import { ok, type Outcome } from "../../actors/fault.ts";
import type { Sealing } from "../../actors/sealing.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { UNSENT, type WebhookSender } from "../../actors/webhook/delivering.ts";
import type { AttemptResult, Prepared, PreparedPush } from "../../actors/webhook/protocol.ts";
import {
  type AttemptError,
  type JobPush,
  type PushSecrets,
  type WebhookDestination,
  signingContext,
  type WebhookEvent,
} from "../../actors/webhook/schema.ts";
import type { Egress } from "./egress.ts";
import { type EgressError, EgressInterrupted } from "./failure.ts";
import { signatureHeaders, Signer } from "./webhook-signature.ts";

/** From the lookup of the name to the last byte read. */
const EXCHANGE_MS = 15_000;
const WEBHOOK_ANSWER_BYTES = 16 * 1024;
/** Size of the cache of unsealed signing secrets. */
const SIGNERS = 1_024;

export interface SenderParts {
  readonly egress: Egress;
  readonly sealing: Sealing;
  readonly clock: Clock;
  /** The body of an event (HOOK-2). */
  readonly bodyOf: (event: WebhookEvent) => string;
  /** The current state of a job, as the address of a push gets it; `not_found`: it may be told nothing. */
  readonly pushBodyOf: (organizationId: string, push: PreparedPush["push"]) => Promise<Outcome<PushBody>>;
  /** The headers that carry the trace to the receiver; absent if tracing is off. */
  readonly traceHeaders?: (() => Readonly<Record<string, string>>) | undefined;
}

/** What an address of a job is sent. */
export interface PushBody {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

type SentResult = Exclude<AttemptResult, { readonly kind: "interrupted" }>;
/** How a POST ended. */
type PostResult = Exclude<SentResult, { readonly kind: "skipped" }>;

export function createWebhookSender(parts: SenderParts): WebhookSender {
  const signers = new Signers(parts.sealing);
  return {
    async send(prepared, signal) {
      if (!("push" in prepared)) return exchange(parts, prepared, signedRequest(parts, signers, prepared), signal);
      const request = await pushRequest(parts, prepared);
      if (request.ok) return exchange(parts, prepared, request.value, signal);
      return request.fault.kind === "not_found" ? { kind: "skipped" } : UNREAD_JOB;
    },
  };
}

/** The shard of the job has no owner just now: the attempt is made again. */
const UNREAD_JOB = { ...UNSENT, error: "timeout" } as const;

/** What one attempt sends, and where. */
interface AttemptRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

function signedRequest(
  { clock, bodyOf }: SenderParts,
  signers: Signers,
  { event, destination }: Prepared,
): AttemptRequest {
  const body = bodyOf(event);
  const signed = { eventId: event.id, seconds: Math.floor(clock.now() / 1_000), body };
  const signature = signatureHeaders(signers.of(destination, clock.now()), signed);
  return { url: destination.url, body, headers: { "Content-Type": "application/json", ...signature } };
}

/** Its receiver knows it by the token and the credentials that its client has given. */
async function pushRequest(
  { sealing, pushBodyOf }: SenderParts,
  { event, push }: PreparedPush,
): Promise<Outcome<AttemptRequest>> {
  const { organizationId } = event;
  const sent = await pushBodyOf(organizationId, push);
  if (!sent.ok) return sent;
  const { token, credentials } = pushSecrets(sealing, organizationId, push);
  const headers = {
    ...sent.value.headers,
    ...(token === undefined ? {} : { [PUSH_TOKEN_HEADER]: token }),
    ...(push.scheme === null ? {} : { Authorization: [push.scheme, credentials].filter(Boolean).join(" ") }),
  };
  return ok({ url: push.url, body: sent.value.body, headers });
}

/** Where A2A puts the token of a client. */
const PUSH_TOKEN_HEADER = "X-A2A-Notification-Token";

function pushSecrets(sealing: Sealing, organizationId: string, { sealed }: Pick<JobPush, "sealed">): PushSecrets {
  if (sealed === null) return {};
  const text = sealing.open("webhook", sealed, signingContext(organizationId));
  if (text === null) throw new Error("credentials of a push do not open under the key of this service");
  return JSON.parse(text) as PushSecrets;
}

async function exchange(
  { egress, clock, traceHeaders }: SenderParts,
  { attempt, event }: Pick<Prepared, "attempt" | "event">,
  { url, body, headers }: AttemptRequest,
  signal: AbortSignal,
): Promise<SentResult | null> {
  const named = {
    ...headers,
    "Service-Event-Id": event.id,
    "Service-Event-Type": event.type,
    "Service-Delivery-Attempt": String(attempt.attempt),
    "Idempotency-Key": attempt.deliveryKey,
    ...traceHeaders?.(),
  };
  return postOnce({ egress, clock }, { url, headers: named, body, signal });
}

export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** One POST within the limits of an attempt. Does not reject; null if the signal aborted it before it ended. */
export async function postOnce(
  { egress, clock }: Pick<SenderParts, "egress" | "clock">,
  { url, headers, body, signal }: Posting,
): Promise<PostResult | null> {
  const startedAt = clock.monotonic();
  const result = await egress.open({
    url,
    method: "POST",
    headers,
    body,
    limits: { timeoutMs: EXCHANGE_MS, maxResponseBytes: WEBHOOK_ANSWER_BYTES },
    signal,
  });
  const durationMs = Math.round(clock.monotonic() - startedAt);
  if (result.kind === "response") {
    // Read, so that the connection can be used again.
    await drainBody(result.body);
    return answeredResult(result.status, result.headers, { durationMs, now: clock.now() });
  }
  const outcome = ATTEMPT_FAILURES[result.error];
  return outcome === null ? null : { kind: "failed", ...outcome, httpStatus: null, durationMs, retryAfterMs: null };
}

/** Reads a body to its end, or until it breaks off, is too long, or the time is over. */
async function drainBody(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  try {
    while (!(await reader.read()).done);
  } catch (cause) {
    if (!(cause instanceof EgressInterrupted)) throw cause;
  }
}

/** Statuses besides 5xx after which a retry may succeed. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

function answeredResult(
  httpStatus: number,
  headers: Headers,
  { durationMs, now }: { readonly durationMs: number; readonly now: number },
): PostResult {
  if (httpStatus >= 200 && httpStatus < 300) return { kind: "delivered", httpStatus, durationMs };
  const isTransient = httpStatus >= 500 || TRANSIENT_STATUSES.has(httpStatus);
  const retryAfterMs = retryAfterOf(headers.get("retry-after"), now);
  return { kind: "failed", error: "http_error", httpStatus, durationMs, isTransient, retryAfterMs };
}

/** Parses `Retry-After`, seconds or a date, into ms; null if it says nothing. */
export function retryAfterOf(header: string | null, now: number): number | null {
  if (header === null) return null;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

interface FailedHow {
  readonly error: AttemptError;
  readonly isTransient: boolean;
}
const transientFailure = (error: AttemptError): FailedHow => ({ error, isTransient: true });
const final = (error: AttemptError): FailedHow => ({ error, isTransient: false });

/** The ledger's error for each failure of the client; null: the attempt has no result. */
const ATTEMPT_FAILURES: Readonly<Record<EgressError, FailedHow | null>> = {
  timeout: transientFailure("timeout"),
  dns_error: transientFailure("dns_error"),
  tls_error: transientFailure("tls_error"),
  connection_refused: transientFailure("connection_refused"),
  connection_reset: transientFailure("connection_reset"),
  invalid_response: transientFailure("http_error"),
  too_large: transientFailure("http_error"),
  blocked_address: final("blocked_address"),
  https_required: final("blocked_address"),
  invalid_url: final("blocked_address"),
  invalid_header: final("http_error"),
  too_many_redirects: final("http_error"),
  aborted: null,
};

/** Caches the signers of sealed secrets. */
class Signers {
  private readonly sealing: Sealing;
  private readonly known = new Map<string, Signer>();

  constructor(sealing: Sealing) {
    this.sealing = sealing;
  }

  /** The signer of the present secret, then that of the former one while it is valid. */
  of({ organizationId, secret, formerSecret }: WebhookDestination, now: number): readonly Signer[] {
    const present = this.signer(organizationId, secret.sealed);
    if (formerSecret === null || Date.parse(formerSecret.until) <= now) return [present];
    return [present, this.signer(organizationId, formerSecret.sealed)];
  }

  private signer(organizationId: string, sealed: string): Signer {
    const known = this.known.get(sealed);
    if (known !== undefined) return known;
    const secret = this.sealing.open("webhook", sealed, signingContext(organizationId));
    if (secret === null) throw new Error("a signing secret does not open under the key of this service");
    const signer = new Signer(secret);
    if (this.known.size >= SIGNERS) this.known.clear();
    this.known.set(sealed, signer);
    return signer;
  }
}
