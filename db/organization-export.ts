/** The rows of one organization in one snapshot, for its export. */
import type { TransactionSql } from "postgres";
import { type Content, inTransaction } from "./copying.ts";
import { wholeJob, wholeMessage } from "./record-rows.ts";
import { referredContents } from "./stores/content-references.ts";
import { ACCOUNT_LEFT_OUT, ORGANIZATION_TABLES, omitFields } from "./organization-tables.ts";

/** Rows in memory at once. */
const EXPORTED_PAGE = 500;

/** SQL for records that are exported with more than their rows have. */
const WHOLE_RECORDS: Readonly<Record<string, string>> = {
  job: wholeJob("job.body"),
  message: wholeMessage("message.body"),
};

export interface OrganizationSnapshot {
  /** The organization's own record; null if it does not exist. */
  readonly organization: { readonly id: string; readonly name: string } | null;
  readonly tables: readonly string[];
  /** The records of a table, page by page, without secrets. */
  records(table: string): AsyncIterable<readonly unknown[]>;
  /** The members' ways to sign in, without credentials. */
  people(): AsyncIterable<readonly unknown[]>;
  contents(): AsyncIterable<readonly Content[]>;
}

/** Gives `read` one snapshot of the organization in the database at `url`. */
export const inOrganization = <T>(
  url: string,
  organizationId: string,
  read: (snapshot: OrganizationSnapshot) => Promise<T>,
): Promise<T> => inTransaction(url, async (tx) => read(await snapshotOf(tx, organizationId)));

async function snapshotOf(tx: TransactionSql, organizationId: string): Promise<OrganizationSnapshot> {
  const [found] = await tx<{ id: string; name: string }[]>`
    select id, body ->> 'name' as name from organization where organization_id = ${organizationId}`;
  return {
    organization: found ?? null,
    tables: Object.keys(ORGANIZATION_TABLES).filter((table) => ORGANIZATION_TABLES[table] !== null),
    async *records(table) {
      const leftOut = ORGANIZATION_TABLES[table] ?? [];
      const rows =
        table === "event"
          ? tx<{ body: unknown }[]>`
              select json_build_object('stream', stream, 'seq', seq, 'type', type, 'at', at, 'data', data) as body
              from event where organization_id = ${organizationId} order by stream, seq`
          : tx<{ body: unknown }[]>`
              select ${tx.unsafe(WHOLE_RECORDS[table] ?? "body")} as body from ${tx(table)} where organization_id = ${organizationId} order by id`;
      for await (const page of rows.cursor(EXPORTED_PAGE)) yield page.map(({ body }) => omitFields(body, leftOut));
    },
    async *people() {
      const rows = tx<{ body: unknown }[]>`
        select a.body from member m join account a on a.organization_id = m.id and a.id = m.id
        where m.organization_id = ${organizationId} order by a.id`;
      for await (const page of rows.cursor(EXPORTED_PAGE))
        yield page.map(({ body }) => omitFields(body, ACCOUNT_LEFT_OUT));
    },
    contents: () =>
      tx.unsafe<Content[]>(referredContents("organization_id = $1"), [organizationId]).cursor(EXPORTED_PAGE),
  };
}
