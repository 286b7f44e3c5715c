/** Port: what webhooks need of the world outside: the way of a URL, and cryptography. */

export interface Verification {
  readonly kind:
    | "valid"
    | "missing_signature"
    | "malformed_signature"
    | "timestamp_out_of_tolerance"
    | "wrong_secret_encoding"
    | "body_changed"
    | "signature_mismatch";
  readonly message: string;
}

export interface WebhookTools {
  /** Why nothing is sent to this URL; null where something is. A host that cannot be found now may be found later. */
  refusalOf(url: string): Promise<string | null>;
  /** A new signing secret. */
  newSecret(): string;
  /** Whether a delivery verifies under one of the secrets. `now` is wall clock in ms. */
  verify(
    delivery: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
    secrets: readonly string[],
    now: number,
  ): Verification;
}
