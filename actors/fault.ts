/**
 * Refusals that a caller can act on, as data. The union is closed and knows no status code: each
 * surface maps it with a mapped type that is total over `FaultKind`, so that a kind without a
 * mapping does not compile. Bugs are exceptions, never faults.
 */

/** One complaint about one place of an input. `path` is a JSON pointer such as `/schedule/value`. */
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
  | "provider_key"
  | "messaging_integration"
  | "delivery"
  | "route";

interface FaultDetails {
  /** The body is not JSON, or not JSON that we take (NUL, depth). `place` says where, in a surface that has room for it. */
  invalid_json: { readonly message: string; readonly place?: string };
  /** A cursor that this list has not given. */
  invalid_cursor: Record<never, never>;
  /** A field is missing, of a wrong type or out of its range. */
  invalid_request: { readonly errors: readonly InputError[] };
  /** A schedule that cannot be: its expression, its zone, its times (MIS-3). */
  invalid_schedule: { readonly errors: readonly InputError[] };
  /** The request asks for a version of the contract that is not served. */
  unsupported_api_version: { readonly supported: readonly string[] };
  /** No credential, or one that is unknown, malformed or revoked. */
  unauthenticated: {
    readonly reason: string;
    /** How to authenticate, where it is not by a bearer token: what `WWW-Authenticate` says. */
    readonly challenge?: string;
  };
  token_expired: Record<never, never>;
  insufficient_scope: { readonly required: readonly string[] };
  owner_required: Record<never, never>;
  /** The operator has suspended the organization; its tokens are good again when that is over (AUTH-11). */
  organization_suspended: Record<never, never>;
  not_found: { readonly noun: Noun };
  method_not_allowed: { readonly allow: readonly string[] };
  unsupported_media_type: { readonly expected: string };
  /** The range begins past the end of the file, which has so many bytes. */
  range_not_satisfiable: { readonly bytes: number };
  /** A part of an upload begins elsewhere than at the byte that is next, which is `offset`. */
  upload_offset_mismatch: { readonly offset: number };
  /** `field` is the one that is too large; without it the body is. */
  payload_too_large: { readonly limitBytes: number; readonly field?: string };
  /** The verb is not possible in the record's present status. */
  invalid_state: { readonly status: string; readonly allowedActions: readonly string[]; readonly message: string };
  /** A turn runs in the chat, and the caller wanted none to (CHAT-5). */
  chat_busy: { readonly status: string; readonly allowedActions: readonly string[]; readonly jobId: string };
  /** The job waits for a person's decision first. */
  approval_pending: { readonly status: string; readonly allowedActions: readonly string[]; readonly jobId: string };
  /** The record has moved since the caller read it (`If-Match`). */
  version_conflict: { readonly version: number };
  not_a_library_agent: Record<never, never>;
  /** Something needs the secret: agents that the caller may see, and how much else does. */
  secret_in_use: {
    readonly agents: readonly { readonly id: string; readonly name: string }[];
    readonly workspaces: readonly { readonly id: string; readonly name: string }[];
    /** Those whose calls are made with it. */
    readonly providers: readonly string[];
    readonly others: number;
  };
  /** A signed address that opens nothing, whatever is wrong with it (SSE-9). */
  invalid_signature: Record<never, never>;
  /** No key can be read from the header. */
  invalid_idempotency_key: Record<never, never>;
  /** The key has been used for another input. */
  idempotency_conflict: Record<never, never>;
  /** The first request of the key has not come to its end. */
  idempotency_in_progress: { readonly retryAfterMs: number };
  /** A path that names no file of a workspace (WSP-3). `field` is the input that had it. */
  invalid_path: { readonly field: string; readonly message: string };
  /** Something is there already, or in the way: a file where a directory must be. */
  path_exists: { readonly path: string; readonly message: string };
  /** A query is more or something else than one SELECT over files of the workspace (WSP-4). */
  read_only_violation: { readonly message: string };
  /** The share has had its time or its downloads, or was revoked. */
  share_expired: Record<never, never>;
  /** A filter names unknown event types or families; `paths` are their places, as JSON pointers. */
  invalid_event_type: { readonly unknown: readonly string[]; readonly paths: readonly string[] };
  /** A destination to which nothing is sent: its form, its scheme, its address. */
  invalid_url: { readonly message: string };
  /** The event was kept for its time, and is gone. */
  event_not_retained: { readonly oldest?: number };
  forbidden: { readonly message: string };
  /** The organization's tokens of this month are used up (RUN-4). */
  /** `of`: which limit of the month is reached. */
  budget_exceeded: { readonly of: "tokens" | "cost"; readonly retryAfterMs: number };
  /** The organization has as much of this as it may have (QUOTA-1). */
  quota_exceeded: { readonly quota: string; readonly limit: number; readonly used: number };
  /** The model or a provider refused or failed before any output. */
  provider_error: { readonly message: string };
  /** The identity's requests of this window are used up (RATE-1). */
  rate_limited: { readonly retryAfterMs: number };
  /** A bounded queue is full; others are unaffected. Nothing was done. */
  overloaded: { readonly retryAfterMs: number };
  /** The database, the lease, or what `message` names is not there now. Nothing was done. */
  unavailable: { readonly retryAfterMs: number; readonly message?: string };
  /** The disk of the database is nearly full: reads go on. Nothing was done. */
  storage_full: { readonly retryAfterMs: number };
  /** The commit may or may not have happened; a retry with the idempotency key tells. */
  outcome_unknown: { readonly retryAfterMs: number };
  shutting_down: { readonly retryAfterMs: number };
  timeout: { readonly message: string };
  /** The body of the request has not arrived in time (FAIR-5). Nothing was done. */
  request_timeout: Record<never, never>;
}

export type FaultKind = keyof FaultDetails;

/** A refusal: its kind and what the caller needs to act on it. */
export type Fault = { [K in FaultKind]: { readonly kind: K } & FaultDetails[K] }[FaultKind];

/** The fault of one kind. */
export type FaultOf<K extends FaultKind> = Extract<Fault, { kind: K }>;

/** Refusals by the runtime, not by an actor: nobody has decided anything, and a later try may be answered. */
export const isPassing = (fault: Fault): boolean =>
  fault.kind === "overloaded" ||
  fault.kind === "unavailable" ||
  fault.kind === "storage_full" ||
  fault.kind === "outcome_unknown" ||
  fault.kind === "shutting_down";

/** What a turn or a command answers: a value, or a refusal. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });
/** An outcome's value changed, its refusal kept. */
export const mapped = <T, U>(outcome: Outcome<T>, map: (value: T) => U): Outcome<U> =>
  outcome.ok ? ok(map(outcome.value)) : outcome;
export const refuse = (fault: Fault): Outcome<never> => ({ ok: false, fault });
export const notFound = (noun: Noun): Outcome<never> => refuse({ kind: "not_found", noun });
export const invalid = (path: string, message: string): Outcome<never> =>
  refuse({ kind: "invalid_request", errors: [{ path, message }] });
