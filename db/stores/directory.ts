/** Look-ups across organizations, and lists (port: `Directory` of the organization). */
import { and, asc, desc, eq, inArray, ne, or, type SQL, sql } from "drizzle-orm";
import type { Directory, TaskFilter } from "../../actors/organization/directory.ts";
import type { TokenFilter } from "../../actors/organization/protocol.ts";
import type { Agent, Member, Organization, Task, Token, Workspace } from "../../actors/organization/schema.ts";
import type { Page, PageRequest } from "../../actors/page.ts";
import type { Database } from "../client.ts";
import { agent, member, organization, task, token, workspace } from "../tables/records.ts";
import { pageOf } from "./paging.ts";

export class PostgresDirectory implements Directory {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async findToken(hash: string): Promise<{ organizationId: string; tokenId: string } | null> {
    const rows = await this.database.query
      .select({ organizationId: token.organizationId, tokenId: token.id })
      .from(token)
      .where(eq(token.hash, hash))
      .limit(1);
    return rows[0] ?? null;
  }

  async findAgent(agentId: string): Promise<{ organizationId: string } | null> {
    const rows = await this.database.query
      .select({ organizationId: agent.organizationId })
      .from(agent)
      .where(eq(agent.id, agentId))
      .limit(1);
    return rows[0] ?? null;
  }

  async listAgents(organizationId: string, limit: number): Promise<{ agents: readonly Agent[]; total: number }> {
    const listed = and(
      eq(agent.organizationId, organizationId),
      eq(agent.status, "active"),
      inArray(agent.visibility, ["organization", "public"]),
    );
    const rows = await this.database.query
      .select({ body: agent.body })
      .from(agent)
      .where(listed)
      .orderBy(desc(agent.createdAt), desc(agent.position))
      .limit(limit);
    const total = rows.length < limit ? rows.length : await this.database.query.$count(agent, listed);
    return { agents: rows.map((row) => row.body as Agent), total };
  }

  pageAgents(
    of: { readonly organizationId: string; readonly userId: string },
    page: PageRequest,
  ): Promise<Page<Agent>> {
    const isVisible = or(ne(agent.visibility, "private"), sql`${agent.body} ->> 'createdBy' = ${of.userId}`);
    const conditions = [eq(agent.organizationId, of.organizationId), eq(agent.status, "active"), isVisible];
    return pageOf<Agent>(
      this.database,
      agent,
      conditions.filter((c) => c !== undefined),
      page,
    );
  }

  async libraryAgents(organizationId: string): Promise<readonly Agent[]> {
    const rows = await this.database.query
      .select({ body: agent.body })
      .from(agent)
      .where(and(eq(agent.organizationId, organizationId), sql`${agent.body} ->> 'source' = 'library'`));
    return rows.map((row) => row.body as Agent);
  }

  pageTasks(organizationId: string, filter: TaskFilter, page: PageRequest): Promise<Page<Task>> {
    return pageOf<Task>(this.database, task, tasksThat(organizationId, filter), page);
  }

  pageWorkspaces(organizationId: string, page: PageRequest): Promise<Page<Workspace>> {
    return pageOf<Workspace>(this.database, workspace, [eq(workspace.organizationId, organizationId)], page);
  }

  async listTasks(organizationId: string, filter: TaskFilter, limit: number): Promise<readonly Task[]> {
    const conditions = tasksThat(organizationId, filter);
    const rows = await this.database.query
      .select({ body: task.body })
      .from(task)
      .where(and(...conditions))
      .orderBy(desc(task.createdAt), desc(task.position))
      .limit(limit);
    return rows.map((row) => row.body as Task);
  }

  async listOrganizations(): Promise<readonly Organization[]> {
    const rows = await this.database.query
      .select({ body: organization.body })
      .from(organization)
      .orderBy(asc(organization.createdAt));
    return rows.map((row) => row.body as Organization);
  }

  async listMembers(organizationId: string): Promise<readonly Member[]> {
    const rows = await this.database.query
      .select({ body: member.body })
      .from(member)
      .where(eq(member.organizationId, organizationId))
      .orderBy(asc(member.createdAt));
    return rows.map((row) => row.body as Member);
  }

  pageTokens(organizationId: string, { kind, userId }: TokenFilter, page: PageRequest): Promise<Page<Token>> {
    const conditions = [eq(token.organizationId, organizationId), sql`${token.body} ->> 'kind' = ${kind}`];
    if (userId !== null) conditions.push(sql`${token.body} ->> 'userId' = ${userId}`);
    return pageOf<Token>(this.database, token, conditions, page);
  }

  async listTokens(organizationId: string): Promise<readonly Token[]> {
    const rows = await this.database.query
      .select({ body: token.body })
      .from(token)
      .where(eq(token.organizationId, organizationId))
      .orderBy(asc(token.createdAt));
    return rows.map((row) => row.body as Token);
  }

  async findMembers(email: string): Promise<readonly Member[]> {
    const rows = await this.database.query
      .select({ body: member.body })
      .from(member)
      .where(sql`lower(${member.email}) = lower(${email})`)
      .orderBy(asc(member.createdAt));
    return rows.map((row) => row.body as Member);
  }
}

function tasksThat(organizationId: string, filter: TaskFilter): SQL[] {
  const conditions: SQL[] = [eq(task.organizationId, organizationId)];
  if (filter.status !== undefined) conditions.push(eq(task.status, filter.status));
  if (filter.assignedTo !== undefined) conditions.push(eq(task.assignedTo, filter.assignedTo));
  if (filter.workspaceId !== undefined) conditions.push(eq(task.workspaceId, filter.workspaceId));
  return conditions;
}
