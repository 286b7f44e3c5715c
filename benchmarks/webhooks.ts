/**
 * What does a webhook delivery cost?
 *
 * The whole service, in its own process, against a receiver over TLS on loopback that accepts everything. Events are
 * enqueued as by a request: a message in a commit.
 *
 *   Troupe         8 organizations, each with 16 events outstanding, of which 8 are in flight (HOOK-6). A
 *                  delivery is the event with its number, the row of its attempt, a signed request and the
 *                  end of the attempt, all committed to PostgreSQL (synced)
 *   guarded fetch  as many signed requests at once, by the same guarded client; nothing is stored
 *   bare fetch     the same by Bun's `fetch`: no deadline, no checks of the address, nothing stored
 *
 * The service, the receiver and PostgreSQL share the machine. So the service's CPU for each delivery shows what one
 * core can deliver.
 *
 * "Delay" is from the commit that enqueues the event to the head of its request at the receiver. The two runs of an
 * organization beside another one differ only in the other one's receiver, which answers or hangs: if it hangs, the
 * maximum of its requests already hang there, with open connections. The runs alternate in short slices, there and
 * back, so that short disturbances of the machine affect all of them alike: a disk that is slow for 20 ms is one
 * percent of a slice.
 *
 * Pending retries are written into the table by SQL, as if a receiver had failed for an hour; they all become due at
 * the same moment.
 */
import { availableParallelism } from "node:os";
import postgres from "postgres";
import { IN_FLIGHT_LIMIT } from "../actors/webhook/policy.ts";
import { createAuthority } from "../test/support/certificates.ts";
import type { Aim, Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { cpuOf, cpuOfTree } from "./support/cpu.ts";
import { startServer } from "./support/postgres.ts";
import { pssOf } from "./support/pss.ts";
import { figure, percentile, times } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import type { ReceiverAnswer, ReceiverQuestion } from "./support/webhook-receiver-worker.ts";
import type { WebhookAnswer, WebhookQuestion } from "./support/webhook-worker.ts";
import { startWorker, type Worker } from "./support/worker.ts";

const idsOf = (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => `org_${name}_${i}`);

/**
 * With 8 in flight each, this makes as many connections as Bun keeps open. With more, each request would cost a
 * handshake.
 */
const LOADED = idsOf("loaded", 8);
const OUTSTANDING = 2 * IN_FLIGHT_LIMIT;
const CALLERS = LOADED.length * IN_FLIGHT_LIMIT;
const [PACED, OTHER] = ["org_paced", "org_other"];
const PACE_MS = 5;
/** Slices of a round, in which the runs alternate. */
const SLICES = 4;

const FAILED = idsOf("failed", 50);
const RETRIES = 100_000;
/**
 * Time from writing the retries until they are due: long enough to write them, and to measure their memory while they
 * wait.
 */
const DUE_MS = 15_000;
const LOOK_MS = 50;
const MIB = 2 ** 20;

interface Figures {
  readonly perSecond: number;
  readonly serviceUs: number;
  readonly receiverUs: number;
  readonly databaseUs: number;
}

interface Retries {
  /** Additional MiB while all wait. */
  readonly waiting: number;
  /** The peak after they became due. */
  readonly due: number;
  readonly perSecond: number;
  /** The peak for as many requests at once with the guarded client alone. */
  readonly client: number;
}

interface Bench {
  readonly context: BenchmarkContext;
  readonly service: Worker<WebhookQuestion, WebhookAnswer>;
  readonly receiver: Worker<ReceiverQuestion, ReceiverAnswer>;
  readonly databasePid: number;
  readonly sql: postgres.Sql;
}

const CONTESTANTS = ["bare fetch", "guarded fetch", "Troupe"] as const;
type Contestant = (typeof CONTESTANTS)[number];
const PACES = ["alone", "beside one that answers", "beside one that hangs"] as const;
type Pace = (typeof PACES)[number];

export const benchmark: Benchmark = {
  question: "What does a webhook delivery cost?",
  async run(context) {
    const bench = await open(context);
    const best = new Map<Contestant, Figures>();
    const delays = new Map<Pace, number[]>(PACES.map((pace) => [pace, []]));
    for (let round = 1; round <= context.rounds; round++) {
      for (const name of CONTESTANTS) best.set(name, better(best.get(name), await load(bench, name)));
      for (let slice = 0; slice < SLICES; slice++)
        for (const pace of slice % 2 === 0 ? PACES : PACES.toReversed())
          delays.get(pace)!.push(...(await paced(bench, pace)));
      for (const [pace, of] of delays) context.say(`${pace}: ${waitsOf(of)}`);
    }
    const lost = await unaccounted(bench);
    const retries = await pendingRetries(bench);
    return { text: text(best, delays, retries), aims: aims({ best, delays, retries, lost }), skipped: [] };
  },
};

async function open(context: BenchmarkContext): Promise<Bench> {
  const { lifetime } = context;
  const authority = createAuthority("Authority of the benchmark");
  const server = await startServer(lifetime);
  const receiver = startWorker<ReceiverQuestion, ReceiverAnswer>(lifetime, "webhook-receiver-worker.ts");
  const { port } = await receiver.ask({ kind: "start", ...authority.issue(["hooks.test"]) });
  const service = startWorker<WebhookQuestion, WebhookAnswer>(lifetime, "webhook-worker.ts", {
    args: [server.url, String(port)],
    env: { BENCH_CA: authority.cert },
  });
  await service.ask({ kind: "configure", organizations: [...LOADED, ...FAILED], path: "/hook" });
  await service.ask({ kind: "configure", organizations: [PACED], path: "/timed" });
  await service.ask({ kind: "configure", organizations: [OTHER], path: "/other" });
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  lifetime.add(() => sql.end({ timeout: 1 }));
  return { context, service, receiver, databasePid: server.pid, sql };
}

async function load({ context, service, receiver, databasePid }: Bench, name: Contestant): Promise<Figures> {
  const { seconds } = context;
  const [from, receiverFrom, databaseFrom] = [performance.now(), cpuOf(receiver.pid), cpuOfTree(databasePid)];
  const { perSecond, cpuUs } = await service.ask(
    name === "Troupe"
      ? { kind: "deliver", organizations: LOADED, outstanding: OUTSTANDING, seconds }
      : { kind: name === "bare fetch" ? "fetch" : "guarded_fetch", callers: CALLERS, seconds },
  );
  // The counts include the warm-up, so they are divided by the deliveries of the whole time.
  const all = (perSecond * (performance.now() - from)) / 1_000;
  const receiverUs = ((cpuOf(receiver.pid) - receiverFrom) * 1e6) / all;
  const databaseUs = ((cpuOfTree(databasePid) - databaseFrom) * 1e6) / all;
  context.say(`${name}: ${figure(perSecond)}/s, ${figure(cpuUs)} µs of the service's CPU`);
  return { perSecond, serviceUs: cpuUs, receiverUs, databaseUs };
}

function better(before: Figures | undefined, run: Figures): Figures {
  if (before === undefined) return run;
  return {
    perSecond: Math.max(before.perSecond, run.perSecond),
    serviceUs: Math.min(before.serviceUs, run.serviceUs),
    receiverUs: Math.min(before.receiverUs, run.receiverUs),
    databaseUs: Math.min(before.databaseUs, run.databaseUs),
  };
}

/** The delays of the first organization's deliveries, in ms. */
async function paced({ context, service, receiver }: Bench, pace: Pace): Promise<number[]> {
  const organizations = pace === "alone" ? [PACED] : [PACED, OTHER];
  const count = Math.max(20, Math.round((context.seconds * 1_000) / PACE_MS / SLICES));
  if (pace === "beside one that hangs") {
    await receiver.ask({ kind: "hang" });
    await service.ask({ kind: "leave", organizations: [OTHER], count: IN_FLIGHT_LIMIT });
    while ((await receiver.ask({ kind: "count" })).waiting < IN_FLIGHT_LIMIT) await Bun.sleep(LOOK_MS);
  }
  const { commits } = await service.ask({ kind: "pace", organizations, count, everyMs: PACE_MS });
  const { arrivals } = await receiver.ask({ kind: "answer" });
  await service.ask({ kind: "calm", organizations });
  const arrivedAt = new Map(arrivals);
  const delays = commits.map(([mark, at]) => (arrivedAt.get(mark) ?? Number.NaN) - at);
  if (delays.some(Number.isNaN)) throw new Error("an event has not arrived");
  return delays;
}

function waitsOf(delays: number[]): string {
  delays.sort((a, b) => a - b);
  return `p50 ${figure(percentile(delays, 0.5))}, p99 ${figure(percentile(delays, 0.99))} ms`;
}

/** Deliveries that have ended but are not in the ledger as delivered, or the other way round. */
async function unaccounted({ service, sql }: Bench): Promise<number> {
  const { ended } = await service.ask({ kind: "count" });
  const [row] = await sql<{ delivered: number; others: number }[]>`
    select count(*) filter (where status = 'success')::int as delivered,
      count(*) filter (where status <> 'success')::int as others from webhook_attempt`;
  return Math.abs((row?.delivered ?? 0) - ended) + (row?.others ?? 0);
}

/** The number of requests in flight when all become due at once. */
const DUE_CALLERS = FAILED.length * IN_FLIGHT_LIMIT;

async function pendingRetries({ context, service, sql }: Bench): Promise<Retries> {
  // One event of each organization, whose deliveries are then rewritten by SQL.
  await service.ask({ kind: "pace", organizations: FAILED, count: 1, everyMs: 0 });
  await service.ask({ kind: "calm", organizations: FAILED });
  const memory = (): number => pssOf(service.pid) / MIB;
  const tidied = (): Promise<number> => service.ask({ kind: "tidy" }).then(memory);
  const seconds = 2 * context.seconds;
  const beforeClient = await tidied();
  const callers = { kind: "guarded_fetch", callers: DUE_CALLERS, seconds } as const;
  const client = (await mostOf(memory, service.ask(callers))) - beforeClient;
  const before = await tidied();
  const dueAt = Date.now() + DUE_MS;
  await writeRetries(sql, dueAt);
  await service.ask({ kind: "look", organizations: FAILED });
  const tidy = await tidied();
  const waiting = Date.now() < dueAt ? tidy - before : Number.NaN;
  await Bun.sleep(Math.max(0, dueAt - Date.now()));
  const [first, from] = [await service.ask({ kind: "count" }), performance.now()];
  const due = (await mostOf(memory, Bun.sleep(seconds * 1_000))) - before;
  const last = await service.ask({ kind: "count" });
  const perSecond = ((last.ended - first.ended) * 1_000) / (performance.now() - from);
  context.say(
    `retries: ${figure(waiting)} MiB, due ${figure(due)} MiB (client alone ${figure(client)}), ${figure(perSecond)}/s`,
  );
  return { waiting, due, perSecond, client };
}

/** The peak while some work ran. */
async function mostOf(memory: () => number, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const done = work.finally(() => (isOver = true));
  let most = memory();
  while (!isOver) {
    await Bun.sleep(LOOK_MS);
    most = Math.max(most, memory());
  }
  await done;
  return most;
}

/** Writes many second attempts of the one delivery that each organization has. */
async function writeRetries(sql: postgres.Sql, dueAt: number): Promise<void> {
  const pending = { status: "pending", attempt: 2, failures: 1, httpStatus: null, durationMs: null };
  const fields = JSON.stringify({ ...pending, dueAt: new Date(dueAt).toISOString() });
  const written = await sql`
    insert into webhook_attempt (organization_id, id, version, body)
    select organization_id, id || '_' || n, version, body || ${fields}::text::jsonb
      || jsonb_build_object('id', id || '_' || n, 'deliveryKey', 'dlk_' || id || '_' || n)
    from webhook_attempt cross join generate_series(1, ${RETRIES / FAILED.length}::int) as n
    where organization_id in ${sql(FAILED)}`;
  if (written.count !== RETRIES) throw new Error(`${written.count} retries were written`);
}

function text(
  best: ReadonlyMap<Contestant, Figures>,
  delays: ReadonlyMap<Pace, readonly number[]>,
  retries: Retries,
): string {
  const loads = table(
    [`${CALLERS} in flight`, "requests/s", "service CPU µs", "receiver CPU µs", "PostgreSQL CPU µs"],
    CONTESTANTS.map((name) => {
      const { perSecond, serviceUs, receiverUs, databaseUs } = best.get(name)!;
      return [name, ...[perSecond, serviceUs, receiverUs, name === "Troupe" ? databaseUs : 0].map(figure)];
    }),
  );
  const waits = table(
    [`commit to receiver, one event every ${PACE_MS} ms`, "p50 ms", "p99 ms"],
    PACES.map((pace) => [pace, ...[0.5, 0.99].map((part) => figure(percentile(delays.get(pace)!, part)))]),
  );
  const memory = table(
    [`${figure(RETRIES)} pending retries of ${FAILED.length} organizations`, ""],
    [
      ["memory of the service while they wait, MiB more", figure(retries.waiting)],
      ["peak after all have fallen due at once, MiB more", figure(retries.due)],
      [`${DUE_CALLERS} concurrent requests of the guarded client alone, MiB more`, figure(retries.client)],
      ["delivered per second then", figure(retries.perSecond)],
    ],
  );
  return [loads, notes(best), waits, memory, MEMORY_NOTE].join("\n\n");
}

/**
 * Why half of the rate of bare fetches is out of reach: the CPU that the machine could spend on each delivery then, and
 * the actual cost.
 */
function notes(best: ReadonlyMap<Contestant, Figures>): string {
  const [bare, guarded, ours] = CONTESTANTS.map((name) => best.get(name)!) as [Figures, Figures, Figures];
  const left = (availableParallelism() * 1e6) / (bare.perSecond / 2);
  const [client, service] = [guarded.serviceUs, ours.serviceUs];
  const all = service + ours.receiverUs + ours.databaseUs;
  return (
    "**Where the time goes.** A delivery has three commits more than a bare request: one stores the event, one gives it a number and an attempt, " +
    `and one records the end of the attempt. Half the rate of bare fetches would leave ${figure(left)} µs of all cores for ` +
    `each delivery; the service, the receiver and PostgreSQL take ${figure(all)} µs, and without PostgreSQL it would still be ${figure(service + ours.receiverUs)} µs. ` +
    `So the aim is out of reach while a delivery is recorded. Of the service's ${figure(service)} µs the guarded client takes ${figure(client)}.\n\n` +
    "By a profile of 2026-11-21, two fifths of the rest put 4 KB of JSON for each delivery (the event as a message and " +
    "as a row, its attempt twice) into text and onto the socket; the other part is the turns. Of PostgreSQL's CPU " +
    "a quarter read that JSON and a sixth was the kernel's (the socket, the WAL, the disk). The " +
    "rest changed rows with their indexes: three are inserted, one is updated, one is deleted, and effects and feeds take a share each. " +
    "Since 2026-11-29 a commit sends only the changed fields of a feed (docs/decisions/0066), so there is less JSON now. Since 2026-11-26 the " +
    "measured process runs the whole service, not only what delivers."
  );
}

const MEMORY_NOTE =
  "When all fall due at once, most of the memory is the client's: connections, their TLS, and garbage of finished requests that has not been collected yet. An organization holds at most 32 ready attempts and 128 records. A negative figure means that memory of the work before was freed meanwhile.";

interface Findings {
  readonly best: ReadonlyMap<Contestant, Figures>;
  readonly delays: ReadonlyMap<Pace, readonly number[]>;
  readonly retries: Retries;
  readonly lost: number;
}

function aims({ best, delays, retries, lost }: Findings): Aim[] {
  const [bare, ours] = [best.get("bare fetch")!, best.get("Troupe")!];
  const [ratio, ofOneCore] = [ours.perSecond / bare.perSecond, 1e6 / ours.serviceUs];
  const p99 = (pace: Pace): number => percentile(delays.get(pace)!, 0.99);
  const [p50, slower] = [
    percentile(delays.get("alone")!, 0.5),
    p99("beside one that hangs") / p99("beside one that answers"),
  ];
  return [
    { aim: "every delivery is recorded", figure: `${lost} are not`, holds: lost === 0 },
    { aim: "at least half as many per second as bare fetches", figure: times(ratio), holds: ratio >= 0.5 },
    {
      aim: "at least 3,000 per second on one core of the service",
      figure: `${figure(ofOneCore)}/s`,
      holds: ofOneCore >= 3_000,
    },
    { aim: "commit to the receiver: p50 under 5 ms", figure: `${figure(p50)} ms`, holds: p50 < 5 },
    {
      aim: "beside an organization whose receiver hangs: at most 1.2× the p99 beside one that answers",
      figure: times(slower),
      holds: slower <= 1.2,
    },
    {
      aim: `${figure(RETRIES)} waiting retries: at most 8 MiB of memory`,
      figure: `${figure(retries.waiting)} MiB`,
      holds: retries.waiting <= 8,
    },
    {
      aim: "and at most 64 MiB when all fall due at once",
      figure: `${figure(retries.due)} MiB`,
      holds: retries.due <= 64,
    },
  ];
}
