/**
 * Who is asking, and what they may do (AUTH-3, AUTH-5, AUTH-7). A token acts as the user who made
 * it, role included, within its scopes. Visibility rules of agents (V1-1) are here too, because they
 * are the same for reading, executing and changing.
 */
import { type Fault, type Outcome, refuse } from "../fault.ts";
import { secretsOfTool } from "../job/connections.ts";
import type { Agent, CredentialKind, Role } from "./schema.ts";

const SCOPE_NOUNS = ["agents", "chats", "jobs", "missions", "workspaces", "webhooks", "tokens", "tasks"] as const;

/** Naming the organization's secrets in agents (AUTH-12). */
export const SECRETS_USE = "secrets:use";
/** Everything, naming secrets included. */
export const FULL_ACCESS = "*";

/** What a token has unless somebody says otherwise: to name secrets is asked for. */
export const DEFAULT_SCOPES: readonly string[] = [...SCOPE_NOUNS.map((noun) => `${noun}:write`), "events:read", "mcp"];

/** All scopes that a token may have. */
export const SCOPES: readonly string[] = [
  ...SCOPE_NOUNS.flatMap((noun) => [`${noun}:read`, `${noun}:write`]),
  "events:read",
  "mcp",
  SECRETS_USE,
  FULL_ACCESS,
];

/** Scopes that a program may ask a person for: what gives more is for tokens that a person makes by hand. */
export const GRANTABLE_SCOPES: readonly string[] = SCOPES.filter(
  (scope) => scope !== FULL_ACCESS && scope !== SECRETS_USE,
);

export interface Principal {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly tokenId: string;
  readonly tokenKind: CredentialKind;
  /** When the token ends. */
  readonly expiresAt: string;
  readonly scopes: readonly string[];
}

/** Whether the scopes cover `required`: `*` covers all, `x:write` covers `x:read`. */
export function hasScope(scopes: readonly string[], required: string): boolean {
  if (scopes.includes(FULL_ACCESS) || scopes.includes(required)) return true;
  return required.endsWith(":read") && scopes.includes(required.replace(/:read$/, ":write"));
}

/** Refuses who is no owner of the organization (AUTH-5). */
export const unlessOwner = ({ role }: Principal): Outcome<never> | null =>
  role === "owner" ? null : refuse({ kind: "owner_required" });

/** Read or execute: private for its creator, unlisted and public for everybody who has the id. */
export function canUse(agent: Agent, who: { readonly organizationId: string; readonly userId: string }): boolean {
  if (agent.status === "archived") return false;
  if (agent.visibility === "public" || agent.visibility === "unlisted") return true;
  if (agent.organizationId !== who.organizationId) return false;
  return agent.visibility === "organization" || agent.createdBy === who.userId;
}

/** Whether the work of others with this agent is none of theirs (AGT-5), archived agents included. */
export const hidesWork = (agent: Agent, who: { readonly userId: string }): boolean =>
  agent.visibility === "private" && agent.createdBy !== who.userId;

/** Update or delete: the owning organization; a private agent, its creator. */
export function canChange(agent: Agent, who: { readonly organizationId: string; readonly userId: string }): boolean {
  if (agent.status === "archived" || agent.organizationId !== who.organizationId) return false;
  return agent.visibility !== "private" || agent.createdBy === who.userId;
}

/** What a principal is asked for where secrets are named. */
export type SecretsUser = Pick<Principal, "role" | "scopes">;

/**
 * Refuses who may not name the organization's secrets (AUTH-12): choosing the server as well would let anybody
 * have them sent anywhere.
 */
export function secretsRefusal({ role, scopes }: SecretsUser): Fault | null {
  if (!hasScope(scopes, SECRETS_USE)) return { kind: "insufficient_scope", required: [SECRETS_USE] };
  return role === "owner" ? null : { kind: "owner_required" };
}

/**
 * Refuses callers who may not set this agent's instructions and tools (AGT-6): setting them means using the
 * secrets that an owner has named for its MCP servers and its tools.
 */
export function settingRefusal({ mcpServers, tools = [] }: Agent, by: SecretsUser): Fault | null {
  const names =
    mcpServers.some(({ headers = [] }) => headers.length > 0) || tools.some((tool) => secretsOfTool(tool).length > 0);
  return names ? secretsRefusal(by) : null;
}
