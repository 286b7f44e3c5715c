/** Lists of jobs and their transcripts (port: `JobDirectory`). */
import { and, asc, eq, gt, inArray, or, type SQL } from "drizzle-orm";
import type { JobDirectory, JobFilter } from "../../actors/job/directory.ts";
import type { Job } from "../../actors/job/schema.ts";
import type { Page, PageRequest } from "../../actors/page.ts";
import type { StoredEvent } from "../../actors/runtime/store.ts";
import type { Database } from "../client.ts";
import { eventOfRow } from "../event-row.ts";
import { job } from "../tables/records.ts";
import { event } from "../tables/runtime.ts";
import { pageOf } from "./paging.ts";
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
  ): Promise<readonly Job[]> {
    const isOfFamily = or(eq(job.rootJobId, of.rootJobId), eq(job.id, of.rootJobId));
    const rows = await this.database.query
      .select({ body: job.body })
      .from(job)
      .where(and(eq(job.organizationId, organizationId), isOfFamily, seenBy(job, of.seenBy)))
      .orderBy(asc(job.createdAt), asc(job.id))
      .limit(limit);
    return rows.map((row) => row.body as Job);
  }

  async jobEvents(
    of: { readonly organizationId: string; readonly jobId: string; readonly types: readonly string[] },
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<readonly StoredEvent[]> {
    const conditions: SQL[] = [
      eq(event.organizationId, of.organizationId),
      eq(event.stream, of.jobId),
      gt(event.seq, after),
    ];
    if (of.types.length > 0) conditions.push(inArray(event.type, [...of.types]));
    const rows = await this.database.query
      .select({ seq: event.seq, type: event.type, at: event.at, data: event.data })
      .from(event)
      .where(and(...conditions))
      .orderBy(asc(event.seq))
      .limit(limit);
    return rows.map(eventOfRow);
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
