/** Lists of jobs, read from the tables after `System.settled`. Throws when the database cannot be reached. */
import type { ListHead, Page, PageRequest } from "../page.ts";
import type { StoredEvent } from "../runtime/store.ts";
import type { JsonObject } from "../schema.ts";
import type { Job, JobStatus } from "./schema.ts";

/** All given filters must match (JOB-6). */
export interface JobFilter {
  /** Only jobs that this person may see (AGT-5). */
  readonly seenBy: string;
  /** Any of these. */
  readonly status?: readonly JobStatus[] | undefined;
  readonly agentId?: string | undefined;
  readonly chatId?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly missionId?: string | undefined;
  readonly parentJobId?: string | undefined;
  /** Values that its metadata must contain. */
  readonly metadata?: JsonObject | undefined;
  /** ISO 8601; only jobs created later than this. */
  readonly createdAfter?: string | undefined;
}

/** The fields of a job in a family or a summary: without its input and its answer. */
export type JobHead = Pick<Job, "id" | "title" | "status" | "parentJobId" | "relation" | "review" | "createdAt"> & {
  readonly artifacts?: Job["artifacts"] | null;
};

/** What a job has used, with enough to name it. */
export type UsedJob = Pick<Job, "id" | "title" | "status" | "metrics" | "runner" | "createdAt"> & {
  readonly agentId: string;
};

/** What tells whether a request repeats the one that began this job, or continues its chat. */
export type RepeatedJob = Pick<
  Job,
  "id" | "chatId" | "createdBy" | "createdAt" | "status" | "blockedReason" | "metadata" | "result"
>;

export interface JobDirectory {
  listJobs(organizationId: string, filter: JobFilter, page: PageRequest): Promise<Page<Job>>;
  /**
   * The newest jobs that `createdBy` began with this agent, and whose metadata has this value, which few jobs have: at
   * most `limit`. One prepared statement, because a new run waits for it.
   */
  repeated(
    organizationId: string,
    of: {
      readonly createdBy: string;
      readonly agentId: string;
      readonly metadata: Readonly<Record<string, string>>;
      /** ISO 8601; only jobs created later than this. */
      readonly createdAfter?: string | undefined;
    },
    limit: number,
  ): Promise<readonly RepeatedJob[]>;
  /** The jobs of one lineage that `seenBy` may see, oldest first, at most `limit`. */
  lineage(
    organizationId: string,
    of: { readonly rootJobId: string; readonly seenBy: string },
    limit: number,
  ): Promise<readonly JobHead[]>;
  /** The newest jobs of a chat that `seenBy` may see, at most `limit`. */
  latest(
    organizationId: string,
    of: { readonly chatId: string; readonly seenBy: string },
    limit: number,
  ): Promise<readonly JobHead[]>;
  /** The jobs created on this UTC day (`2026-11-30`) that `seenBy` may see: highest cost first, then most tokens. */
  costliest(
    organizationId: string,
    of: { readonly day: string; readonly seenBy: string },
    limit: number,
  ): Promise<readonly UsedJob[]>;
  /** Ids of jobs that are queued, running or blocked, optionally of one agent; for the operator. */
  unfinished(
    organizationId: string,
    of: { readonly agentId: string | null },
    limit: number,
  ): Promise<readonly string[]>;
  /** The values of this field of the metadata of jobs that are queued, running or blocked; jobs without it are left out. */
  unfinishedWith(organizationId: string, field: string, limit: number): Promise<readonly string[]>;
  /** Durable events of a job after `after`, oldest first, optionally only of these types. */
  jobEvents(
    of: { readonly organizationId: string; readonly jobId: string; readonly types: readonly string[] },
    page: { readonly after: number; readonly limit: number },
  ): Promise<ListHead<StoredEvent>>;
  /** The tool calls in the transcript of a job before `before` (null: from the last event), newest first. */
  newestToolCalls(
    of: { readonly organizationId: string; readonly jobId: string },
    page: { readonly before: number | null; readonly limit: number },
  ): Promise<ListHead<StoredEvent>>;
  /** Counts violated invariants of an organization, or of all (null) (JOB-4): each is 0 in a healthy service. */
  countBroken(organizationId: string | null): Promise<{
    readonly runningWithoutEffect: number;
    readonly effectsWithoutJob: number;
    readonly endedWithEffect: number;
  }>;
}
