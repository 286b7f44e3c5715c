/**
 * Placement on PostgreSQL (port: `actors/runtime/placement.ts`). PostgreSQL's clock decides when a
 * lease has run out. Two statements that both want a shard meet on its row lock.
 */
import { LEASE_TERM_MS, type Placement, SHARD_COUNT, type ShardGrant } from "../actors/runtime/placement.ts";
import type { Database, Sql } from "./client.ts";

export interface ReplicaIdentity {
  readonly id: string;
  /** Where other replicas reach it. */
  readonly address: string;
  readonly build: string;
  /** The data folder whose lock this process holds, or null. */
  readonly folder: string | null;
}

/** A living owner keeps the shards; `waitMs` is what is left of its lease. */
export interface Rival {
  readonly address: string;
  readonly waitMs: number;
}

export class PostgresPlacement implements Placement {
  private readonly sql: Sql;
  private readonly self: ReplicaIdentity;

  constructor(database: Database, self: ReplicaIdentity) {
    this.sql = database.placement;
    this.self = self;
  }

  /**
   * Every other replica that ran on the same data folder is dead for certain, because this process
   * holds the folder's lock: its lease is ended, not waited out.
   */
  async buryFormer(): Promise<void> {
    const { folder } = this.self;
    if (folder !== null) await this.sql`update replica set dead = true where folder = ${folder} and not dead`;
  }

  /** Registers this replica with a lease of one term. */
  async join(): Promise<void> {
    const { id, address, build, folder } = this.self;
    await this.sql`insert into shard (id) select generate_series(0, ${SHARD_COUNT - 1}) on conflict do nothing`;
    await this.sql`insert into replica (id, address, build, folder, lease_until)
      values (${id}, ${address}, ${build}, ${folder}, ${this.term(this.sql)})`;
  }

  /** Replicas that hold a lease which has not run out, the one with the longest lease first. */
  async rivals(): Promise<readonly Rival[]> {
    const rows = await this.sql<{ address: string; wait_ms: number }[]>`
      select r.address, (extract(epoch from r.lease_until - clock_timestamp()) * 1000)::float8 as wait_ms
      from replica r where not r.dead and r.id <> ${this.self.id} and r.lease_until > clock_timestamp()
      and exists (select from shard s where s.owner = r.id) order by r.lease_until desc`;
    return rows.map((row) => ({ address: row.address, waitMs: Math.ceil(row.wait_ms) }));
  }

  async renew(): Promise<boolean> {
    const rows = await this.sql`
      update replica set lease_until = ${this.term(this.sql)} where id = ${this.self.id} and not dead returning id`;
    return rows.length === 1;
  }

  async claim(): Promise<readonly ShardGrant[]> {
    const { id } = this.self;
    return this.sql.begin(async (sql) => {
      // Whose lease has run out is dead from now on: it cannot renew any more, so its shards are free.
      await sql`update replica set dead = true where not dead and id <> ${id} and lease_until < clock_timestamp()`;
      // Two statements: whoever waits for a row that somebody else is taking must look again with new
      // eyes. In one, PostgreSQL would check the changed row against the former owner's.
      const free = await sql`
        select s.id from shard s left join replica r on r.id = s.owner
        where s.owner is null or r.dead or r.id is null order by s.id for update of s`;
      if (free.length > 0) {
        await sql`
          update shard s set owner = ${id}, epoch = epoch + 1 where s.id = any(${free.map((row) => row["id"] as number)}::int[])
          and not exists (select from replica r where r.id = s.owner and not r.dead)
          and exists (select from replica where id = ${id} and not dead)`;
      }
      return grantsOf(await sql`select id, epoch from shard where owner = ${id}`);
    });
  }

  async raise(shards: readonly number[]): Promise<readonly ShardGrant[]> {
    return this.sql.begin(async (sql) => {
      await sql`select id from shard where id = any(${[...shards]}::int[]) order by id for update`;
      return grantsOf(await sql`
        update shard set epoch = epoch + 1 where id = any(${[...shards]}::int[]) and owner = ${this.self.id}
        returning id, epoch`);
    });
  }

  async leave(): Promise<void> {
    await this.sql.begin(async (sql) => {
      await sql`select id from shard where owner = ${this.self.id} order by id for update`;
      await sql`update shard set owner = null where owner = ${this.self.id}`;
      await sql`update replica set dead = true where id = ${this.self.id}`;
    });
  }

  private term(sql: Sql) {
    return sql`clock_timestamp() + ${`${LEASE_TERM_MS} milliseconds`}::interval`;
  }
}

const grantsOf = (rows: readonly unknown[]): ShardGrant[] =>
  (rows as { id: number; epoch: string | number }[]).map((row) => ({ shard: row.id, epoch: Number(row.epoch) }));
