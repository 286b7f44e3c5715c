/**
 * Erasing an organization at the tables.
 *
 *   active ─begin─▶ erasing ─rows and files, in batches─▶ erased
 *
 * `begin` stores that it is being erased and raises the epoch of its shard in one transaction. Commits of the former
 * epoch are refused, and the owner of the shard at the new one has read that row before it serves (`ownership.ts`): from
 * then on nothing is stored for the organization, by no replica. The rest is deleting, which may take its time, break
 * off, and begin again.
 *
 * People are no part of an organization, so their rows have no such mark: they go in one transaction with the epochs
 * of their shards, and what is in memory of them counts no more.
 */
import type { TransactionSql } from "postgres";
import { shardOf } from "../actors/runtime/placement.ts";
import { type Database, NO_ORGANIZATION } from "./client.ts";
import { ORGANIZATION_TABLES, PEOPLE_TABLES } from "./organization-tables.ts";

/** Rows that one statement deletes. */
const BATCH = 2_000;
/** Tables of the runtime: rows of people in them are of the actors of their accounts. */
const RUNTIME_TABLES = ["event", "actor_message", "effect", "alarm"] as const;

export interface ErasedPerson {
  readonly id: string;
  readonly email: string;
}

export class PostgresErasure {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** Whether it is being erased, or was. */
  async isBegun(organizationId: string): Promise<boolean> {
    const rows = await this.ask((sql) => sql`select 1 from erasure where organization_id = ${organizationId}`);
    return rows.length > 0;
  }

  /** From its commit on nothing is stored for the organization any more. */
  async begin(organizationId: string): Promise<void> {
    const shard = shardOf(organizationId);
    await this.transaction(async (sql) => {
      await raise(sql, [shard]);
      await sql`insert into erasure (organization_id, shard) values (${organizationId}, ${shard}) on conflict do nothing`;
      // Before anybody takes the shard up: none of it may be delivered or run again.
      for (const table of ["actor_message", "effect", "alarm"])
        await sql`delete from ${sql(table)} where organization_id = ${organizationId}`;
    });
  }

  /** Its people, by whether they belong to no other organization; of those who do, only whose account names this one. */
  async people(organizationId: string): Promise<{ alone: readonly ErasedPerson[]; naming: readonly string[] }> {
    const alone = await this.ask(
      (sql) => sql<ErasedPerson[]>`
        select m.id, coalesce(m.email, '') as email from member m where m.organization_id = ${organizationId}
        and not exists (select from member o where o.id = m.id and o.organization_id <> m.organization_id
          and o.body ->> 'status' = 'active')`,
    );
    const naming = await this.ask(
      (sql) => sql<{ id: string }[]>`
        select a.id from member m join account a on a.organization_id = m.id and a.id = m.id
        where m.organization_id = ${organizationId} and a.body ->> 'chosenOrganizationId' = ${organizationId}`,
    );
    const gone = new Set(alone.map(({ id }) => id));
    return { alone, naming: naming.map(({ id }) => id).filter((id) => !gone.has(id)) };
  }

  /** Erases what these people sign in with; `keys` are where attempts to sign in as them are counted. Answers how many accounts. */
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

  /** Deletes every row of the organization, table after table. Answers how many of each there were. */
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
    // A sweep that stands at one of its records begins a little earlier, which changes nothing.
    await this.ask(
      (sql) => sql`update sweep_position set organization_id = '', id = '' where organization_id = ${organizationId}`,
    );
    return deleted;
  }

  /** All of it is gone. */
  async finish(organizationId: string): Promise<void> {
    await this.ask((sql) => sql`update erasure set finished_at = now() where organization_id = ${organizationId}`);
  }

  private ask<T>(question: (sql: TransactionSql) => PromiseLike<T>): Promise<T> {
    return this.transaction(question);
  }

  private transaction<T>(work: (sql: TransactionSql) => PromiseLike<T>): Promise<T> {
    return this.database.reading("own", NO_ORGANIZATION, ({ sql }) => sql.begin(async (tx) => work(tx))) as Promise<T>;
  }
}

/** Waits for the commits of the former epochs that are under way; no other one is taken. */
async function raise(sql: TransactionSql, shards: readonly number[]): Promise<void> {
  const ids = [...shards];
  await sql`select id from shard where id = any(${ids}::int[]) order by id for update`;
  await sql`update shard set epoch = epoch + 1 where id = any(${ids}::int[])`;
}
