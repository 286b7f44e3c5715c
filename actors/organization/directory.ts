/**
 * Lookups across organizations, and lists. Both read from the tables and not from an actor. The caller has waited for
 * `System.settled`, so a list shows its caller's own writes.
 */
import type { Page, PageRequest } from "../page.ts";
import type { LibraryDefinition, TokenFilter } from "./protocol.ts";
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

export interface OrganizationTaskFilter {
  /** Any of these. */
  readonly status?: readonly TaskStatus[] | undefined;
  readonly assignedTo?: string | undefined;
  readonly workspaceId?: string | undefined;
}

/** All given filters must match. */
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
  /** Exclusive bounds. */
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
}

/** Throws when the database cannot be reached. Lists are newest first. */
export interface Directory {
  /**
   * The organization and id of a token, by the SHA-256 of its secret (hex). A hit never changes; a miss can become a
   * hit.
   */
  findToken(hash: string): Promise<{ readonly organizationId: string; readonly tokenId: string } | null>;
  /** The organization of an agent, archived or not. Never changes. */
  findAgent(agentId: string): Promise<{ readonly organizationId: string } | null>;
  /** Agents that an organization's lists show: not archived, not private, not unlisted (V1-1). */
  listAgents(
    organizationId: string,
    limit: number,
  ): Promise<{ readonly agents: readonly Agent[]; readonly total: number }>;
  /**
   * Pages of the current surface. Agents that the caller may see and that are not archived, including the caller's
   * private ones.
   */
  pageAgents(
    of: { readonly organizationId: string; readonly userId: string },
    filter: AgentFilter,
    page: PageRequest,
  ): Promise<Page<Agent>>;
  /** These agents, of any organization and in any state; unknown ids are left out. */
  agentsAnywhere(organizationId: string, ids: readonly string[]): Promise<readonly Agent[]>;
  /** These agents of the organization, in any state; unknown ids are left out. */
  agentsNamed(organizationId: string, ids: readonly string[]): Promise<readonly Agent[]>;
  /** Active agents and workspaces that name the secret; the first hundred of each. */
  usersOfSecret(
    organizationId: string,
    secret: string,
  ): Promise<{ readonly agents: readonly Agent[]; readonly workspaces: readonly Workspace[] }>;
  /** Active agents with a rule that keeps calls for the group; the first hundred. */
  usersOfGroup(organizationId: string, group: string): Promise<readonly Agent[]>;
  pageTasks(organizationId: string, filter: OrganizationTaskFilter, page: PageRequest): Promise<Page<Task>>;
  /** Deleted workspaces are left out. */
  pageWorkspaces(organizationId: string, page: PageRequest): Promise<Page<Workspace>>;
  listTasks(organizationId: string, filter: OrganizationTaskFilter, limit: number): Promise<readonly Task[]>;
  listOrganizations(): Promise<readonly Organization[]>;
  /** Members who are not removed. */
  pageMembers(organizationId: string, page: PageRequest): Promise<Page<Member>>;
  listMembers(organizationId: string): Promise<readonly Member[]>;
  pageTokens(organizationId: string, filter: TokenFilter, page: PageRequest): Promise<Page<Token>>;
  listTokens(organizationId: string): Promise<readonly Token[]>;
  /** Memberships of a person in any organization, by e-mail address, ignoring case. */
  findMembers(email: string): Promise<readonly Member[]>;
  /** Invitations of an e-mail address, ignoring case, that are neither accepted nor withdrawn. */
  pendingInvitations(organizationId: string, email: string): Promise<readonly string[]>;
  /** Invitations in any state. */
  pageInvitations(organizationId: string, page: PageRequest): Promise<Page<Invitation>>;
  /** A person's grants to programs in an organization, including ended grants. */
  pageGrants(organizationId: string, userId: string, page: PageRequest): Promise<Page<Grant>>;
  /**
   * Every credential of a person in an organization that has not ended: tokens of every kind, and grants; and the
   * pending invitations of the person's address.
   */
  credentialsOf(
    organizationId: string,
    userId: string,
  ): Promise<{
    readonly tokenIds: readonly string[];
    readonly grantIds: readonly string[];
    readonly invitationIds: readonly string[];
  }>;
  /** Entries of the audit. */
  pageAudit(organizationId: string, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** A person's grants to programs in an organization that have not ended, newest first: at most `limit`. */
  listGrants(organizationId: string, userId: string, limit: number): Promise<readonly Grant[]>;
  /** Memberships of a person in any organization, by the person's id. */
  membershipsOf(userId: string): Promise<readonly Member[]>;
}

export interface LibraryAgent {
  /** The id that this organization's agent has or will have. */
  readonly id: string;
  readonly definition: LibraryDefinition;
}

/**
 * The library of agents that come with the service (AGT-2). An organization has an entry's agent once it is installed.
 * The agent's id is fixed before, so that lists and the install can name it.
 */
export interface Library {
  /** All entries, in display order. */
  of(organizationId: string): readonly LibraryAgent[];
  find(organizationId: string, agentId: string): LibraryAgent | null;
}
