/**
 * How many jobs of all organizations are unfinished, by status: for the operator. Throws when the database cannot be
 * reached.
 */
import { UNFINISHED_STATUSES } from "../../actors/job/machine.ts";
import type { JobStatus } from "../../actors/job/schema.ts";
import { type Database, NO_ORGANIZATION } from "../client.ts";

/** Includes statuses without jobs. One index look-up for each organization, so ended jobs cost nothing. */
export async function countUnfinishedJobs(database: Database): Promise<ReadonlyMap<JobStatus, number>> {
  const rows = await database.reading(
    "own",
    NO_ORGANIZATION,
    ({ sql }) => sql<{ status: JobStatus; count: number }[]>`
      select wanted.status, coalesce(sum(found.count), 0)::int as count
      from unnest(${[...UNFINISHED_STATUSES]}::text[]) as wanted (status)
      left join organization o on true
      left join lateral (
        select count(*) from job j where j.organization_id = o.organization_id and j.status = wanted.status
      ) found on true
      group by wanted.status`,
  );
  return new Map(rows.map(({ status, count }) => [status, count]));
}

export interface UnfinishedJobs {
  readonly organizationId: string;
  readonly status: JobStatus;
  readonly count: number;
  /** When the oldest was created, ISO 8601. */
  readonly oldest: string;
}

/** The unfinished jobs of each organization (or of one), by status; counts of zero are left out. */
export const listUnfinishedJobs = (
  database: Database,
  organizationId: string | null,
): Promise<readonly UnfinishedJobs[]> =>
  database.reading(
    "own",
    NO_ORGANIZATION,
    ({ sql }) => sql<UnfinishedJobs[]>`
      select o.organization_id as "organizationId", wanted.status, found.count::int as count, found.oldest
      from organization o
      cross join unnest(${[...UNFINISHED_STATUSES]}::text[]) with ordinality as wanted (status, place)
      cross join lateral (
        select count(*) as count, min(j.created_at) as oldest from job j
        where j.organization_id = o.organization_id and j.status = wanted.status
      ) found
      where found.count > 0 and (${organizationId}::text is null or o.organization_id = ${organizationId})
      order by o.created_at, o.organization_id, wanted.place`,
  );
