/**
 * What does one organization's flood cost another one's small requests?
 *
 * One service as an operator starts it, on a PostgreSQL of its own. Organization B creates a small task and reads
 * an agent so many times a second, at fixed times. Slices follow each other:
 *
 *   alone   B asks the service, and nobody else does
 *   flood   the same while an organization of its own does one of ten floods
 *   bare    the same while the generator floods a bare server instead: what it takes from a machine of a few cores
 *   floor   B asks the flooded bare server: what such a flood costs in a server of one event loop that does nothing
 *
 * The median of the rounds counts (BENCH_ROUNDS=5 is what the figures need): one sync of a disk that
 * takes 100 ms is the p99 of a whole slice, beside a flood or not. Attackers have machines of their own, and here they are processes on
 * the cores of what is measured: generators, hostile servers and slow receivers have what of the cores nobody else
 * wants (`lowest`), and their cost is in the bare columns, so that the figure says what the service does. How many
 * requests a second they came to is in the table. What the kernel does for their packets knows no priority; it is in
 * the floor.
 *
 * B is on a machine of its own in life too. What its client has waited for a core when the answer was there is not
 * part of a latency, in no column; its p99 beside the flood is in the table. What the service's event loop waited for
 * a core is part of it, and is in the table as a part of the time: there PostgreSQL, the service's own other threads
 * and its children were running, or what the kernel did for packets.
 *
 * Bodies held open share a line of 1 Gbit/s, 125 MB/s in slices of 16 KiB (`support/line.ts`). Without it the
 * loopback takes each body of 1 MiB at once and carries up to 650 MB/s, which no such line does, and the service pays
 * for it in the kernel. 2,000 connections try; who is refused comes back after 0.5 to 1.5 s, around the `Retry-After`
 * of 1 s. So some 2,000 bodies a second are begun and refused after a few slices each, which alone does not always
 * fill the line, and the service holds as many as it lets one token have: 32. The text says what was refused, carried
 * and held. The other floods wait for an answer before they send more, and have no line.
 *
 * BENCH_FLOODS=reads,executes runs these only.
 */
import type { Aim, Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { cpuOf, waitOf } from "./support/cpu.ts";
import { FLOOD_NAMES, type FloodPlan, type FloodWorld, planned, startHostile } from "./support/floods.ts";
import type { FloodAnswer, FloodQuestion } from "./support/flood-worker.ts";
import { createTask, readAgent } from "./support/http-requests.ts";
import { administer, asked, newOrganization } from "./support/organization.ts";
import { startServer } from "./support/postgres.ts";
import type { Probe, ProbeAnswer } from "./support/probe-worker.ts";
import { pssOf } from "./support/pss.ts";
import { type RunningService, startService } from "./support/service.ts";
import { figure, percentile, times } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker, type Worker } from "./support/worker.ts";

/** Of B, of each kind. */
const PER_SECOND = 100;
/** Of B's p99 alone. */
const MOST = 3;
/** Until what a flood has begun is over. */
const REST_MS = 1_500;
/** Nothing else than what is measured may refuse: a flood that is limited by the number of its requests, or of what it has made, is none. */
const SETTINGS = {
  RATE_BUDGETS: "*=999999999",
  QUOTAS: "agents=unlimited,tasks=unlimited,chats=unlimited,stored_rows=unlimited,stored_bytes=unlimited",
  EGRESS_ALLOW: "127.0.0.1",
};

type Situation = "alone" | "flood" | "bare" | "floor";
const SITUATIONS: readonly Situation[] = ["alone", "flood", "bare", "floor"];

/** The p99 of each round, in ms. */
interface Rounds {
  readonly writes: number[];
  readonly reads: number[];
}

interface Measured {
  readonly rounds: Readonly<Record<Situation, Rounds>>;
  readonly answers: Record<string, number>;
  /** Requests of the flood, in all rounds. */
  sent: number;
  /** The fewest of any round. */
  held: number;
  /** Of the line, in all rounds. */
  sentMb: number;
  floodSeconds: number;
  refused: number;
  /** Seconds for which the service's event loop wanted to run and had no core, of each second; the most of any round. */
  loopWait: number;
  /** Of B's client, the same; the p99 of the worst round, in ms. Not part of the latencies. */
  clientWait: number;
  loopBusy: number;
  pssMib: number;
}

interface Stage {
  readonly service: RunningService;
  readonly probes: Worker<Probe, ProbeAnswer>;
  readonly probe: Probe;
  readonly flood: Worker<FloodQuestion, FloodAnswer>;
  readonly barePort: number;
}

export const benchmark: Benchmark = {
  question: "What does one organization's flood cost another one's small requests?",
  async run(context) {
    const { lifetime } = context;
    const service = await startService(lifetime, await startServer(lifetime), SETTINGS);
    const world: FloodWorld = { service, lifetime, hostileUrl: await startHostile(lifetime) };
    const bystander = await newOrganization(service, "bystander");
    const { id: agentId } = await asked(service, bystander, ["POST", "/api/agents"], {
      name: "Ada",
      system_prompt: "Be brief.",
    });
    const bare = startWorker<object, { readonly port: number }>(lifetime, "flood-target-worker.ts");
    const requests = { writes: createTask(bystander), reads: readAgent({ token: bystander.token, agentId }) };
    const stage: Stage = {
      service,
      probes: startWorker<Probe, ProbeAnswer>(lifetime, "probe-worker.ts"),
      probe: { port: service.port, requests, perSecond: PER_SECOND, seconds: context.seconds },
      flood: startWorker<FloodQuestion, FloodAnswer>(lifetime, "flood-worker.ts", { isLow: true }),
      barePort: (await bare.ask({})).port,
    };
    await stage.probes.ask(stage.probe);
    const results: [string, Measured][] = [];
    for (const name of chosen()) results.push([name, await measured(context, stage, await planned(world, name))]);
    return report(results);
  },
};

function chosen(): readonly string[] {
  const wanted = process.env["BENCH_FLOODS"];
  if (wanted === undefined || wanted === "") return FLOOD_NAMES;
  return FLOOD_NAMES.filter((name) => wanted.split(",").includes(name));
}

async function measured(context: BenchmarkContext, stage: Stage, plan: FloodPlan): Promise<Measured> {
  const none = (): Rounds => ({ writes: [], reads: [] });
  const of: Measured = {
    rounds: { alone: none(), flood: none(), bare: none(), floor: none() },
    answers: {},
    sent: 0,
    held: Number.POSITIVE_INFINITY,
    sentMb: 0,
    floodSeconds: 0,
    refused: 0,
    loopWait: 0,
    clientWait: 0,
    loopBusy: 0,
    pssMib: 0,
  };
  for (let round = 0; round < context.rounds; round++)
    for (const situation of SITUATIONS) await slice(stage, plan, situation, of);
  const [ratio, bare, floor] = [ratioOf(of, "flood"), ratioOf(of, "bare"), ratioOf(of, "floor")];
  const answers = JSON.stringify(of.answers);
  context.say(
    `${plan.name}: writes ${times(ratio.writes)}, reads ${times(ratio.reads)}; beside the bare server ` +
      `${times(bare.writes)}, ${times(bare.reads)}; the flooded bare server ${times(floor.writes)}, ${times(floor.reads)}; alone ${figure(median(of.rounds.alone.writes))} and ` +
      `${figure(median(of.rounds.alone.reads))} ms; the flood asked ${figure(perSecond(of))} times a second, was answered ${answers}, held ${figure(of.held)} bodies and sent ${figure(of.sentMb)} MB in ${figure(of.floodSeconds)} s; busy ${figure(of.loopBusy)}, without a core ${figure(of.loopWait)} (client p99 ${figure(of.clientWait)} ms), ${figure(of.pssMib)} MiB`,
  );
  return of;
}

async function slice(stage: Stage, plan: FloodPlan, situation: Situation, of: Measured): Promise<void> {
  const { service, probes, probe, flood, barePort } = stage;
  if (situation !== "alone") {
    const port = situation === "flood" ? service.port : barePort;
    await flood.ask({ kind: "start", port, flood: plan.flood });
  }
  const [cpu, waited, from] = [cpuOf(service.pid), waitOf(service.pid), performance.now()];
  const answer = await probes.ask(situation === "floor" ? { ...probe, port: barePort } : probe);
  if (situation === "flood") {
    const seconds = (performance.now() - from) / 1_000;
    of.loopBusy = Math.max(of.loopBusy, (cpuOf(service.pid) - cpu) / seconds);
    of.loopWait = Math.max(of.loopWait, (waitOf(service.pid) - waited) / seconds);
    of.clientWait = Math.max(of.clientWait, p99(Object.values(answer.waits).flat()));
    of.pssMib = Math.max(of.pssMib, pssOf(service.pid) / 1024 / 1024);
  }
  if (situation !== "alone") {
    const { answers, sent, held, sentBytes, seconds } = await flood.ask({ kind: "stop" });
    if (situation === "flood") {
      of.held = Math.min(of.held, held);
      of.sent += sent;
      of.sentMb += sentBytes / 1_000_000;
      of.floodSeconds += seconds;
      for (const [status, count] of Object.entries(answers)) of.answers[status] = (of.answers[status] ?? 0) + count;
      await administer(service, "jobs cancel", { org: plan.organization.id });
    }
    await Bun.sleep(REST_MS);
  }
  for (const kind of ["writes", "reads"] as const) of.rounds[situation][kind].push(p99(withoutWaits(answer, kind)));
  if (situation === "flood") of.refused += Object.values(answer.refused).reduce((sum, count) => sum + count, 0);
}

/** B's client is on a machine of its own in life: while it waited here for a core, the service had answered. */
const withoutWaits = ({ latencies, waits }: ProbeAnswer, kind: string): readonly number[] =>
  (latencies[kind] ?? []).map((ms, i) => ms - (waits[kind]?.[i] ?? 0));

const p99 = (samples: readonly number[]): number =>
  percentile(
    [...samples].sort((a, b) => a - b),
    0.99,
  );

/** What traces of the scheduler, of the service's turns and of its statements showed; one or two slices of each. */
const WHERE =
  "Where it goes: the service's turns of the event loop, its statements and who had the cores were traced, one or two slices of each flood beside other work on the machine, so CPU and causes count, and times do not. " +
  "**The cores**: the event loop waited for a core for 0.4 to 2.1 times as long as it had one, while PostgreSQL ran, or threads that compile and collect. When that was traced, the flood's processes had no sessions of their own, and took cores from PostgreSQL too: beside hostile pages, a statement of 1 KB of B's was answered after 50 ms, in which its process had 0.6 ms of CPU and waited 48 for a core, while the hostile server had one. " +
  "**Streams, a slow webhook receiver**: B's commits went with, or after, statements of some 30 groups of A's; statements took 8 to 10 ms in the mean, and up to 44. A's groups go in a statement of their own now (FAIR-3). The longest turns had 34 to 39 ms of CPU, sections of the service's code 14 at most, and those 14 were a read of a record in memory: most of it are probably collections of garbage. " +
  "**200 KB messages**: statements of A's, of 1.2 MB, took 22 ms in the mean and up to 48, beside the small ones of B's; the longest turns had 15 to 33 ms of CPU, sections of runs up to 8. Of long conversations and answers one is begun or reported in a slice now (FAIR-9). " +
  "**Bodies held open**: the longest turn had 7 ms, and five had more than 4. **Hostile pages**: the longest 5 to 8, and at most five had more than 4. **A hostile MCP server**: 14 to 16 had more than 4 ms, and the longest 26 to 33, in the first second and a half. With nobody else at work the longest turn has 4 to 7 ms. " +
  "**Streams, traced again**, with each turn of the loop, each collection and the profile of its functions: the loop was ready for 92 % of the time. Turns of more than 5 ms took 1.1 of 1.9 s; those of 20 to 40 ms of CPU had 2 to 10 in sections that are measured, and collections of garbage (1 to 2 pauses of more than 4 ms in a slice) were the lesser part of the rest. The largest part were the ends of groups after a commit, thirty at once; they are spread over turns now (FAIR-3). Next is what the cores do: where the loop sends a statement, PostgreSQL often takes its core, 157 times for 8 ms in the mean in one run, and a batch policy of the scheduler for PostgreSQL changed nothing that could be told from noise. The compilers' threads take 0.2 to 0.3 of a core.";

/** Of the flood, answered or not. */
const perSecond = ({ sent, floodSeconds }: Measured): number => sent / floodSeconds;

const median = (values: readonly number[]): number =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

/** Each round's p99 is compared with that of the same round alone. */
const ratioOf = ({ rounds }: Measured, situation: Situation): { readonly writes: number; readonly reads: number } => {
  const of = (kind: keyof Rounds) =>
    median(rounds[situation][kind].map((value, round) => value / (rounds.alone[kind][round] ?? Number.NaN)));
  return { writes: of("writes"), reads: of("reads") };
};

function report(results: readonly (readonly [string, Measured])[]) {
  const head = [
    "A's flood",
    "writes alone",
    "beside the flood",
    "beside a bare server",
    "of that",
    "floor",
    "reads alone",
    "beside the flood",
    "beside a bare server",
    "of that",
    "floor",
    "requests a second",
    "service's CPU",
    "its loop without a core",
    "B's client without one",
    "PSS MiB",
  ];
  const rows = results.map(([name, of]) => {
    const [ratio, bare, floor] = [ratioOf(of, "flood"), ratioOf(of, "bare"), ratioOf(of, "floor")];
    const { alone } = of.rounds;
    return [
      name,
      `${figure(median(alone.writes))} ms`,
      times(ratio.writes),
      times(bare.writes),
      times(ratio.writes / bare.writes),
      times(floor.writes),
      `${figure(median(alone.reads))} ms`,
      times(ratio.reads),
      times(bare.reads),
      times(ratio.reads / bare.reads),
      times(floor.reads),
      figure(perSecond(of)),
      figure(of.loopBusy),
      figure(of.loopWait),
      `${figure(of.clientWait)} ms`,
      figure(of.pssMib),
    ];
  });
  const held = results.find(([, { sentMb }]) => sentMb > 0)?.[1];
  const line =
    held === undefined
      ? ""
      : `Bodies held open come over a line of 1 Gbit/s: it carried ${figure(held.sentMb / held.floodSeconds)} MB/s, ${figure((held.answers["503"] ?? 0) / held.floodSeconds)} bodies a second were refused, and ${figure(held.held)} or more were held at the end of each slice. `;
  const text =
    `B creates ${PER_SECOND} small tasks and reads ${PER_SECOND} agents a second. p99, and its multiple of B's alone; the median of the rounds. ` +
    `Beside a bare server: while the same generator floods that, which says what it takes from this machine; "of that" is the flood's multiple divided by it. The floor: B asks the flooded bare server itself. ` +
    `Requests a second are those that the flood has sent. Without a core: the part of the time in which the service's event loop was ready and had none, and the p99 of what B's client waited for one, which no latency has in it.\n\n${table(head, rows)}\n\n${line}${WHERE}`;
  return { text, aims: results.map(([name, of]) => aim(name, of)), skipped: [] };
}

function aim(name: string, of: Measured): Aim {
  const { writes, reads } = ratioOf(of, "flood");
  return {
    aim: `p99 of another organization's small requests beside ${name}: under ${MOST}× that alone, and none refused`,
    figure: `writes ${times(writes)}, reads ${times(reads)}`,
    holds: writes < MOST && reads < MOST && of.refused === 0,
  };
}
