/** The bodies and views of members, invitations, sessions and grants (AUTH-19, AUTH-20). */
import { endingRefusal } from "../../../actors/organization/grants.ts";
import { isLastOwner } from "../../../actors/organization/members.ts";
import { FULL_ACCESS, type Principal, SCOPES } from "../../../actors/organization/principal.ts";
import {
  type Grant,
  type Invitation,
  type Member,
  type Organization,
  ROLES,
  type Token,
} from "../../../actors/organization/schema.ts";
import { revocationRefusal } from "../../../actors/organization/tokens.ts";
import { isoTime, Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { fieldsFrom, Id, listOf, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { TOKEN_STATUSES, tokenStatus, withVersion } from "../tokens/schema.ts";
import { permittedActions, RECORD, recordView } from "../record.ts";

/** A local part of 64 characters and a domain of 190; no spaces, no control characters. */
const EMAIL = "^[^\\s@\\x00-\\x1f\\x7f-\\x9f]{1,64}@[^\\s@\\x00-\\x1f\\x7f-\\x9f]{1,190}$";
const RoleField = OneOf(ROLES, { description: "`owner` administers the organization, `member` works in it" });

/** `PATCH /api/members/{id}` */
export const UpdateMemberBody = Type.Object({ role: RoleField }, { examples: [{ role: "owner" }] });

/** `POST /api/invitations` */
export const CreateInvitationBody = Type.Object(
  {
    email: Type.String({
      pattern: EMAIL,
      description: "E-mail address of the person; nothing is sent to it",
      errorMessage: "Field email must be an e-mail address, such as ada@example.com",
    }),
    role: Type.Optional(OneOf(ROLES, { default: "member", description: "Role that the person gets" })),
  },
  { examples: [{ email: "ada@example.com", role: "member" }] },
);

const MEMBER = {
  id: Id("usr", "The user's id: the same in every organization"),
  name: Text("The person's name", "Ada Lovelace"),
  email: Text("The person's e-mail address", "ada@example.com"),
  role: RoleField,
  ...RECORD,
};
export const MemberView = noun("Member", "A person in the organization", MEMBER);
export const RemovedMember = noun("RemovedMember", "A person who is no longer a member", {
  ...MEMBER,
  deleted: Type.Literal(true),
});
export const MemberList = listOf("MemberList", "members", MemberView);

export const INVITATION_STATUSES = ["pending", "accepted", "revoked", "expired"] as const;
const INVITATION = {
  id: Id("inv", "The invitation's id"),
  email: Text("The invited address; anybody with the link can accept it", "ada@example.com"),
  role: RoleField,
  status: OneOf(INVITATION_STATUSES),
  expires_at: Timestamp,
  ...RECORD,
};
export const InvitationView = noun("Invitation", "A one-time link that makes a person a member", INVITATION);
export const NewInvitationView = noun("NewInvitation", "A new invitation; its link is never shown again", {
  ...INVITATION,
  url: Text("The link: pass it on", "https://troupe.example/invitation?organization=org_1&invitation=inv_1&key=k"),
});
export const InvitationList = listOf("InvitationList", "invitations", InvitationView);

export const SessionView = noun("Session", "A browser in which you have signed in", {
  id: Id("tok", "Id of the session, as in the audit log"),
  name: Text("Browser and operating system, as the browser reports them", "Firefox on Linux"),
  status: OneOf(TOKEN_STATUSES),
  is_current: Type.Boolean({ description: "Whether this is the session of this request" }),
  last_address: Nullable(Text("Remote address of its last recorded use", "203.0.113.7")),
  expires_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  ...RECORD,
});
export const SessionList = listOf("SessionList", "sessions", SessionView);
export const RevokedSessions = noun("RevokedSessions", "How many sessions have ended", {
  revoked: Type.Integer({ minimum: 0, description: "Sessions that were active and have ended now" }),
});

export const GrantView = noun("OauthGrant", "Access that you have granted to a program", {
  id: Id("gra", "The grant's id"),
  client_id: Text("Client id of the program, or the URL of its metadata", "cli_V1StGXR8_Z5jdHi6B-myT"),
  client_name: Text("Name of the program, as it registered itself", "An editor"),
  status: OneOf(["offered", "active", "expired", "ended"] as const, {
    description: "`offered` until the program has taken its first token",
  }),
  scopes: Type.Array(OneOf(SCOPES), { examples: [["agents:read", "chats:write"]] }),
  resource: Text("Resource that its tokens are for", "https://troupe.example/mcp"),
  user_id: Id("usr", "The user that the program acts as"),
  expires_at: Timestamp,
  ...RECORD,
});
export const GrantList = listOf("OauthGrantList", "oauth_grants", GrantView);

const memberFields = fieldsFrom(MemberView);

export const memberView = (member: Member, by: Principal, organization: Organization): Shown<typeof MemberView> => ({
  ...memberFields(member),
  ...recordView(
    member,
    { self: `/api/members/${member.id}` },
    permittedActions(
      by,
      FULL_ACCESS,
      by.role === "owner" && !isLastOwner(organization, member.id) ? ["update", "delete"] : [],
    ),
  ),
});

export const removedMemberView = (
  member: Member,
  by: Principal,
  organization: Organization,
): Shown<typeof RemovedMember> => ({ ...memberView(member, by, organization), allowed_actions: [], deleted: true });

const invitationFields = fieldsFrom(InvitationView);

export function invitationView(invitation: Invitation, by: Principal, now: number): Shown<typeof InvitationView> {
  const status =
    invitation.status === "pending" && invitation.expiresAt <= isoTime(now) ? "expired" : invitation.status;
  return {
    ...invitationFields(invitation),
    status,
    ...recordView(
      invitation,
      { revoke: `/api/invitations/${invitation.id}/revoke` },
      permittedActions(by, "tokens:write", status === "pending" ? ["revoke"] : []),
    ),
  };
}

const sessionFields = fieldsFrom(SessionView);

export function sessionView(session: Token, by: Principal, now: number): Shown<typeof SessionView> {
  const status = tokenStatus(session, now);
  const mayRevoke = status === "active" && revocationRefusal(session, by) === null;
  return {
    ...sessionFields(session),
    status,
    is_current: session.id === by.tokenId,
    last_address: session.lastAddress ?? null,
    ...recordView(
      withVersion(session),
      { revoke: `/api/sessions/${session.id}/revoke` },
      permittedActions(by, "tokens:write", mayRevoke ? ["revoke"] : []),
    ),
  };
}

const grantFields = fieldsFrom(GrantView);

export function grantView(grant: Grant, by: Principal, now: number): Shown<typeof GrantView> {
  const status = grant.status !== "ended" && grant.expiresAt <= isoTime(now) ? "expired" : grant.status;
  const isOpen = status === "active" || status === "offered";
  return {
    ...grantFields(grant),
    status,
    ...recordView(
      grant,
      { revoke: `/api/oauth-grants/${grant.id}/revoke` },
      permittedActions(by, "tokens:write", isOpen && endingRefusal(grant, by) === null ? ["revoke"] : []),
    ),
  };
}
