/**
 * What is looked up across organizations or listed, and therefore read from the tables and not from
 * an actor. The caller has waited for `System.settled`, so a list shows its caller's own writes.
 */
import type { Page, PageRequest } from "../page.ts";
import type { TokenFilter } from "./protocol.ts";
import type { Agent, Member, Organization, Task, TaskStatus, Token, Workspace } from "./schema.ts";

export interface TaskFilter {
  readonly status?: TaskStatus;
  readonly assignedTo?: string;
  readonly workspaceId?: string;
}

/** Throws when the database cannot be reached. Lists are newest first. */
export interface Directory {
  /** Where a token lives, by the SHA-256 of its secret (hex). The mapping never changes, misses do. */
  findToken(hash: string): Promise<{ readonly organizationId: string; readonly tokenId: string } | null>;
  /** The owner of an agent id, archived or not. Never changes. */
  findAgent(agentId: string): Promise<{ readonly organizationId: string } | null>;
  /** Agents that an organization's lists show: not archived, not private, not unlisted (V1-1). */
  listAgents(
    organizationId: string,
    limit: number,
  ): Promise<{ readonly agents: readonly Agent[]; readonly total: number }>;
  /** Pages of the current surface. Agents: what the caller may see and is not archived, their own private ones too. */
  pageAgents(of: { readonly organizationId: string; readonly userId: string }, page: PageRequest): Promise<Page<Agent>>;
  /** Library agents that have been installed at some time, uninstalled ones too. */
  libraryAgents(organizationId: string): Promise<readonly Agent[]>;
  pageTasks(organizationId: string, filter: TaskFilter, page: PageRequest): Promise<Page<Task>>;
  pageWorkspaces(organizationId: string, page: PageRequest): Promise<Page<Workspace>>;
  listTasks(organizationId: string, filter: TaskFilter, limit: number): Promise<readonly Task[]>;
  listOrganizations(): Promise<readonly Organization[]>;
  listMembers(organizationId: string): Promise<readonly Member[]>;
  pageTokens(organizationId: string, filter: TokenFilter, page: PageRequest): Promise<Page<Token>>;
  listTokens(organizationId: string): Promise<readonly Token[]>;
  /** Memberships of a person in any organization, by e-mail address, ignoring case. */
  findMembers(email: string): Promise<readonly Member[]>;
}
