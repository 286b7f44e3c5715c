/** The organization itself, its people and their tokens (AUTH-1, AUTH-5, AUTH-7). */
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import { isoTime } from "../schema.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import type { NewToken, OrganizationProtocol } from "./protocol.ts";
import { memberTable, organizationTable, type Token, tokenTable, workspaceTable } from "./schema.ts";

/** `lastUsedAt` is kept to this precision: finer would cost a commit for each request. */
export const LAST_USED_PRECISION_MS = 60_000;

type MemberCommand =
  | "found_organization"
  | "read_organization"
  | "authenticate"
  | "touch_token"
  | "create_token"
  | "revoke_token"
  | "add_member"
  | "remove_member";

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
    return ok({ organization, owner: member, workspace, tokens: tokens.map((token) => mint(tx, token)) });
  },

  read_organization(tx) {
    const organization = tx.read(organizationTable, tx.self.id);
    return organization === null ? notFound("organization") : ok(organization);
  },

  authenticate(tx, { tokenId, hash }) {
    const token = tx.read(tokenTable, tokenId);
    // The directory has found the token by this hash; here it is only checked that it still has it.
    if (token === null || !isSameHash(token.hash, hash))
      return refuse({ kind: "unauthenticated", reason: "unknown token" });
    if (token.revokedAt !== null) return refuse({ kind: "unauthenticated", reason: "revoked token" });
    if (Date.parse(token.expiresAt) <= tx.now) return refuse({ kind: "token_expired" });
    const member = tx.read(memberTable, token.userId);
    if (member === null || member.status === "removed") {
      return refuse({ kind: "unauthenticated", reason: "the token's user is not a member any more" });
    }
    const isStale = token.lastUsedAt === null || tx.now - Date.parse(token.lastUsedAt) >= LAST_USED_PRECISION_MS;
    const { scopes, kind: tokenKind } = token;
    const organizationId = tx.self.id;
    return ok({
      principal: { organizationId, userId: member.id, role: member.role, tokenId, tokenKind, scopes },
      isStale,
    });
  },

  touch_token(tx, { tokenId }) {
    const token = tx.read(tokenTable, tokenId);
    if (token === null) return notFound("token");
    if (token.lastUsedAt !== null && tx.now - Date.parse(token.lastUsedAt) < LAST_USED_PRECISION_MS) return ok(null);
    tx.update(tokenTable, { ...token, lastUsedAt: isoTime(tx.now) });
    return ok(null);
  },

  create_token(tx, { token }) {
    const member = tx.read(memberTable, token.userId);
    if (member === null || member.status === "removed") return notFound("user");
    if (token.kind === "service" && member.role !== "owner") return refuse({ kind: "owner_required" });
    return ok(mint(tx, token));
  },

  revoke_token(tx, { tokenId }) {
    const token = tx.read(tokenTable, tokenId);
    if (token === null) return notFound("token");
    if (token.revokedAt !== null) return ok(token);
    return ok(tx.update(tokenTable, { ...token, revokedAt: isoTime(tx.now) }));
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

function mint(tx: Tx, token: NewToken): Token {
  return tx.create(tokenTable, {
    ...token,
    scopes: [...token.scopes],
    id: tx.id("tok"),
    lastUsedAt: null,
    revokedAt: null,
  });
}

/** Compares in a time that does not depend on where two hashes differ (AUTH-1). */
function isSameHash(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
