/** What an account's actor can be asked, and what it answers. */
import type { Identity, OAuthClient, Passkey, PasswordLink } from "./schema.ts";

/** What is needed to check a password. */
export interface Credentials {
  readonly passwordHash: string | null;
  readonly chosenOrganizationId: string | null;
}

/** How the person can prove who they are. */
export interface WaysIn {
  readonly hasPassword: boolean;
  readonly identities: readonly Identity[];
  readonly passkeys: readonly Passkey[];
}

/** What became of linking: `new`; there already; or the person is somebody else at this issuer. */
export type Linked = "new" | "present" | "other";

export type AccountCommand =
  /** A person without an account has no password. */
  | { readonly kind: "read_credentials" }
  | { readonly kind: "choose_organization"; readonly organizationId: string }
  /** The organization was erased: nothing names it any more. */
  | { readonly kind: "forget_organization"; readonly organizationId: string }
  /** A new link replaces the one before. */
  | { readonly kind: "make_link"; readonly link: PasswordLink }
  /** Whether the link with this hash still opens; refuses `not_found`. */
  | { readonly kind: "check_link"; readonly hash: string }
  /** With a link's hash the link is used up; null: the caller has proved who it is by other means. */
  | { readonly kind: "set_password"; readonly passwordHash: string; readonly linkHash: string | null }
  | { readonly kind: "read_ways_in" }
  /**
   * The person is this one at the issuer. Where that is new, every other way in ends: the holder of an invitation's link
   * may have chosen it, and only the issuer has seen whose the address is. With `keepsOthers` they stay:
   * the person has proved who they are by one of them.
   */
  | {
      readonly kind: "link_identity";
      readonly issuer: string;
      readonly subject: string;
      readonly keepsOthers: boolean;
    }
  | { readonly kind: "unlink_identity"; readonly issuer: string }
  /** Whose the identity is, or null. */
  | { readonly kind: "find_owner" }
  | { readonly kind: "name_owner"; readonly userId: string }
  /** Refuses `forbidden` where there are too many, or the same one. */
  | { readonly kind: "add_passkey"; readonly passkey: Pick<Passkey, "id" | "publicKey" | "counter" | "name"> }
  /** It has proved its person; `counter` is what it counts now. Refuses `not_found` where it is gone, or has not counted on. */
  | { readonly kind: "use_passkey"; readonly id: string; readonly counter: number }
  /** Refuses `forbidden` where there is no other way in. */
  | { readonly kind: "remove_passkey"; readonly id: string }
  | { readonly kind: "begin_flow"; readonly next: string | null; readonly expiresAt: string }
  /** The flow, once; refuses `not_found` where there is none, it was taken, or its time is over. */
  | { readonly kind: "take_flow" }
  | { readonly kind: "register_client"; readonly client: Pick<OAuthClient, "name" | "redirectUris"> }
  /** Refuses `not_found`. */
  | { readonly kind: "read_client" }
  /** Somebody has let it in: it is remembered for longer. */
  | { readonly kind: "keep_client" }
  /** Counts an attempt, unless it comes too early after too many: then `rate_limited`. */
  | { readonly kind: "admit_attempt"; readonly free: number }
  /** The attempt was good, so it does not count; with `all` no earlier one does either. */
  | { readonly kind: "clear_attempts"; readonly all: boolean };

export interface AccountReplies {
  read_credentials: Credentials;
  choose_organization: null;
  forget_organization: null;
  make_link: null;
  check_link: null;
  set_password: null;
  read_ways_in: WaysIn;
  link_identity: Linked;
  /** Whether there was one. */
  unlink_identity: boolean;
  find_owner: string | null;
  name_owner: null;
  add_passkey: null;
  use_passkey: null;
  /** Its name. */
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
