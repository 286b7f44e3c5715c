/** The page for an invitation (AUTH-18). The key is in the query, which no log shows. */
export const INVITATION_PATH = "/invitation";

export const invitationLink = (organizationId: string, invitationId: string, key: string): string =>
  `${INVITATION_PATH}?organization=${organizationId}&invitation=${invitationId}&key=${key}`;
