/** Port: what webhooks need from outside: checks of URLs, and cryptography. */

export interface VerifiedSignature {
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
  /**
   * Why deliveries to this URL are refused; null if they are not. A host that does not resolve now is not refused: it
   * may resolve later.
   */
  refusalOf(url: string): Promise<string | null>;
  /** A new signing secret. */
  newSecret(): string;
  /** Whether a delivery verifies under one of the secrets. `now` is wall clock in ms. */
  verify(
    delivery: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
    secrets: readonly string[],
    now: number,
  ): VerifiedSignature;
}
