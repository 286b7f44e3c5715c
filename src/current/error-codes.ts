/**
 * The codes of refusals on the current surface (ERR-2): the status of each, what it means, and what a
 * caller does about it. The dialect takes the status from here, and the public documents are made of
 * it, so what is explained is what is answered. Total: a kind of fault without its entry does not compile.
 */
import type { FaultKind } from "../../actors/fault.ts";

/** A fault's kind is its code; `internal_error` is a bug of ours. */
export type ErrorCode = FaultKind | "internal_error";

export interface ErrorEntry {
  readonly status: number;
  readonly meaning: string;
  /** What the caller can do. */
  readonly remedy: string;
}

const entry = (status: number, meaning: string, remedy: string): ErrorEntry => ({ status, meaning, remedy });

const SAME_KEY = "Wait as long as `Retry-After` says and repeat the request with the same `Idempotency-Key`.";

export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorEntry>> = {
  invalid_json: entry(
    400,
    "The body is not JSON, or it is nested too deeply.",
    "Mend the body. Repeating it as it is changes nothing.",
  ),
  invalid_request: entry(
    400,
    "A field of the body, the query or the headers is missing, of a wrong type or out of its range.",
    "Read `details.errors`: each entry has the `path` of a field and a `message`. Mend all of them and send it again.",
  ),
  invalid_cursor: entry(
    400,
    "The cursor is none that this list has given.",
    "Begin again without a cursor. Cursors are opaque and belong to the list that gave them.",
  ),
  unsupported_api_version: entry(
    400,
    "The request asks for a version of the contract that is not served.",
    "Send one of `details.supported` in `Api-Version`, or leave the header out.",
  ),
  invalid_idempotency_key: entry(
    400,
    "The `Idempotency-Key` cannot be read.",
    "Send 1 to 255 printable ASCII characters, for example a UUID.",
  ),
  invalid_event_type: entry(
    400,
    "A filter names event types or families that there are not.",
    "Take the ones in `details.unknown` out. A filter is an exact type or `family.*`.",
  ),
  invalid_url: entry(
    400,
    "Nothing is sent to this URL: its form, its scheme or its address.",
    "Give an https URL of a public host, without user name and password.",
  ),
  unauthenticated: entry(
    401,
    "There is no token, or one that is unknown, malformed or revoked.",
    "Send `Authorization: Bearer <token>` with a token that is valid.",
  ),
  token_expired: entry(401, "The token has expired.", "Make a new token and use it from now on."),
  insufficient_scope: entry(
    403,
    "The token is valid and lacks a scope that the operation needs.",
    "Use a token with the scopes in `details.required_scopes`. A scope `x:write` includes `x:read`, and `*` is all.",
  ),
  owner_required: entry(
    403,
    "Only an owner of the organization may do this.",
    "Ask an owner, or use the token of one.",
  ),
  forbidden: entry(403, "This caller may not do this to this record.", "The message says what is in the way."),
  invalid_signature: entry(
    403,
    "The signed address does not open anything, or does not any more.",
    "Read the job again for a fresh address.",
  ),
  not_found: entry(
    404,
    "There is no such record or path, or it is another organization's.",
    "Check the id and the path. A record that was deleted is not found either.",
  ),
  method_not_allowed: entry(405, "The path does not take this method.", "Use one of the methods in `Allow`."),
  invalid_state: entry(
    409,
    "The record's present status does not allow this.",
    "Look at `details.status` and `details.allowed_actions`, and do one of these or wait for another status.",
  ),
  chat_busy: entry(
    409,
    "A turn is running in the chat, and the message was to be refused then.",
    "Wait for the job in `details.job_id`, or send the message with another `on_busy`.",
  ),
  approval_pending: entry(
    409,
    "The job waits for a person's decision.",
    "Approve, deny or cancel the job in `details.job_id` first.",
  ),
  version_conflict: entry(
    409,
    "The record has changed since it was read.",
    "Read it again, apply the change to what you find, and send its version in `If-Match`.",
  ),
  not_a_library_agent: entry(
    409,
    "Only an agent of the library can be installed or uninstalled.",
    "Update or delete a private agent instead.",
  ),
  idempotency_conflict: entry(
    409,
    "The `Idempotency-Key` was used for a request with another input.",
    "Take a new key for a new request, and keep a key for its repetitions only.",
  ),
  idempotency_in_progress: entry(
    409,
    "The first request with this key is still running.",
    "Wait as long as `Retry-After` says and send it again: the answer is then that of the first.",
  ),
  event_not_retained: entry(
    410,
    "The event was kept for its time and is gone.",
    "Read the records themselves. `details.oldest_sequence`, where it is there, is where the feed begins.",
  ),
  payload_too_large: entry(
    413,
    "The body or one of its fields is too large.",
    "Stay below the bytes in `details.limit_bytes`.",
  ),
  unsupported_media_type: entry(
    415,
    "The body is of a type that the operation does not take.",
    "Send it as `Content-Type: application/json`.",
  ),
  rate_limited: entry(
    429,
    "The requests of this window are used up.",
    "Wait as long as `Retry-After` says. The headers of every response tell what is left.",
  ),
  budget_exceeded: entry(
    429,
    "The organization has used up its model tokens of this month.",
    "Wait for the next month, or ask the operator for a larger budget. What has begun is kept.",
  ),
  internal_error: entry(
    500,
    "The service failed on this request: a bug of ours.",
    "Report the `request_id`. Read whether the change was made before you repeat it, or repeat it with the same `Idempotency-Key`.",
  ),
  provider_error: entry(
    502,
    "The model or its provider refused or failed.",
    "The message says why. Try again later, or choose another model.",
  ),
  overloaded: entry(
    503,
    "Too much waits for this record already, or too many streams are open. Nothing was done.",
    SAME_KEY,
  ),
  unavailable: entry(503, "The service cannot reach what it needs. Nothing was done.", SAME_KEY),
  outcome_unknown: entry(
    503,
    "The connection to the database broke during the commit: it may or may not have happened.",
    "Repeat it with the same `Idempotency-Key`: it is done once. Without a key read first.",
  ),
  shutting_down: entry(503, "The service is restarting. Nothing was done.", SAME_KEY),
  timeout: entry(504, "The work took longer than it may.", "Read the record to see how far it has come."),
};
