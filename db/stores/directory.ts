/** Look-ups across organizations, and lists (port: `Directory` of the organization). */
import { and, asc, desc, eq, gt, inArray, isNull, lt, type SQL, sql } from "drizzle-orm";
import type {
  AgentFilter,
  AuditFilter,
  Directory,
  OrganizationTaskFilter,
} from "../../actors/organization/directory.ts";
import type { TokenFilter } from "../../actors/organization/protocol.ts";
import {
  type Agent,
  type AuditEntry,
  type Grant,
  type Invitation,
  type Member,
  type Organization,
  type Task,
  TASK_STATUSES,
  type Token,
  VISIBILITIES,
} from "../../actors/organization/schema.ts";
import type { Workspace } from "../../actors/workspace/schema.ts";
import type { Page, PageRequest } from "../../actors/page.ts";
import { NO_ORGANIZATION } from "../client.ts";
import { auditEntry, invitation, oauthGrant } from "../tables/people.ts";
import { agent, member, organization, task, token } from "../tables/records.ts";
import { workspace } from "../tables/workspaces.ts";
import { filterWalk, givenFilters, type Walks } from "./index-walk.ts";
import { OverTables } from "./over-tables.ts";
import { newestOf, type PagedList, readListPage } from "./paging.ts";
import { beginningWith } from "./words.ts";

export class PostgresDirectory extends OverTables implements Directory {
  async findToken(hash: string): Promise<{ organizationId: string; tokenId: string } | null> {
    const rows = await this.database.reading("lookup", NO_ORGANIZATION, ({ query }) =>
      query
        .select({ organizationId: token.organizationId, tokenId: token.id })
        .from(token)
        .where(eq(token.hash, hash))
        .limit(1),
    );
    return rows[0] ?? null;
  }

  async findAgent(agentId: string): Promise<{ organizationId: string } | null> {
    const rows = await this.database.reading("lookup", NO_ORGANIZATION, ({ query }) =>
      query.select({ organizationId: agent.organizationId }).from(agent).where(eq(agent.id, agentId)).limit(1),
    );
    return rows[0] ?? null;
  }

  async listAgents(organizationId: string, limit: number): Promise<{ agents: readonly Agent[]; total: number }> {
    const list = agentsOf(organizationId, LISTED_VISIBILITIES);
    const agents = await newestOf<Agent>({ database: this.database, organizationId }, list, limit);
    const listed = and(
      eq(agent.organizationId, organizationId),
      sql`${agent.status} = 'active'`,
      inArray(agent.visibility, [...LISTED_VISIBILITIES]),
    );
    const total =
      agents.length < limit
        ? agents.length
        : await this.database.reading("list", organizationId, ({ query }) => query.$count(agent, listed));
    return { agents, total };
  }

  pageAgents(
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
    { name, tag, source, visibility: asked = VISIBILITIES }: AgentFilter,
    page: PageRequest,
  ): Promise<Page<Agent>> {
    const visibility = SHARED_VISIBILITIES.filter((one) => asked.includes(one));
    const search = and(
      name === undefined ? undefined : beginningWith(agent.words, organizationId, name),
      tag === undefined ? undefined : sql`${agent.tags} @> ${JSON.stringify([tag])}::jsonb`,
    );
    const sources = givenFilters([agent.source, source]);
    const shared = filterWalk({ ...SHARED, search }, organizationId, [[agent.visibility, visibility], ...sources]);
    const own = filterWalk({ ...CREATORS, search }, organizationId, [
      [agent.createdBy, asked.includes("private") ? [userId] : []],
      [agent.visibility, ["private"]],
      ...sources,
    ]);
    const branches = [...shared.branches, ...own.branches];
    if (branches.length === 0) return Promise.resolve({ records: [], next: null });
    const list = { table: agent, branches };
    return readListPage<Agent>({ database: this.database, organizationId }, list, page);
  }

  async agentsAnywhere(organizationId: string, ids: readonly string[]): Promise<readonly Agent[]> {
    return ids.length === 0
      ? []
      : this.column<Agent>(["list", organizationId], agent.body, inArray(agent.id, [...ids]));
  }

  agentsNamed(organizationId: string, ids: readonly string[]): Promise<readonly Agent[]> {
    const test = and(eq(agent.organizationId, organizationId), inArray(agent.id, [...ids]));
    return this.column<Agent>(["list", organizationId], agent.body, test);
  }

  usersOfGroup(organizationId: string, group: string): Promise<readonly Agent[]> {
    const first = JSON.stringify([{ of: { group } }]);
    const then = JSON.stringify([{ expiry: { escalateTo: { group } } }]);
    const rules = sql`${agent.body} -> 'approvalRules'`;
    return this.activeAgents(organizationId, sql`(${rules} @> ${first}::jsonb or ${rules} @> ${then}::jsonb)`);
  }

  /** The first hundred that pass the test. */
  private activeAgents(organizationId: string, test: SQL): Promise<readonly Agent[]> {
    const isOfThese = and(eq(agent.organizationId, organizationId), IS_ACTIVE, test);
    return this.column<Agent>(["lookup", organizationId], agent.body, isOfThese, { limit: NAMED_USERS });
  }

  async usersOfSecret(organizationId: string, secret: string) {
    const header = JSON.stringify([{ headers: [{ secret }] }]);
    const sent = JSON.stringify([{ http: { headers: [{ secret }] } }]);
    const client = { auth: { client: { secret } } };
    const ofServer = JSON.stringify([client]);
    const ofTool = JSON.stringify([{ http: client }]);
    const signing = JSON.stringify([{ http: { signingSecret: secret } }]);
    const agents = await this.activeAgents(
      organizationId,
      sql`(${agent.body} -> 'mcpServers' @> ${header}::jsonb
        or ${agent.body} -> 'mcpServers' @> ${ofServer}::jsonb or ${agent.body} -> 'tools' @> ${ofTool}::jsonb
        or ${agent.body} -> 'tools' @> ${sent}::jsonb or ${agent.body} -> 'tools' @> ${signing}::jsonb)`,
    );
    const repository = JSON.stringify([{ secret }]);
    const test = and(
      eq(workspace.organizationId, organizationId),
      isNull(workspace.deletedAt),
      sql`${workspace.body} -> 'repos' @> ${repository}::jsonb`,
    );
    const at = ["lookup", organizationId] as const;
    return { agents, workspaces: await this.column<Workspace>(at, workspace.body, test, { limit: NAMED_USERS }) };
  }

  pageTasks(organizationId: string, filter: OrganizationTaskFilter, page: PageRequest): Promise<Page<Task>> {
    return this.page<Task>(TASK_WALKS, organizationId, page, { filters: taskFilters(filter) });
  }

  pageWorkspaces(organizationId: string, page: PageRequest): Promise<Page<Workspace>> {
    return this.page<Workspace>(WORKSPACE_WALKS, organizationId, page);
  }

  listTasks(organizationId: string, filter: OrganizationTaskFilter, limit: number): Promise<readonly Task[]> {
    const list = filterWalk(TASK_WALKS, organizationId, taskFilters(filter));
    return newestOf<Task>({ database: this.database, organizationId }, list, limit);
  }

  listOrganizations(): Promise<readonly Organization[]> {
    const order = [asc(organization.createdAt)];
    return this.column<Organization>(["own", NO_ORGANIZATION], organization.body, undefined, { order });
  }

  pageMembers(organizationId: string, page: PageRequest): Promise<Page<Member>> {
    const tests = [sql`${member.body} ->> 'status' = 'active'`];
    return this.page<Member>(MEMBERS, organizationId, page, { tests });
  }

  listMembers(organizationId: string): Promise<readonly Member[]> {
    const test = eq(member.organizationId, organizationId);
    return this.column<Member>(["list", organizationId], member.body, test, { order: [asc(member.createdAt)] });
  }

  pageTokens(organizationId: string, { kind, userId }: TokenFilter, page: PageRequest): Promise<Page<Token>> {
    const filters = givenFilters([token.kind, kind], [token.userId, userId ?? undefined]);
    return this.page<Token>(TOKENS, organizationId, page, { filters });
  }

  listTokens(organizationId: string): Promise<readonly Token[]> {
    const test = eq(token.organizationId, organizationId);
    return this.column<Token>(["list", organizationId], token.body, test, { order: [asc(token.createdAt)] });
  }

  findMembers(email: string): Promise<readonly Member[]> {
    const test = sql`lower(${member.email}) = lower(${email})`;
    return this.column<Member>(["own", NO_ORGANIZATION], member.body, test, { order: [asc(member.createdAt)] });
  }

  pendingInvitations(organizationId: string, email: string): Promise<readonly string[]> {
    const test = and(
      eq(invitation.organizationId, organizationId),
      sql`lower(${invitation.body} ->> 'email') = lower(${email})`,
      sql`${invitation.body} ->> 'status' = 'pending'`,
    );
    return this.column<string>(["list", organizationId], invitation.id, test);
  }

  pageInvitations(organizationId: string, page: PageRequest): Promise<Page<Invitation>> {
    return this.page<Invitation>(INVITATIONS, organizationId, page);
  }

  pageGrants(organizationId: string, userId: string, page: PageRequest): Promise<Page<Grant>> {
    return this.page<Grant>(GRANTS, organizationId, page, { filters: [[oauthGrant.userId, [userId]]] });
  }

  async credentialsOf(
    organizationId: string,
    userId: string,
  ): Promise<{ tokenIds: readonly string[]; grantIds: readonly string[]; invitationIds: readonly string[] }> {
    const at = ["list", organizationId] as const;
    const ofPerson = (of: typeof token | typeof oauthGrant, isLiving: SQL) =>
      this.column<string>(at, of.id, and(eq(of.organizationId, organizationId), eq(of.userId, userId), isLiving));
    const tokenIds = await ofPerson(token, sql`${token.body} ->> 'revokedAt' is null`);
    const grantIds = await ofPerson(oauthGrant, sql`${oauthGrant.body} ->> 'status' <> 'ended'`);
    const isPerson = and(eq(member.organizationId, organizationId), eq(member.id, userId));
    const [email = null] = await this.column<string | null>(at, member.email, isPerson);
    const invitationIds = email === null ? [] : await this.pendingInvitations(organizationId, email);
    return { tokenIds, grantIds, invitationIds };
  }

  pageAudit(
    organizationId: string,
    { action, userId, createdAfter, createdBefore }: AuditFilter,
    page: PageRequest,
  ): Promise<Page<AuditEntry>> {
    const filters = givenFilters([auditEntry.userId, userId], [auditEntry.action, action]);
    const range = and(
      createdAfter === undefined ? undefined : gt(auditEntry.createdAt, createdAfter),
      createdBefore === undefined ? undefined : lt(auditEntry.createdAt, createdBefore),
    );
    return this.page<AuditEntry>(AUDIT, organizationId, page, { filters, range });
  }

  listGrants(organizationId: string, userId: string, limit: number): Promise<readonly Grant[]> {
    const test = and(
      eq(oauthGrant.organizationId, organizationId),
      eq(oauthGrant.userId, userId),
      sql`${oauthGrant.body} ->> 'status' = 'active'`,
    );
    const order = [desc(oauthGrant.createdAt)];
    return this.column<Grant>(["list", organizationId], oauthGrant.body, test, { order, limit });
  }

  membershipsOf(userId: string): Promise<readonly Member[]> {
    const order = [asc(member.createdAt)];
    return this.column<Member>(["lookup", NO_ORGANIZATION], member.body, eq(member.id, userId), { order });
  }
}

/** How many agents and how many workspaces are named. */
const NAMED_USERS = 100;

/** Agents that lists of v1 show (V1-1). */
const LISTED_VISIBILITIES = ["organization", "public"] as const;
/** Agents that every member may see. */
const SHARED_VISIBILITIES = ["organization", "public", "unlisted"] as const;

/** Written as in the indexes: the planner must see the literal. */
const IS_ACTIVE = sql`${agent.status} = 'active'`;
const SHARED: Walks = {
  table: agent,
  indexes: [[agent.source, agent.visibility], [agent.visibility]],
  standing: IS_ACTIVE,
};
const CREATORS: Walks = {
  table: agent,
  indexes: [
    [agent.createdBy, agent.source, agent.visibility],
    [agent.createdBy, agent.visibility],
  ],
  standing: IS_ACTIVE,
};
const TASK_WALKS: Walks = {
  table: task,
  indexes: [
    [task.assignedTo, task.workspaceId, task.status],
    [task.assignedTo, task.status],
    [task.workspaceId, task.status],
    [task.status],
  ],
  words: [[task.status, TASK_STATUSES]],
  standing: isNull(task.deletedAt),
};
const WORKSPACE_WALKS: Walks = { table: workspace, indexes: [], standing: isNull(workspace.deletedAt) };
const AUDIT: Walks = { table: auditEntry, indexes: [[auditEntry.userId], [auditEntry.action], []] };
const MEMBERS: Walks = { table: member, indexes: [[]] };
const INVITATIONS: Walks = { table: invitation, indexes: [[]] };
const GRANTS: Walks = { table: oauthGrant, indexes: [[oauthGrant.userId]] };
const TOKENS: Walks = { table: token, indexes: [[token.userId, token.kind], [token.kind]] };

const agentsOf = (organizationId: string, visibilities: readonly string[]): PagedList =>
  filterWalk(SHARED, organizationId, [[agent.visibility, visibilities]]);

const taskFilters = ({ status, assignedTo, workspaceId }: OrganizationTaskFilter) =>
  givenFilters([task.status, status], [task.assignedTo, assignedTo], [task.workspaceId, workspaceId]);
