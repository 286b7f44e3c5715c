import type { Outcome } from "../../actors/fault.ts";

/**
 * Hashes of passwords. A few are computed at once, because each takes a core and much memory; beyond that it is
 * `overloaded`.
 */
export interface PasswordHashes {
  hash(password: string): Promise<Outcome<string>>;
  verify(password: string, hash: string): Promise<Outcome<boolean>>;
}
