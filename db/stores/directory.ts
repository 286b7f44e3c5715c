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
import { NO_ORGANIZATION, OverDatabase, type ReadKind } from "../client.ts";
import { auditEntry, invitation, oauthGrant } from "../tables/people.ts";
import { agent, member, organization, task, token } from "../tables/records.ts";
import { workspace } from "../tables/workspaces.ts";
import { filterWalk, givenFilters, type Walks } from "./index-walk.ts";
import { newestOf, type Paged, type PagedList, readListPage } from "./paging.ts";
import { beginningWith } from "./words.ts";

export class PostgresDirectory extends OverDatabase implements Directory {
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
    return ids.length === 0 ? [] : this.records<Agent>(["list", organizationId], agent, inArray(agent.id, [...ids]));
  }

  agentsNamed(organizationId: string, ids: readonly string[]): Promise<readonly Agent[]> {
    const test = and(eq(agent.organizationId, organizationId), inArray(agent.id, [...ids]));
    return this.records<Agent>(["list", organizationId], agent, test);
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
    return this.records<Agent>(["lookup", organizationId], agent, isOfThese, { limit: NAMED_USERS });
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
    return { agents, workspaces: await this.records<Workspace>(at, workspace, test, { limit: NAMED_USERS }) };
  }

  pageTasks(organizationId: string, filter: OrganizationTaskFilter, page: PageRequest): Promise<Page<Task>> {
    return readListPage<Task>({ database: this.database, organizationId }, tasksThat(organizationId, filter), page);
  }

  pageWorkspaces(organizationId: string, page: PageRequest): Promise<Page<Workspace>> {
    const list = filterWalk(WORKSPACE_WALKS, organizationId, []);
    return readListPage<Workspace>({ database: this.database, organizationId }, list, page);
  }

  listTasks(organizationId: string, filter: OrganizationTaskFilter, limit: number): Promise<readonly Task[]> {
    return newestOf<Task>({ database: this.database, organizationId }, tasksThat(organizationId, filter), limit);
  }

  listOrganizations(): Promise<readonly Organization[]> {
    const order = [asc(organization.createdAt)];
    return this.records<Organization>(["own", NO_ORGANIZATION], organization, undefined, { order });
  }

  pageMembers(organizationId: string, page: PageRequest): Promise<Page<Member>> {
    const list = { ...filterWalk(MEMBERS, organizationId, []), tests: [sql`${member.body} ->> 'status' = 'active'`] };
    return readListPage<Member>({ database: this.database, organizationId }, list, page);
  }

  listMembers(organizationId: string): Promise<readonly Member[]> {
    const test = eq(member.organizationId, organizationId);
    return this.records<Member>(["list", organizationId], member, test, { order: [asc(member.createdAt)] });
  }

  pageTokens(organizationId: string, { kind, userId }: TokenFilter, page: PageRequest): Promise<Page<Token>> {
    const filters = givenFilters([token.kind, kind], [token.userId, userId ?? undefined]);
    return readListPage<Token>(
      { database: this.database, organizationId },
      filterWalk(TOKENS, organizationId, filters),
      page,
    );
  }

  listTokens(organizationId: string): Promise<readonly Token[]> {
    const test = eq(token.organizationId, organizationId);
    return this.records<Token>(["list", organizationId], token, test, { order: [asc(token.createdAt)] });
  }

  findMembers(email: string): Promise<readonly Member[]> {
    const test = sql`lower(${member.email}) = lower(${email})`;
    return this.records<Member>(["own", NO_ORGANIZATION], member, test, { order: [asc(member.createdAt)] });
  }

  async pendingInvitations(organizationId: string, email: string): Promise<readonly string[]> {
    const rows = await this.database.reading("list", organizationId, ({ query }) =>
      query
        .select({ id: invitation.id })
        .from(invitation)
        .where(
          and(
            eq(invitation.organizationId, organizationId),
            sql`lower(${invitation.body} ->> 'email') = lower(${email})`,
            sql`${invitation.body} ->> 'status' = 'pending'`,
          ),
        ),
    );
    return rows.map(({ id }) => id);
  }

  pageInvitations(organizationId: string, page: PageRequest): Promise<Page<Invitation>> {
    const list = filterWalk(INVITATIONS, organizationId, []);
    return readListPage<Invitation>({ database: this.database, organizationId }, list, page);
  }

  pageGrants(organizationId: string, userId: string, page: PageRequest): Promise<Page<Grant>> {
    const list = filterWalk(GRANTS, organizationId, [[oauthGrant.userId, [userId]]]);
    return readListPage<Grant>({ database: this.database, organizationId }, list, page);
  }

  async credentialsOf(
    organizationId: string,
    userId: string,
  ): Promise<{ tokenIds: readonly string[]; grantIds: readonly string[]; invitationIds: readonly string[] }> {
    const ofPerson = (of: typeof token | typeof oauthGrant, isLiving: SQL) =>
      this.database.reading("list", organizationId, ({ query }) =>
        query
          .select({ id: of.id })
          .from(of)
          .where(and(eq(of.organizationId, organizationId), eq(of.userId, userId), isLiving)),
      );
    const tokens = await ofPerson(token, sql`${token.body} ->> 'revokedAt' is null`);
    const grants = await ofPerson(oauthGrant, sql`${oauthGrant.body} ->> 'status' <> 'ended'`);
    const [person] = await this.database.reading("list", organizationId, ({ query }) =>
      query
        .select({ email: member.email })
        .from(member)
        .where(and(eq(member.organizationId, organizationId), eq(member.id, userId))),
    );
    const email = person?.email ?? null;
    const invitationIds = email === null ? [] : await this.pendingInvitations(organizationId, email);
    return { tokenIds: tokens.map(({ id }) => id), grantIds: grants.map(({ id }) => id), invitationIds };
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
    const list = { ...filterWalk(AUDIT, organizationId, filters), range };
    return readListPage<AuditEntry>({ database: this.database, organizationId }, list, page);
  }

  listGrants(organizationId: string, userId: string, limit: number): Promise<readonly Grant[]> {
    const test = and(
      eq(oauthGrant.organizationId, organizationId),
      eq(oauthGrant.userId, userId),
      sql`${oauthGrant.body} ->> 'status' = 'active'`,
    );
    const order = [desc(oauthGrant.createdAt)];
    return this.records<Grant>(["list", organizationId], oauthGrant, test, { order, limit });
  }

  membershipsOf(userId: string): Promise<readonly Member[]> {
    const order = [asc(member.createdAt)];
    return this.records<Member>(["lookup", NO_ORGANIZATION], member, eq(member.id, userId), { order });
  }

  private async records<T>(
    at: readonly [kind: ReadKind, organizationId: string],
    table: Paged,
    test: SQL | undefined,
    { order = [], limit }: { readonly order?: readonly SQL[]; readonly limit?: number } = {},
  ): Promise<readonly T[]> {
    const rows = await this.database.reading(...at, ({ query }) => {
      const found = query
        .select({ body: table.body })
        .from(table)
        .where(test)
        .orderBy(...order);
      return limit === undefined ? found : found.limit(limit);
    });
    return rows.map(({ body }) => body as T);
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

const tasksThat = (organizationId: string, { status, assignedTo, workspaceId }: OrganizationTaskFilter): PagedList =>
  filterWalk(
    TASK_WALKS,
    organizationId,
    givenFilters([task.status, status], [task.assignedTo, assignedTo], [task.workspaceId, workspaceId]),
  );
