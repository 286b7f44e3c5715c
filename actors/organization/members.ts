/** The organization itself and its people (AUTH-5). */
import { assert } from "../assert.ts";
import type { ConnectionCommand } from "../connection/protocol.ts";
import { connectionRef } from "../connection/schema.ts";
import { type Fault, invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import type { Origin } from "./people-protocol.ts";
import type { ForsakingIntent, OrganizationProtocol } from "./protocol.ts";
import { isoTime } from "../schema.ts";
import { newWorkspace, workspaceRef, workspaceTable } from "../workspace/schema.ts";
import { noteInAudit, OPERATOR } from "./audit.ts";
import { type Member, memberTable, type Organization, organizationTable } from "./schema.ts";
import { mintToken } from "./tokens.ts";
import { withoutMember } from "./groups.ts";
import { withdrawOpen } from "./withdrawal.ts";

export const memberCommandHandlers = {
  found_organization(tx, { name, owner, tokens }) {
    if (tx.read(organizationTable, tx.self.id) !== null) return invalid("/id", "This organization exists already");
    const member = tx.create(memberTable, {
      id: owner.userId,
      name: owner.name,
      email: owner.email,
      role: "owner",
      status: "active",
    });
    const workspaceId = tx.id("wsp");
    const workspace = tx.birth(
      workspaceRef(tx.self.id, workspaceId),
      workspaceTable,
      newWorkspace({ id: workspaceId, name: "Default", createdBy: owner.userId }),
    );
    const organization = tx.create(organizationTable, {
      id: tx.self.id,
      name,
      defaultWorkspaceId: workspace.id,
      owners: [owner.userId],
    });
    return ok({
      organization,
      owner: member,
      workspace,
      tokens: tokens.map((token) => mintToken(tx, token, { madeWith: null, parentId: null, member })),
    });
  },

  read_organization(tx) {
    const organization = tx.read(organizationTable, tx.self.id);
    return organization === null ? notFound("organization") : ok(organization);
  },

  read_member(tx, { userId }) {
    const member = tx.read(memberTable, userId);
    return member === null || member.status === "removed" ? notFound("user") : ok(member);
  },

  set_approval_mails(tx, { userId, isWanted }) {
    const member = tx.read(memberTable, userId);
    if (member === null || member.status === "removed") return notFound("user");
    const isUnchanged = isWanted === (member.noApprovalMails !== true);
    if (!isUnchanged) tx.update<Member>(memberTable, { ...member, noApprovalMails: !isWanted });
    return ok({ isUnchanged });
  },

  set_suspended(tx, { isSuspended }) {
    const organization = tx.read(organizationTable, tx.self.id);
    if (organization === null) return notFound("organization");
    const { suspendedAt = null } = organization;
    if (isSuspended === (suspendedAt !== null)) return ok(organization);
    return ok(tx.update(organizationTable, { ...organization, suspendedAt: isSuspended ? isoTime(tx.now) : null }));
  },

  set_quota(tx, { quota, limit }) {
    const organization = tx.read(organizationTable, tx.self.id);
    if (organization === null) return notFound("organization");
    const { [quota]: _, ...others } = organization.quotas ?? {};
    const quotas = limit === undefined ? others : { ...others, [quota]: limit };
    return ok(tx.update(organizationTable, { ...organization, quotas }));
  },

  add_member(tx, { userId, name, email, role, origin = OPERATOR }) {
    const member = tx.read(memberTable, userId);
    const isNew = member === null || member.status === "removed";
    const added = addMember(tx, { userId, name, email, role });
    if (!added.ok) return added;
    noteInAudit(tx, { action: isNew ? "member.added" : "member.changed", subjectId: userId, detail: role }, origin);
    return added;
  },

  remove_member(tx, { userId, invitationIds = [], origin = OPERATOR }) {
    const notTheirs = unlessOwnerNow(tx, origin);
    if (notTheirs !== null) return notTheirs;
    const member = tx.read(memberTable, userId);
    if (member === null || member.status === "removed") return notFound("user");
    const refused = setOwner(tx, userId, false);
    if (refused !== null) return refused;
    noteInAudit(tx, { action: "member.removed", subjectId: userId, detail: member.email }, origin);
    withdrawOpen(tx, invitationIds, origin);
    forsakeConnections(tx, { userId, removedAt: isoTime(tx.now), origin: { ...origin } });
    return ok(tx.update(memberTable, { ...member, status: "removed", removal: nextRemoval(tx, userId) }));
  },

  check_owner(tx, { connectionId, userId }) {
    if (tx.read(memberTable, userId)?.status !== "removed") return ok(null);
    const forsaken: ConnectionCommand = { kind: "forsake_connection", removedAt: isoTime(tx.now), origin: OPERATOR };
    tx.send(connectionRef(tx.self.id, connectionId), forsaken);
    return ok(null);
  },

  connections_forsaken(tx, { effectId, again }) {
    tx.settle(effectId);
    if (again !== null) forsakeConnections(tx, again);
    return ok(null);
  },
} satisfies Partial<Handlers<OrganizationProtocol>>;

/** The effect that ends the connections of a person after the removal: there may be many. */
export const FORSAKE_CONNECTIONS = "forsake_connections";

function forsakeConnections(tx: Tx, intent: ForsakingIntent): void {
  tx.effect(tx.self, FORSAKE_CONNECTIONS, intent);
}

/** Refuses a caller who is neither an owner at this moment nor the operator, who is not a member. */
export function unlessOwnerNow(tx: Tx, { userId }: Origin): Outcome<never> | null {
  if (userId === null) return null;
  const member = tx.read(memberTable, userId);
  return member?.status === "active" && member.role === "owner" ? null : refuse({ kind: "owner_required" });
}

/** Adds a person as a member with this role, or changes a member's role. */
export function addMember(
  tx: Tx,
  { userId, ...is }: { readonly userId: string } & Pick<Member, "name" | "email" | "role">,
): Outcome<Member> {
  const refused = setOwner(tx, userId, is.role === "owner");
  if (refused !== null) return refused;
  const member = tx.read(memberTable, userId);
  if (member === null) return ok(tx.create(memberTable, { id: userId, ...is, status: "active" }));
  const back = member.status === "removed" ? { membership: (member.membership ?? 0) + 1 } : {};
  return ok(tx.update<Member>(memberTable, { ...member, ...is, ...back, status: "active" }));
}

/** Whether the user is the only owner, who must stay one. */
export const isLastOwner = ({ owners }: Organization, userId: string): boolean =>
  owners.length === 1 && owners[0] === userId;

const LAST_OWNER: Fault = {
  kind: "invalid_state",
  status: "owner",
  allowedActions: [],
  message: "An organization needs an owner: make another member an owner first",
};

/** Counts a removal, takes the person out of all groups, and returns its number. */
function nextRemoval(tx: Tx, userId: string): number {
  const organization = tx.read(organizationTable, tx.self.id);
  if (organization === null) return 0;
  const removals = (organization.removals ?? 0) + 1;
  tx.update(organizationTable, { ...withoutMember(organization, userId), removals });
  return removals;
}

/** Keeps the list of owners correct; refuses to leave an organization without an owner. */
function setOwner(tx: Tx, userId: string, isOwner: boolean): Outcome<never> | null {
  const organization = tx.read(organizationTable, tx.self.id);
  if (organization === null) return notFound("organization");
  if (organization.owners.includes(userId) === isOwner) return null;
  const others = organization.owners.filter((id) => id !== userId);
  if (!isOwner && others.length === 0) return refuse(LAST_OWNER);
  const owners = isOwner ? [...others, userId] : others;
  assert(owners.length > 0 && new Set(owners).size === owners.length, "an organization has owners, each once");
  tx.update(organizationTable, { ...organization, owners });
  return null;
}
