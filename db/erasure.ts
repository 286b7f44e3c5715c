/**
 * Erases an organization from the tables.
 *
 *   active ─begin─▶ erasing ─rows and files, in batches─▶ erased
 *
 * `begin` stores that the organization is being erased, and raises the epoch of its shard, in one transaction. Commits
 * of the former epoch are refused, and the shard's owner at the new epoch reads that row before it serves
 * (`ownership.ts`). From then on no replica stores anything for the organization. The rest is deletion, which may take
 * its time, stop, and start again.
 *
 * People do not belong to an organization, so their rows have no such mark. Their rows are deleted in one transaction
 * that also raises the epochs of their shards, so their state in memory is no longer valid.
 */
import type { TransactionSql } from "postgres";
import { shardOf } from "../actors/runtime/placement/placement.ts";
import { NO_ORGANIZATION, OverDatabase } from "./client.ts";
import { ORGANIZATION_TABLES, PEOPLE_TABLES } from "./organization-tables.ts";

/** Rows deleted by one statement. */
const BATCH = 2_000;
/** Tables of the runtime: people's rows in them belong to the actors of their accounts. */
const RUNTIME_TABLES = ["event", "actor_message", "effect", "alarm"] as const;

export interface ErasedPerson {
  readonly id: string;
  readonly email: string;
}

export class PostgresErasure extends OverDatabase {
  /** Whether it is being erased or has been erased. */
  async isBegun(organizationId: string): Promise<boolean> {
    const rows = await this.transaction((sql) => sql`select 1 from erasure where organization_id = ${organizationId}`);
    return rows.length > 0;
  }

  /** Once this is committed, nothing is stored for the organization any more. */
  async begin(organizationId: string): Promise<void> {
    const shard = shardOf(organizationId);
    await this.transaction(async (sql) => {
      await raise(sql, [shard]);
      await sql`insert into erasure (organization_id, shard) values (${organizationId}, ${shard}) on conflict do nothing`;
      // Before the shard is taken up: none of this may be delivered or run again.
      for (const table of ["actor_message", "effect", "alarm"])
        await sql`delete from ${sql(table)} where organization_id = ${organizationId}`;
    });
  }

  /**
   * Its people: `alone` belong to no other organization; of the others, `naming` are those whose account names this
   * one.
   */
  async people(organizationId: string): Promise<{ alone: readonly ErasedPerson[]; naming: readonly string[] }> {
    const alone = await this.transaction(
      (sql) => sql<ErasedPerson[]>`
        select m.id, coalesce(m.email, '') as email from member m where m.organization_id = ${organizationId}
        and not exists (select from member o where o.id = m.id and o.organization_id <> m.organization_id
          and o.body ->> 'status' = 'active')`,
    );
    const naming = await this.transaction(
      (sql) => sql<{ id: string }[]>`
        select a.id from member m join account a on a.organization_id = m.id and a.id = m.id
        where m.organization_id = ${organizationId} and a.body ->> 'chosenOrganizationId' = ${organizationId}`,
    );
    const gone = new Set(alone.map(({ id }) => id));
    return { alone, naming: naming.map(({ id }) => id).filter((id) => !gone.has(id)) };
  }

  /**
   * Erases these people's credentials; `keys` are where attempts to sign in as them are counted. Returns how many
   * accounts there were.
   */
  async erasePeople(userIds: readonly string[], keys: readonly string[]): Promise<number> {
    return this.transaction(async (sql) => {
      const owned = await sql<{ key: string }[]>`
        select organization_id as key from identity_owner where body ->> 'userId' = any(${[...userIds]}::text[])`;
      const all = [...userIds, ...keys, ...owned.map(({ key }) => key)];
      const present = await sql<{ key: string }[]>`
        select organization_id as key from account where organization_id = any(${all}::text[])
        union select organization_id from identity_owner where organization_id = any(${all}::text[])
        union select organization_id from sign_in_attempts where organization_id = any(${all}::text[])`;
      if (present.length === 0) return 0;
      await raise(sql, [...new Set(present.map(({ key }) => shardOf(key)))]);
      let accounts = 0;
      for (const table of [...PEOPLE_TABLES, ...RUNTIME_TABLES]) {
        const { count } = await sql`delete from ${sql(table)} where organization_id = any(${all}::text[])`;
        if (table === "account") accounts = count;
      }
      return accounts;
    });
  }

  /** Deletes every row of the organization, table after table. Returns the number of rows of each. */
  async eraseRows(organizationId: string): Promise<Readonly<Record<string, number>>> {
    const deleted: Record<string, number> = {};
    for (const table of Object.keys(ORGANIZATION_TABLES)) {
      for (let count = BATCH; count === BATCH;) {
        const rows = await this.transaction(async (sql) => {
          await sql`select set_config('enable_seqscan', 'off', true)`;
          return sql`
            delete from ${sql(table)} where ctid = any(array(
              select ctid from ${sql(table)} where organization_id = ${organizationId} limit ${BATCH}))`;
        });
        count = rows.count;
        if (count > 0) deleted[table] = (deleted[table] ?? 0) + count;
      }
    }
    // A sweep whose position is at one of its records restarts a little earlier, which is harmless.
    await this.transaction(
      (sql) => sql`update sweep_position set organization_id = '', id = '' where organization_id = ${organizationId}`,
    );
    return deleted;
  }

  /** Records that the erasure is complete. */
  async finish(organizationId: string): Promise<void> {
    await this.transaction(
      (sql) => sql`update erasure set finished_at = now() where organization_id = ${organizationId}`,
    );
  }

  private transaction<T>(work: (sql: TransactionSql) => PromiseLike<T>): Promise<T> {
    return this.database.reading("own", NO_ORGANIZATION, ({ sql }) => sql.begin(async (tx) => work(tx))) as Promise<T>;
  }
}

/** Waits for commits in flight under the former epochs; later ones are refused. */
async function raise(sql: TransactionSql, shards: readonly number[]): Promise<void> {
  const ids = [...shards];
  await sql`select id from shard where id = any(${ids}::int[]) order by id for update`;
  await sql`update shard set epoch = epoch + 1 where id = any(${ids}::int[])`;
}
