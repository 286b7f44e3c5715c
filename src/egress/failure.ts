/**
 * The closed list of reasons why an outgoing request has no answer. Callers learn nothing else: the system's
 * own messages, with addresses and paths, stay here.
 */

export type EgressError =
  /** Not a URL that may be requested: its form, its scheme, user info, port 0. */
  | "invalid_url"
  /** Plain http, to a host that is not opened for it. */
  | "https_required"
  /** A header that cannot be sent, or that the caller may not set. */
  | "invalid_header"
  | "blocked_address"
  | "dns_error"
  | "connection_refused"
  | "connection_reset"
  | "tls_error"
  /** Not HTTP, or ambiguous HTTP. */
  | "invalid_response"
  /** The head, or a stream, exceeds its limit. */
  | "too_large"
  | "too_many_redirects"
  | "timeout"
  /** The caller's own signal. */
  | "aborted";

export interface EgressFailure {
  readonly kind: "failed";
  readonly error: EgressError;
}

export const egressFailed = (error: EgressError): EgressFailure => ({ kind: "failed", error });

/** The error of a response stream that did not end by itself. */
export class EgressInterrupted extends Error {
  override readonly name = "EgressInterrupted";
  readonly error: EgressError;

  constructor(error: EgressError) {
    super(`The response was interrupted: ${error}`);
    this.error = error;
  }
}

const BY_CODE: Readonly<Record<string, EgressError>> = {
  ECONNREFUSED: "connection_refused",
  ConnectionRefused: "connection_refused",
  FailedToOpenSocket: "connection_refused",
  ENETUNREACH: "connection_refused",
  EHOSTUNREACH: "connection_refused",
  EADDRNOTAVAIL: "connection_refused",
  ECONNRESET: "connection_reset",
  ECONNABORTED: "connection_reset",
  EPIPE: "connection_reset",
  ConnectionClosed: "connection_reset",
  ETIMEDOUT: "timeout",
  EPROTO: "tls_error",
  ResponseHeadersTooLarge: "too_large",
};

/** Error codes of OpenSSL and BoringSSL for an invalid certificate or a failed handshake. */
const TLS_CODE = /CERT|SSL|TLS|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH/;

/** The reason for an error that `fetch` threw. */
export function fetchErrorOf(cause: unknown): EgressError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return BY_CODE[code] ?? (TLS_CODE.test(code) ? "tls_error" : "invalid_response");
}
