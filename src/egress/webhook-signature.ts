/**
 * Signatures of webhooks, in two forms over the same bytes:
 *
 *   Service-Signature: t=<seconds>,v1=<hex>          HMAC-SHA256 of `<seconds>.<body>`, keyed with the
 *                                                    whole `whsec_…` as UTF-8
 *   webhook-signature: v1,<base64>                   HMAC-SHA256 of `<id>.<seconds>.<body>`, keyed with
 *                                                    what follows the prefix, decoded (Standard Webhooks)
 *
 * After a rotation both carry a second one by the former secret for as long as it counts (HOOK-8, HOOK-13).
 */
export const SECRET_PREFIX = "whsec_";
/** Of randomness; Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

/** A new signing secret. */
export const newSigningSecret = (): string =>
  SECRET_PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64");

/** HMAC under a signing secret; making one costs more than a copy, so it is kept and copied. */
export class Signer {
  private readonly service: Bun.CryptoHasher;
  private readonly standard: Bun.CryptoHasher;

  constructor(secret: string) {
    this.service = new Bun.CryptoHasher("sha256", secret);
    this.standard = new Bun.CryptoHasher("sha256", Buffer.from(secret.slice(SECRET_PREFIX.length), "base64"));
  }

  /** The `v1` of `Service-Signature`. */
  hex(seconds: number | string, body: string): string {
    return this.service.copy().update(`${seconds}.${body}`).digest("hex");
  }

  /** What follows `v1,` in `webhook-signature`. */
  base64(id: string, seconds: number | string, body: string): string {
    return this.standard.copy().update(`${id}.${seconds}.${body}`).digest("base64");
  }
}

/** What is signed. */
export interface Signed {
  readonly eventId: string;
  /** Of the attempt, in seconds. */
  readonly seconds: number;
  readonly body: string;
}

/** The headers that carry the signatures, the present secret's first. */
export function signatureHeaders(
  signers: readonly Signer[],
  { eventId, seconds, body }: Signed,
): Record<string, string> {
  return {
    "service-timestamp": String(seconds),
    "service-signature": `t=${seconds}${signers.map((signer) => `,v1=${signer.hex(seconds, body)}`).join("")}`,
    "webhook-id": eventId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signers.map((signer) => `v1,${signer.base64(eventId, seconds, body)}`).join(" "),
  };
}
