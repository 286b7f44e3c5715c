/**
 * Invitations (AUTH-18): a link that makes the person who opens it a member. It works once, within a week:
 *
 *   pending ──accepted──▶ a member
 *      └──revoked, or a week──▶ nothing
 *
 * Only the hash of its key is stored. A new invitation of an address withdraws the open ones before it. An invitation
 * never lets a person back in who was removed after it was made. Only owners change members, their roles and their
 * removal. The turn checks the caller's own member record, so a former owner has no such rights.
 */
import { isSameHash } from "../sealing.ts";
import { notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { noteInAudit } from "./audit.ts";
import { addMember, unlessOwnerNow } from "./members.ts";
import type { OrganizationProtocol } from "./protocol.ts";
import { type Invitation, invitationTable, type Member, memberTable, organizationTable } from "./schema.ts";
import { isOpenInvitation, isOutlived, withdraw, withdrawOpen } from "./withdrawal.ts";
import { DAY_MS } from "../units.ts";

/** How long an invitation can be accepted, in days. */
export const INVITATION_DAYS = 7;

/**
 * Refuses to invite a member; `known` are the address's memberships anywhere. The caller looks them up before the turn.
 * If the person becomes a member meanwhile, the invitation takes nothing from them.
 */
export function unlessMember(known: readonly Member[], organizationId: string): Outcome<null> {
  const member = known.find((one) => one.organizationId === organizationId && one.status === "active");
  if (member === undefined) return ok(null);
  const message = `\`email\`: ${member.email} is already a member`;
  return refuse({ kind: "invalid_state", status: member.status, allowedActions: [], message });
}

export const invitationHandlers = {
  create_invitation(tx, { email, role, hash, replacedIds, origin }) {
    const refused = unlessOwnerNow(tx, origin);
    if (refused !== null) return refused;
    withdrawOpen(tx, replacedIds, origin);
    const expiresAt = isoTime(tx.now + INVITATION_DAYS * DAY_MS);
    const removals = tx.read(organizationTable, tx.self.id)?.removals ?? 0;
    const made = tx.create(invitationTable, {
      id: tx.id("inv"),
      email,
      role,
      hash,
      expiresAt,
      status: "pending",
      removals,
    });
    noteInAudit(tx, { action: "invitation.created", subjectId: made.id, detail: `${email}: ${role}` }, origin);
    return ok(made);
  },

  check_invitation(tx, { invitationId, hash }) {
    const invitation = findOpenInvitation(tx, invitationId, hash);
    return invitation === null ? notFound("invitation") : ok(invitation);
  },

  accept_invitation(tx, { invitationId, hash, person, origin }) {
    const invitation = findOpenInvitation(tx, invitationId, hash);
    if (invitation === null) return notFound("invitation");
    const present = tx.read(memberTable, person.userId);
    if (present !== null && isOutlived(invitation, present)) return notFound("invitation");
    // A member keeps their role: a link must not lower it.
    const isMember = present !== null && present.status === "active";
    const member = isMember ? ok(present) : addMember(tx, { ...person, role: invitation.role });
    if (!member.ok) return member;
    tx.update<Invitation>(invitationTable, { ...invitation, status: "accepted" });
    noteInAudit(tx, { action: "invitation.accepted", subjectId: invitationId, detail: person.email }, origin);
    return member;
  },

  revoke_invitation(tx, { invitationId, origin }) {
    const refused = unlessOwnerNow(tx, origin);
    if (refused !== null) return refused;
    const invitation = tx.read(invitationTable, invitationId);
    if (invitation === null || invitation.status !== "pending") return notFound("invitation");
    return ok(withdraw(tx, invitation, origin));
  },

  change_role(tx, { userId, role, version = null, origin }) {
    const refused = unlessOwnerNow(tx, origin);
    if (refused !== null) return refused;
    const member = tx.read(memberTable, userId);
    if (member === null || member.status === "removed") return notFound("user");
    if (version !== null && version !== member.version)
      return refuse({ kind: "version_conflict", version: member.version });
    if (member.role === role) return ok(member);
    const changed = addMember(tx, { userId, name: member.name, email: member.email, role });
    if (changed.ok) noteInAudit(tx, { action: "member.changed", subjectId: userId, detail: role }, origin);
    return changed;
  },
} satisfies Partial<Handlers<OrganizationProtocol>>;

function findOpenInvitation(tx: Tx, invitationId: string, hash: string): Invitation | null {
  const invitation = tx.read(invitationTable, invitationId);
  if (invitation === null || !isSameHash(invitation.hash, hash)) return null;
  return isOpenInvitation(invitation, tx) ? invitation : null;
}
