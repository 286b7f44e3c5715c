/**
 * What may befall replicas of ledgers and their PostgreSQL. Each fault resolves when it is over, not
 * when its consequences are.
 */
import type postgres from "postgres";
import { until } from "./condition.ts";
import type { BenchReplica, LedgerBench } from "./ledger-bench.ts";
import type { WireFault } from "./postgres-proxy.ts";

const FLUSH = "troupe flush";

/** A PostgreSQL that a storm may stop. */
export interface StormServer {
  readonly url: string;
  /** Stops it as a crash does, starts it again, and answers its url. */
  crash(): Promise<string>;
}

export interface FaultScene {
  readonly bench: LedgerBench;
  readonly server: StormServer;
  /** In [0, 1), from the storm's seed. */
  draw(): number;
}

type StormFault = (scene: FaultScene) => Promise<void>;

const pick = <T>(from: readonly T[], draw: () => number): T => from[Math.floor(draw() * from.length)]!;
/** A replica that serves something. */
const one = ({ bench, draw }: FaultScene): BenchReplica =>
  pick(
    bench.living.filter(({ system }) => system.shards.count > 0),
    draw,
  );

/** The next flush of whichever replica meets the fault. */
async function onNextFlush({ bench }: FaultScene, fault: WireFault): Promise<void> {
  await Promise.race(bench.living.map(({ proxy }) => proxy.strike(FLUSH, fault)));
  for (const { proxy } of bench.living) proxy.forgive();
}

/** Does something to a flush that waits for a lock in the middle of its statement. */
async function toWaitingFlush(
  { bench: { beside } }: FaultScene,
  act: (pid: number) => Promise<unknown>,
): Promise<void> {
  await beside.begin(async (sql) => {
    await sql`lock table event in share row exclusive mode`;
    let pid = 0;
    await until("a flush waits for a lock", async () => {
      const [row] = await beside<{ pid: number }[]>`select pid from pg_stat_activity
        where application_name = ${FLUSH} and wait_event_type = 'Lock' and datname = current_database() limit 1`;
      return (pid = row?.pid ?? 0) > 0;
    });
    await act(pid);
  });
}

/** A change of shards, with the rows locked in the order of the service's own: each would wait for the other. */
const ofShards = (beside: postgres.Sql, change: (sql: postgres.TransactionSql) => Promise<unknown>): Promise<unknown> =>
  beside.begin(async (sql) => {
    await sql`select from shard order by id for update`;
    await change(sql);
  });

export const FAULTS = {
  request_lost: (scene) => onNextFlush(scene, "request_lost"),
  reply_lost: (scene) => onNextFlush(scene, "reply_lost"),
  cut_short: (scene) => onNextFlush(scene, "cut_short"),
  /** The replica waits until its own limit. */
  reply_swallowed: (scene) => onNextFlush(scene, "reply_swallowed"),
  renewal_swallowed: async (scene) => one(scene).proxy.strike("troupe placement", "reply_swallowed"),
  all_connections_cut: async (scene) => one(scene).proxy.cut(),
  backend_terminated: (scene) =>
    toWaitingFlush(scene, (pid) => scene.bench.beside`select pg_terminate_backend(${pid})`),
  statement_cancelled: (scene) => toWaitingFlush(scene, (pid) => scene.bench.beside`select pg_cancel_backend(${pid})`),

  /** Somebody else has half of the shards for a moment, and gives them back to who had them. */
  shards_stolen: async ({ bench: { beside }, draw }) => {
    const half = draw() < 0.5 ? 1 : 0;
    await ofShards(
      beside,
      (sql) => sql`update shard set wanted = owner, owner = null, epoch = epoch + 1 where id % 2 = ${half}`,
    );
    await ofShards(
      beside,
      (sql) => sql`update shard set owner = wanted, epoch = epoch + 1 where id % 2 = ${half} and owner is null`,
    );
    await ofShards(beside, (sql) => sql`update shard set wanted = null`);
  },

  /** Half of the shards go to another of the replicas, which serves them. */
  shards_moved: async (scene) => {
    const {
      bench: { beside, living },
      draw,
    } = scene;
    const { id } = pick(living, draw);
    const half = draw() < 0.5 ? 1 : 0;
    await ofShards(
      beside,
      (sql) => sql`update shard set owner = ${id}, epoch = epoch + 1 where id % 2 = ${half} and owner <> ${id}`,
    );
  },

  /** Silence on all connections for longer than the replica may serve; nobody takes its shards. */
  partition: async (scene) => {
    const replica = one(scene);
    replica.proxy.freeze();
    await until("the replica serves nothing", () => replica.isSilent).finally(() => replica.proxy.thaw());
  },

  /** The same for longer than the lease: the others take the shards, and the silent one is dead when it is heard again. */
  replica_lost: async (scene) => {
    const { bench } = scene;
    const [most] = await bench.beside<{ owner: string }[]>`
      select owner from shard where owner is not null group by owner order by count(*) desc limit 1`;
    const lost = bench.living.find(({ id }) => id === most?.owner) ?? one(scene);
    await bench.addReplica();
    lost.proxy.freeze();
    await until("the replica serves nothing", () => lost.isSilent);
    // Any of the others may be the first to claim: the new one need not get a single shard.
    await until("the others own its shards", async () => {
      // Once may not do: a renewal may have been under way.
      await bench.beside`update replica set lease_until = clock_timestamp() - interval '1 second' where id = ${lost.id}`;
      const [row] = await bench.beside`select from shard where owner = ${lost.id} limit 1`;
      return row === undefined;
    });
    lost.proxy.thaw();
    await until("the lost one knows", () => lost.lost.length > 0);
  },

  /** `pg_ctl stop -m immediate`, and a start. */
  server_crashed: async ({ bench, server }) => {
    bench.turnTo(await server.crash());
  },
} satisfies Record<string, StormFault>;

export type FaultName = keyof typeof FAULTS;
