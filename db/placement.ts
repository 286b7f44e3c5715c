/**
 * Placement on PostgreSQL (port: `actors/runtime/placement/placement.ts`). PostgreSQL's clock decides when a lease has expired.
 * Concurrent statements for the same shard are serialized by its row lock.
 */
import {
  LEASE_TERM_MS,
  type OwnedPart,
  type Placement,
  SHARD_COUNT,
  type ShardGrant,
} from "../actors/runtime/placement/placement.ts";
import type { Database, PlacementKind, Sql } from "./client.ts";
import { lockName } from "./life-lock.ts";

/**
 * The first epoch of the server's timeline, which rises with each failover. A standby that takes over without all
 * commits may have lost epochs too. None of them is reused, because epochs of a later timeline are higher.
 */
const FIRST_EPOCH =
  "((('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint - 1) * 4294967296)";
const NEXT_EPOCH = `greatest(epoch + 1, ${FIRST_EPOCH})`;

/** The even part: how many shards a replica should own at most. */
const EVEN_PART = `(select ceil(${SHARD_COUNT}.0 / greatest(1, count(*)))::int from replica where not dead and lease_until > clock_timestamp())`;

export interface ReplicaIdentity {
  readonly id: string;
  /** Where clients reach it. */
  readonly address: string;
  /** Where other replicas reach it; absent: it runs alone. */
  readonly peerUrl?: string;
  readonly build: string;
  /** The check value of the key with which it seals. */
  readonly keyCheck?: string;
  /** The data folder whose lock this process holds, or null. */
  readonly folder: string | null;
}

/** A living owner that keeps the shards; `waitMs` is the remaining time of its lease. */
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
   * Ends the leases of every other replica that ran on the same data folder, without waiting: this process holds the
   * folder's lock, so they are certainly dead.
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
   * Other replicas with an unexpired lease beside which this one cannot serve, the longest lease first. Two replicas
   * that both accept others are no rivals.
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

  /** `most` is an SQL expression. */
  private async claimUpTo(most: string): Promise<OwnedPart> {
    const self = literal(this.self.id);
    const rows = await this.transaction(
      // A replica whose lease has expired is dead from now on: it cannot renew any more, so its shards are free.
      `update replica set dead = true where not dead and id <> ${self} and lease_until < clock_timestamp()`,
      // Two statements: a replica that waits for a row that another one is taking must look again with a new snapshot.
      // In one statement, PostgreSQL would compare the changed row with the former owner's.
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
      // After a failover, this replica's memory may be ahead of the new server.
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

  /** The living replicas that accept others, and the owner of each shard. */
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
   * Declares a replica dead if nobody holds its lock any more (`life-lock.ts`); returns whether it did. The lock alone
   * does not prove a death, because it is lost with its connection.
   */
  async bury(id: string): Promise<boolean> {
    const rows = await this.ask(
      "shards",
      (sql) => sql`update replica set dead = true where id = ${id} and not dead and peer_url is not null
      and pg_try_advisory_xact_lock(hashtextextended(${lockName(id)}, 0)) returning id`,
    );
    return rows.length === 1;
  }

  async release(grants: readonly ShardGrant[]): Promise<void> {
    const ids = `array[${grants.map(({ shard }) => Number(shard)).join(", ")}]::int[]`;
    const epochs = `array[${grants.map(({ epoch }) => Number(epoch)).join(", ")}]::bigint[]`;
    await this.transaction(
      `select id from shard where id = any(${ids}) order by id for update`,
      `update shard set owner = null from unnest(${ids}, ${epochs}) as given(shard, at)
        where id = given.shard and epoch = given.at and owner = ${literal(this.self.id)}`,
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
   * Sends a transaction as a single message, so that it arrives completely or not at all. Returns the rows of its last
   * statement if an earlier one has a result too. The driver's own transactions are several messages: if the connection
   * is lost between two, the rest may run on the next connection.
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

/** Only for texts that we create ourselves; they are quoted anyway. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const grantsOf = (rows: readonly unknown[]): ShardGrant[] =>
  (rows as { id: number; epoch: string | number }[]).map((row) => ({ shard: row.id, epoch: Number(row.epoch) }));
