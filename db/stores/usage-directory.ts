/** Reports of usage (port: `UsageDirectory`). */
import type { UsageDirectory, UsageGroup, UsageReport, UsageRequest } from "../../actors/usage/directory.ts";
import { type Counts, NO_COUNTS } from "../../actors/usage/schema.ts";
import { OverDatabase } from "../client.ts";

const GROUP_COLUMN: Readonly<Record<UsageGroup, string>> = { agent: "agent_id", model: "model", day: "day" };

/** What a report sums, by its name in the records. */
const SUMMED = [
  "inputTokens",
  "outputTokens",
  "jobs",
  "toolCalls",
  "pricedTokens",
  "ownKeyTokens",
  "estimatedTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "firstTokens",
  "firstTokenMs",
] as const satisfies readonly (keyof Counts)[];

/** Sums as PostgreSQL returns them: as texts, because they are `numeric`; null if nothing was summed. */
type UsageSums = Readonly<Record<(typeof SUMMED)[number] | "cost", string | null>> & { readonly key: string | null };

export class PostgresUsageDirectory extends OverDatabase implements UsageDirectory {
  async report(organizationId: string, request: UsageRequest): Promise<UsageReport> {
    const { groupBy, since, until, limit, seenBy, agentId: onlyAgent = null, model: onlyModel = null } = request;
    const rows = await this.database.reading("list", organizationId, ({ sql: read }) => {
      const column = read(GROUP_COLUMN[groupBy]);
      // Rows that were stored before numbers were clamped may have any number.
      const count = (name: keyof Counts) =>
        `least(coalesce((body ->> '${name}')::numeric, 0), ${Number.MAX_SAFE_INTEGER}::numeric)`;
      const sums = read.unsafe(SUMMED.map((name) => `sum(${count(name)})::text as "${name}"`).join(", "));
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
      select ${column} as key, ${sums}, trim_scale(sum((body ->> 'cost')::numeric))::text as cost
      from (
        select day, ${agentId} as agent_id, model, body,
          ${read.unsafe(`${count("inputTokens")} + ${count("outputTokens")}`)} as tokens
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

/** The optional counts are left out where they are zero. */
function usageCounts({ cost, ...sums }: UsageSums): Counts {
  const numbers = Object.fromEntries(SUMMED.map((name) => [name, Number(sums[name])]));
  const { inputTokens, outputTokens, jobs, toolCalls, pricedTokens, firstTokens, firstTokenMs, ...parts } =
    numbers as Record<(typeof SUMMED)[number], number>;
  return {
    inputTokens,
    outputTokens,
    jobs,
    toolCalls,
    ...(cost === null ? {} : { cost, pricedTokens }),
    ...(firstTokens === 0 ? {} : { firstTokens, firstTokenMs }),
    ...Object.fromEntries(Object.entries(parts).filter(([, sum]) => sum > 0)),
  };
}
