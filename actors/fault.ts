/**
 * Refusals that a caller can act on, as data. The union is closed and knows no status code: each
 * surface maps it with a mapped type that is total over `FaultKind`, so that a kind without a
 * mapping does not compile. Bugs are exceptions, never faults.
 */

/** One error at one place of an input. `path` is a JSON pointer such as `/schedule/value`. */
export interface InputError {
  readonly path: string;
  readonly message: string;
}

/** The nouns that can be missing. */
export type Noun =
  | "organization"
  | "user"
  | "agent"
  | "task"
  | "chat"
  | "session"
  | "message"
  | "job"
  | "workspace"
  | "file"
  | "upload"
  | "directory"
  | "share"
  | "repository"
  | "app"
  | "approval"
  | "mission"
  | "mission_task"
  | "token"
  | "grant"
  | "invitation"
  | "oauth_client"
  | "secret"
  | "connection"
  | "group"
  | "provider_key"
  | "messaging_integration"
  | "messenger"
  | "delivery"
  | "push_notification"
  | "route";

interface FaultDetails {
  /** The body is not JSON, or not JSON that we accept (NUL, depth). `place` is where, for surfaces that show it. */
  invalid_json: { readonly message: string; readonly place?: string };
  /** The cursor is not from this list. */
  invalid_cursor: Record<never, never>;
  /** A field is missing, has a wrong type or is out of range. */
  invalid_request: { readonly errors: readonly InputError[] };
  /** An impossible schedule: its expression, its zone or its times (MIS-3). */
  invalid_schedule: { readonly errors: readonly InputError[] };
  /** The request asks for a version of the contract that is not served. */
  unsupported_api_version: { readonly supported: readonly string[] };
  /** No credential, or one that is unknown, malformed or revoked. */
  unauthenticated: {
    readonly reason: string;
    /** How to authenticate other than with a bearer token: the value of `WWW-Authenticate`. */
    readonly challenge?: string;
  };
  token_expired: Record<never, never>;
  insufficient_scope: { readonly required: readonly string[] };
  owner_required: Record<never, never>;
  /** The operator has suspended the organization; its tokens work again when the suspension ends (AUTH-11). */
  organization_suspended: Record<never, never>;
  /** `fields`: those of the input whose ids name none; without them it is the path. */
  not_found: { readonly noun: Noun; readonly fields?: readonly string[] };
  method_not_allowed: { readonly allow: readonly string[] };
  unsupported_media_type: { readonly expected: string };
  /** The range begins past the end of the file, whose size is `bytes`. */
  range_not_satisfiable: { readonly bytes: number };
  /** A part of an upload does not begin at the next byte, which is `offset`. */
  upload_offset_mismatch: { readonly offset: number };
  /** `field` is the field that is too large; without it, the body is. */
  payload_too_large: { readonly limitBytes: number; readonly field?: string };
  /** The verb is not allowed in the record's current status. */
  invalid_state: { readonly status: string; readonly allowedActions: readonly string[]; readonly message: string };
  /** A turn runs in the chat, and the caller asked for refusal in that case (CHAT-5). */
  chat_busy: { readonly status: string; readonly allowedActions: readonly string[]; readonly jobId: string };
  /** The job waits for a person's decision first. */
  approval_pending: { readonly status: string; readonly allowedActions: readonly string[]; readonly jobId: string };
  /** The record has changed since the caller read it (`If-Match`). */
  version_conflict: { readonly version: number };
  not_a_library_agent: Record<never, never>;
  /** The secret is in use by these agents (only those that the caller may see) and by `others` more. */
  secret_in_use: {
    readonly agents: readonly { readonly id: string; readonly name: string }[];
    readonly workspaces: readonly { readonly id: string; readonly name: string }[];
    /** Providers that are called with the secret. */
    readonly providers: readonly string[];
    readonly others: number;
  };
  /** A signed address that is not valid, for whatever reason (SSE-9). */
  invalid_signature: Record<never, never>;
  /** The header does not contain a valid key. */
  invalid_idempotency_key: Record<never, never>;
  /** The key was used for a different input. */
  idempotency_conflict: Record<never, never>;
  /** The first request with the key has not finished. */
  idempotency_in_progress: { readonly retryAfterMs: number };
  /** The path cannot name a file of a workspace (WSP-3). `field` is the input that had it. */
  invalid_path: { readonly field: string; readonly message: string };
  /** The path is taken or blocked, such as by a file where a directory must be. */
  path_exists: { readonly path: string; readonly message: string };
  /** The query is not exactly one SELECT over files of the workspace (WSP-4). */
  read_only_violation: { readonly message: string };
  /** The share has expired, has used up its downloads, or was revoked. */
  share_expired: Record<never, never>;
  /** A filter names unknown event types or families; `paths` points to them, as JSON pointers. */
  invalid_event_type: { readonly unknown: readonly string[]; readonly paths: readonly string[] };
  /** The destination is not allowed: its form, its scheme or its address. */
  invalid_url: { readonly message: string };
  /** The event has passed its retention time and is deleted. */
  event_not_retained: { readonly oldest?: number };
  forbidden: { readonly message: string };
  /** A limit of the organization for this month is used up (RUN-4); `of` names it. */
  budget_exceeded: { readonly of: "tokens" | "cost"; readonly retryAfterMs: number };
  /** The organization has reached this quota (QUOTA-1). */
  quota_exceeded: { readonly quota: string; readonly limit: number; readonly used: number };
  /** The model or a provider refused or failed before any output. */
  provider_error: { readonly message: string };
  /** The identity has used up its requests of this window (RATE-1). */
  rate_limited: { readonly retryAfterMs: number };
  /** A bounded queue is full; other queues are unaffected. Nothing was done. */
  overloaded: { readonly retryAfterMs: number };
  /** The database, the lease, or what `message` names is unavailable now. Nothing was done. */
  unavailable: { readonly retryAfterMs: number; readonly message?: string };
  /** The disk of the database is nearly full; reads still work. Nothing was done. */
  storage_full: { readonly retryAfterMs: number };
  /** The commit may or may not have happened; a retry with the idempotency key finds out. */
  outcome_unknown: { readonly retryAfterMs: number };
  shutting_down: { readonly retryAfterMs: number };
  timeout: { readonly message: string };
  /** The body of the request did not arrive in time (FAIR-5). Nothing was done. */
  request_timeout: Record<never, never>;
}

export type FaultKind = keyof FaultDetails;

/** A refusal: its kind and the data that the caller needs to act on it. */
export type Fault = { [K in FaultKind]: { readonly kind: K } & FaultDetails[K] }[FaultKind];

/** The fault of one kind. */
export type FaultOf<K extends FaultKind> = Extract<Fault, { kind: K }>;

/** Refusals by the runtime, not by an actor: no decision was made, and a retry may succeed. */
export const isPassing = (fault: Fault): boolean =>
  fault.kind === "overloaded" ||
  fault.kind === "unavailable" ||
  fault.kind === "storage_full" ||
  fault.kind === "outcome_unknown" ||
  fault.kind === "shutting_down";

/** The result of a turn or a command: a value, or a refusal. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });
/** Maps an outcome's value and keeps its refusal. */
export const mapOutcome = <T, U>(outcome: Outcome<T>, map: (value: T) => U): Outcome<U> =>
  outcome.ok ? ok(map(outcome.value)) : outcome;
export const refuse = (fault: Fault): Outcome<never> => ({ ok: false, fault });
export const notFound = (noun: Noun): Outcome<never> => refuse({ kind: "not_found", noun });
export const invalid = (path: string, message: string): Outcome<never> =>
  refuse({ kind: "invalid_request", errors: [{ path, message }] });
