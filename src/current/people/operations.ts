/** Operations on the people of an organization (AUTH-19), and on one's own sessions and grants (AUTH-20). */
import { FULL_ACCESS } from "../../../actors/organization/principal.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { pageQuery } from "../paging.ts";
import { GrantId, InvitationId, SessionId, UserId } from "../path-ids.ts";
import {
  CreateInvitationBody,
  GrantList,
  GrantView,
  InvitationList,
  InvitationView,
  MemberList,
  MemberView,
  NewInvitationView,
  RemovedMember,
  RevokedSessions,
  SessionList,
  SessionView,
  UpdateMemberBody,
} from "./schema.ts";

export const memberOperations = operationGroup("Members", "People of the organization, and invitations to it", {
  listMembers: {
    method: "GET",
    path: "/api/members",
    scope: "tokens:read",
    summary: "List the members",
    description: "For every member, newest first.",
    query: pageQuery("members"),
    answers: { 200: MemberList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  getMember: {
    method: "GET",
    path: "/api/members/{id}",
    scope: "tokens:read",
    summary: "Read a member",
    params: { id: UserId },
    answers: { 200: MemberView },
    errors: ["not_found"],
  },
  updateMember: {
    method: "PATCH",
    path: "/api/members/{id}",
    scope: FULL_ACCESS,
    isForOwners: true,
    summary: "Change a member's role",
    description: "Counts from the member's next request. The last owner stays one: 409.",
    params: { id: UserId },
    headers: IF_MATCH,
    body: UpdateMemberBody,
    answers: { 200: MemberView },
    errors: ["not_found", "version_conflict", "invalid_state"],
    emits: "resource.updated",
  },
  removeMember: {
    method: "DELETE",
    path: "/api/members/{id}",
    scope: FULL_ACCESS,
    isForOwners: true,
    summary: "Remove a member",
    description:
      "Ends the person's sessions, tokens and grants in this organization with the next request, and closes their " +
      "open streams. Open invitations of their address are withdrawn. What the person has made stays. The last owner cannot be removed: 409.",
    params: { id: UserId },
    answers: { 200: RemovedMember },
    errors: ["not_found", "invalid_state"],
    emits: "resource.deleted",
  },
  listInvitations: {
    method: "GET",
    path: "/api/invitations",
    scope: "tokens:read",
    isForOwners: true,
    summary: "List invitations",
    description: "Newest first; those that are over are kept for 30 days.",
    query: pageQuery("invitations"),
    answers: { 200: InvitationList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  createInvitation: {
    method: "POST",
    path: "/api/invitations",
    scope: FULL_ACCESS,
    isForOwners: true,
    summary: "Invite a person",
    description:
      "The link is in the answer and never shown again. The person who opens it becomes a member; it works once, within 7 days. " +
      "Nothing is sent: pass the link on. Open invitations of the same address are withdrawn.",
    body: CreateInvitationBody,
    hasOneTimeSecret: true,
    answers: { 201: NewInvitationView },
    errors: ["invalid_state"],
    emits: "resource.created",
  },
  revokeInvitation: {
    method: "POST",
    path: "/api/invitations/{id}/revoke",
    scope: "tokens:write",
    isForOwners: true,
    summary: "Withdraw an invitation",
    description: "Its link opens nothing any more. One that was accepted or withdrawn is 404.",
    params: { id: InvitationId },
    answers: { 200: InvitationView },
    errors: ["not_found"],
    emits: "resource.deleted",
  },
});

export const sessionOperations = operationGroup("Sessions", "Browsers and programs that act as you", {
  listSessions: {
    method: "GET",
    path: "/api/sessions",
    scope: "tokens:read",
    summary: "List your sessions",
    description: "Browsers in which you have signed in to this organization, newest first.",
    query: pageQuery("sessions"),
    answers: { 200: SessionList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  revokeSession: {
    method: "POST",
    path: "/api/sessions/{id}/revoke",
    scope: "tokens:write",
    summary: "End one of your sessions",
    description:
      "Takes effect with the next request, and closes the session's open streams. Needs a session or a token with the scope `*`.",
    params: { id: SessionId },
    answers: { 200: SessionView },
    errors: ["not_found", "forbidden"],
    emits: "resource.deleted",
  },
  revokeOtherSessions: {
    method: "POST",
    path: "/api/sessions/revoke-others",
    scope: "tokens:write",
    summary: "End all your other sessions",
    description:
      "All sessions in this organization but the one that asks. Needs a session or a token with the scope `*`.",
    answers: { 200: RevokedSessions },
    errors: ["forbidden"],
    emits: "resource.deleted",
  },
  listOauthGrants: {
    method: "GET",
    path: "/api/oauth-grants",
    scope: "tokens:read",
    summary: "List the programs that you have let in",
    description: "Newest first; grants that are over are kept for 30 days.",
    query: pageQuery("oauth_grants"),
    answers: { 200: GrantList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  revokeOauthGrant: {
    method: "POST",
    path: "/api/oauth-grants/{id}/revoke",
    scope: "tokens:write",
    summary: "End a program's access",
    description:
      "Its tokens end with the next request, and their open streams are closed. A token ends no grant that has scopes which it lacks.",
    params: { id: GrantId },
    answers: { 200: GrantView },
    errors: ["not_found"],
    emits: "resource.deleted",
  },
});
