/**
 * Passwords (AUTH-13): argon2id by Bun, in its own text form, so that stronger parameters can come later. A check takes
 * the same time whether or not the account exists, so that the time does not reveal who has one.
 */
import { ok, type Outcome, refuse } from "../../actors/fault.ts";

/** OWASP's first choice of parameters: 46 MiB and one pass, some 50 ms. */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 47_104, timeCost: 1 } as const;
/**
 * Characters of a password. Length matters more than odd characters, so there are no rules about characters (NIST SP
 * 800-63B).
 */
export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 256;
/** The hash that is checked if there is no password: with the parameters of other hashes, and of a value that nobody knows. */
const DECOY =
  "$argon2id$v=19$m=47104,t=1,p=1$3neRTE7x+VmjBPXO8vALw/PfmGORhnv0JYYa3HgROc0$+qFLaOWTueDvznHcgALF/WxUPlLnfcHXtVmNe8z4dAg";
/** Hashes that are computed at once: each occupies a core and 46 MiB. */
const HASHED_AT_ONCE = 2;
/** Checks that may wait: some seconds of work. */
const WAITING = 100;
const HASHING_BUSY_MS = 5_000;

/** Computes hashes: Bun, or a counting stand-in of a test. */
export type Hashing = Pick<typeof Bun.password, "hash" | "verify">;

export class Passwords {
  private readonly hashing: Hashing;
  private readonly decoy: string;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(hashing: Hashing = Bun.password, decoy = DECOY) {
    this.hashing = hashing;
    this.decoy = decoy;
  }

  hash(password: string): Promise<Outcome<string>> {
    return this.inTurn(() => this.hashing.hash(password.normalize("NFC"), ARGON2ID));
  }

  /** Whether the password matches this hash; false if there is none. */
  verify(password: string, hash: string | null): Promise<Outcome<boolean>> {
    return this.inTurn(async () => {
      const composed = password.normalize("NFC");
      if (await this.hashing.verify(composed, hash ?? this.decoy)) return hash !== null;
      // Passwords of older shares were hashed as they came.
      return composed !== password && hash !== null && this.hashing.verify(password, hash);
    });
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<Outcome<T>> {
    if (this.waiting.length >= WAITING) return refuse({ kind: "overloaded", retryAfterMs: HASHING_BUSY_MS });
    if (this.running >= HASHED_AT_ONCE) await new Promise<void>((resolve) => void this.waiting.push(resolve));
    else this.running++;
    try {
      return ok(await work());
    } finally {
      // The place passes directly to the next waiting check.
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }
}

/** The error of a new password, in words for its person, or null. */
export function complaintOf(password: string, email: string): string | null {
  const characters = password.length;
  if (characters < PASSWORD_MIN) return `A password has at least ${PASSWORD_MIN} characters.`;
  if (characters > PASSWORD_MAX) return `A password has at most ${PASSWORD_MAX} characters.`;
  if (new Set(password).size < 4) return "This password repeats the same few characters.";
  if (password.toLowerCase().includes(email.toLowerCase())) return "A password must not contain your e-mail address.";
  return null;
}
