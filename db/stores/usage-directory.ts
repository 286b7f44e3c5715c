/** Reports of usage (port: `UsageDirectory`). */
import type { UsageDirectory, UsageGroup, UsageReport, UsageRequest } from "../../actors/usage/directory.ts";
import { type Counts, NO_COUNTS } from "../../actors/usage/schema.ts";
import { OverDatabase } from "../client.ts";

const GROUP_COLUMN: Readonly<Record<UsageGroup, string>> = { agent: "agent_id", model: "model", day: "day" };

/** Sums as PostgreSQL returns them: as texts, because they are `numeric`; null if nothing was summed. */
interface UsageSums {
  readonly key: string | null;
  readonly input: string | null;
  readonly output: string | null;
  readonly jobs: string | null;
  readonly tools: string | null;
  readonly cost: string | null;
  readonly priced: string | null;
  readonly own: string;
  readonly estimated: string | null;
  readonly cached: string | null;
  readonly written: string | null;
  readonly timed: string | null;
  readonly ms: string | null;
}

export class PostgresUsageDirectory extends OverDatabase implements UsageDirectory {
  async report(organizationId: string, request: UsageRequest): Promise<UsageReport> {
    const { groupBy, since, until, limit, seenBy, agentId: onlyAgent = null, model: onlyModel = null } = request;
    const rows = await this.database.reading("list", organizationId, ({ sql: read }) => {
      const column = read(GROUP_COLUMN[groupBy]);
      // Rows that were stored before numbers were clamped may have any number.
      const count = (name: keyof Counts) =>
        read`coalesce(least((body ->> ${name})::numeric, ${Number.MAX_SAFE_INTEGER}::numeric), 0)`;
      const order = groupBy === "day" ? read`${column} desc` : read`sum(tokens) desc, ${column}`;
      // One group for all agents that are private to others: their ids and counts would reveal them.
      const agentId =
        seenBy === null
          ? read`agent_id`
          : read`case when exists (
               select from agent where agent.organization_id = u.organization_id and agent.id = u.agent_id
                 and agent.visibility = 'private' and agent.created_by <> ${seenBy}
             ) then null else agent_id end`;
      // The empty grouping set gives the row of the totals.
      return read<UsageSums[]>`
      select ${column} as key, sum(input)::text as input, sum(output)::text as output,
        sum(jobs)::text as jobs, sum(tools)::text as tools,
        trim_scale(sum(cost))::text as cost, sum(priced)::text as priced, sum(own)::text as own,
        sum(estimated)::text as estimated, sum(cached)::text as cached, sum(written)::text as written,
        sum(timed)::text as timed, sum(ms)::text as ms
      from (
        select day, ${agentId} as agent_id, model, ${count("inputTokens")} as input, ${count("outputTokens")} as output,
          ${count("jobs")} as jobs, ${count("toolCalls")} as tools,
          (body ->> 'cost')::numeric as cost, coalesce((body ->> 'pricedTokens')::numeric, 0) as priced,
          coalesce((body ->> 'ownKeyTokens')::numeric, 0) as own,
          coalesce((body ->> 'estimatedTokens')::numeric, 0) as estimated,
          coalesce((body ->> 'cachedInputTokens')::numeric, 0) as cached,
          coalesce((body ->> 'cacheWriteTokens')::numeric, 0) as written,
          coalesce((body ->> 'firstTokens')::numeric, 0) as timed,
          coalesce((body ->> 'firstTokenMs')::numeric, 0) as ms,
          ${count("inputTokens")} + ${count("outputTokens")} as tokens
        from day_usage u
        where organization_id = ${organizationId} and day between ${since} and ${until}
      ) u
      where (${onlyAgent}::text is null or agent_id = ${onlyAgent}) and (${onlyModel}::text is null or model = ${onlyModel})
      group by grouping sets ((${column}), ())
      order by grouping(${column}) desc, ${order}
      limit ${limit + 1}`;
    });
    const [totals, ...groups] = rows;
    return {
      groups: groups.map((row) => ({ key: row.key, ...usageCounts(row) })),
      totals: totals === undefined ? NO_COUNTS : usageCounts(totals),
    };
  }
}

const usageCounts = ({ input, output, jobs, tools, cost, priced, own, estimated, ...parts }: UsageSums): Counts => ({
  inputTokens: Number(input),
  outputTokens: Number(output),
  jobs: Number(jobs),
  toolCalls: Number(tools),
  ...(cost === null ? {} : { cost, pricedTokens: Number(priced) }),
  ...(Number(own) === 0 ? {} : { ownKeyTokens: Number(own) }),
  ...(Number(estimated) === 0 ? {} : { estimatedTokens: Number(estimated) }),
  ...(Number(parts.cached) === 0 ? {} : { cachedInputTokens: Number(parts.cached) }),
  ...(Number(parts.timed) === 0 ? {} : { firstTokens: Number(parts.timed), firstTokenMs: Number(parts.ms) }),
  ...(Number(parts.written) === 0 ? {} : { cacheWriteTokens: Number(parts.written) }),
});
