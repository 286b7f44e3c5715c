/**
 * How replicas authenticate each other (REP-4). Each call carries an HMAC-SHA256, under a key that only replicas of
 * this service can derive, over the request, its receiver, its body, and a number that the sender never reuses. Each
 * answer carries an HMAC over the call's. Nothing is encrypted: replicas talk on a private network.
 *
 *   seal     time.sender.number.receiver.body.mac
 *   answer   receiver.mac
 */
import { isSameHash } from "../../actors/sealing.ts";
import { UsedNumbers } from "./used-numbers.ts";

/** Clocks of replicas may differ by this much. */
export const REPLICA_SKEW_MS = 60_000;
export const SEAL_HEADER = "troupe-peer";
export const CLIENT_HEADER = "troupe-client";
/**
 * How a seal describes the body: none, or in pieces that are sealed one by one (with the length, if known); otherwise
 * by its hash.
 */
export const SEALED_WITHOUT_BODY = "none";
export const IN_PIECES = "pieces";

const SEAL =
  /^(\d{1,16})\.([\w-]{1,64})\.(\d{1,16})\.([\w-]{1,64})\.(none|pieces(?:-\d{1,16})?|[0-9a-f]{64})\.([0-9a-f]{64})$/;
const SEALED_ANSWER = /^([\w-]{1,64})\.([0-9a-f]{64})$/;

/** The request that a seal authenticates. */
export interface PeerCall {
  readonly method: string;
  /** Path and query, exactly as sent. */
  readonly target: string;
  /** The client's address; empty for the replicas' own calls. */
  readonly client: string;
}

/** A sealed call, to which the answer and the pieces of the body refer. */
export interface SealedCall {
  readonly mac: string;
  /** The key of its seal. */
  readonly key: Uint8Array;
}

/** A verified seal. */
export interface OpenedSeal extends SealedCall {
  /** The replica that is asked. */
  readonly to: string;
  /** `SEALED_WITHOUT_BODY`, `IN_PIECES` (with `-` and the length, where it is known), or the SHA-256 of the body in hexadecimal. */
  readonly body: string;
}

export class PeerKey {
  private readonly keys: readonly [Uint8Array, ...Uint8Array[]];
  private readonly self: string;
  /** The wall clock, in ms. */
  readonly now: () => number;
  private readonly used: UsedNumbers;
  private sent = 0;

  /**
   * The first key seals; all keys verify, so replicas may have different first keys. `self` is the id of this replica.
   */
  constructor(keys: readonly [Uint8Array, ...Uint8Array[]], self: string, now: () => number) {
    this.keys = keys;
    this.self = self;
    this.now = now;
    this.used = new UsedNumbers(2 * REPLICA_SKEW_MS);
  }

  /** The value of the seal's header, for one call to the replica `to`. */
  seal(to: string, call: PeerCall, body: string): SealedCall & { readonly header: string } {
    const [key] = this.keys;
    const parts = [String(this.now()), this.self, String(++this.sent), to, body];
    const mac = peerMac(key, "call", ...parts, call.method, call.target, call.client);
    return { header: [...parts, mac].join("."), mac, key };
  }

  /** The seal, if a replica of this service made it recently for this call and it has not been used before. */
  open(call: PeerCall, header: string | null): OpenedSeal | null {
    const [, at = "", from = "", number = "", to = "", body = "", mac = ""] = SEAL.exec(header ?? "") ?? [];
    if (mac === "") return null;
    const sealed = ["call", at, from, number, to, body, call.method, call.target, call.client];
    const key = this.keys.find((one) => isSameHash(peerMac(one, ...sealed), mac));
    if (key === undefined || Math.abs(this.now() - Number(at)) > REPLICA_SKEW_MS) return null;
    return this.used.use(from, Number(number), this.now()) ? { to, body, mac, key } : null;
  }

  /** The header value for this replica's answer, under the key of the call, which the caller has. */
  sealAnswer({ key, mac }: SealedCall): string {
    return `${this.self}.${peerMac(key, "answer", this.self, mac)}`;
  }
}

/** The replica that answered the call; null if it is not a replica of this service. */
export function answeredBy({ key, mac: call }: SealedCall, header: string | null): string | null {
  const [, from = "", mac = ""] = SEALED_ANSWER.exec(header ?? "") ?? [];
  return mac !== "" && isSameHash(peerMac(key, "answer", from, call), mac) ? from : null;
}

/** The seal of one piece of a body: 32 bytes. */
export function pieceSeal({ key, mac }: SealedCall, index: number, bytes: Uint8Array): Uint8Array {
  const hash = new Bun.CryptoHasher("sha256", key).update(`piece ${mac} ${index} ${bytes.length} `);
  return hash.update(bytes).digest();
}

const peerMac = (key: Uint8Array, ...parts: readonly string[]): string =>
  new Bun.CryptoHasher("sha256", key).update(JSON.stringify(parts)).digest("hex");

/** The seal's description of a body in pieces. `length` is the value of its header. */
export const piecesOf = (length: string | null): string =>
  length !== null && /^\d{1,16}$/.test(length) ? `${IN_PIECES}-${length}` : IN_PIECES;

/** The seal's description of a complete body. */
export const bodySeal = (body: ArrayBuffer | string | null): string =>
  body === null ? SEALED_WITHOUT_BODY : new Bun.CryptoHasher("sha256").update(body).digest("hex");
