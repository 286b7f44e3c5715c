/** The commands and replies of an organization's actor about its people: invitations, grants to programs, the audit. */
import type { Principal } from "./principal.ts";
import type { AuditAction, Grant, Invitation, Member, Role, Token } from "./schema.ts";

/** The origin of an action, for the audit (AUTH-17): null for the operator and for unknown callers. */
export interface Origin {
  readonly userId: string | null;
  readonly tokenId: string | null;
  readonly address: string | null;
}

/** A new entry of the audit. */
export interface NewAuditEntry {
  readonly action: AuditAction;
  readonly subjectId: string | null;
  readonly detail: string | null;
}

/** An access token of a grant; the grant determines its other fields. */
export type NewAccessToken = Pick<Token, "hash" | "hint" | "expiresAt">;

/** A person's consent. */
export type NewGrant = Pick<
  Grant,
  "clientId" | "clientName" | "userId" | "resource" | "redirectUri" | "codeHash" | "codeChallenge"
> & { readonly scopes: readonly string[] };

/** The result of a code or a refresh token; `endedIds` are access tokens that ended with it. */
export type Issued =
  | { readonly kind: "issued"; readonly grant: Grant; readonly token: Token; readonly endedIds: readonly string[] }
  /** Without a reason, which would help somebody with a stolen copy. */
  | { readonly kind: "refused"; readonly endedIds: readonly string[] };

export type PeopleCommand =
  | {
      readonly kind: "create_invitation";
      readonly email: string;
      readonly role: Role;
      readonly hash: string;
      /** Former invitations of the address, which it replaces where they are open. */
      readonly replacedIds: readonly string[];
      readonly origin: Origin;
    }
  /** Refuses `not_found` if the invitation is no longer valid. */
  | { readonly kind: "check_invitation"; readonly invitationId: string; readonly hash: string }
  | {
      readonly kind: "accept_invitation";
      readonly invitationId: string;
      readonly hash: string;
      readonly person: { readonly userId: string; readonly name: string; readonly email: string };
      readonly origin: Origin;
    }
  | { readonly kind: "revoke_invitation"; readonly invitationId: string; readonly origin: Origin }
  /** `version` is the version that the caller has read; null or absent accepts any. */
  | {
      readonly kind: "change_role";
      readonly userId: string;
      readonly role: Role;
      readonly version?: number | null;
      readonly origin: Origin;
    }
  | { readonly kind: "offer_grant"; readonly grant: NewGrant; readonly origin: Origin }
  /** `codeChallenge` is derived from the program's verifier; a null resource is that of the grant. */
  | {
      readonly kind: "redeem_code";
      readonly grantId: string;
      readonly given: Pick<Grant, "codeHash" | "codeChallenge" | "clientId" | "redirectUri"> & {
        readonly resource: string | null;
      };
      readonly token: NewAccessToken;
      readonly origin: Origin;
    }
  | {
      readonly kind: "refresh_grant";
      readonly grantId: string;
      readonly given: Pick<Grant, "clientId" | "generation"> & {
        readonly resource: string | null;
        readonly scopes: readonly string[] | null;
      };
      readonly token: NewAccessToken;
      readonly origin: Origin;
    }
  /**
   * Ends this person's grant; null: anybody's. Refuses if the token `by` may do less than the grant; absent: a person
   * ends it.
   */
  | {
      readonly kind: "end_grant";
      readonly grantId: string;
      readonly userId: string | null;
      readonly by?: Principal;
      readonly origin?: Origin;
    }
  /** The grant of an access token; null if it has none. */
  | { readonly kind: "grant_of_token"; readonly tokenId: string }
  /** Adds an entry to the audit. */
  | { readonly kind: "note"; readonly entry: NewAuditEntry; readonly origin: Origin };

export interface PeopleReplies {
  create_invitation: Invitation;
  check_invitation: Invitation;
  accept_invitation: Member;
  revoke_invitation: Invitation;
  change_role: Member;
  offer_grant: Grant;
  redeem_code: Issued;
  refresh_grant: Issued;
  end_grant: { readonly grant: Grant; readonly endedIds: readonly string[]; readonly isUnchanged: boolean };
  grant_of_token: string | null;
  note: null;
}
