/**
 * What is looked up across organizations or listed, and therefore read from the tables and not from
 * an actor. The caller has waited for `System.settled`, so a list shows its caller's own writes.
 */
import type { Page, PageRequest } from "../page.ts";
import type { TokenFilter } from "./protocol.ts";
import type {
  Agent,
  AuditAction,
  AuditEntry,
  Grant,
  Invitation,
  Member,
  Organization,
  Task,
  TaskStatus,
  Token,
  Visibility,
} from "./schema.ts";
import type { Workspace } from "../workspace/schema.ts";

export interface TaskFilter {
  /** Any of these. */
  readonly status?: readonly TaskStatus[] | undefined;
  readonly assignedTo?: string | undefined;
  readonly workspaceId?: string | undefined;
}

/** All that are given must match. */
export interface AgentFilter {
  /** Words of the name, or their beginnings. */
  readonly name?: string | undefined;
  readonly tag?: string | undefined;
  readonly source?: Agent["source"] | undefined;
  /** Any of these. */
  readonly visibility?: readonly Visibility[] | undefined;
}

export interface AuditFilter {
  readonly action?: AuditAction | undefined;
  readonly userId?: string | undefined;
  /** Bounds that are not included. */
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
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
  pageAgents(
    of: { readonly organizationId: string; readonly userId: string },
    filter: AgentFilter,
    page: PageRequest,
  ): Promise<Page<Agent>>;
  /** These agents, of whatever organization, in any state; what nobody has is left out. */
  agentsAnywhere(organizationId: string, ids: readonly string[]): Promise<readonly Agent[]>;
  /** Those of these agents that are there, in any state. */
  agentsNamed(organizationId: string, ids: readonly string[]): Promise<readonly Agent[]>;
  /** Active agents and workspaces that name the secret; the first hundred of each. */
  usersOfSecret(
    organizationId: string,
    secret: string,
  ): Promise<{ readonly agents: readonly Agent[]; readonly workspaces: readonly Workspace[] }>;
  pageTasks(organizationId: string, filter: TaskFilter, page: PageRequest): Promise<Page<Task>>;
  /** Without deleted ones. */
  pageWorkspaces(organizationId: string, page: PageRequest): Promise<Page<Workspace>>;
  listTasks(organizationId: string, filter: TaskFilter, limit: number): Promise<readonly Task[]>;
  listOrganizations(): Promise<readonly Organization[]>;
  /** Members who are not removed. */
  pageMembers(organizationId: string, page: PageRequest): Promise<Page<Member>>;
  listMembers(organizationId: string): Promise<readonly Member[]>;
  pageTokens(organizationId: string, filter: TokenFilter, page: PageRequest): Promise<Page<Token>>;
  listTokens(organizationId: string): Promise<readonly Token[]>;
  /** Memberships of a person in any organization, by e-mail address, ignoring case. */
  findMembers(email: string): Promise<readonly Member[]>;
  /** Invitations that may still be accepted at this time, newest first: at most `limit`. */
  listInvitations(organizationId: string, now: string, limit: number): Promise<readonly Invitation[]>;
  /** Invitations in any state. */
  pageInvitations(organizationId: string, page: PageRequest): Promise<Page<Invitation>>;
  /** What a person has granted to programs in an organization, ended grants too. */
  pageGrants(organizationId: string, userId: string, page: PageRequest): Promise<Page<Grant>>;
  /** Everything that a person can act with in an organization: tokens of every kind, and grants, that have not ended. */
  credentialsOf(
    organizationId: string,
    userId: string,
  ): Promise<{ readonly tokenIds: readonly string[]; readonly grantIds: readonly string[] }>;
  /** Entries of the audit. */
  pageAudit(organizationId: string, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** What a person has granted to programs in an organization and is not ended, newest first: at most `limit`. */
  listGrants(organizationId: string, userId: string, limit: number): Promise<readonly Grant[]>;
  /** The same by the person's id. */
  membershipsOf(userId: string): Promise<readonly Member[]>;
}
