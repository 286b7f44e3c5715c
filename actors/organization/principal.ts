/**
 * The caller and their permissions (AUTH-3, AUTH-5, AUTH-7). A token acts as the user who created it, role included,
 * within its scopes. Visibility rules of agents (V1-1) are here too, because they are the same for reading, executing
 * and changing.
 */
import { type Fault, type Outcome, refuse } from "../fault.ts";
import { secretsOfTool, usesOrganizationAccess } from "../job/connections.ts";
import { type Agent, type CredentialKind, organizationTable, type Role } from "./schema.ts";
import type { Tx } from "../runtime/actor.ts";

const SCOPE_NOUNS = ["agents", "chats", "jobs", "missions", "workspaces", "webhooks", "tokens", "tasks"] as const;

/** Permission to name the organization's secrets in agents (AUTH-12). */
export const SECRETS_USE = "secrets:use";
/** Every permission, naming secrets included. */
export const FULL_ACCESS = "*";

/** The default scopes of a token. Naming secrets must be requested. */
export const DEFAULT_SCOPES: readonly string[] = [...SCOPE_NOUNS.map((noun) => `${noun}:write`), "events:read", "mcp"];

/** All scopes that a token may have. */
export const SCOPES: readonly string[] = [
  ...SCOPE_NOUNS.flatMap((noun) => [`${noun}:read`, `${noun}:write`]),
  "events:read",
  "mcp",
  SECRETS_USE,
  FULL_ACCESS,
];

/** Scopes that a program may request from a person; wider ones are only for tokens that a person creates by hand. */
export const GRANTABLE_SCOPES: readonly string[] = SCOPES.filter(
  (scope) => scope !== FULL_ACCESS && scope !== SECRETS_USE,
);

export interface Principal {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly tokenId: string;
  readonly tokenKind: CredentialKind;
  /** When the token expires. */
  readonly expiresAt: string;
  readonly scopes: readonly string[];
  /** The groups that the user is in (APR-10); absent: none. */
  readonly groups?: readonly string[];
  /** The operator acts for this user: no token is used, and the audit and events name the operator. */
  readonly isOperator?: true;
}

/** The operator, acting for a user of an organization with the permissions of an owner. */
export const operatorFor = (organizationId: string, userId: string): Principal => ({
  organizationId,
  userId,
  role: "owner",
  tokenId: "operator",
  tokenKind: "personal",
  expiresAt: "9999-12-31T23:59:59.999Z",
  scopes: [FULL_ACCESS],
  isOperator: true,
});

/** Whether the scopes cover `required`: `*` covers all, `x:write` covers `x:read`. */
export function hasScope(scopes: readonly string[], required: string): boolean {
  if (scopes.includes(FULL_ACCESS) || scopes.includes(required)) return true;
  return required.endsWith(":read") && scopes.includes(required.replace(/:read$/, ":write"));
}

/** Refuses a caller who is not an owner of the organization (AUTH-5). */
export const unlessOwner = ({ role }: Principal): Outcome<never> | null =>
  role === "owner" ? null : refuse({ kind: "owner_required" });

/** May read or execute: a private agent, its creator; an unlisted or public one, everybody who has its id. */
export function canUse(agent: Agent, who: { readonly organizationId: string; readonly userId: string }): boolean {
  if (agent.status === "archived") return false;
  if (agent.visibility === "public" || agent.visibility === "unlisted") return true;
  if (agent.organizationId !== who.organizationId) return false;
  return agent.visibility === "organization" || agent.createdBy === who.userId;
}

/** Whether others' work with this agent is hidden from the user (AGT-5); includes archived agents. */
export const hidesWork = (agent: Agent, who: { readonly userId: string }): boolean =>
  agent.visibility === "private" && agent.createdBy !== who.userId;

/** May update or delete: the owning organization; a private agent, its creator. */
export function canChange(agent: Agent, who: { readonly organizationId: string; readonly userId: string }): boolean {
  if (agent.status === "archived" || agent.organizationId !== who.organizationId) return false;
  return agent.visibility !== "private" || agent.createdBy === who.userId;
}

/** The fields of a principal that decide about naming secrets. */
export type SecretsUser = Pick<Principal, "role" | "scopes">;

/**
 * Refuses callers who may not name the organization's secrets (AUTH-12). A person who names a secret also chooses the
 * server that gets it, and could send it anywhere.
 */
export function secretsRefusal({ role, scopes }: SecretsUser): Fault | null {
  if (!hasScope(scopes, SECRETS_USE)) return { kind: "insufficient_scope", required: [SECRETS_USE] };
  return role === "owner" ? null : { kind: "owner_required" };
}

/**
 * Refuses callers who may not set this agent's instructions and tools (AGT-6): setting them means using the secrets
 * that an owner has named for its MCP servers and its tools, or the organization's connections.
 */
export function settingRefusal({ mcpServers, tools = [] }: Agent, by: SecretsUser): Fault | null {
  const names =
    mcpServers.some(({ headers = [], auth }) => headers.length > 0 || usesOrganizationAccess(auth)) ||
    tools.some((tool) => secretsOfTool(tool).length > 0 || usesOrganizationAccess(tool.http?.auth));
  return names ? secretsRefusal(by) : null;
}

/** The operator has suspended the organization: while that lasts, nobody acts in it (AUTH-11). */
export const SUSPENDED = refuse({ kind: "organization_suspended" });

export function isSuspended(tx: Tx): boolean {
  const suspendedAt = tx.read(organizationTable, tx.self.id)?.suspendedAt;
  return suspendedAt !== undefined && suspendedAt !== null;
}
