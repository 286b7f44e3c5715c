/** Lists of jobs and their transcripts (port: `JobDirectory`). */
import { and, asc, desc, eq, gt, inArray, or, type SQL, sql } from "drizzle-orm";
import type { JobDirectory, JobFilter, JobHead } from "../../actors/job/directory.ts";
import type { Job } from "../../actors/job/schema.ts";
import type { ListHead, Page, PageRequest } from "../../actors/page.ts";
import type { StoredEvent } from "../../actors/runtime/store.ts";
import type { Database } from "../client.ts";
import { eventOfRow } from "../event-row.ts";
import { job } from "../tables/records.ts";
import { event } from "../tables/runtime.ts";
import { headOf, pageOf } from "./paging.ts";
import { seenBy } from "./sight.ts";

export class PostgresJobDirectory implements JobDirectory {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  listJobs(organizationId: string, filter: JobFilter, page: PageRequest): Promise<Page<Job>> {
    const conditions: SQL[] = [eq(job.organizationId, organizationId), seenBy(job, filter.seenBy)];
    if (filter.status !== undefined) conditions.push(eq(job.status, filter.status));
    if (filter.agentId !== undefined) conditions.push(eq(job.agentId, filter.agentId));
    if (filter.chatId !== undefined) conditions.push(eq(job.chatId, filter.chatId));
    if (filter.workspaceId !== undefined) conditions.push(eq(job.workspaceId, filter.workspaceId));
    if (filter.missionId !== undefined) conditions.push(eq(job.missionId, filter.missionId));
    if (filter.parentJobId !== undefined) conditions.push(eq(job.parentJobId, filter.parentJobId));
    if (filter.createdAfter !== undefined) conditions.push(gt(job.createdAt, filter.createdAfter));
    return pageOf<Job>(this.database, job, conditions, page);
  }

  async lineage(
    organizationId: string,
    of: { readonly rootJobId: string; readonly seenBy: string },
    limit: number,
  ): Promise<readonly JobHead[]> {
    const isOfFamily = or(eq(job.rootJobId, of.rootJobId), eq(job.id, of.rootJobId));
    return this.database.query
      .select(HEAD)
      .from(job)
      .where(and(eq(job.organizationId, organizationId), isOfFamily, seenBy(job, of.seenBy)))
      .orderBy(asc(job.createdAt), asc(job.id))
      .limit(limit);
  }

  async latest(
    organizationId: string,
    of: { readonly chatId: string; readonly seenBy: string },
    limit: number,
  ): Promise<readonly JobHead[]> {
    return this.database.query
      .select(HEAD)
      .from(job)
      .where(and(eq(job.organizationId, organizationId), eq(job.chatId, of.chatId), seenBy(job, of.seenBy)))
      .orderBy(desc(job.createdAt), desc(job.id))
      .limit(limit);
  }

  async jobEvents(
    of: { readonly organizationId: string; readonly jobId: string; readonly types: readonly string[] },
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<ListHead<StoredEvent>> {
    const conditions: SQL[] = [
      eq(event.organizationId, of.organizationId),
      eq(event.stream, of.jobId),
      gt(event.seq, after),
    ];
    if (of.types.length > 0) conditions.push(inArray(event.type, [...of.types]));
    const { seq, type, at, data } = event;
    const body = sql`jsonb_build_object('seq', ${seq}, 'type', ${type}, 'at', ${at}, 'data', ${data})`;
    const list = { table: event, body, conditions, order: asc(seq), limit };
    const { records, hasMore } = await headOf<Parameters<typeof eventOfRow>[0]>(this.database, list);
    return { records: records.map(eventOfRow), hasMore };
  }

  async countBroken() {
    const { read } = this.database;
    const [row] = await read<{ running: number; effects: number; ended: number }[]>`select
      (select count(*)::int from job j where j.status in ('running', 'cancelling')
        and not exists (select from effect e where e.actor_id = j.id and e.kind = 'run')) as running,
      (select count(*)::int from effect e where e.actor_kind = 'job'
        and not exists (select from job j where j.id = e.actor_id)) as effects,
      (select count(*)::int from effect e join job j on j.id = e.actor_id
        where e.kind = 'run' and j.status in ('completed', 'failed', 'cancelled', 'blocked', 'needs_review')) as ended`;
    return {
      runningWithoutEffect: row?.running ?? 0,
      effectsWithoutJob: row?.effects ?? 0,
      endedWithEffect: row?.ended ?? 0,
    };
  }
}

const fieldOf = <K extends keyof JobHead>(name: K) => sql<JobHead[K]>`${job.body} -> ${sql.raw(`'${name}'`)}`;
/** A job's head is taken out of its record by PostgreSQL: the whole record may have megabytes. */
const HEAD = {
  id: job.id,
  title: fieldOf("title"),
  status: fieldOf("status"),
  parentJobId: fieldOf("parentJobId"),
  relation: fieldOf("relation"),
  review: fieldOf("review"),
  createdAt: fieldOf("createdAt"),
};
