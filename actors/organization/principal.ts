/**
 * Who is asking, and what they may do (AUTH-3, AUTH-5, AUTH-7). A token acts as the user who made
 * it, role included, within its scopes. Visibility rules of agents (V1-1) are here too, because they
 * are the same for reading, executing and changing.
 */
import { type Outcome, refuse } from "../fault.ts";
import type { Agent, Role, TokenKind } from "./schema.ts";

const SCOPE_NOUNS = ["agents", "chats", "jobs", "missions", "workspaces", "webhooks", "tokens", "tasks"] as const;

/** All scopes that a token may have. */
export const SCOPES: readonly string[] = [
  ...SCOPE_NOUNS.flatMap((noun) => [`${noun}:read`, `${noun}:write`]),
  "events:read",
  "mcp",
  "*",
];

export interface Principal {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly tokenId: string;
  readonly tokenKind: TokenKind;
  readonly scopes: readonly string[];
}

/** Whether the scopes cover `required`: `*` covers all, `x:write` covers `x:read`. */
export function hasScope(scopes: readonly string[], required: string): boolean {
  if (scopes.includes("*") || scopes.includes(required)) return true;
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

/**
 * Whether its instructions and tools are this person's to set (AGT-6): whoever sets them uses the secrets
 * that an owner has named for its MCP servers.
 */
export const maySet = ({ mcpServers }: Agent, { role }: { readonly role: Role }): boolean =>
  role === "owner" || mcpServers.every(({ headers = [] }) => headers.length === 0);
