/**
 * Placement on PostgreSQL (port: `actors/runtime/placement.ts`). PostgreSQL's clock decides when a
 * lease has run out. Two statements that both want a shard meet on its row lock.
 */
import {
  LEASE_TERM_MS,
  type OwnedPart,
  type Placement,
  SHARD_COUNT,
  type ShardGrant,
} from "../actors/runtime/placement.ts";
import type { Database, PlacementKind, Sql } from "./client.ts";
import { lockName } from "./life-lock.ts";

/**
 * The first epoch of the server's timeline, which rises with each failover. A standby that takes over without having
 * all commits may have lost epochs too; none of them comes again, because those of a later timeline are higher.
 */
const FIRST_EPOCH =
  "((('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint - 1) * 4294967296)";
const NEXT_EPOCH = `greatest(epoch + 1, ${FIRST_EPOCH})`;

/** How many shards a replica should own at most. */
const EVEN_PART = `(select ceil(${SHARD_COUNT}.0 / greatest(1, count(*)))::int from replica where not dead and lease_until > clock_timestamp())`;

export interface ReplicaIdentity {
  readonly id: string;
  /** Where clients reach it. */
  readonly address: string;
  /** Where other replicas reach it; absent: it is to be alone. */
  readonly peerUrl?: string;
  readonly build: string;
  /** The check value of the key that it seals under. */
  readonly keyCheck?: string;
  /** The data folder whose lock this process holds, or null. */
  readonly folder: string | null;
}

/** A living owner keeps the shards; `waitMs` is what is left of its lease. */
export interface Rival {
  readonly address: string;
  readonly waitMs: number;
}

export class PostgresPlacement implements Placement {
  private readonly database: Database;
  private readonly self: ReplicaIdentity;

  constructor(database: Database, self: ReplicaIdentity) {
    this.database = database;
    this.self = self;
  }

  /**
   * Every other replica that ran on the same data folder is dead for certain, because this process
   * holds the folder's lock: its lease is ended, not waited out.
   */
  async buryFormer(): Promise<void> {
    const { folder } = this.self;
    if (folder !== null)
      await this.ask("lease", (sql) => sql`update replica set dead = true where folder = ${folder} and not dead`);
  }

  /** Registers this replica with a lease of one term. */
  async join(): Promise<void> {
    const { id, address, build, folder, peerUrl = null, keyCheck = null } = this.self;
    await this.ask(
      "lease",
      (sql) => sql`insert into shard (id) select generate_series(0, ${SHARD_COUNT - 1}) on conflict do nothing`,
    );
    await this.ask(
      "lease",
      (sql) => sql`insert into replica (id, address, build, folder, peer_url, key_check, lease_until)
      values (${id}, ${address}, ${build}, ${folder}, ${peerUrl}, ${keyCheck}, ${term(sql)})`,
    );
  }

  /**
   * Replicas beside which this one cannot serve and that hold a lease which has not run out, the one with the
   * longest lease first. One that takes others beside it is no rival to another such.
   */
  async rivals(): Promise<readonly Rival[]> {
    const isAlone = this.self.peerUrl === undefined;
    const rows = await this.ask(
      "lease",
      (sql) => sql<{ address: string; wait_ms: number }[]>`
      select r.address, (extract(epoch from r.lease_until - clock_timestamp()) * 1000)::float8 as wait_ms
      from replica r where not r.dead and r.id <> ${this.self.id} and r.lease_until > clock_timestamp()
      and (${isAlone} or r.peer_url is null) and exists (select from shard s where s.owner = r.id) order by r.lease_until desc`,
    );
    return rows.map((row) => ({ address: row.address, waitMs: Math.ceil(row.wait_ms) }));
  }

  async renew(): Promise<boolean> {
    const rows = await this.ask(
      "lease",
      (sql) => sql`
      update replica set lease_until = ${term(sql)} where id = ${this.self.id} and not dead returning id`,
    );
    return rows.length === 1;
  }

  async claim(most = SHARD_COUNT): Promise<readonly ShardGrant[]> {
    return (await this.claimUpTo(String(Number(most)))).grants;
  }

  claimPart(): Promise<OwnedPart> {
    return this.claimUpTo(EVEN_PART);
  }

  /** `most` is an expression. */
  private async claimUpTo(most: string): Promise<OwnedPart> {
    const self = literal(this.self.id);
    const rows = await this.transaction(
      // Whose lease has run out is dead from now on: it cannot renew any more, so its shards are free.
      `update replica set dead = true where not dead and id <> ${self} and lease_until < clock_timestamp()`,
      // Two statements: a replica that waits for a row that another one is taking must look again with a new
      // snapshot. In one, PostgreSQL would check the changed row against the former owner's.
      `do $claim$
        declare
          free int[];
          room int := ${most} - (select count(*) from shard where owner = ${self});
        begin
          -- One that has its part holds up nobody who takes shards.
          if room <= 0 then return; end if;
          select array_agg(f.id) into free from (
            select s.id from shard s left join replica r on r.id = s.owner
            where s.owner is null or r.dead or r.id is null order by s.id for update of s) f;
          update shard s set owner = ${self}, epoch = ${NEXT_EPOCH} where s.id in (
            select f.id from unnest(free) f(id) join shard o on o.id = f.id
            where not exists (select from replica r where r.id = o.owner and not r.dead)
            order by f.id limit room)
          and exists (select from replica where id = ${self} and not dead);
        end
      $claim$`,
      // After a failover: what this replica has in memory may be more than the new server has.
      `update shard set epoch = ${NEXT_EPOCH} where owner = ${self} and epoch < ${FIRST_EPOCH}`,
      `select id, epoch, most from (select ${most} as most) m left join shard on owner = ${self}`,
    );
    const owned = rows as { id: number | null; most: number }[];
    return { grants: grantsOf(owned.filter(({ id }) => id !== null)), most: owned[0]?.most ?? 0 };
  }

  async raise(shards: readonly number[]): Promise<readonly ShardGrant[]> {
    const ids = `array[${shards.map(Number).join(", ")}]::int[]`;
    const rows = await this.transaction(
      `select id from shard where id = any(${ids}) order by id for update`,
      `update shard set epoch = ${NEXT_EPOCH} where id = any(${ids}) and owner = ${literal(this.self.id)} returning id, epoch`,
    );
    return grantsOf(rows);
  }

  /** The living replicas that take others beside them, and of each shard the owner. */
  async read(): Promise<{ replicas: { id: string; url: string }[]; owners: Map<number, string> }> {
    const replicas = await this.ask(
      "look",
      (sql) => sql<{ id: string; url: string }[]>`
      select id, peer_url as url from replica where not dead and peer_url is not null order by started_at, id`,
    );
    const shards = await this.ask(
      "look",
      (sql) => sql<{ id: number; owner: string }[]>`
      select s.id, s.owner from shard s join replica r on r.id = s.owner where not r.dead`,
    );
    return {
      replicas: replicas.map(({ id, url }) => ({ id, url })),
      owners: new Map(shards.map(({ id, owner }) => [id, owner])),
    };
  }

  /**
   * Declares a replica dead whose lock nobody holds any more (`life-lock.ts`); whether it did. The lock alone
   * proves no death: it is lost with its connection.
   */
  async bury(id: string): Promise<boolean> {
    const rows = await this.ask(
      "shards",
      (sql) => sql`update replica set dead = true where id = ${id} and not dead and peer_url is not null
      and pg_try_advisory_xact_lock(hashtextextended(${lockName(id)}, 0)) returning id`,
    );
    return rows.length === 1;
  }

  async release(shards: readonly number[]): Promise<void> {
    const ids = `array[${shards.map(Number).join(", ")}]::int[]`;
    await this.transaction(
      `select id from shard where id = any(${ids}) order by id for update`,
      `update shard set owner = null where id = any(${ids}) and owner = ${literal(this.self.id)}`,
    );
  }

  async leave(): Promise<void> {
    const self = literal(this.self.id);
    await this.transaction(
      `select id from shard where owner = ${self} order by id for update`,
      `update shard set owner = null where owner = ${self}`,
      `update replica set dead = true where id = ${self}`,
    );
  }

  /**
   * One transaction as one message, which is sent or is not; answers the rows of its last statement
   * when an earlier one has a result too.
   * The driver's own transactions are several messages, and where the connection is lost between two,
   * the rest may run on the next connection.
   */
  private async transaction(...statements: readonly string[]): Promise<readonly unknown[]> {
    const results: unknown = await this.ask("shards", (sql) => sql.unsafe(statements.join(";\n")).simple());
    const last = (results as readonly unknown[]).at(-1);
    return Array.isArray(last) ? last : [];
  }

  private ask<T>(kind: PlacementKind, question: (sql: Sql) => PromiseLike<T>): Promise<T> {
    return this.database.placing(kind, question);
  }
}

const term = (sql: Sql) => sql`clock_timestamp() + ${`${LEASE_TERM_MS} milliseconds`}::interval`;

/** Texts of our own making only; quoted all the same. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const grantsOf = (rows: readonly unknown[]): ShardGrant[] =>
  (rows as { id: number; epoch: string | number }[]).map((row) => ({ shard: row.id, epoch: Number(row.epoch) }));
