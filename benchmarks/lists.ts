/**
 * Does a list cost the same regardless of the number of records?
 *
 * The service as an operator starts it, over HTTP, with one organization that has 1,000 tasks, jobs and chats each, and
 * then a larger number of each (by default a million; BENCH_RECORDS). Each list is requested without a filter, by each
 * rare value, by the common one, and on a page in the middle, one request after the other; the medians are compared.
 * The records are copies of ones that the service has created.
 *
 * Then the cost of the indexes: the time of the same flush of jobs with and without the indexes that only lists need,
 * in turns on the same filled tables; the start of a service on them; and a batch of the sweep.
 */
import postgres from "postgres";
import { openDatabase } from "../db/client.ts";
import { sweepOnce, sweepsOf } from "../db/sweeps.ts";
import type { Aim, Benchmark, Report } from "./support/benchmark.ts";
import { startServer, type Server } from "./support/postgres.ts";
import { type RunningService, startService } from "./support/service.ts";
import { figure } from "./support/statistics.ts";
import { table } from "./support/table.ts";

const FEW = 1_000;
const MANY = Number(process.env["BENCH_RECORDS"] ?? 1_000_000);
/** Requests of each list; within the rate limit of one identity. */
const REQUESTS = 40;
const LARGEST_RATIO = 1.5;
/** Smaller differences are noise. */
const NOISE_MS = 0.5;
/** Records of one flush, and the number of timed flushes each way. */
const FLUSH_RECORDS = 200;
const FLUSHES = 15;
const LIST_INDEXES = ["job_status", "job_agent", "job_workspace", "job_mission"];

/** A query of a list. */
type Query = readonly [name: string, path: string];

export const benchmark: Benchmark = {
  question: "Does a list cost the same regardless of the number of records?",
  async run(context) {
    const server = await startServer(context.lifetime);
    const service = await startService(context.lifetime, server);
    const sql = postgres(server.url, { max: 1, onnotice: () => {} });
    context.lifetime.add(() => sql.end());
    const of = await firstRecords(service, sql);
    const queries = queriesOf(of);
    await fill(sql, of, 0, FEW);
    context.say(`${FEW} of each`);
    const few = await medians(service, queries);
    await fill(sql, of, FEW, MANY);
    context.say(`${MANY} of each`);
    const many = await medians(service, queries);
    const flush = await flushCost(sql, of);
    const startSeconds = await startCost(service);
    const sweepMs = await sweepCost(server);
    return report({ queries, few, many, flush, startSeconds, sweepMs });
  },
};

interface Records {
  readonly organizationId: string;
  readonly agentId: string;
  readonly chatId: string;
  readonly jobId: string;
  readonly taskId: string;
}

async function ask<T>(service: RunningService, method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(service.url + path, init);
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** One record of each kind, created by the service itself. */
async function firstRecords(service: RunningService, sql: postgres.Sql): Promise<Records> {
  const { agentId } = service;
  const { workspaces } = await ask<{ workspaces: { id: string }[] }>(service, "GET", "/api/workspaces");
  const chat = await ask<{ id: string }>(service, "POST", "/api/chats", {
    agent_id: agentId,
    workspace_id: workspaces[0]?.id,
  });
  const { job } = await ask<{ job: { id: string } }>(service, "POST", `/api/chats/${chat.id}/messages`, {
    content: "x",
  });
  for (let status = ""; status !== "completed";)
    ({ status } = await ask<{ status: string }>(service, "GET", `/api/jobs/${job.id}?since_version=1&wait=1`).catch(
      () => ({ status }),
    ));
  const { task } = await ask<{ task: { id: string } }>(service, "POST", "/api/v1/tasks", {
    title: "x",
    assignTo: agentId,
  });
  const [found] = await sql<{ organization_id: string }[]>`select organization_id from chat where id = ${chat.id}`;
  return { organizationId: found?.organization_id ?? "", agentId, chatId: chat.id, jobId: job.id, taskId: task.id };
}

/**
 * Writes the copies `from` to `to`, the oldest first; three of the oldest of a hundred thousand have the rare values.
 */
async function fill(sql: postgres.Sql, { organizationId, chatId, jobId, taskId }: Records, from: number, to: number) {
  const sources = [
    {
      name: "chat",
      id: chatId,
      prefix: "cht_",
      rare: { status: "error", agentId: "agt_few_have_this_agent__", workspaceId: "wsp_few_are_in_here______" },
    },
    {
      name: "job",
      id: jobId,
      prefix: "job_",
      rare: { status: "failed", workspaceId: "wsp_few_are_in_here______", missionId: "mis_few_are_of_this______" },
    },
    {
      name: "task",
      id: taskId,
      prefix: "task-",
      rare: { status: "cancelled", assignedTo: "usr_few_are_for_this_____", workspaceId: "wsp_few_are_in_here______" },
    },
  ];
  for (const { name, id, prefix, rare } of sources) {
    await sql`
      insert into ${sql(name)} (organization_id, id, version, body)
      select organization_id, copy.id, version, body || jsonb_build_object('id', copy.id, 'createdAt', copy.at, 'updatedAt', copy.at)
        || case when i % 33333 = 7 then ${sql.json(rare)} else '{}'::jsonb end
      from (select * from ${sql(name)} where organization_id = ${organizationId} and id = ${id}) original,
        generate_series(${from + 1}::int, ${to}::int) i,
        lateral (select ${prefix}::text || lpad(i::text, 21, '0') as id,
          to_char(timestamp '2026-01-01' + i * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at) copy`;
    await sql`vacuum analyze ${sql(name)}`;
  }
}

function queriesOf({ agentId }: Records): readonly Query[] {
  const middle = (plural: string, prefix: string) =>
    Buffer.from(JSON.stringify([plural, "2026-01-01T00:08:00.000Z", `${prefix}1`])).toString("base64url");
  return [
    ["tasks", "/api/tasks"],
    ["tasks, a later page", `/api/tasks?cursor=${middle("tasks", "task-")}`],
    ["tasks by a rare status", "/api/tasks?status=cancelled"],
    ["tasks by the most common status", "/api/tasks?status=pending"],
    ["tasks by an assignee with few tasks", "/api/tasks?assigned_to=usr_few_are_for_this_____"],
    ["tasks by assignee and status", `/api/tasks?assigned_to=${agentId}&status=cancelled`],
    ["chats", "/api/chats"],
    ["chats by a rare status", "/api/chats?status=error"],
    ["chats by an agent with few chats", "/api/chats?agent_id=agt_few_have_this_agent__"],
    ["chats by the agent with the most chats", `/api/chats?agent_id=${agentId}`],
    ["chats by agent and status", `/api/chats?agent_id=${agentId}&status=error`],
    ["jobs", "/api/jobs"],
    ["jobs by a rare status", "/api/jobs?status=failed"],
    ["jobs by the agent with the most jobs", `/api/jobs?agent_id=${agentId}`],
    ["jobs by a mission with few jobs", "/api/jobs?mission_id=mis_few_are_of_this______"],
    [
      "jobs by agent and a workspace with few jobs",
      `/api/jobs?agent_id=${agentId}&workspace_id=wsp_few_are_in_here______`,
    ],
    ["v1 tasks by a rare status", "/api/v1/tasks?status=cancelled"],
    ["v1 tasks, the newest thousand", "/api/v1/tasks"],
  ];
}

/** The median of each query, in ms. */
async function medians(service: RunningService, queries: readonly Query[]): Promise<number[]> {
  const times = queries.map((): number[] => []);
  for (let round = 0; round < REQUESTS; round++) {
    for (const [i, [, path]] of queries.entries()) {
      const from = performance.now();
      await ask(service, "GET", path);
      times[i]?.push(performance.now() - from);
    }
  }
  return times.map((each) => each.toSorted((a, b) => a - b)[each.length >> 1] ?? 0);
}

interface FlushCost {
  /** µs for each inserted record. */
  readonly insert: { readonly withIndexes: number; readonly without: number };
  /** µs for each record whose status changes. */
  readonly update: { readonly withIndexes: number; readonly without: number };
}

/** Writes copies of a job, and moves them to another status; with the indexes of lists, and without them. */
async function flushCost(sql: postgres.Sql, { organizationId, jobId }: Records): Promise<FlushCost> {
  const definitions = await sql<{ definition: string }[]>`
    select indexdef as definition from pg_indexes where indexname in ${sql(LIST_INDEXES)}`;
  const timed = async (salt: string) => {
    const times: { insert: number[]; update: number[] } = { insert: [], update: [] };
    for (let i = 0; i < FLUSHES; i++) {
      const from = performance.now();
      await sql`
        insert into job (organization_id, id, version, body)
        select organization_id, copy.id, version, body || jsonb_build_object('id', copy.id)
        from (select * from job where organization_id = ${organizationId} and id = ${jobId}) original,
          generate_series(1, ${FLUSH_RECORDS}::int) n,
          lateral (select 'job_' || ${salt}::text || ${String(i)}::text || '_' || n as id) copy`;
      const between = performance.now();
      await sql`
        update job set version = version + 1, body = body || '{"status": "running"}'
        where organization_id = ${organizationId} and id in
          (select 'job_' || ${salt}::text || ${String(i)}::text || '_' || n from generate_series(1, ${FLUSH_RECORDS}::int) n)`;
      times.insert.push(between - from);
      times.update.push(performance.now() - between);
    }
    const best = (each: readonly number[]): number => (Math.min(...each) / FLUSH_RECORDS) * 1_000;
    return { insert: best(times.insert), update: best(times.update) };
  };
  await timed("warm_");
  const first = await timed("with_");
  for (const name of LIST_INDEXES) await sql`drop index ${sql(name)}`;
  const without = await timed("without_");
  for (const { definition } of definitions) await sql.unsafe(definition);
  const last = await timed("again_");
  const withIndexes = {
    insert: Math.min(first.insert, last.insert),
    update: Math.min(first.update, last.update),
  };
  return {
    insert: { withIndexes: withIndexes.insert, without: without.insert },
    update: { withIndexes: withIndexes.update, without: without.update },
  };
}

/** From a kill of the service to its readiness, in seconds. */
async function startCost(service: RunningService): Promise<number> {
  const from = performance.now();
  await service.crash();
  return (performance.now() - from) / 1_000;
}

/** One batch of the sweep of jobs' events, in ms: the best of five. */
async function sweepCost(server: Server): Promise<number> {
  const database = openDatabase(server.url);
  const sweep = sweepsOf({ eventDays: 90 }).find(({ name }) => name === "job_events");
  if (sweep === undefined) throw new Error("there is a sweep of jobs' events");
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const from = performance.now();
    await sweepOnce(database, sweep, { now: Date.now() + 365 * 86_400_000, limit: 500 });
    times.push(performance.now() - from);
  }
  await database.close();
  return Math.min(...times);
}

interface Measured {
  readonly queries: readonly Query[];
  readonly few: readonly number[];
  readonly many: readonly number[];
  readonly flush: FlushCost;
  readonly startSeconds: number;
  readonly sweepMs: number;
}

function report({ queries, few, many, flush, startSeconds, sweepMs }: Measured): Report {
  const rows = queries.map(([name], i) => ({ name, few: few[i] ?? Number.NaN, many: many[i] ?? Number.NaN }));
  const grown = rows.filter((row) => row.many > row.few * LARGEST_RATIO && row.many - row.few > NOISE_MS);
  const worst = rows.reduce((most, row) => Math.max(most, row.many / row.few), 0);
  const aims: Aim[] = [
    {
      aim: `each list with ${figure(MANY)} records takes at most ${LARGEST_RATIO} × its time with ${figure(FEW)} (or ${NOISE_MS} ms more)`,
      figure: `${figure(worst)} × at most${grown.map(({ name }) => `; ${name}`).join("")}`,
      holds: grown.length === 0,
    },
  ];
  const { insert, update } = flush;
  const text = [
    table(
      ["median over HTTP, ms", `${figure(FEW)} records`, `${figure(MANY)} records`, "ratio"],
      rows.map((row) => [row.name, figure(row.few), figure(row.many), figure(row.many / row.few)]),
    ),
    table(
      [`time of one job in a flush of ${FLUSH_RECORDS}, µs`, "without these indexes", "with", "ratio"],
      [
        ["inserted", figure(insert.without), figure(insert.withIndexes), figure(insert.withIndexes / insert.without)],
        [
          "its status changed",
          figure(update.without),
          figure(update.withIndexes),
          figure(update.withIndexes / update.without),
        ],
      ],
    ),
    `The second table shows what those indexes cost that only lists need (${LIST_INDEXES.join(", ")}), on tables of ${figure(MANY)} records. They are four of the ten indexes of jobs, which have the most. After a kill the service was ready on these tables in ${figure(startSeconds)} s. One batch of the sweep of job events took ${figure(sweepMs)} ms.`,
  ].join("\n\n");
  return { text, aims, skipped: [] };
}
