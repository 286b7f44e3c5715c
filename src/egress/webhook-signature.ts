/**
 * Signatures of webhooks, in two forms over the same bytes:
 *
 *   Service-Signature: t=<seconds>,v1=<hex>          HMAC-SHA256 of `<seconds>.<body>`, keyed with the
 *                                                    whole `whsec_…` as UTF-8
 *   webhook-signature: v1,<base64>                   HMAC-SHA256 of `<id>.<seconds>.<body>`, keyed with
 *                                                    the part after the prefix, decoded (Standard Webhooks)
 *
 * After a rotation both headers carry a second signature by the former secret, while that is valid (HOOK-8,
 * HOOK-13).
 */
export const SECRET_PREFIX = "whsec_";
/** Random bytes; Standard Webhooks asks for 24 to 64. */
const SIGNING_SECRET_BYTES = 32;

/** A new signing secret. */
export const newSigningSecret = (): string =>
  SECRET_PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SIGNING_SECRET_BYTES))).toString("base64");

/** HMAC with a signing secret. Creating one costs more than copying it, so it is kept and copied. */
export class Signer {
  private readonly service: Bun.CryptoHasher;
  private readonly standard: Bun.CryptoHasher;

  constructor(secret: string) {
    this.service = new Bun.CryptoHasher("sha256", secret);
    this.standard = new Bun.CryptoHasher("sha256", Buffer.from(secret.slice(SECRET_PREFIX.length), "base64"));
  }

  /** The `v1` value of `Service-Signature`. */
  hex(seconds: number | string, body: string): string {
    return this.service.copy().update(`${seconds}.${body}`).digest("hex");
  }

  /** The part after `v1,` in `webhook-signature`. */
  base64(id: string, seconds: number | string, body: string): string {
    return this.standard.copy().update(`${id}.${seconds}.${body}`).digest("base64");
  }
}

/** The signed parts of a delivery. */
export interface SignedDelivery {
  readonly eventId: string;
  /** Time of the attempt, in seconds. */
  readonly seconds: number;
  readonly body: string;
}

/** The headers with the signatures; the present secret's comes first. */
export function signatureHeaders(
  signers: readonly Signer[],
  { eventId, seconds, body }: SignedDelivery,
): Record<string, string> {
  return {
    "Service-Timestamp": String(seconds),
    "Service-Signature": `t=${seconds}${signers.map((signer) => `,v1=${signer.hex(seconds, body)}`).join("")}`,
    "webhook-id": eventId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signers.map((signer) => `v1,${signer.base64(eventId, seconds, body)}`).join(" "),
  };
}
