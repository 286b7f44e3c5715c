/** The commands and replies of an account's actor. */
import type { Account, Identity, OAuthClient, Passkey, PasswordLink } from "./schema.ts";

/** The data for checking a password. */
export interface AccountCredentials {
  readonly passwordHash: string | null;
  readonly chosenOrganizationId: string | null;
  /** Null: nothing has ended the person's sessions. */
  readonly sessionsEnded: NonNullable<Account["sessionsEnded"]> | null;
}

/** The ways in which the person can sign in. */
export interface WaysIn {
  readonly hasPassword: boolean;
  readonly identities: readonly Identity[];
  readonly passkeys: readonly Passkey[];
}

/** The result of linking: `new`, already linked, or another person is linked at this issuer. */
export type Linked = "new" | "present" | "other";

export type AccountCommand =
  /** A person without an account has no password. */
  | { readonly kind: "read_credentials" }
  | { readonly kind: "choose_organization"; readonly organizationId: string }
  /** The organization was erased; remove every reference to it. */
  | { readonly kind: "forget_organization"; readonly organizationId: string }
  /** A new link replaces the previous one. */
  | { readonly kind: "make_link"; readonly link: PasswordLink }
  /** Whether the link with this hash is still valid; refuses `not_found`. */
  | { readonly kind: "check_link"; readonly hash: string }
  /**
   * With a link's hash, the link is used up. With null, the caller has already authenticated the person by other means.
   * The caller ends the person's sessions except `keptId`.
   */
  | {
      readonly kind: "set_password";
      readonly passwordHash: string;
      readonly linkHash: string | null;
      readonly keptId: string | null;
    }
  | { readonly kind: "read_ways_in" }
  /**
   * Links the person to this identity at the issuer. If the link is new, every other credential is removed: the holder
   * of an invitation's link may have set it, and only the issuer has verified who owns the address. With `keepsOthers`
   * the others stay, because the person has signed in with one of them.
   */
  | {
      readonly kind: "link_identity";
      readonly issuer: string;
      readonly subject: string;
      readonly keepsOthers: boolean;
    }
  | { readonly kind: "unlink_identity"; readonly issuer: string }
  /** The owner of the identity, or null. */
  | { readonly kind: "find_owner" }
  | { readonly kind: "name_owner"; readonly userId: string }
  /** Refuses `forbidden` if the account has too many passkeys, or already has this one. */
  | { readonly kind: "add_passkey"; readonly passkey: Pick<Passkey, "id" | "publicKey" | "counter" | "name"> }
  /**
   * A sign-in with the passkey; `counter` is its new counter. Refuses `not_found` if the passkey is gone or its counter
   * did not rise.
   */
  | { readonly kind: "use_passkey"; readonly id: string; readonly counter: number }
  /** Refuses `forbidden` if no other credential is left. */
  | { readonly kind: "remove_passkey"; readonly id: string }
  | { readonly kind: "begin_flow"; readonly next: string | null; readonly expiresAt: string }
  /** Takes the flow once; refuses `not_found` if it does not exist, was taken before, or has expired. */
  | { readonly kind: "take_flow" }
  | { readonly kind: "register_client"; readonly client: Pick<OAuthClient, "name" | "redirectUris"> }
  /** Refuses `not_found`. */
  | { readonly kind: "read_client" }
  /** A person has approved the program, so it is kept for longer. */
  | { readonly kind: "keep_client" }
  /** Counts an attempt, or refuses it as `rate_limited` while a wait is running. */
  | { readonly kind: "admit_attempt"; readonly free: number }
  /** The attempt succeeded, so it does not count; with `all`, earlier ones do not count either. */
  | { readonly kind: "clear_attempts"; readonly all: boolean };

export interface AccountReplies {
  read_credentials: AccountCredentials;
  choose_organization: null;
  forget_organization: null;
  make_link: null;
  check_link: null;
  set_password: null;
  read_ways_in: WaysIn;
  link_identity: Linked;
  /** Whether an identity was linked. */
  unlink_identity: boolean;
  find_owner: string | null;
  name_owner: null;
  add_passkey: null;
  use_passkey: null;
  /** The passkey's name. */
  remove_passkey: string;
  begin_flow: null;
  take_flow: { readonly next: string | null };
  register_client: OAuthClient;
  read_client: OAuthClient;
  keep_client: null;
  admit_attempt: null;
  clear_attempts: null;
}

export interface AccountProtocol {
  readonly command: AccountCommand;
  readonly replies: AccountReplies;
}
