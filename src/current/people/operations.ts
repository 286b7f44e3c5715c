/** The people of an organization, and invitations to it (AUTH-19). */
import { mapOutcome } from "../../../actors/fault.ts";
import { unlessMember } from "../../../actors/organization/invitations.ts";
import { FULL_ACCESS } from "../../../actors/organization/principal.ts";
import { endingsOf, removalOf } from "../../../actors/organization/removal.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { keyHash, newKey } from "../../http/admission/token.ts";
import { created, done } from "../../http/commit/commit.ts";
import { invitationLink } from "../../http/contract/paths.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { originOf } from "../../http/request/caller.ts";
import { lookUp } from "../../log/look-up.ts";
import { operation } from "../../operations/operation.ts";
import { pageOf, pageQuery, shownPage } from "../paging.ts";
import { InvitationId, UserId } from "../path-ids.ts";
import { currentUploads } from "../uploads/unfinished.ts";
import {
  CreateInvitationBody,
  InvitationList,
  InvitationView,
  invitationView,
  MemberList,
  MemberView,
  memberView,
  NewInvitationView,
  RemovedMember,
  removedMemberView,
  UpdateMemberBody,
} from "./schema.ts";

const READ_ORGANIZATION = { kind: "read_organization" } as const;

export const memberOperations = {
  listMembers: operation(
    {
      method: "GET",
      path: "/api/members",
      scope: "tokens:read",
      summary: "List the members",
      description: "Newest first. Every member may read the list.",
      query: pageQuery("members"),
      answers: { 200: MemberList },
    },
    async ({ system, directory, log }, { principal }, { query }) => {
      const { organizationId } = principal;
      const settled = await system.settled(organizationId);
      if (!settled.ok) return settled;
      const organization = await system.dispatch(organizationRef(organizationId), READ_ORGANIZATION);
      if (!organization.ok) return organization;
      const members = lookUp(log, directory.pageMembers(organizationId, pageOf(query)));
      return shownPage("members", members, (member) => memberView(member, principal, organization.value));
    },
  ),

  getMember: operation(
    {
      method: "GET",
      path: "/api/members/{id}",
      scope: "tokens:read",
      summary: "Read a member",
      description: "`me` in the place of the id names the caller.",
      params: { id: UserId },
      answers: { 200: MemberView },
    },
    async ({ system }, { principal }, { params: { id } }) => {
      const userId = id === "me" ? principal.userId : id;
      const ref = organizationRef(principal.organizationId);
      const read = await system.dispatchGroup([ask(ref, { kind: "read_member", userId }), ask(ref, READ_ORGANIZATION)]);
      return mapOutcome(read, ([member, organization]) => memberView(member, principal, organization));
    },
  ),

  updateMember: operation(
    {
      method: "PATCH",
      path: "/api/members/{id}",
      scope: FULL_ACCESS,
      isForOwners: true,
      summary: "Change a member's role",
      description: "Takes effect with the member's next request. The last owner cannot become a plain member: 409.",
      params: { id: UserId },
      headers: IF_MATCH,
      body: UpdateMemberBody,
      answers: { 200: MemberView },
      errors: ["invalid_state"],
      emits: "resource.updated",
    },
    async (_, change, { params: { id: userId }, headers, body: { role } }) => {
      const { principal } = change;
      const ref = organizationRef(principal.organizationId);
      const version = headers["if-match"] ?? null;
      const steps = [
        ask(ref, { kind: "read_member", userId }),
        ask(ref, { kind: "change_role", userId, role, version, origin: originOf(change) }),
        ask(ref, READ_ORGANIZATION),
      ] as const;
      return change.commit(steps, (before, [, after, organization]) => ({
        ...done(memberView(after, principal, organization)),
        ...(before.version === after.version ? { emits: null } : {}),
      }));
    },
  ),

  removeMember: operation(
    {
      method: "DELETE",
      path: "/api/members/{id}",
      scope: FULL_ACCESS,
      isForOwners: true,
      summary: "Remove a member",
      description:
        "Ends the person's sessions, tokens and grants in this organization with the next request, and closes their " +
        "open streams. Open invitations for their address are withdrawn. What the person has created stays. The last owner cannot be removed: 409.",
      params: { id: UserId },
      answers: { 200: RemovedMember },
      errors: ["invalid_state"],
      emits: "resource.deleted",
    },
    async ({ system, directory, streams, contents, readCommitted }, change, { params: { id: userId } }) => {
      const { principal } = change;
      const { organizationId } = principal;
      const credentials = await readCommitted(organizationId, () => directory.credentialsOf(organizationId, userId));
      if (!credentials.ok) return credentials;
      const ref = organizationRef(organizationId);
      const origin = originOf(change);
      const removed = await change.commit(
        [
          ask(ref, removalOf(userId, credentials.value, origin)),
          ask(ref, READ_ORGANIZATION),
          ...endingsOf(credentials.value, origin).map((command) => ask(ref, command)),
        ],
        (member, [, organization]) => done(removedMemberView(member, principal, organization)),
      );
      if (!removed.ok) return removed;
      for (const id of credentials.value.tokenIds) streams.closeOf(id);
      await currentUploads({ system, contents }, organizationId);
      return removed;
    },
  ),

  listInvitations: operation(
    {
      method: "GET",
      path: "/api/invitations",
      scope: "tokens:read",
      isForOwners: true,
      summary: "List invitations",
      description: "Newest first; accepted, withdrawn and expired invitations are listed for 30 days.",
      query: pageQuery("invitations"),
      answers: { 200: InvitationList },
    },
    async ({ directory, clock, readCommitted }, { principal }, { query }) => {
      const { organizationId } = principal;
      const read = () => directory.pageInvitations(organizationId, pageOf(query));
      return shownPage("invitations", readCommitted(organizationId, read), (invitation) =>
        invitationView(invitation, principal, clock.now()),
      );
    },
  ),

  createInvitation: operation(
    {
      method: "POST",
      path: "/api/invitations",
      scope: FULL_ACCESS,
      isForOwners: true,
      summary: "Invite a person",
      description:
        "The response has the link, which is never shown again. It works once, within 7 days, and makes the person who opens it a member. No e-mail is sent: pass the link on. Open invitations for the same address are withdrawn.",
      body: CreateInvitationBody,
      hasOneTimeSecret: true,
      answers: { 201: NewInvitationView },
      errors: ["invalid_state"],
      emits: "resource.created",
    },
    async ({ directory, log, clock, appUrl, readCommitted }, change, { body: { email, role = "member" } }) => {
      const { principal } = change;
      const { organizationId } = principal;
      const known = await readCommitted(organizationId, () => directory.findMembers(email));
      const refused = known.ok ? unlessMember(known.value, organizationId) : known;
      if (!refused.ok) return refused;
      const former = await lookUp(log, directory.pendingInvitations(organizationId, email));
      if (!former.ok) return former;
      const key = newKey();
      const of = { email, role, hash: keyHash(key), replacedIds: former.value };
      const command = { kind: "create_invitation", ...of, origin: originOf(change) } as const;
      const now = clock.now();
      return change.commit([ask(organizationRef(organizationId), command)], (made) => {
        const shown = invitationView(made, principal, now);
        return {
          ...created({ ...shown, url: appUrl() + invitationLink(organizationId, made.id, key) }),
          eventData: shown,
        };
      });
    },
  ),

  revokeInvitation: operation(
    {
      method: "POST",
      path: "/api/invitations/{id}/revoke",
      scope: "tokens:write",
      isForOwners: true,
      summary: "Withdraw an invitation",
      description: "The link stops working. An invitation that was already accepted or withdrawn is 404.",
      params: { id: InvitationId },
      answers: { 200: InvitationView },
      emits: "resource.deleted",
    },
    async ({ clock }, change, { params: { id: invitationId } }) => {
      const { principal } = change;
      const command = { kind: "revoke_invitation", invitationId, origin: originOf(change) } as const;
      const now = clock.now();
      return change.commit([ask(organizationRef(principal.organizationId), command)], (revoked) =>
        done(invitationView(revoked, principal, now)),
      );
    },
  ),
};
