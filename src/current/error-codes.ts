/**
 * The error codes of the current surface (ERR-2): the status of each, its meaning, and what the caller should do.
 * The dialect takes the statuses from here, and the public documents are generated from here, so that both agree.
 * Total: a kind of fault without an entry does not compile.
 */
import type { FaultKind } from "../../actors/fault.ts";

/** The code of a fault is its kind; `internal_error` is a bug in the service. */
export type ErrorCode = FaultKind | "internal_error";

export interface ErrorEntry {
  readonly status: number;
  readonly meaning: string;
  /** What the caller can do about it. */
  readonly remedy: string;
}

const entry = (status: number, meaning: string, remedy: string): ErrorEntry => ({ status, meaning, remedy });

const SAME_KEY = "Wait as long as `Retry-After` says and repeat the request with the same `Idempotency-Key`.";

export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorEntry>> = {
  invalid_json: entry(
    400,
    "The body is not JSON, or it is nested too deeply.",
    "Correct the body. Sending it again unchanged gives the same error.",
  ),
  invalid_request: entry(
    400,
    "A field of the body, the query or the headers is missing, unknown, given twice, of the wrong type or out of range.",
    "Read `details.errors`: each entry has the `path` of a field and a `message`. All errors of the request are listed; correct them and send it again.",
  ),
  invalid_schedule: entry(
    400,
    "The schedule's expression, time zone or one of its times is not valid.",
    "Read `details.errors`: each entry has the `path` of a field and a `message` with a corrected example.",
  ),
  invalid_cursor: entry(
    400,
    "Invalid cursor for this list.",
    "Start again without a cursor. A cursor is opaque and works only for the list that returned it.",
  ),
  unsupported_api_version: entry(
    400,
    "The request asks for a version of the contract that is not served.",
    "Send one of `details.supported` in `Api-Version`, or omit the header.",
  ),
  invalid_idempotency_key: entry(
    400,
    "The `Idempotency-Key` cannot be read, or was sent twice.",
    "Send one header with 1 to 255 printable ASCII characters, for example a UUID. Quote a key that has a comma.",
  ),
  invalid_event_type: entry(
    400,
    "Unknown event type or family in a filter.",
    "Remove those listed in `details.unknown`; `details.errors` says where each is. A filter is an exact type or `family.*`.",
  ),
  invalid_path: entry(
    400,
    "Invalid path: it is absolute, contains `..`, or has a name that some systems cannot store.",
    "Send a path relative to the workspace, such as `reports/q3.md`. `message` says what is wrong with this one.",
  ),
  invalid_url: entry(
    400,
    "The URL is not allowed as a destination: its form, its scheme or its address.",
    "Give an https URL of a public host, without user name and password.",
  ),
  unauthenticated: entry(
    401,
    "The token is missing, unknown, malformed or revoked.",
    "Send `Authorization: Bearer <token>` with a valid token.",
  ),
  token_expired: entry(401, "The token has expired.", "Create a new token."),
  insufficient_scope: entry(
    403,
    "The token is valid but lacks a scope that the operation needs.",
    "Use a token with the scopes in `details.required_scopes`. A scope `x:write` includes `x:read`, and `*` includes all.",
  ),
  owner_required: entry(
    403,
    "Only an owner of the organization may do this.",
    "Ask an owner, or use an owner's token.",
  ),
  organization_suspended: entry(
    403,
    "The operator of the service has suspended the organization. Nothing of it runs, and all its tokens are refused.",
    "Ask the operator. The token works again when the suspension ends.",
  ),
  forbidden: entry(403, "You may not do this to this record.", "The message says why."),
  invalid_signature: entry(
    403,
    "The signed address is invalid or has expired.",
    "Read the job again for a fresh address.",
  ),
  not_found: entry(
    404,
    "The record or path does not exist, or the record belongs to another organization.",
    "Check the id and the path. Where an id of the body or the query names nothing, `details.errors` has its field. Deleted records are not found either.",
  ),
  method_not_allowed: entry(405, "The path does not support this method.", "Use one of the methods in `Allow`."),
  request_timeout: entry(
    408,
    "The body of the request did not arrive in time. Nothing was done.",
    "Send the whole body at once. A slow connection gets more time for a longer body.",
  ),
  invalid_state: entry(
    409,
    "The record's current status does not allow this.",
    "Check `details.status`; use one of `details.allowed_actions`, or wait until the status changes.",
  ),
  chat_busy: entry(
    409,
    "A turn is running in the chat, and `on_busy` is `reject`.",
    "Wait for the job in `details.job_id`, or send the message with another `on_busy`.",
  ),
  approval_pending: entry(
    409,
    "The job waits for an approval or a review.",
    "Approve, deny or cancel the job in `details.job_id` first.",
  ),
  version_conflict: entry(
    409,
    "The record was changed since you read it.",
    "Read it again, apply your change to the new state, and send the new version in `If-Match`.",
  ),
  secret_in_use: entry(
    409,
    "Agents, repositories of workspaces or provider keys use the secret.",
    "Remove it from those listed in `details`; `details.others` counts agents that you may not see. Or delete it with `?force=true`: their next runs then fail because the secret is missing.",
  ),
  not_a_library_agent: entry(
    409,
    "Only library agents can be installed or uninstalled.",
    "Update or delete a private agent instead.",
  ),
  read_only_violation: entry(
    400,
    "The query is not exactly one SELECT over files of the workspace.",
    "Read `message`: it names the part that is not allowed. A query is read-only, and reads only the files that it names.",
  ),
  path_exists: entry(
    409,
    "A file or directory already exists at the path, or a file is in the way of a directory.",
    "Choose another path, or set `overwrite`. `details.path` is the path that is taken.",
  ),
  idempotency_conflict: entry(
    409,
    "The `Idempotency-Key` was already used with different input.",
    "Use a new key for each new request, and the same key only to repeat one.",
  ),
  idempotency_in_progress: entry(
    409,
    "The first request with this key is still running.",
    "Wait as long as `Retry-After` says and send it again: you get the answer of the first request.",
  ),
  event_not_retained: entry(
    410,
    "The event is older than the retention period and was deleted.",
    "Read the records themselves. `details.oldest_sequence`, if present, is the oldest event of the feed.",
  ),
  share_expired: entry(
    410,
    "The share has expired, has reached its number of downloads, or was revoked.",
    "Ask its owner for a new one.",
  ),
  upload_offset_mismatch: entry(
    409,
    "The part does not begin at the next byte of the upload.",
    "Send the next part from the byte in `details.offset` on.",
  ),
  payload_too_large: entry(
    413,
    "The body or one of its fields is too large.",
    "Stay below the bytes in `details.limit_bytes`.",
  ),
  range_not_satisfiable: entry(
    416,
    "The requested range begins past the end of the file.",
    "Ask for a range within `details.bytes`, or for the whole file without `Range`.",
  ),
  unsupported_media_type: entry(
    415,
    "The operation does not accept a body of this content type.",
    "Send the `Content-Type` that the message names, without a `Content-Encoding`.",
  ),
  rate_limited: entry(
    429,
    "Too many requests in this window.",
    "Wait as long as `Retry-After` says. Every response has headers with the remaining requests.",
  ),
  budget_exceeded: entry(
    429,
    "The organization has used up its budget of model tokens, or of their cost, for this month.",
    "Wait for the next month, or ask the operator for a larger budget. Work that has started is kept.",
  ),
  quota_exceeded: entry(
    429,
    "The organization has reached the quota in `details.quota`. Nothing was done.",
    "Delete what you no longer need, or ask the operator for a larger quota; `GET /api/usage` shows all of them. Waiting does not help.",
  ),
  internal_error: entry(
    500,
    "Internal error: a bug in the service.",
    "Report the `request_id`. Check whether the change was made before you repeat it, or repeat it with the same `Idempotency-Key`.",
  ),
  provider_error: entry(
    502,
    "The model provider failed or rejected the request.",
    "The message says why. Try again later, or choose another model.",
  ),
  overloaded: entry(
    503,
    "Too many requests are waiting for this record or in this organization, too many streams are open, or too many bodies are being sent. Nothing was done.",
    SAME_KEY,
  ),
  storage_full: entry(
    503,
    "The disk of the service is nearly full. Reads are answered; nothing is stored until there is space. Nothing was done.",
    "Wait as long as `Retry-After` says and try again; the operator frees space.",
  ),
  unavailable: entry(503, "A dependency of the service is unavailable. Nothing was done.", SAME_KEY),
  outcome_unknown: entry(
    503,
    "The connection to the database broke during the commit: it may or may not have happened.",
    "Repeat it with the same `Idempotency-Key`: it is done only once. Without a key, check first whether it was done.",
  ),
  shutting_down: entry(503, "The service is restarting. Nothing was done.", SAME_KEY),
  timeout: entry(504, "The work exceeded its time limit.", "Read the record to see how far it got."),
};
