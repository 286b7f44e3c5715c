/**
 * How v1 says no (ERR-3): `{error, statusCode, statusMessage, message}` on every failure. All that
 * has to do with authentication and permission is the same 401 (AUTH-4). The interface names 500 for
 * a database that cannot be reached and for other temporary unavailability; what the service itself
 * holds back for a moment is 503. Both say when to try again.
 */
import type { Noun } from "../../actors/fault.ts";
import { type Dialect, entryOf, type Refusal, type RefusalTable, retryAfter } from "../http/dialect.ts";

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

const NOUNS: Readonly<Record<Noun, string>> = {
  organization: "Organization not found",
  user: "User not found",
  agent: "Agent not found",
  task: "Task not found",
  chat: "Chat not found",
  session: "Session not found",
  message: "Message not found",
  job: "Job not found",
  workspace: "Workspace not found",
  token: "Token not found",
  secret: "Secret not found",
  messaging_integration: "Messaging integration not found",
  delivery: "Delivery not found",
  approval: "Approval not found",
  route: "Not found",
};

function refusal(statusCode: number, message: string, headers?: Readonly<Record<string, string>>): Refusal {
  const body = { error: true, statusCode, statusMessage: REASONS[statusCode], message };
  return { status: statusCode, body, ...(headers === undefined ? {} : { headers }) };
}

const UNAUTHORIZED = refusal(401, "Unauthorized. Invalid or expired token", { "www-authenticate": "Bearer" });
const UNAVAILABLE = "The service is temporarily unavailable. Try again later";

const REFUSALS: RefusalTable<Refusal> = {
  invalid_json: ({ message }) => refusal(400, message),
  invalid_cursor: () => refusal(400, "Invalid cursor"),
  invalid_request: ({ errors }) => refusal(400, errors[0]?.message ?? "Invalid request"),
  unsupported_api_version: () => refusal(400, "The version of this surface is its path"),
  unauthenticated: () => UNAUTHORIZED,
  token_expired: () => UNAUTHORIZED,
  insufficient_scope: () => UNAUTHORIZED,
  owner_required: () => UNAUTHORIZED,
  not_found: ({ noun }) => refusal(404, NOUNS[noun]),
  method_not_allowed: ({ allow }) => refusal(405, "Method not allowed", { allow: allow.join(", ") }),
  unsupported_media_type: ({ expected }) => refusal(415, `Content-Type must be ${expected}`),
  payload_too_large: ({ limitBytes }) => refusal(413, `Too large: the limit is ${limitBytes} bytes`),
  invalid_state: ({ message }) => refusal(409, message),
  chat_busy: () => refusal(409, "A turn is running in this chat"),
  approval_pending: () => refusal(409, "The execution waits for a decision"),
  version_conflict: () => refusal(409, "The record has changed since it was read"),
  not_a_library_agent: () => refusal(409, "This is not a library agent"),
  invalid_idempotency_key: () => refusal(400, "Idempotency-Key must be 1 to 255 printable ASCII characters"),
  idempotency_conflict: () => refusal(409, "This idempotency key was used for a request with another input"),
  idempotency_in_progress: ({ retryAfterMs }) =>
    refusal(409, "The first request with this key is still running", retryAfter(retryAfterMs)),
  invalid_event_type: () => refusal(400, "Unknown event type"),
  invalid_url: ({ message }) => refusal(400, message),
  event_not_retained: () => refusal(410, "The event is not kept any more"),
  forbidden: () => UNAUTHORIZED,
  invalid_signature: () => UNAUTHORIZED,
  budget_exceeded: ({ retryAfterMs }) =>
    refusal(429, "The organization's token budget of this month is used up", retryAfter(retryAfterMs)),
  provider_error: ({ message }) => refusal(502, message),
  rate_limited: ({ retryAfterMs }) => refusal(429, "Too many requests. Try again later", retryAfter(retryAfterMs)),
  overloaded: ({ retryAfterMs }) => refusal(503, UNAVAILABLE, retryAfter(retryAfterMs)),
  unavailable: ({ retryAfterMs }) => refusal(500, UNAVAILABLE, retryAfter(retryAfterMs)),
  outcome_unknown: ({ retryAfterMs }) =>
    refusal(503, "The outcome of the request is not known. Look before you repeat it", retryAfter(retryAfterMs)),
  shutting_down: ({ retryAfterMs }) => refusal(503, "The service is restarting. Try again", retryAfter(retryAfterMs)),
  timeout: ({ message }) => refusal(504, message),
};

export const v1Dialect: Dialect = {
  refusal: (fault) => entryOf(REFUSALS, fault),
  bug: () => refusal(500, "Internal server error"),
};
