/** How the current surface says no (ERR-1, ERR-2): `{type, code, error, message, status, request_id, details}`. The statuses are those of `error-codes.ts`. */
import type { JsonObject } from "../../actors/schema.ts";
import { type Dialect, entryOf, type RefusalTable, retryAfter } from "../http/dialect.ts";
import { ERROR_CODES, type ErrorCode } from "./error-codes.ts";

interface Words {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

const words = (code: ErrorCode, message: string, more: Pick<Words, "details" | "headers"> = {}): Words => ({
  code,
  message,
  ...more,
});
const BEARER = { headers: { "www-authenticate": "Bearer" } };
const later = (retryAfterMs: number) => ({ headers: retryAfter(retryAfterMs) });

const WORDS: RefusalTable<Words> = {
  invalid_json: ({ message }) => words("invalid_json", message),
  invalid_cursor: () => words("invalid_cursor", "The cursor is none that this list has given"),
  invalid_request: ({ errors }) => {
    const list = errors.map(({ path, message }) => ({ path, message }));
    return words("invalid_request", errors[0]?.message ?? "Invalid request", { details: { errors: list } });
  },
  unsupported_api_version: ({ supported }) =>
    words("unsupported_api_version", "There is no such version of this interface", { details: { supported } }),
  unauthenticated: () => words("unauthenticated", "A valid bearer token is required", BEARER),
  token_expired: () => words("token_expired", "The token has expired", BEARER),
  insufficient_scope: ({ required }) =>
    words("insufficient_scope", "The token lacks a required scope", {
      details: { required_scopes: required },
      headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${required.join(" ")}"` },
    }),
  owner_required: () => words("owner_required", "Only an owner of the organization may do this"),
  not_found: ({ noun }) =>
    words("not_found", noun === "route" ? "There is nothing at this path" : `No such ${noun.replaceAll("_", " ")}`),
  method_not_allowed: ({ allow }) =>
    words("method_not_allowed", "This path does not take this method", { headers: { allow: allow.join(", ") } }),
  unsupported_media_type: ({ expected }) => words("unsupported_media_type", `Content-Type must be ${expected}`),
  payload_too_large: ({ limitBytes }) =>
    words("payload_too_large", `Too large: the limit is ${limitBytes} bytes`, {
      details: { limit_bytes: limitBytes },
    }),
  invalid_state: ({ status, allowedActions, message }) =>
    words("invalid_state", message, { details: { status, allowed_actions: allowedActions } }),
  chat_busy: ({ status, allowedActions, jobId }) =>
    words("chat_busy", "A turn is running in this chat", {
      details: { status, allowed_actions: allowedActions, job_id: jobId },
    }),
  approval_pending: ({ status, allowedActions, jobId }) =>
    words("approval_pending", "The job waits for a decision", {
      details: { status, allowed_actions: allowedActions, job_id: jobId },
    }),
  version_conflict: ({ version }) =>
    words("version_conflict", "The record has changed since it was read", { details: { version } }),
  not_a_library_agent: () => words("not_a_library_agent", "Only a library agent can be installed or uninstalled"),
  invalid_idempotency_key: () =>
    words("invalid_idempotency_key", "Idempotency-Key must be 1 to 255 printable ASCII characters"),
  idempotency_conflict: () =>
    words("idempotency_conflict", "This idempotency key was used for a request with another input"),
  idempotency_in_progress: ({ retryAfterMs }) =>
    words("idempotency_in_progress", "The first request with this key is still running", later(retryAfterMs)),
  invalid_event_type: ({ unknown }) =>
    words("invalid_event_type", `There is no event type ${unknown[0] ?? ""}`, { details: { unknown } }),
  invalid_url: ({ message }) => words("invalid_url", message, { details: { errors: [{ path: "/url", message }] } }),
  event_not_retained: ({ oldest }) =>
    words("event_not_retained", "The event is not kept any more", {
      details: oldest === undefined ? {} : { oldest_sequence: oldest },
    }),
  forbidden: ({ message }) => words("forbidden", message),
  invalid_signature: () => words("invalid_signature", "The address is not valid, or not any more"),
  budget_exceeded: ({ retryAfterMs }) =>
    words("budget_exceeded", "The organization's token budget of this month is used up", later(retryAfterMs)),
  provider_error: ({ message }) => words("provider_error", message),
  rate_limited: ({ retryAfterMs }) =>
    words("rate_limited", "The requests of this window are used up", later(retryAfterMs)),
  overloaded: ({ retryAfterMs }) => words("overloaded", "Too much waits for this already", later(retryAfterMs)),
  unavailable: ({ retryAfterMs }) =>
    words("unavailable", "The service is temporarily unavailable", later(retryAfterMs)),
  outcome_unknown: ({ retryAfterMs }) =>
    words("outcome_unknown", "The outcome is not known; repeat with the same idempotency key", later(retryAfterMs)),
  shutting_down: ({ retryAfterMs }) => words("shutting_down", "The service is restarting", later(retryAfterMs)),
  timeout: ({ message }) => words("timeout", message),
};

/** The dialect of a service that is reached at `appUrl()`; the address is known when the port is open. */
export function currentDialect(appUrl: () => string): Dialect {
  const refusal = ({ code, message, details = {}, headers = {} }: Words, requestId: string) => {
    const { status } = ERROR_CODES[code];
    const type = `${appUrl()}/api/reference#error-${code}`;
    return { status, body: { type, code, error: code, message, status, request_id: requestId, details }, headers };
  };
  return {
    refusal: (fault, requestId) => refusal(entryOf(WORDS, fault), requestId),
    bug: (requestId) => refusal(words("internal_error", "The service failed on this request"), requestId),
  };
}
