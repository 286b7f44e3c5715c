/**
 * Refusals in the shapes of A2A 1.0: an error of JSON-RPC, or a `google.rpc.Status` over HTTP+JSON. Errors that A2A
 * names have its reason and its code. All others keep our code as reason, in our own domain, and the HTTP status that
 * they have on the current surface, whose dialect also has the words.
 */
import type { Fault, FaultKind, FaultOf } from "../../../actors/fault.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { Dialect, Refusal } from "../../http/answer/dialect.ts";

/** The errors of A2A that this service answers: the code of JSON-RPC, the status over HTTP+JSON, and its gRPC name. */
const A2A_ERRORS = {
  TASK_NOT_FOUND: { code: -32_001, status: 404, grpc: "NOT_FOUND" },
  TASK_NOT_CANCELABLE: { code: -32_002, status: 400, grpc: "FAILED_PRECONDITION" },
  UNSUPPORTED_OPERATION: { code: -32_004, status: 400, grpc: "FAILED_PRECONDITION" },
  CONTENT_TYPE_NOT_SUPPORTED: { code: -32_005, status: 400, grpc: "INVALID_ARGUMENT" },
  VERSION_NOT_SUPPORTED: { code: -32_009, status: 400, grpc: "FAILED_PRECONDITION" },
  INVALID_PARAMS: { code: -32_602, status: 400, grpc: "INVALID_ARGUMENT" },
} as const;
type A2aReason = keyof typeof A2A_ERRORS;

const A2A_DOMAIN = "a2a-protocol.org";
const OWN_DOMAIN = "troupe";
/** Errors that neither JSON-RPC nor A2A has a code for: the reason in `data` says what they are. */
const RPC_OWN_ERROR = -32_000;
const INTERNAL_ERROR = -32_603;

/** The words of refusals that A2A tells from others of their kind. */
export const TASK_HAS_ENDED = "The task has already ended, so it cannot be canceled";
const REASON_OF_WORDS: ReadonlyMap<string, A2aReason> = new Map([[TASK_HAS_ENDED, "TASK_NOT_CANCELABLE"]]);

/** The reason of A2A for a kind of fault; null: A2A has none. */
type ReasonTable = { readonly [K in FaultKind]: A2aReason | null | ((fault: FaultOf<K>) => A2aReason | null) };
const A2A_REASONS: ReasonTable = {
  invalid_json: "INVALID_PARAMS",
  invalid_cursor: "INVALID_PARAMS",
  invalid_request: "INVALID_PARAMS",
  invalid_schedule: "INVALID_PARAMS",
  unsupported_api_version: "VERSION_NOT_SUPPORTED",
  unauthenticated: null,
  token_expired: null,
  insufficient_scope: null,
  owner_required: null,
  organization_suspended: null,
  not_found: ({ noun }) => (noun === "job" ? "TASK_NOT_FOUND" : null),
  method_not_allowed: null,
  unsupported_media_type: "CONTENT_TYPE_NOT_SUPPORTED",
  range_not_satisfiable: null,
  upload_offset_mismatch: null,
  payload_too_large: "INVALID_PARAMS",
  invalid_state: ({ message }) => REASON_OF_WORDS.get(message) ?? "UNSUPPORTED_OPERATION",
  chat_busy: "UNSUPPORTED_OPERATION",
  approval_pending: "UNSUPPORTED_OPERATION",
  version_conflict: null,
  secret_in_use: null,
  not_a_library_agent: null,
  invalid_signature: null,
  invalid_idempotency_key: "INVALID_PARAMS",
  idempotency_conflict: "INVALID_PARAMS",
  idempotency_in_progress: null,
  invalid_path: "INVALID_PARAMS",
  path_exists: null,
  read_only_violation: null,
  share_expired: null,
  invalid_event_type: "INVALID_PARAMS",
  invalid_url: "INVALID_PARAMS",
  event_not_retained: null,
  forbidden: null,
  budget_exceeded: null,
  quota_exceeded: null,
  provider_error: null,
  rate_limited: null,
  overloaded: null,
  unavailable: null,
  storage_full: null,
  outcome_unknown: null,
  shutting_down: null,
  timeout: null,
  request_timeout: null,
};

function reasonOf(fault: Fault): A2aReason | null {
  // Entry and fault have the same kind; TypeScript cannot follow that through the lookup.
  const entry = A2A_REASONS[fault.kind] as A2aReason | null | ((fault: Fault) => A2aReason | null);
  return typeof entry === "function" ? entry(fault) : entry;
}

/** Statuses as gRPC names them; a status that is not here is `UNKNOWN`. */
const GRPC_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  410: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** A refusal as A2A's data model has it, for both transports. */
interface A2aError {
  readonly status: number;
  readonly grpc: string;
  readonly code: number;
  readonly message: string;
  readonly details: readonly JsonObject[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The body of the current surface's refusals, as far as it is needed here. */
interface WordedBody {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly errors?: readonly { readonly path: string; readonly message: string }[] };
}

const FIELD_NAME_START = /^\//;

function a2aError(worded: Refusal, reason: A2aReason | null, requestId: string): A2aError {
  const { status, headers = {} } = worded;
  const { code, message, details } = worded.body as WordedBody;
  const named = reason === null ? null : A2A_ERRORS[reason];
  const info = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: reason ?? code.toUpperCase(),
    domain: reason === null ? OWN_DOMAIN : A2A_DOMAIN,
    metadata: { code, request_id: requestId },
  };
  const fieldViolations = (details?.errors ?? []).map(({ path, message: description }) => ({
    field: path.replace(FIELD_NAME_START, "").replaceAll("/", "."),
    description,
  }));
  const fields =
    fieldViolations.length === 0 ? [] : [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }];
  return {
    status: named?.status ?? status,
    grpc: named?.grpc ?? GRPC_NAMES[status] ?? "UNKNOWN",
    code: named?.code ?? (status < 500 ? RPC_OWN_ERROR : INTERNAL_ERROR),
    message:
      reason === "VERSION_NOT_SUPPORTED" ? "Only A2A 1.0 is served: send the header `A2A-Version: 1.0`" : message,
    details: [info, ...fields],
    headers,
  };
}

/** Makes the errors of A2A from refusals in the words of the current surface. */
export class A2aErrors {
  private readonly words: Dialect;

  constructor(words: Dialect) {
    this.words = words;
  }

  /** Refusals over JSON-RPC, without the request's id. */
  readonly rpcDialect: Dialect = {
    refusal: (fault, requestId) => rpcRefusal(this.of(fault, requestId)),
    bug: (requestId) => rpcRefusal(a2aError(this.words.bug(requestId), null, requestId)),
  };

  /** Refusals over HTTP+JSON. */
  readonly restDialect: Dialect = {
    refusal: (fault, requestId) => restRefusal(this.of(fault, requestId)),
    bug: (requestId) => restRefusal(a2aError(this.words.bug(requestId), null, requestId)),
  };

  private of(fault: Fault, requestId: string): A2aError {
    return a2aError(this.words.refusal(fault, requestId), reasonOf(fault), requestId);
  }
}

const rpcBody = ({ code, message, details }: A2aError): JsonObject => ({ code, message, data: [...details] });

const rpcRefusal = (error: A2aError): Refusal => ({
  status: error.status,
  body: { jsonrpc: "2.0", id: null, error: rpcBody(error) },
  headers: error.headers,
});

const restRefusal = ({ status, grpc, message, details, headers }: A2aError): Refusal => ({
  status,
  body: { error: { code: status, status: grpc, message, details } },
  headers,
});
