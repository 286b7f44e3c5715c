/**
 * The keys that sign who acts (ACC-13). They are derived from the service's key and the number of the period, so every
 * replica has the same ones and nothing is stored:
 *
 *   service key ─HKDF─▶ key of the purpose ─HKDF(period)─▶ P-256 key that signs in this period
 *
 *   published:   former period · present period · next period      (of each key of the service)
 *
 * The next key is published a whole period before it signs, and the former one a whole period after, so that neither the
 * caches of receivers nor the clocks of replicas matter.
 */
import { createECDH, createPrivateKey, hkdfSync, type KeyObject, sign } from "node:crypto";
import { DAY_MS } from "../../actors/units.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Sealing } from "../../actors/sealing.ts";
import type { PublicIdentityKey } from "../operations/identity-keys.ts";

export const KEY_PERIOD_MS = 30 * DAY_MS;

/** The order of P-256. */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** 128 bits more than a key has, so that the remainder is as good as even (FIPS 186-5, A.2.1). */
const KEY_SEED_BYTES = 48;
const SCALAR_HEX_DIGITS = 64;

interface SigningKey {
  readonly published: PublicIdentityKey;
  readonly privateKey: KeyObject;
}

export class IdentityKeys {
  private readonly sealing: Pick<Sealing, "keys">;
  private readonly clock: Pick<Clock, "now">;
  private known: {
    readonly period: number;
    readonly current: SigningKey;
    readonly all: readonly PublicIdentityKey[];
  } | null = null;

  constructor(sealing: Pick<Sealing, "keys">, clock: Pick<Clock, "now">) {
    this.sealing = sealing;
    this.clock = clock;
  }

  /** The same array until the keys change. */
  published(): readonly PublicIdentityKey[] {
    return this.present().all;
  }

  /** A JWT in the compact form, signed by the present key. */
  signed(type: string, claims: object): string {
    const { published, privateKey } = this.present().current;
    const header = { alg: published.alg, typ: type, kid: published.kid };
    const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const signature = sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" });
    return `${text}.${signature.toString("base64url")}`;
  }

  private present() {
    const period = Math.floor(this.clock.now() / KEY_PERIOD_MS);
    if (this.known?.period === period) return this.known;
    const [own, ...others] = this.sealing.keys("agent_identity");
    const current = signingKey(own, period);
    const all = [own, ...others].flatMap((key) =>
      [period, period + 1, period - 1].map((each) => signingKey(key, each).published),
    );
    this.known = { period, current, all };
    return this.known;
  }
}

function signingKey(purposeKey: Uint8Array, period: number): SigningKey {
  const seed = hkdfSync("sha256", purposeKey, "", `troupe agent identity ES256 ${period}`, KEY_SEED_BYTES);
  const scalar = (BigInt(`0x${Buffer.from(seed).toString("hex")}`) % (P256_ORDER - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(SCALAR_HEX_DIGITS, "0"), "hex");
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(d);
  const [x = "", y = ""] = coordinatesOf(pair.getPublicKey());
  const key = { kty: "EC", crv: "P-256", x, y } as const;
  // The thumbprint of RFC 7638: these members, in this order.
  const thumbprint = JSON.stringify({ crv: key.crv, kty: key.kty, x, y });
  const kid = new Bun.CryptoHasher("sha256").update(thumbprint).digest("base64url");
  return {
    published: { ...key, kid, alg: "ES256", use: "sig" },
    privateKey: createPrivateKey({ key: { ...key, d: d.toString("base64url") }, format: "jwk" }),
  };
}

/** An uncompressed point: a byte that says so, and its two coordinates. */
const coordinatesOf = (point: Buffer): readonly string[] =>
  [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString("base64url"));
