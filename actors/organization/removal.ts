/**
 * Removes a person from an organization (AUTH-18): one group ends the membership and all of the person's credentials,
 * and withdraws the open invitations of their address. A removed member's credentials are refused anyway; they are
 * ended so that lists show it. A credential made after the lookup belongs to the former membership, and stays invalid
 * when the person is invited again. An invitation made after the lookup does not let this person back in.
 */
import type { Directory } from "./directory.ts";
import type { Origin } from "./people-protocol.ts";
import type { OrganizationCommand } from "./protocol.ts";

type MemberCredentials = Awaited<ReturnType<Directory["credentialsOf"]>>;
type EndingCommand = Extract<OrganizationCommand, { readonly kind: "revoke_token" | "end_grant" }>;
type Removal = Extract<OrganizationCommand, { readonly kind: "remove_member" }>;

/** The command that ends the membership, and withdraws the person's invitations. */
export const removalOf = (userId: string, { invitationIds }: MemberCredentials, origin: Origin): Removal => ({
  kind: "remove_member",
  userId,
  invitationIds,
  origin,
});

/** The commands that end these credentials; each reply has the ids of the ended tokens. */
export const endingsOf = ({ tokenIds, grantIds }: MemberCredentials, origin: Origin): readonly EndingCommand[] => [
  ...grantIds.map((grantId) => ({ kind: "end_grant" as const, grantId, userId: null, origin })),
  ...tokenIds.map((tokenId) => ({ kind: "revoke_token" as const, tokenId, of: null, by: null, origin })),
];
