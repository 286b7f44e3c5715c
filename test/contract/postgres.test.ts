/** The contracts on PostgreSQL, and what only a real server can be asked. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import postgres from "postgres";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import { noWrites } from "../../actors/runtime/store.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { until } from "../support/condition.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { actorStoreContract } from "./actor-store.ts";
import { placementContract, type PlacementFixture } from "./placement.ts";
import { eventOf, ORG, OTHER, recordOf, type Stall, type StoreFixture } from "./store-scene.ts";

/** One database for one test, with a connection that stands beside the service's own. */
class Bench {
  readonly database: Database;
  readonly beside: postgres.Sql;
  private readonly replicas: Database[] = [];
  private readonly url: string;
  private readonly dropDatabase: () => Promise<void>;

  constructor(url: string, dropDatabase: () => Promise<void>) {
    this.url = url;
    this.dropDatabase = dropDatabase;
    this.database = openDatabase(url);
    this.beside = postgres(url, { max: 2, onnotice: () => {} });
  }

  static async open(): Promise<Bench> {
    const { url, drop } = await createTestDatabase();
    return new Bench(url, drop);
  }

  /** A replica with connections of its own, as another process has. */
  async replica(id: string): Promise<PostgresPlacement> {
    const database = openDatabase(this.url);
    this.replicas.push(database);
    const placement = new PostgresPlacement(database, { id, address: "127.0.0.1:0", build: "test", folder: null });
    await placement.join();
    return placement;
  }

  /** Resolves when so many statements of these connections wait for a lock. */
  async waiting(count: number, name: string): Promise<void> {
    await until(`${count} of ${name} wait for a lock`, async () => {
      const [row] = await this.beside<{ n: number }[]>`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and application_name = ${`troupe ${name}`} and wait_event_type = 'Lock'`;
      return row!.n >= count;
    });
  }

  /** The flush runs into an event that another transaction has written and not committed. */
  async stall(organizationId: string, stream: string, seq: number): Promise<Stall> {
    const blocker = await this.beside.reserve();
    await blocker`begin`;
    await blocker`insert into event (organization_id, stream, seq, type, at, data)
      values (${organizationId}, ${stream}, ${seq}, 'in the way', '', '{}')`;
    const release = async (): Promise<void> => {
      await blocker`rollback`;
      blocker.release();
    };
    return {
      reached: this.waiting(1, "flush"),
      release,
      kill: async () => {
        await this.beside`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'troupe flush' and wait_event_type = 'Lock'`;
        await release();
      },
    };
  }

  /** Both stand before the rows that they want until both have come, and then go on. */
  async collide<T>(first: () => Promise<T>, second: () => Promise<T>): Promise<[T, T]> {
    const blocker = await this.beside.reserve();
    await blocker`begin`;
    await blocker`select id from shard for update`;
    const both = Promise.all([first(), second()]);
    await this.waiting(2, "placement");
    await blocker`rollback`;
    blocker.release();
    return both;
  }

  async close(): Promise<void> {
    await Promise.all([this.beside.end(), this.database.close(), ...this.replicas.map((database) => database.close())]);
    await this.dropDatabase();
  }
}

actorStoreContract("PostgreSQL", async (): Promise<StoreFixture> => {
  const bench = await Bench.open();
  return {
    store: new PostgresActorStore(bench.database),
    replica: (id) => bench.replica(id),
    stall: (organizationId, stream, seq) => bench.stall(organizationId, stream, seq),
    erase: async (organizationId) => {
      await bench.beside`insert into erasure (organization_id, shard) values (${organizationId}, ${shardOf(organizationId)})`;
    },
    close: () => bench.close(),
  };
});

placementContract("PostgreSQL", async (): Promise<PlacementFixture> => {
  const bench = await Bench.open();
  return {
    replica: (id) => bench.replica(id),
    expire: async (id) => {
      await bench.beside`update replica set lease_until = clock_timestamp() - interval '1 second' where id = ${id}`;
    },
    collide: (first, second) => bench.collide(first, second),
    close: () => bench.close(),
  };
});

describe("PostgreSQL alone", () => {
  let bench: Bench;
  let store: PostgresActorStore;
  beforeEach(async () => {
    bench = await Bench.open();
    store = new PostgresActorStore(bench.database);
    await (await bench.replica("r1")).claim();
  });
  afterEach(() => bench.close());

  const shard = shardOf(ORG);
  const events = (...seqs: number[]) => ({
    shard,
    epoch: 1,
    writes: { ...noWrites(), events: seqs.map((seq) => eventOf(seq)) },
  });

  test("[RT-4] a value too long for its index aborts certainly", async () => {
    // Random, because PostgreSQL compresses before it complains.
    const email = Array.from({ length: 400 }, () => crypto.randomUUID()).join("");
    const records = [{ table: "member", record: recordOf("u1", 1, { email }) }];
    const outcome = await store.flush([{ shard, epoch: 1, writes: { ...noWrites(), records } }]);
    expect(outcome).toMatchObject({ kind: "aborted", code: "54000" });
  });

  test("[RT-4] a batch that cannot be encoded is certainly not stored", async () => {
    const records = [{ table: 'chat"; drop table chat; --', record: recordOf("c1", 1) }];
    const outcome = await store.flush([{ shard, epoch: 1, writes: { ...noWrites(), records } }]);
    expect(outcome.kind).toBe("aborted");
  });

  test("[RT-5] a flush that comes while an epoch is being raised waits, and is then fenced", async () => {
    const raising = await bench.beside.reserve();
    await raising`begin`;
    await raising`update shard set epoch = epoch + 1 where id = ${shard}`;
    const outcome = store.flush([events(1)]);
    await bench.waiting(1, "flush");
    await raising`commit`;
    raising.release();
    expect(await outcome).toEqual({ kind: "answered", live: new Set() });
    expect((await store.events(ORG, "l1", { after: 0, limit: 9 })).events).toEqual([]);
  });

  test("[RT-4] a backend that is ended while it waits for the fence leaves the outcome unknown", async () => {
    const raising = await bench.beside.reserve();
    await raising`begin`;
    await raising`update shard set epoch = epoch + 1 where id = ${shardOf(OTHER)}`;
    const writes = { ...noWrites(), events: [eventOf(1, {}, OTHER)] };
    const outcome = store.flush([{ shard: shardOf(OTHER), epoch: 1, writes }, events(1)]);
    await bench.waiting(1, "flush");
    await bench.beside`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'troupe flush'`;
    expect((await outcome).kind).toBe("unknown");
    await raising`rollback`;
    raising.release();
    await until("a flush is answered", async () => (await store.flush([events(1)])).kind === "answered");
    expect((await store.events(ORG, "l1", { after: 0, limit: 9 })).events.map((e) => e.seq)).toEqual([1]);
  });

  test("[RT-4] one statement writes any number of groups, records, events and promises", async () => {
    const before = await statements(bench);
    const groups = Array.from({ length: 500 }, (_, i) => ({
      shard,
      epoch: 1,
      writes: { ...noWrites(), events: [eventOf(i + 1)], records: [{ table: "chat", record: recordOf("c1", i + 1) }] },
    }));
    expect((await store.flush(groups)).kind).toBe("answered");
    expect((await store.events(ORG, "l1", { after: 0, limit: 1_000 })).events.map((e) => e.seq)).toEqual(
      groups.map((_, i) => i + 1),
    );
    expect(await statements(bench)).toBe(before + 1n);
  });
});

/** Transactions so far that wrote anything. */
async function statements(bench: Bench): Promise<bigint> {
  const [row] = await bench.beside<{ xid: string }[]>`select pg_snapshot_xmax(pg_current_snapshot())::text as xid`;
  return BigInt(row!.xid);
}
