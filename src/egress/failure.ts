/**
 * The closed list of reasons why an outgoing request has no answer. They are all that a caller
 * learns: what the system said, with its addresses and paths, stays here.
 */

export type EgressError =
  /** No URL that may be requested: its form, its scheme, user info, port 0. */
  | "invalid_url"
  /** Plain http, to a host for which it has not been opened. */
  | "https_required"
  /** A header that cannot be sent, or that is not the caller's to set. */
  | "invalid_header"
  | "blocked_address"
  | "dns_error"
  | "connection_refused"
  | "connection_reset"
  | "tls_error"
  /** Not HTTP, or HTTP that could be read in two ways. */
  | "invalid_response"
  /** The head, or a stream, is over its limit. */
  | "too_large"
  | "too_many_redirects"
  | "timeout"
  /** The caller's own signal. */
  | "aborted";

export interface EgressFailure {
  readonly kind: "failed";
  readonly error: EgressError;
}

export const failed = (error: EgressError): EgressFailure => ({ kind: "failed", error });

/** How the stream of a response ends when it does not end by itself. */
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

/** The words of OpenSSL and BoringSSL for a certificate or a handshake that is not right. */
const TLS_CODE = /CERT|SSL|TLS|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH/;

/** The reason behind what `fetch` threw. */
export function errorOf(cause: unknown): EgressError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return BY_CODE[code] ?? (TLS_CODE.test(code) ? "tls_error" : "invalid_response");
}
