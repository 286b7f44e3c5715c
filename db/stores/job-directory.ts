/** Lists of jobs and their transcripts (port: `JobDirectory`). */
import { and, asc, desc, eq, gt, gte, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { JobDirectory, JobFilter, JobHead, RepeatedJob, UsedJob } from "../../actors/job/directory.ts";
import { RUN_STATUSES, SETTLED_STATUSES } from "../../actors/job/machine.ts";
import { type Job, JOB_STATUSES } from "../../actors/job/schema.ts";
import type { ListHead, Page, PageRequest } from "../../actors/page.ts";
import type { StoredEvent } from "../../actors/runtime/store.ts";
import { NO_ORGANIZATION } from "../client.ts";
import { eventOfRow } from "../event-row.ts";
import { wholeJob } from "../record-rows.ts";
import { job } from "../tables/records.ts";
import { event } from "../tables/runtime.ts";
import { givenFilters, type Walks } from "./index-walk.ts";
import { OverTables } from "./over-tables.ts";
import { LOOKS_PER_RECORD, type NumberedList, parsedRecords, readListHead } from "./paging.ts";
import { seenBy } from "./sight.ts";

const JOB_WALKS: Walks = {
  table: job,
  indexes: [
    [job.parentJobId],
    [job.chatId],
    [job.missionId],
    [job.agentId, job.status],
    [job.workspaceId, job.status],
    [job.status],
  ],
  words: [[job.status, JOB_STATUSES]],
};

/** No index orders by metadata: PostgreSQL finds all matches. Jobs without metadata are not in the index. */
function jobWalks({ metadata = {} }: JobFilter): Walks {
  if (Object.keys(metadata).length === 0) return JOB_WALKS;
  return { table: job, indexes: [], standing: sql`${job.metadata} @> ${JSON.stringify(metadata)}::jsonb` };
}

const isUnfinished = (organizationId: string) =>
  and(eq(job.organizationId, organizationId), inArray(job.status, ["queued", "running", "blocked"]));

export class PostgresJobDirectory extends OverTables implements JobDirectory {
  listJobs(organizationId: string, filter: JobFilter, page: PageRequest): Promise<Page<Job>> {
    const { status, agentId, chatId, workspaceId, missionId, parentJobId, createdAfter } = filter;
    const filters = givenFilters(
      [job.status, status],
      [job.agentId, agentId],
      [job.chatId, chatId],
      [job.workspaceId, workspaceId],
      [job.missionId, missionId],
      [job.parentJobId, parentJobId],
    );
    return this.page<Job>(jobWalks(filter), organizationId, page, {
      filters,
      range: createdAfter === undefined ? undefined : gt(job.createdAt, createdAfter),
      tests: [seenBy(job, filter.seenBy)],
      whole: sql.raw(wholeJob("looked.body")),
    });
  }

  repeated(
    organizationId: string,
    { createdBy, agentId, metadata, createdAfter = "" }: Parameters<JobDirectory["repeated"]>[1],
    limit: number,
  ): Promise<readonly RepeatedJob[]> {
    const { database } = this;
    // The expressions leave only the index of metadata: PostgreSQL cannot walk all jobs of the organization or the agent.
    // The record comes last, because it may have to be decompressed.
    return database.readingInto(
      "load",
      organizationId,
      ({ sql: read }) => read<{ readonly body: string }[]>`
        select jsonb_build_object('id', id, 'chatId', chat_id, 'createdBy', body -> 'createdBy', 'createdAt', created_at,
          'status', status, 'blockedReason', body -> 'blockedReason', 'metadata', metadata, 'result', body -> 'result'
          )::text as body
        from (
          select id, chat_id, created_at, status, metadata, body from job
          where metadata @> ${JSON.stringify(metadata)}::text::jsonb and organization_id || '' = ${organizationId}
            and agent_id || '' = ${agentId} and created_at > ${createdAfter}
          order by created_at desc, id desc limit ${LOOKS_PER_RECORD * limit}) as newest
        where body ->> 'createdBy' = ${createdBy}
        order by created_at desc, id desc limit ${limit}`,
      (rows) => parsedRecords<RepeatedJob>({ database, organizationId }, rows),
    );
  }

  lineage(
    organizationId: string,
    of: { readonly rootJobId: string; readonly seenBy: string },
    limit: number,
  ): Promise<readonly JobHead[]> {
    const isOfFamily = or(eq(job.rootJobId, of.rootJobId), eq(job.id, of.rootJobId));
    const order = [asc(job.createdAt), asc(job.id)];
    return this.seen<JobHead>(JOB_HEAD, organizationId, of.seenBy, { test: isOfFamily, order, limit });
  }

  latest(
    organizationId: string,
    of: { readonly chatId: string; readonly seenBy: string },
    limit: number,
  ): Promise<readonly JobHead[]> {
    const order = [desc(job.createdAt), desc(job.id)];
    return this.seen<JobHead>(JOB_HEAD, organizationId, of.seenBy, { test: eq(job.chatId, of.chatId), order, limit });
  }

  costliest(
    organizationId: string,
    of: { readonly day: string; readonly seenBy: string },
    limit: number,
  ): Promise<readonly UsedJob[]> {
    const test = and(gte(job.createdAt, of.day), lt(job.createdAt, `${of.day}T24`));
    const order = [
      sql`(${job.body} -> 'metrics' ->> 'cost')::numeric desc nulls last`,
      sql`(${job.body} -> 'metrics' ->> 'inputTokens')::numeric + (${job.body} -> 'metrics' ->> 'outputTokens')::numeric desc`,
      desc(job.createdAt),
      desc(job.id),
    ];
    return this.seen<UsedJob>(USED_JOB, organizationId, of.seenBy, { test, order, limit });
  }

  /** These columns of the jobs that pass the test and that the person may see. */
  private async seen<T extends JobHead | UsedJob>(
    columns: Record<keyof T, SQL | AnyPgColumn>,
    organizationId: string,
    userId: string,
    { test, order, limit }: { readonly test: SQL | undefined; readonly order: readonly SQL[]; readonly limit: number },
  ): Promise<readonly T[]> {
    const rows = await this.database.reading("list", organizationId, ({ query }) =>
      query
        .select(columns as Record<string, SQL | AnyPgColumn>)
        .from(job)
        .where(and(eq(job.organizationId, organizationId), test, seenBy(job, userId)))
        .orderBy(...order)
        .limit(limit),
    );
    return rows as unknown as readonly T[];
  }

  unfinished(
    organizationId: string,
    { agentId }: { readonly agentId: string | null },
    limit: number,
  ): Promise<readonly string[]> {
    const test = and(isUnfinished(organizationId), agentId === null ? undefined : eq(job.agentId, agentId));
    return this.column<string>(["list", organizationId], job.id, test, { limit });
  }

  async unfinishedWith(organizationId: string, field: string, limit: number): Promise<readonly string[]> {
    const test = and(isUnfinished(organizationId), sql`${job.metadata} ? ${field}`);
    const rows = await this.database.reading("list", organizationId, ({ query }) =>
      query
        .select({ value: sql<string>`${job.metadata} ->> ${field}` })
        .from(job)
        .where(test)
        .limit(limit),
    );
    return rows.map(({ value }) => value);
  }

  jobEvents(
    of: StreamOfJob & { readonly types: readonly string[] },
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<ListHead<StoredEvent>> {
    const tests = of.types.length > 0 ? [inArray(event.type, [...of.types])] : [];
    return this.eventsOf(of, { past: gt(event.seq, after), tests, direction: "asc", limit });
  }

  newestToolCalls(
    of: StreamOfJob,
    { before, limit }: { readonly before: number | null; readonly limit: number },
  ): Promise<ListHead<StoredEvent>> {
    const past = before === null ? undefined : lt(event.seq, before);
    const tests = [eq(event.type, "transcript.event"), sql`${event.data} ->> 'kind' = 'tool_use'`];
    return this.eventsOf(of, { past, tests, direction: "desc", limit });
  }

  private async eventsOf(
    of: StreamOfJob,
    { past, ...rest }: { readonly past: SQL | undefined } & Pick<NumberedList, "tests" | "direction" | "limit">,
  ): Promise<ListHead<StoredEvent>> {
    const conditions = [
      eq(event.organizationId, of.organizationId),
      eq(event.stream, of.jobId),
      ...(past === undefined ? [] : [past]),
    ];
    const { seq, type, at, data } = event;
    const body = sql`jsonb_build_object('seq', ${seq}, 'type', ${type}, 'at', ${at}, 'data', ${data})`;
    const list = { table: event, body, conditions, number: "seq", ...rest } as const;
    const { records, ...head } = await readListHead<Parameters<typeof eventOfRow>[0]>(
      { database: this.database, organizationId: of.organizationId },
      list,
    );
    return { records: records.map(eventOfRow), ...head };
  }

  async countBroken(organizationId: string | null) {
    const [row] = await this.database.reading(
      organizationId === null ? "own" : "list",
      organizationId ?? NO_ORGANIZATION,
      ({ sql: read }) => read<{ running: number; effects: number; ended: number }[]>`select
        (select count(*)::int from job j where j.status = any(${RUN_STATUSES}::text[])
          and (${organizationId}::text is null or j.organization_id = ${organizationId})
          and not exists (select from effect e where e.actor_id = j.id and e.kind = 'run')) as running,
        (select count(*)::int from effect e where e.actor_kind = 'job'
          and (${organizationId}::text is null or e.organization_id = ${organizationId})
          and not exists (select from job j where j.id = e.actor_id)) as effects,
        (select count(*)::int from effect e join job j on j.id = e.actor_id
          where e.kind = 'run' and j.status = any(${SETTLED_STATUSES}::text[])
          and (${organizationId}::text is null or e.organization_id = ${organizationId})) as ended`,
    );
    return {
      runningWithoutEffect: row?.running ?? 0,
      effectsWithoutJob: row?.effects ?? 0,
      endedWithEffect: row?.ended ?? 0,
    };
  }
}

interface StreamOfJob {
  readonly organizationId: string;
  readonly jobId: string;
}

const fieldOf = <K extends keyof JobHead>(name: K) => sql<JobHead[K]>`${job.body} -> ${sql.raw(`'${name}'`)}`;
/** PostgreSQL extracts a job's head from its record: the whole record may have megabytes. */
const JOB_HEAD = {
  id: job.id,
  title: fieldOf("title"),
  status: fieldOf("status"),
  artifacts: sql<Job["artifacts"] | null>`${job.body} -> 'artifacts'`,
  parentJobId: fieldOf("parentJobId"),
  relation: fieldOf("relation"),
  review: fieldOf("review"),
  createdAt: fieldOf("createdAt"),
};

const USED_JOB = {
  id: job.id,
  title: fieldOf("title"),
  status: fieldOf("status"),
  agentId: sql<string>`${job.agentId}`,
  runner: sql<Job["runner"]>`${job.body} -> 'runner'`,
  metrics: sql<Job["metrics"]>`${job.body} -> 'metrics'`,
  createdAt: fieldOf("createdAt"),
};
