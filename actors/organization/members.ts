/** The organization itself and its people (AUTH-5). */
import { invalid, notFound, ok, type Outcome } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import type { OrganizationProtocol } from "./protocol.ts";
import { memberTable, organizationTable, workspaceTable } from "./schema.ts";
import { mintToken } from "./tokens.ts";

type MemberCommand = "found_organization" | "read_organization" | "add_member" | "remove_member";

export const memberHandlers: Pick<Handlers<OrganizationProtocol>, MemberCommand> = {
  found_organization(tx, { name, owner, tokens }) {
    if (tx.read(organizationTable, tx.self.id) !== null) return invalid("/id", "This organization exists already");
    const member = tx.create(memberTable, {
      id: owner.userId,
      name: owner.name,
      email: owner.email,
      role: "owner",
      status: "active",
    });
    const workspace = tx.create(workspaceTable, {
      id: tx.id("wsp"),
      name: "Default",
      description: null,
      createdBy: owner.userId,
    });
    const organization = tx.create(organizationTable, {
      id: tx.self.id,
      name,
      defaultWorkspaceId: workspace.id,
      owners: [owner.userId],
    });
    return ok({ organization, owner: member, workspace, tokens: tokens.map((token) => mintToken(tx, token, null)) });
  },

  read_organization(tx) {
    const organization = tx.read(organizationTable, tx.self.id);
    return organization === null ? notFound("organization") : ok(organization);
  },

  add_member(tx, { userId, name, email, role }) {
    const refused = setOwner(tx, userId, role === "owner");
    if (refused !== null) return refused;
    const member = tx.read(memberTable, userId);
    if (member === null) return ok(tx.create(memberTable, { id: userId, name, email, role, status: "active" }));
    return ok(tx.update(memberTable, { ...member, name, email, role, status: "active" }));
  },

  remove_member(tx, { userId }) {
    const member = tx.read(memberTable, userId);
    if (member === null || member.status === "removed") return notFound("user");
    const refused = setOwner(tx, userId, false);
    if (refused !== null) return refused;
    return ok(tx.update(memberTable, { ...member, status: "removed" }));
  },
};

/** Keeps the list of owners true; refuses to leave an organization without one. */
function setOwner(tx: Tx, userId: string, isOwner: boolean): Outcome<never> | null {
  const organization = tx.read(organizationTable, tx.self.id);
  if (organization === null) return notFound("organization");
  if (organization.owners.includes(userId) === isOwner) return null;
  const others = organization.owners.filter((id) => id !== userId);
  if (!isOwner && others.length === 0)
    return invalid("/user", "An organization needs an owner: make another one first");
  tx.update(organizationTable, { ...organization, owners: isOwner ? [...others, userId] : others });
  return null;
}
