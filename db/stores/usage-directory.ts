/** Reports of usage (port: `UsageDirectory`). */
import type { UsageDirectory, UsageGroup, UsageReport, UsageRequest } from "../../actors/usage/directory.ts";
import { type Counts, NO_COUNTS } from "../../actors/usage/schema.ts";
import type { Database } from "../client.ts";

const COLUMNS: Readonly<Record<UsageGroup, string>> = { agent: "agent_id", model: "model", day: "day" };

/** Sums as PostgreSQL gives them: texts, because they are `bigint`; null of nothing. */
interface Row {
  readonly key: string | null;
  readonly input: string | null;
  readonly output: string | null;
  readonly jobs: string | null;
  readonly tools: string | null;
}

export class PostgresUsageDirectory implements UsageDirectory {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async report(organizationId: string, { groupBy, since, until, limit }: UsageRequest): Promise<UsageReport> {
    const { read } = this.database;
    const column = read(COLUMNS[groupBy]);
    const order = groupBy === "day" ? read`${column} desc` : read`sum(tokens) desc, ${column}`;
    // The empty grouping set is the row of the totals.
    const rows = await read<Row[]>`
      select ${column} as key, sum(input)::bigint::text as input, sum(output)::bigint::text as output,
        sum(jobs)::bigint::text as jobs, sum(tools)::bigint::text as tools
      from (
        select day, agent_id, model, (body ->> 'inputTokens')::bigint as input, (body ->> 'outputTokens')::bigint as output,
          (body ->> 'jobs')::bigint as jobs, (body ->> 'toolCalls')::bigint as tools,
          (body ->> 'inputTokens')::bigint + (body ->> 'outputTokens')::bigint as tokens
        from day_usage
        where organization_id = ${organizationId} and day between ${since} and ${until}
      ) u
      group by grouping sets ((${column}), ())
      order by grouping(${column}) desc, ${order}
      limit ${limit + 1}`;
    const [totals, ...groups] = rows;
    return {
      groups: groups.map((row) => ({ key: row.key ?? "", ...countsOf(row) })),
      totals: totals === undefined ? NO_COUNTS : countsOf(totals),
    };
  }
}

const countsOf = ({ input, output, jobs, tools }: Row): Counts => ({
  inputTokens: Number(input),
  outputTokens: Number(output),
  jobs: Number(jobs),
  toolCalls: Number(tools),
});
