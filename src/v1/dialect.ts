/**
 * The error bodies of v1 (ERR-3): `{error, statusCode, statusMessage, message}` on every failure. Every failure of
 * authentication or permission is the same 401 (AUTH-4). The interface prescribes 500 for an unreachable database and
 * other temporary unavailability; a request that the service itself holds back gets 503. Both say when to retry.
 */
import { spentWords } from "../../actors/usage/schema.ts";
import type { Noun } from "../../actors/fault.ts";
import {
  contentRange,
  type Dialect,
  entryOf,
  type Refusal,
  type RefusalTable,
  retryAfter,
  statusReason,
} from "../http/answer/dialect.ts";

/** The nouns with other words here than in the code. */
const NOUN_WORDS: Readonly<Partial<Record<Noun, string>>> = { oauth_client: "client" };

function notFoundWords(noun: Noun): string {
  const words = noun === "route" ? "not found" : `${NOUN_WORDS[noun] ?? noun.replaceAll("_", " ")} not found`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function refusal(statusCode: number, message: string, headers?: Readonly<Record<string, string>>): Refusal {
  const body = { error: true, statusCode, statusMessage: statusReason(statusCode), message };
  return { status: statusCode, body, ...(headers === undefined ? {} : { headers }) };
}

const UNAUTHORIZED = refusal(401, "Unauthorized. Invalid or expired token", { "www-authenticate": "Bearer" });
const UNAVAILABLE_WORDS = "The service is temporarily unavailable. Try again later";

const REFUSALS: RefusalTable<Refusal> = {
  invalid_json: ({ message }) => refusal(400, message),
  invalid_cursor: () => refusal(400, "Invalid cursor"),
  invalid_request: ({ errors }) => refusal(400, errors[0]?.message ?? "Invalid request"),
  invalid_schedule: ({ errors }) => refusal(400, errors[0]?.message ?? "Invalid schedule"),
  unsupported_api_version: () => refusal(400, "v1 is versioned by its path"),
  unauthenticated: () => UNAUTHORIZED,
  token_expired: () => UNAUTHORIZED,
  insufficient_scope: () => UNAUTHORIZED,
  owner_required: () => UNAUTHORIZED,
  organization_suspended: () => refusal(403, "The operator of the service has suspended this organization"),
  not_found: ({ noun }) => refusal(404, notFoundWords(noun)),
  method_not_allowed: ({ allow }) => refusal(405, "Method not allowed", { allow: allow.join(", ") }),
  unsupported_media_type: ({ expected }) => refusal(415, `Content-Type must be ${expected}`),
  upload_offset_mismatch: ({ offset }) => refusal(409, `The upload has ${offset} bytes`),
  range_not_satisfiable: ({ bytes }) => refusal(416, `The file has ${bytes} bytes`, contentRange(bytes)),
  payload_too_large: ({ limitBytes, field }) =>
    refusal(413, `${field === undefined ? "Too" : `Field ${field} is too`} large: the limit is ${limitBytes} bytes`),
  invalid_state: ({ message }) => refusal(409, message),
  chat_busy: () => refusal(409, "A turn is running in this chat"),
  approval_pending: () => refusal(409, "The execution waits for an approval"),
  version_conflict: () => refusal(409, "The record was changed since you read it"),
  secret_in_use: () => refusal(409, "The secret is in use"),
  not_a_library_agent: () => refusal(409, "This agent is not from the library"),
  invalid_idempotency_key: () =>
    refusal(
      400,
      "Idempotency-Key must be one header of 1 to 255 printable ASCII characters; quote a key that contains a comma",
    ),
  idempotency_conflict: () => refusal(409, "This idempotency key was already used with different input"),
  idempotency_in_progress: ({ retryAfterMs }) =>
    refusal(409, "The first request with this key is still running", retryAfter(retryAfterMs)),
  invalid_event_type: () => refusal(400, "Unknown event type"),
  invalid_url: ({ message }) => refusal(400, message),
  invalid_path: ({ message }) => refusal(400, message),
  read_only_violation: ({ message }) => refusal(400, message),
  path_exists: ({ message }) => refusal(409, message),
  share_expired: () => refusal(410, "The share has expired"),
  event_not_retained: () => refusal(410, "The event is no longer retained"),
  forbidden: () => UNAUTHORIZED,
  invalid_signature: () => UNAUTHORIZED,
  budget_exceeded: ({ of, retryAfterMs }) => refusal(429, spentWords(of), retryAfter(retryAfterMs)),
  quota_exceeded: ({ quota, limit, used }) =>
    refusal(429, `The organization has reached its quota of ${quota.replaceAll("_", " ")}: ${used} of ${limit}`),
  provider_error: ({ message }) => refusal(502, message),
  rate_limited: ({ retryAfterMs }) => refusal(429, "Too many requests. Try again later", retryAfter(retryAfterMs)),
  overloaded: ({ retryAfterMs }) => refusal(503, UNAVAILABLE_WORDS, retryAfter(retryAfterMs)),
  storage_full: ({ retryAfterMs }) =>
    refusal(503, "The storage of the service is full. Try again later", retryAfter(retryAfterMs)),
  unavailable: ({ retryAfterMs }) => refusal(500, UNAVAILABLE_WORDS, retryAfter(retryAfterMs)),
  outcome_unknown: ({ retryAfterMs }) =>
    refusal(503, "The outcome of the request is unknown. Check before you repeat it", retryAfter(retryAfterMs)),
  shutting_down: ({ retryAfterMs }) => refusal(503, "The service is restarting. Try again", retryAfter(retryAfterMs)),
  timeout: ({ message }) => refusal(504, message),
  request_timeout: () => refusal(408, "The body of the request did not arrive in time"),
};

export const v1Dialect: Dialect = {
  refusal: (fault) => entryOf(REFUSALS, fault),
  bug: () => refusal(500, "Internal server error"),
};
