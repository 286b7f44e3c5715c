/** The use of quotas, counted in the tables (port: `QuotaDirectory`). */
import type { QuotaDirectory } from "../../actors/usage/directory.ts";
import type { QuotaLimits, QuotaName } from "../../actors/usage/quota.ts";
import { isoTime } from "../../actors/schema.ts";
import { OverDatabase } from "../client.ts";
import { ORGANIZATION_TABLES } from "../organization-tables.ts";

type CountedQuota = Exclude<QuotaName, "stored_rows" | "stored_bytes">;

/**
 * Unreferenced content is removed an hour later. Deleting frees quota at once, but only this much content that waits
 * for removal is free. Otherwise storing and deleting in turns could fill the disk past every quota.
 */
export const UNREFERRED_BYTES = 1024 ** 3;

/** One count of one organization ($1) at one time ($2, ISO 8601). */
const QUOTA_COUNTS: Readonly<Record<CountedQuota, string>> = {
  agents: "select count(*) as n from agent where organization_id = $1 and status = 'active' and $2 <> ''",
  chats: "select count(*) as n from chat where organization_id = $1 and deleted_at is null and $2 <> ''",
  tasks: "select count(*) as n from task where organization_id = $1 and $2 <> ''",
  missions: "select count(*) as n from mission where organization_id = $1 and deleted_at is null and $2 <> ''",
  tokens:
    "select count(*) as n from token where organization_id = $1 and body ->> 'revokedAt' is null and body ->> 'expiresAt' > $2",
  secrets:
    "select coalesce(sum(jsonb_array_length(body -> 'secrets')), 0) as n from secret where organization_id = $1 and $2 <> ''",
  workspaces: "select count(*) as n from workspace where organization_id = $1 and deleted_at is null and $2 <> ''",
  files:
    "select count(*) as n from workspace_place where organization_id = $1 and body -> 'node' ->> 'kind' = 'file' and $2 <> ''",
  file_bytes:
    `select greatest(coalesce(sum(size), 0), (select coalesce(sum(size), 0) - ${UNREFERRED_BYTES} from blob_claim ` +
    "where organization_id = $1)) as n from (" +
    "select (body -> 'node' ->> 'size')::bigint as size from workspace_place " +
    "where organization_id = $1 and body -> 'node' ->> 'kind' = 'file' union all " +
    "select (body ->> 'size')::bigint from workspace_version where organization_id = $1 and kept_until > $2 union all " +
    // The same content in several messages is stored once.
    "select max(size) from (select sha256, (body ->> 'size')::bigint as size from upload " +
    "where organization_id = $1 and coalesce(ends_at, $2) >= $2 union all " +
    "select sha256, (body ->> 'size')::bigint from attachment where organization_id = $1) as sent group by sha256) as s",
};

/** Tables in which an organization has few rows, whatever it does, or has them only for a moment. */
export const UNCOUNTED: readonly string[] = [
  "actor_message",
  "effect",
  "alarm",
  "rate_window",
  "client_sessions",
  "blob_claim",
  "day_usage",
  "month_usage",
  "token_budget",
  "webhook_feed",
  "webhook_destination",
  "workspace_selection",
  "secret",
  "member",
  "organization",
];

/** Tables in which an organization can create rows without limit, and the column with most of their bytes. */
const STORED = Object.keys(ORGANIZATION_TABLES)
  .filter((table) => !UNCOUNTED.includes(table))
  .map((table) => [table, table === "event" ? "data" : "body"] as const);

const storedQuery = (value: (column: string) => string): string =>
  `select coalesce(sum(n), 0) as n from (${STORED.map(
    ([table, column]) => `select ${value(column)} as n from ${table} where organization_id = $1 and $2 <> ''`,
  ).join(" union all ")}) as s`;

const QUOTA_QUERIES: Readonly<Record<QuotaName, string>> = {
  ...QUOTA_COUNTS,
  stored_rows: storedQuery(() => "count(*)"),
  stored_bytes: storedQuery((column) => `sum(pg_column_size(${column}))`),
};

export class PostgresQuotaDirectory extends OverDatabase implements QuotaDirectory {
  async measure(organizationId: string, quota: QuotaName, now: number): Promise<number> {
    const rows = await this.database.reading("list", organizationId, ({ sql: read }) =>
      read.unsafe<{ readonly n: string }[]>(QUOTA_QUERIES[quota], [organizationId, isoTime(now)]),
    );
    return Number(rows[0]?.n ?? 0);
  }

  async quotasOf(organizationId: string): Promise<Partial<QuotaLimits>> {
    const rows = await this.database.reading(
      "list",
      organizationId,
      ({ sql: read }) =>
        read<{ readonly quotas: Partial<QuotaLimits> | null }[]>`
        select body -> 'quotas' as quotas from organization where organization_id = ${organizationId} and id = ${organizationId}`,
    );
    return rows[0]?.quotas ?? {};
  }
}
