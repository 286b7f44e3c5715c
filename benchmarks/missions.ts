/**
 * What happens when 10,000 missions are due in the same second, and what do sleeping ones cost?
 *
 * The service as an operator starts it, over HTTP, with the demo model. One mission is created over HTTP and copied in
 * the tables, so that a service finds the copies when it starts; one in a hundred is urgent, the others have low
 * priority. From the due time until all jobs have ended, a caller repeatedly reads an agent. A mission without an entry
 * in the ledger is lost, one with two is double; an urgent mission was overtaken by each low one that started before
 * it.
 *
 * Then the query for due alarms is timed with 10 and with 1,000,000 alarms that are not due.
 */
import postgres from "postgres";
import { SHARD_COUNT, shardOf } from "../actors/runtime/placement/placement.ts";
import { openDatabase } from "../db/client.ts";
import { PostgresActorStore } from "../db/stores/actor-store.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { startServer } from "./support/postgres.ts";
import { type RunningService, startService } from "./support/service.ts";
import { figure, percentile } from "./support/statistics.ts";
import { table } from "./support/table.ts";

const MISSIONS = 10_000;
const URGENT_EVERY = 100;
/** Longer than the copying, and than two scans for alarms. */
const LEAD_MS = 75_000;
const LIMIT_MS = 400_000;
const LOOK_MS = 500;
/** Between two requests of the other caller. */
const REQUEST_MS = 5;
const SLEEPING = [10, 1_000_000] as const;
const SCANS = 200;
const P99_AIM_MS = 50;

interface Storm {
  readonly p50: number;
  readonly p99: number;
  /** The same in the first seconds, while the fires are entered into the ledger. */
  readonly p99WhileFiring: number;
  readonly firedSeconds: number;
  readonly doneSeconds: number;
  readonly lost: number;
  readonly double: number;
  readonly overtaking: number;
}

export const benchmark: Benchmark = {
  question: "What happens when 10,000 missions are due in the same second, and what do sleeping ones cost?",
  async run(context) {
    const server = await startServer(context.lifetime);
    const service = await startService(context.lifetime, server, { RATE_BUDGETS: "*=100000000" });
    const sql = postgres(server.url, { max: 1, onnotice: () => {} });
    context.lifetime.add(() => sql.end({ timeout: 1 }));
    const storm = await dueTogether(context, service, sql);
    const scans = await sleeping(context, server.url, sql);
    return { text: text(storm, scans), aims: aims(storm, scans), skipped: [] };
  },
};

async function dueTogether({ say }: BenchmarkContext, service: RunningService, sql: postgres.Sql): Promise<Storm> {
  const due = Math.ceil((Date.now() + LEAD_MS) / 1_000) * 1_000;
  await copies(service, sql, due);
  say(`${MISSIONS} missions are due in ${figure((due - Date.now()) / 1_000)} s`);
  await Bun.sleep(Math.max(0, due - Date.now()));
  const latencies: number[] = [];
  let isOver = false;
  const caller = (async () => {
    while (!isOver) {
      const from = performance.now();
      await get(service, `/api/agents/${service.agentId}`);
      latencies.push(performance.now() - from);
      await Bun.sleep(REQUEST_MS);
    }
  })();
  let firedSeconds = 0;
  let requestsWhileFiring = 0;
  let ended = 0;
  while (ended < MISSIONS && Date.now() < due + LIMIT_MS) {
    await Bun.sleep(LOOK_MS);
    const [row] = await sql<{ fired: number; ended: number }[]>`
      select count(*)::int as fired, (count(*) filter (where outcome = 'succeeded'))::int as ended from mission_run`;
    if (firedSeconds === 0 && (row?.fired ?? 0) >= MISSIONS) {
      firedSeconds = (Date.now() - due) / 1_000;
      requestsWhileFiring = latencies.length;
    }
    ended = row?.ended ?? 0;
  }
  const doneSeconds = (Date.now() - due) / 1_000;
  isOver = true;
  await caller;
  const whileFiring = latencies.slice(0, requestsWhileFiring).sort((a, b) => a - b);
  latencies.sort((a, b) => a - b);
  const [counts] = await sql<{ lost: number; double: number; overtaking: number }[]>`
    select ${MISSIONS} - count(distinct mission_id)::int as lost, count(*)::int - count(distinct mission_id)::int as double,
      (with started as (select body ->> 'priority' as priority, body ->> 'startedAt' as at from job),
        urgent as (select percentile_disc(0.99) within group (order by at) as at from started where priority = 'urgent')
        select count(*)::int from started, urgent where priority = 'low' and started.at < urgent.at) as overtaking
    from mission_run`;
  const { lost = 0, double = 0, overtaking = 0 } = counts ?? {};
  return {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    p99WhileFiring: percentile(whileFiring, 0.99),
    firedSeconds,
    doneSeconds,
    lost,
    double,
    overtaking,
  };
}

/** One mission over HTTP, and the others as its copies: records and alarms. */
async function copies(service: RunningService, sql: postgres.Sql, due: number): Promise<void> {
  const at = new Date(due).toISOString();
  const body = {
    title: "Due",
    goal: "hello",
    agent_id: service.agentId,
    priority: "low",
    schedule: { type: "once", value: at },
  };
  const answer = await fetch(`${service.url}/api/missions`, {
    method: "POST",
    headers: headersOf(service),
    body: JSON.stringify(body),
  });
  const { id, organization_id: organization } = (await answer.json()) as { id: string; organization_id: string };
  await sql`
    insert into mission (organization_id, id, version, body)
    select organization_id, 'mis_' || lpad(n::text, 21, '0'), version,
      body || jsonb_build_object('id', 'mis_' || lpad(n::text, 21, '0'),
        'priority', case when n % ${URGENT_EVERY} = 0 then 'urgent' else 'low' end)
    from mission, generate_series(1, ${MISSIONS - 1}::int) n where id = ${id}`;
  await sql`
    insert into alarm (shard, organization_id, actor_kind, actor_id, name, due_at_ms, command)
    select ${shardOf(organization)}, organization_id, 'mission', id, 'fire', ${due + 1}, '{"kind": "fire_due"}'::json
    from mission on conflict do nothing`;
}

const headersOf = ({ token }: RunningService) => ({
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
});

async function get(service: RunningService, path: string): Promise<void> {
  const answer = await fetch(`${service.url}${path}`, { headers: headersOf(service) });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
}

/** Median ms of a query for due alarms, for each number of alarms that are not due. */
async function sleeping(
  { lifetime, say }: BenchmarkContext,
  url: string,
  sql: postgres.Sql,
): Promise<readonly number[]> {
  const database = openDatabase(url);
  lifetime.add(() => database.close());
  const store = new PostgresActorStore(database);
  const shards = Array.from({ length: SHARD_COUNT }, (_, i) => i);
  const medians: number[] = [];
  for (const count of SLEEPING) {
    await sql`delete from alarm`;
    await sql`
      insert into alarm (shard, organization_id, actor_kind, actor_id, name, due_at_ms, command)
      select n % ${SHARD_COUNT}, 'org_sleeping', 'mission', 'mis_' || n, 'fire', ${Date.now() + 86_400_000} + n::bigint * 1000,
        '{"kind": "fire_due"}'::json from generate_series(1, ${count}::int) n`;
    await sql`analyze alarm`;
    say(`${count} missions sleep`);
    const samples: number[] = [];
    for (let i = 0; i < SCANS; i++) {
      const from = performance.now();
      await store.alarms(shards, Date.now() + 60_000, 5_000);
      samples.push(performance.now() - from);
    }
    medians.push(
      percentile(
        samples.sort((a, b) => a - b),
        0.5,
      ),
    );
  }
  return medians;
}

const text = (
  { p50, p99, p99WhileFiring, firedSeconds, doneSeconds, overtaking }: Storm,
  scans: readonly number[],
): string =>
  table(
    ["10,000 missions in one second", ""],
    [
      ["all are recorded after, s", figure(firedSeconds)],
      ["all jobs have ended after, s", figure(doneSeconds)],
      ["another request meanwhile, p50, ms", figure(p50)],
      ["p99, ms", figure(p99)],
      ["p99 while the fires are being recorded, ms", figure(p99WhileFiring)],
      ["low-priority runs that started before 99 % of the urgent ones", figure(overtaking)],
      ...SLEEPING.map((count, i) => [`scan for due alarms beside ${count} sleeping ones, ms`, figure(scans[i] ?? 0)]),
    ],
  );

function aims({ p99, p99WhileFiring, lost, double }: Storm, [few = 0, many = 0]: readonly number[]) {
  return [
    { aim: "each fires once", figure: `${lost} lost, ${double} double`, holds: lost === 0 && double === 0 },
    { aim: `other requests stay under ${P99_AIM_MS} ms at p99`, figure: `${figure(p99)} ms`, holds: p99 < P99_AIM_MS },
    {
      aim: "also while the fires are being recorded",
      figure: `${figure(p99WhileFiring)} ms`,
      holds: p99WhileFiring < P99_AIM_MS,
    },
    {
      aim: "with a million sleeping missions the scan takes at most twice as long",
      figure: `${figure(many / few)}×`,
      holds: many < 2 * few,
    },
  ];
}
