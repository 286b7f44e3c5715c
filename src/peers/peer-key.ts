/**
 * How replicas know each other (REP-4): each call carries an HMAC-SHA256, under a key that only replicas of this
 * service can derive, over what it asks and of whom. It does not encrypt: replicas talk on a private network.
 */
import { isSameHash } from "../../actors/constant-time.ts";

/** Clocks of replicas may differ by this much. */
const SKEW_MS = 60_000;
export const SEAL_HEADER = "troupe-peer";
export const CLIENT_HEADER = "troupe-client";
const SEAL = /^(\d{1,16})\.([0-9a-f]{64})$/;

/** What is vouched for. */
export interface PeerCall {
  /** The replica that is asked: nobody else takes the call. */
  readonly to: string;
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  /** The address of the client; empty for calls of the replicas' own. */
  readonly client: string;
}

export class PeerKey {
  private readonly keys: readonly [Uint8Array, ...Uint8Array[]];
  private readonly now: () => number;

  /** The first key seals; a replica that has another of them for its first one is ours too. */
  constructor(keys: readonly [Uint8Array, ...Uint8Array[]], now: () => number) {
    this.keys = keys;
    this.now = now;
  }

  /** The value of the seal's header. */
  seal(call: PeerCall): string {
    const at = String(this.now());
    return `${at}.${macOf(this.keys[0], call, at)}`;
  }

  /** Whether a replica of this service has sent the call, not long ago. */
  isOurs(call: PeerCall, seal: string | null): boolean {
    const [, at = "", mac = ""] = SEAL.exec(seal ?? "") ?? [];
    const isSealed = mac !== "" && this.keys.some((key) => isSameHash(macOf(key, call, at), mac));
    return isSealed && Math.abs(this.now() - Number(at)) <= SKEW_MS;
  }
}

function macOf(key: Uint8Array, { to, method, target, client }: PeerCall, at: string): string {
  const text = JSON.stringify([at, to, method, target, client]);
  return new Bun.CryptoHasher("sha256", key).update(text).digest("hex");
}
