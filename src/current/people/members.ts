/** The people of an organization: members, roles, removal, invitations (AUTH-19). */
import { mapped } from "../../../actors/fault.ts";
import { unlessMember } from "../../../actors/organization/invitations.ts";
import { endingsOf, removalOf } from "../../../actors/organization/removal.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { invitationLink } from "../../http/contract/invitation-path.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import { originOf } from "../../http/request/caller.ts";
import { created, done } from "../../http/commit/commit.ts";
import { keyHash, newKey } from "../../http/admission/token.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { pageOf, pageView } from "../paging.ts";
import { currentUploads } from "../uploads/current-uploads.ts";
import type { memberOperations } from "./operations.ts";
import { invitationView, memberView, removedMemberView } from "./schema.ts";

const READ_ORGANIZATION = { kind: "read_organization" } as const;

export const memberHandlers: Handlers<typeof memberOperations.operations, Services> = {
  async listMembers({ system, directory, log }, { principal }, { query }) {
    const { organizationId } = principal;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const organization = await system.dispatch(organizationRef(organizationId), READ_ORGANIZATION);
    if (!organization.ok) return organization;
    const members = await lookUp(log, directory.pageMembers(organizationId, pageOf(query)));
    return mapped(members, (page) =>
      pageView("members", page, (member) => memberView(member, principal, organization.value)),
    );
  },

  async getMember({ system }, { principal }, { params: { id: userId } }) {
    const ref = organizationRef(principal.organizationId);
    const read = await system.dispatchGroup([ask(ref, { kind: "read_member", userId }), ask(ref, READ_ORGANIZATION)]);
    return mapped(read, ([member, organization]) => memberView(member, principal, organization));
  },

  async updateMember(_, change, { params: { id: userId }, headers, body: { role } }) {
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

  async removeMember({ system, directory, log, streams, contents }, change, { params: { id: userId } }) {
    const { principal } = change;
    const { organizationId } = principal;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const credentials = await lookUp(log, directory.credentialsOf(organizationId, userId));
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

  async listInvitations({ system, directory, clock, log }, { principal }, { query }) {
    const { organizationId } = principal;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const invitations = await lookUp(log, directory.pageInvitations(organizationId, pageOf(query)));
    const now = clock.now();
    return mapped(invitations, (page) =>
      pageView("invitations", page, (invitation) => invitationView(invitation, principal, now)),
    );
  },

  async createInvitation({ system, directory, log, clock, appUrl }, change, { body: { email, role = "member" } }) {
    const { principal } = change;
    const { organizationId } = principal;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const known = await lookUp(log, directory.findMembers(email));
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
      return { ...created({ ...shown, url: appUrl() + invitationLink(organizationId, made.id, key) }), told: shown };
    });
  },

  async revokeInvitation({ clock }, change, { params: { id: invitationId } }) {
    const { principal } = change;
    const command = { kind: "revoke_invitation", invitationId, origin: originOf(change) } as const;
    const now = clock.now();
    return change.commit([ask(organizationRef(principal.organizationId), command)], (revoked) =>
      done(invitationView(revoked, principal, now)),
    );
  },
};
