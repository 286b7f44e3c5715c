/**
 * What does one organization's flood cost another one's small requests?
 *
 * One service as an operator starts it, on its own PostgreSQL. Organization B creates a small task and reads an agent
 * many times a second, at fixed times. The run is a sequence of slices:
 *
 *   alone   B asks the service, and nobody else does
 *   flood   the same while another organization does one of the floods of `support/floods.ts`
 *   bare    the same while the generator floods a bare server instead: its own cost on a machine with few cores
 *   floor   B asks the flooded bare server: the cost of the flood in a minimal server with one event loop
 *
 * The result is the median of the rounds, because one slow disk sync of 100 ms decides the p99 of a whole slice, with
 * or without a flood. A slice takes at least five seconds, so that its p99 is that of 500 requests of a kind. The p99
 * of 200 is the second worst, which a single pause decides, and B alone then looks three times as slow as it is.
 *
 * Real attackers have their own machines; here they share the cores with the service. So generators, hostile servers
 * and slow receivers get only idle CPU (`lowest`); the table has their requests per second. But the kernel's work for
 * their packets has no priority. So there are two aims for B's p99 beside the flood: as a multiple of that alone, and
 * as a multiple of that while the same generator floods a bare server and the service serves only B, which is the lower
 * bound on this machine.
 *
 * B also has its own machine in reality. So no latency includes the time for which B's client waited for a core
 * although the answer had arrived; the table has the p99 of that wait. Latencies do include the time for which the
 * service's event loop waited for a core, which the table has as a fraction: then PostgreSQL, the service's other
 * threads, its children, or the kernel's packet handling were running.
 *
 * Bodies held open share a simulated line of 1 Gbit/s, 125 MB/s in slices of 16 KiB (`support/line.ts`). Without it,
 * the loopback accepts each body of 1 MiB at once and carries up to 650 MB/s, at the service's expense in the kernel.
 * 2,000 connections try; a refused one retries after 0.5 to 1.5 s, around the `Retry-After` of 1 s. So some 2,000
 * bodies a second are begun and refused after a few slices each, which alone does not always fill the line, and the
 * service holds as many as it allows one token: 32. The text reports refusals, bytes and held bodies. The other floods
 * wait for an answer before they send more, and need no line.
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

/** B's requests per second, of each kind. */
const PER_SECOND = 100;
/** The most of B's p99 beside a flood, as a multiple of that alone. */
const MOST = 3;
/** The shortest slice. */
const LEAST_SECONDS = 5;
/** The pause after a flood until its work is over. */
const REST_MS = 1_500;
/** No other limit may refuse requests: rate limits or quotas would end the flood. */
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
  /** Held bodies; the fewest of any round. */
  held: number;
  /** MB sent over the line, in all rounds. */
  sentMb: number;
  floodSeconds: number;
  refused: number;
  /** The fraction of time for which the service's event loop was runnable without a core; the worst round. */
  loopWait: number;
  /** The same wait of B's client; the p99 of the worst round, in ms. Not part of the latencies. */
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
      probe: {
        port: service.port,
        requests,
        perSecond: PER_SECOND,
        seconds: Math.max(LEAST_SECONDS, context.seconds),
      },
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

/** Subtracts the client's waits for a core: a real client has its own machine, and the service had already answered. */
const withoutWaits = ({ latencies, waits }: ProbeAnswer, kind: string): readonly number[] =>
  (latencies[kind] ?? []).map((ms, i) => ms - (waits[kind]?.[i] ?? 0));

const p99 = (samples: readonly number[]): number =>
  percentile(
    [...samples].sort((a, b) => a - b),
    0.99,
  );

/**
 * Findings from traces: turns of the event loop, its sections, profiles, statements; a few slices of each, on an
 * otherwise idle machine.
 */
const WHERE = [
  "**Where the time goes** (traces of 2026-11-23 and 24):",
  [
    "- *The machine.* While the generator floods a bare server in another process and the service serves B alone, B's reads have three to ten times their quiet p99, and its writes up to two and a half times. A quiet read takes half a millisecond at p99, which is less than the time for which another process takes a core. The flooded bare server itself answers B's reads at a p99 of up to 7 ms. So no service on these two cores can keep reads under three times the quiet ones. The aims beside a bare server measure the service's own part.",
    "- *The loop.* Beside a flood of streams it was ready for 92 % of the time, until the organization that fills it was throttled (FAIR-11, docs/decisions/0046). Throttling lowered the p99 of writes beside messages of 200 KB from 33 to between 14 and 20 ms, and beside a hostile MCP server from 29 to between 16 and 21 ms; reads went from 10 and 13 to between 6 and 8 ms. A share lower than 40 % makes no difference beyond the noise.",
    "- *The disk and PostgreSQL.* With the database in memory, B's writes beside a hostile MCP server took 1.7 instead of 3.4 ms at p50, and 15 instead of 24 ms at p99. That was before large work paused after its commits. A new WAL segment of 16 MB delayed all commits by 30 to 60 ms; one of 2 MB delays them by 5.",
    "- *Messages of 200 KB.* What remains are turns of 6 to 12 ms in which a long statement is built and sent. It contained each message four times; since 2026-11-29 it contains it twice (docs/decisions/0066).",
    "- *Bodies held open.* The longest turn of the loop had 7 ms of CPU and five had more than 4, where the longest has 4 to 7 ms with nobody else at work (2026-11-23). So it is not the length of turns; what else a refused body costs beyond the bare server has not been profiled.",
    "- *MCP batches* (2026-11-29). While only the beginning of a message's work was charged, turns took 4 ms of CPU at p99 and up to 14, and the organization was charged for 13 to 38 ms of a second; now 3, up to 6, and 59 to 96 ms. The first message loads the SDK of MCP, in two parts of about 10 and 30 ms of CPU. In the round with that first message, B's reads had a p99 of 19 ms (32 if the SDK was loaded in one part), and 4 to 8 ms in later rounds.",
    "- *Collections and the compiler.* A garbage collection takes 6 ms at most (of 220 in ten seconds, one in ten took more than 2), and the compiler's threads a fifth of the process's CPU in the first minute.",
  ].join("\n"),
].join("\n\n");

/** The flood's requests per second, answered or not. */
const perSecond = ({ sent, floodSeconds }: Measured): number => sent / floodSeconds;

const median = (values: readonly number[]): number =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

/** Compares each round's p99 with that of the same round alone. */
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
    "requests per second",
    "service's CPU",
    "service's loop waits for a core",
    "B's client waits for a core",
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
      ? []
      : [
          `Bodies held open arrive over a line of 1 Gbit/s. It carried ${figure(held.sentMb / held.floodSeconds)} MB/s, the service refused ${figure((held.answers["503"] ?? 0) / held.floodSeconds)} bodies a second, and at the end of each slice it held at least ${figure(held.held)}.`,
        ];
  const text = [
    `B creates ${PER_SECOND} small tasks and reads ${PER_SECOND} agents per second, in slices of at least ${LEAST_SECONDS} s. The columns:`,
    [
      "- *alone*: B's p99 without a flood, the median of the rounds.",
      "- *beside the flood*: the multiple of that beside the flood.",
      "- *beside a bare server*: the multiple while the same generator floods a bare server instead. It shows what the generator itself takes from this machine. *Of that* is the flood's multiple divided by this one.",
      "- *floor*: the multiple when B sends its requests to the flooded bare server itself.",
      "- *requests per second*: those that the flood sent.",
      "- *service's loop waits for a core*: the part of the time in which the service's event loop was ready but had no core.",
      "- *B's client waits for a core*: the p99 of that wait. No latency includes it.",
    ].join("\n"),
    table(head, rows),
    ...line,
    WHERE,
  ].join("\n\n");
  return { text, aims: [...results.map(aimAlone), ...results.map(aimBesideBare)], skipped: [] };
}

type Named = readonly [string, Measured];

function aimAlone([name, of]: Named): Aim {
  const { writes, reads } = ratioOf(of, "flood");
  return {
    aim: `p99 of another organization's small requests beside ${name}: under ${MOST}× that alone, and none refused`,
    figure: `writes ${times(writes)}, reads ${times(reads)}`,
    holds: writes < MOST && reads < MOST && of.refused === 0,
  };
}

/** The aim without the flood's own cost on the machine. */
function aimBesideBare([name, { rounds }]: Named): Aim {
  const of = (kind: keyof Rounds): number =>
    median(
      rounds.flood[kind].map(
        (ms, round) => ms / Math.max(rounds.alone[kind][round] ?? 0, rounds.bare[kind][round] ?? 0),
      ),
    );
  const [writes, reads] = [of("writes"), of("reads")];
  return {
    aim: `the same beside ${name}: under ${MOST}× that beside a bare server under the same flood`,
    figure: `writes ${times(writes)}, reads ${times(reads)}`,
    holds: writes < MOST && reads < MOST,
  };
}
