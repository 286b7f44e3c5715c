/**
 * Removing a person from an organization (AUTH-18): one group that takes the membership and everything that the
 * person could act with. A removed member's credentials do not count in any case; they are ended as well, so that
 * lists say so. What is made after they were looked for belongs to the former membership, and stays dead when the
 * person is invited again.
 */
import { OPERATOR } from "./audit.ts";
import type { Directory } from "./directory.ts";
import type { Origin } from "./people-protocol.ts";
import type { OrganizationCommand } from "./protocol.ts";

type Credentials = Awaited<ReturnType<Directory["credentialsOf"]>>;
type Ending = Extract<OrganizationCommand, { readonly kind: "revoke_token" | "end_grant" }>;

/** What ends these credentials; each reply has the ids of the tokens that have ended. */
export const endingsOf = ({ tokenIds, grantIds }: Credentials, origin: Origin = OPERATOR): readonly Ending[] => [
  ...grantIds.map((grantId) => ({ kind: "end_grant" as const, grantId, userId: null, origin })),
  ...tokenIds.map((tokenId) => ({ kind: "revoke_token" as const, tokenId, of: null, by: null, origin })),
];
