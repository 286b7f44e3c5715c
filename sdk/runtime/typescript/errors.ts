/** What goes wrong, as classes. The classes of the single codes are made from the contract and extend `ApiError`. */

/** Everything that this file throws of its own. */
export class TroupeError extends Error {
  override name = "TroupeError";
}

/** No answer came: the connection failed, or the time was up. The request may have been done. */
export class ConnectionFailedError extends TroupeError {
  override name = "ConnectionFailedError";
}

/** A stream that cannot be resumed ended before its last event, or one that can did not come back. */
export class StreamCutError extends TroupeError {
  override name = "StreamCutError";
}

/** A webhook was not signed with this secret, or not in this time: do not believe it. */
export class WebhookSignatureError extends TroupeError {
  override name = "WebhookSignatureError";
}

/** What an answer says of its failure. */
export interface ApiFailure {
  /** The HTTP status. */
  readonly status: number;
  /** Says what is wrong, for programs. The v1 surface has no codes; there it follows from the status. */
  readonly code: string;
  readonly message: string;
  /** Name it when you ask the operator. */
  readonly requestId: string | null;
  readonly details: { readonly [key: string]: unknown };
  /** The seconds of `Retry-After`. */
  readonly retryAfterSeconds: number | null;
}

/** The service refused or failed. A code that has no class of its own is this. */
export class ApiError extends TroupeError implements ApiFailure {
  override name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly details: { readonly [key: string]: unknown };
  readonly retryAfterSeconds: number | null;

  constructor(failure: ApiFailure) {
    super(failure.message);
    this.status = failure.status;
    this.code = failure.code;
    this.requestId = failure.requestId;
    this.details = failure.details;
    this.retryAfterSeconds = failure.retryAfterSeconds;
  }
}

/** The class of each code. */
export type ErrorClasses = { readonly [code: string]: new (failure: ApiFailure) => ApiError };

const CODES_BY_STATUS: { readonly [status: number]: string } = {
  400: "invalid_request",
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  408: "request_timeout",
  409: "invalid_state",
  413: "payload_too_large",
  415: "unsupported_media_type",
  429: "rate_limited",
  502: "provider_error",
  503: "unavailable",
  504: "timeout",
};

/** The error of an answer; a body that is not the service's own still makes one. */
export async function errorOf(response: Response, classes: ErrorClasses): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const body = objectOf(text);
  const code = typeof body["code"] === "string" ? body["code"] : (CODES_BY_STATUS[response.status] ?? "internal_error");
  const after = Number(response.headers.get("retry-after") ?? Number.NaN);
  const failure: ApiFailure = {
    status: response.status,
    code,
    message: typeof body["message"] === "string" ? body["message"] : `The service answered ${response.status}`,
    requestId: response.headers.get("x-request-id"),
    details: isObject(body["details"]) ? body["details"] : {},
    retryAfterSeconds: Number.isFinite(after) ? after : null,
  };
  return new (classes[code] ?? ApiError)(failure);
}

function objectOf(text: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
