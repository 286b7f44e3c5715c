/**
 * What happens when 1,000 jobs are requested at once?
 *
 * The service as an operator starts it, over HTTP, with an OpenAI-compatible provider in its own process that takes a
 * quarter of a second for each answer (25 pieces, one every 10 ms). 1,000 chats are created first; then 1,000 messages
 * are sent at once over 64 connections (within the rate limit of one identity). An organization that is alone has 48
 * job slots, and its other jobs wait in the database. The result is the time taken, beside the minimum with these slots.
 *
 * A job is lost if it has not succeeded according to the tables.
 */
import postgres from "postgres";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { DEFAULT_SLOTS, slotsAlone } from "../actors/job/run/slots.ts";
import { cpuOf, cpuOfTree } from "./support/cpu.ts";
import { startServer } from "./support/postgres.ts";
import { pssOf } from "./support/pss.ts";
import { type RunningService, startService } from "./support/service.ts";
import { figure } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker } from "./support/worker.ts";

const JOBS = 1_000;
const CONNECTIONS = 64;
const PIECES = 25;
const PIECE_MS = 10;
const ANSWER_SECONDS = (PIECES * PIECE_MS) / 1_000;
const SLOTS = slotsAlone(DEFAULT_SLOTS);
/** The minimum time with these slots. */
const LEAST_SECONDS = (JOBS / SLOTS) * ANSWER_SECONDS;
const LIMIT_SECONDS = 90;
const LOOK_MS = 50;

interface Measured {
  readonly acceptedSeconds: number;
  readonly doneSeconds: number;
  readonly lost: number;
  readonly cpuMs: number;
  /** CPU of PostgreSQL for each job. */
  readonly databaseMs: number;
  readonly bytesBefore: number;
  readonly bytesMost: number;
}

export const benchmark: Benchmark = {
  question: "What happens when 1,000 jobs are requested at once?",
  async run(context) {
    const { service, databasePid, sql, workspaceId } = await open(context);
    const chats = await spread(JOBS, () => chatIn(service, workspaceId));
    const databaseFrom = cpuOfTree(databasePid);
    const stormed = await storm(service, sql, chats);
    const measured = { ...stormed, databaseMs: ((cpuOfTree(databasePid) - databaseFrom) * 1_000) / JOBS };
    return { text: text(measured), aims: aims(measured), skipped: [] };
  },
};

async function open({ lifetime, say }: BenchmarkContext) {
  const server = await startServer(lifetime);
  const provider = startWorker<null, { port: number }>(lifetime, "stream-provider.ts");
  const { port } = await provider.ask(null);
  const service = await startService(lifetime, server, {
    MODEL: "openai:fake-model",
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
  });
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  lifetime.add(() => sql.end({ timeout: 1 }));
  const [organization] = await sql<{ id: string }[]>`select body ->> 'defaultWorkspaceId' as id from organization`;
  say(`the job slots need ${figure(LEAST_SECONDS)} s at least`);
  return { service, databasePid: server.pid, sql, workspaceId: organization?.id ?? "" };
}

async function storm(
  service: RunningService,
  sql: postgres.Sql,
  chats: readonly string[],
): Promise<Omit<Measured, "databaseMs">> {
  const [bytesBefore, cpuFrom, from] = [pssOf(service.pid), cpuOf(service.pid), performance.now()];
  const seconds = (): number => (performance.now() - from) / 1_000;
  const content = `deltas=${PIECES} every=${PIECE_MS}`;
  let acceptedSeconds = 0;
  let bytesMost = bytesBefore;
  let ended = 0;
  const sent = spread(chats.length, (i) => post(service, `/api/chats/${chats[i]}/messages`, { content })).then(
    () => (acceptedSeconds = seconds()),
  );
  while (ended < JOBS && seconds() < LIMIT_SECONDS) {
    await Bun.sleep(LOOK_MS);
    bytesMost = Math.max(bytesMost, pssOf(service.pid));
    const [row] = await sql<{ n: number }[]>`
      select count(*)::int as n from job where status in ('completed', 'failed', 'cancelled', 'blocked')`;
    ended = row?.n ?? 0;
  }
  const doneSeconds = seconds();
  await sent;
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from job where status = 'completed'`;
  const cpuMs = ((cpuOf(service.pid) - cpuFrom) * 1_000) / JOBS;
  return { acceptedSeconds, doneSeconds, lost: JOBS - (row?.n ?? 0), cpuMs, bytesBefore, bytesMost };
}

/** Makes `count` calls over a fixed number of connections. */
async function spread<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) answers[i] = await call(i);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  return answers;
}

async function chatIn(service: RunningService, workspaceId: string): Promise<string> {
  const chat = await post(service, "/api/chats", { agent_id: service.agentId, workspace_id: workspaceId });
  return chat["id"] as string;
}

async function post(service: RunningService, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${service.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const said = await answer.text();
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${said}`);
  return JSON.parse(said) as Record<string, unknown>;
}

const mebibytes = (bytes: number): string => figure(bytes / 1024 / 1024);

function text(measured: Measured): string {
  const { acceptedSeconds, doneSeconds, cpuMs, databaseMs, bytesBefore, bytesMost } = measured;
  const rows = table(
    ["1,000 jobs", ""],
    [
      ["all are accepted (committed and answered) after, s", figure(acceptedSeconds)],
      ["all have ended after s", figure(doneSeconds)],
      [`${SLOTS} job slots need at least, s`, figure(LEAST_SECONDS)],
      ["CPU of the service for each job, ms", figure(cpuMs)],
      ["CPU of PostgreSQL for each job, ms", figure(databaseMs)],
      ["memory of the service before the jobs, MiB", mebibytes(bytesBefore)],
      ["at most, MiB", mebibytes(bytesMost)],
      ["for each waiting or running job, KiB", figure((bytesMost - bytesBefore) / 1024 / JOBS)],
    ],
  );
  return `${rows}\n\n${whereItGoes(measured)}`;
}

/** What bounds the time: the slots, or the CPU that 1,000 jobs take. */
function whereItGoes({ cpuMs, databaseMs }: Measured): string {
  const [service, database] = [cpuMs, databaseMs].map((ms) => (ms * JOBS) / 1_000) as [number, number];
  return (
    `Two things bound the time: the slots, which need ${figure(LEAST_SECONDS)} s, and CPU. The jobs take ${figure(service)} s of the service's CPU, nearly all of it in one thread, ` +
    `and ${figure(database)} s of PostgreSQL's. The client and the provider, which sends ${(JOBS * PIECES).toLocaleString("en")} pieces, share the ${navigator.hardwareConcurrency} cores with both. ` +
    "With 16 slots, which an organization had until 2026-11-29, the slots were the bound (15.6 s)."
  );
}

function aims({ doneSeconds, lost, bytesBefore, bytesMost }: Measured) {
  const [slower, grown] = [doneSeconds / LEAST_SECONDS, (bytesMost - bytesBefore) / 1024 / JOBS];
  return [
    { aim: "none is lost", figure: `${lost} lost`, holds: lost === 0 },
    {
      aim: "all end within 1.5 times the time that the job slots need",
      figure: `${figure(slower)}×`,
      holds: slower <= 1.5,
    },
    { aim: "under 100 KiB of memory for each job", figure: `${figure(grown)} KiB`, holds: grown < 100 },
  ];
}
