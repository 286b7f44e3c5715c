/**
 * What does a crash in the middle of a run cost its readers?
 *
 * 200 readers follow a run of 400 words, one every 20 ms, when the server is killed with kill -9 and restarted at once.
 * Each system is read with its own client, as its documentation recommends:
 *
 *   troupe            a chat with a message in it; `streamChatEvents` of the TypeScript SDK, which comes
 *                     back with `Last-Event-ID` by itself. The service brings its own PostgreSQL, as on a first run;
 *                     the job is taken up again, and requests the whole answer from the fake model again
 *   langgraph         the dev server of LangGraph.js: a run with `stream_resumable`, and `joinStream` of its
 *                     SDK from `Last-Event-ID: -1`, called again with the last id when its connection is lost.
 *                     It keeps its state in a file that is written 3 s after the last change, and the kill comes
 *                     later than that
 *   durable streams   its reference server with files, and its client's `stream` in live mode, which is opened
 *                     again at the last offset. A log has no agents: who writes, by its `IdempotentProducer`,
 *                     survives and has nothing to repeat, so its end comes earlier than ours could
 *
 * At the end, each reader's data is compared with the server's stored data. A gap is data that is stored but was never
 * delivered; a repetition was delivered twice to the same reader and not retracted; a reused id was delivered for
 * different things; lost data was delivered but is not stored. The kill comes at another word in each round. Counts are
 * of all rounds, times of the best.
 */
import type { Aim, Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { startLangGraph } from "./support/langgraph.ts";
import { durableStreamsPeer } from "./support/resume-durable-streams.ts";
import { langGraphPeer } from "./support/resume-langgraph.ts";
import { ReaderRecord, type ResumePeer } from "./support/resume-peer.ts";
import { troupePeer } from "./support/resume-troupe.ts";
import { startService } from "./support/service.ts";
import { figure, percentile } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker } from "./support/worker.ts";

const READERS = 200;
const WORDS = 400;
const EVERY_MS = 20;
/** When the kill comes in the run, for each round: always after LangGraph has written its file. */
const KILLED_AT = [0.5, 0.65, 0.8];
/** A run that is not read to its end this long after the kill counts as endless. */
const LIMIT_MS = 45_000;
const LOOK_MS = 10;

interface Outcome {
  readonly ended: number;
  readonly gaps: number;
  readonly repeats: number;
  readonly reused: number;
  readonly lost: number;
  /**
   * Seconds from the kill: until the server answers, until half of the readers receive anything, until the last has the
   * end.
   */
  readonly serves: number;
  readonly back: number;
  readonly end: number;
}

export const benchmark: Benchmark = {
  question: "What does a crash in the middle of a run cost its readers?",
  async run(context) {
    const { peers, skipped } = await open(context);
    const outcomes = new Map<string, Outcome[]>();
    for (let round = 1; round <= context.rounds; round++) {
      for (const peer of peers) {
        const outcome = await crash(peer, KILLED_AT[(round - 1) % KILLED_AT.length]!);
        outcomes.set(peer.name, [...(outcomes.get(peer.name) ?? []), outcome]);
        const { ended, gaps, repeats, reused, lost, end } = outcome;
        context.say(
          `round ${round}: ${peer.name}: ${ended} of ${READERS} at the end, ${gaps} gaps, ${repeats} repeats, ${reused} reused ids, ${lost} lost, ${figure(end)} s`,
        );
      }
    }
    return { text: tableOf(outcomes), aims: aims(outcomes.get("Troupe") ?? []), skipped };
  },
};

async function open({ lifetime }: BenchmarkContext) {
  const provider = startWorker<null, { port: number }>(lifetime, "stream-provider.ts");
  const providerUrl = `http://127.0.0.1:${(await provider.ask(null)).port}/v1`;
  const service = await startService(lifetime, null, {
    MODEL: "openai:fake-model",
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: providerUrl,
  });
  const peers: ResumePeer[] = [troupePeer(service)];
  const skipped: string[] = [];
  const langGraph = await startLangGraph(lifetime, providerUrl);
  if (langGraph.kind === "there") peers.push(await langGraphPeer(langGraph));
  else skipped.push(`LangGraph dev server (${langGraph.why})`);
  const durableStreams = await durableStreamsPeer(lifetime);
  if (durableStreams !== null) peers.push(durableStreams);
  else skipped.push("Durable Streams (it could not be installed, or does not start)");
  return { peers, skipped };
}

async function crash(peer: ResumePeer, at: number): Promise<Outcome> {
  const run = await peer.begin(WORDS, EVERY_MS);
  const records = Array.from({ length: READERS }, () => new ReaderRecord());
  const timeIsUp = new AbortController();
  const reading = records.map((record) => run.read(record, timeIsUp.signal).catch(() => {}));
  const isSoFar = (): boolean => records.filter(({ units }) => units.length >= WORDS * at).length >= READERS / 2;
  while (!isSoFar()) await Bun.sleep(LOOK_MS);
  const killed = performance.now();
  await run.crash();
  const serves = performance.now();
  for (const record of records) record.watch();
  const limit = setTimeout(() => timeIsUp.abort(), LIMIT_MS);
  await Promise.all(reading);
  clearTimeout(limit);
  const stored = await run.stored();
  const seconds = (time: number): number => (time - killed) / 1_000;
  const backs = records.map(({ backAt }) => seconds(backAt ?? Number.POSITIVE_INFINITY)).sort((a, b) => a - b);
  return {
    ...compared(records, stored),
    serves: seconds(serves),
    back: percentile(backs, 0.5),
    end: Math.max(...records.map(({ endedAt }) => seconds(endedAt ?? Number.POSITIVE_INFINITY))),
  };
}

function compared(records: readonly ReaderRecord[], stored: readonly string[]) {
  const truth = new Set(stored);
  const meanings = new Map<string, string>();
  const reused = new Set<string>();
  let [ended, gaps, repeats, lost] = [0, 0, 0, 0];
  for (const { units, told, endedAt } of records) {
    const own = new Set(units);
    if (endedAt !== null) ended++;
    gaps += truth.difference(own).size;
    lost += own.difference(truth).size;
    repeats += units.length - own.size;
    for (const [id, what] of told)
      if ((meanings.get(id) ?? what) !== what) reused.add(id);
      else meanings.set(id, what);
  }
  return { ended, gaps, repeats, reused: reused.size, lost };
}

function tableOf(outcomes: ReadonlyMap<string, readonly Outcome[]>): string {
  const rows = [...outcomes].map(([name, runs]) => {
    const sum = (of: (outcome: Outcome) => number): string => figure(runs.reduce((total, run) => total + of(run), 0));
    const best = (of: (outcome: Outcome) => number): string => figure(Math.min(...runs.map(of)));
    return [
      name,
      `${sum(({ ended }) => ended)} of ${figure(runs.length * READERS)}`,
      sum(({ gaps }) => gaps),
      sum(({ repeats }) => repeats),
      sum(({ reused }) => reused),
      sum(({ lost }) => lost),
      best(({ serves }) => serves),
      best(({ back }) => back),
      best(({ end }) => end),
    ];
  });
  const head = ["", "readers at the end", "gaps", "repeats", "reused ids", "lost", "serves again s", "half hear s"];
  return table([...head, "all at the end s"], rows);
}

function aims(ours: readonly Outcome[]): Aim[] {
  const sum = (of: (outcome: Outcome) => number): number => ours.reduce((total, run) => total + of(run), 0);
  const ended = sum((run) => run.ended);
  const none = (what: string, count: number): Aim => ({ aim: `no ${what}`, figure: figure(count), holds: count === 0 });
  return [
    {
      aim: `each of ${READERS} readers reaches the end in every round`,
      figure: `${figure(ended)} of ${figure(ours.length * READERS)}`,
      holds: ended === ours.length * READERS,
    },
    none(
      "gaps",
      sum((run) => run.gaps),
    ),
    none(
      "repeated events",
      sum((run) => run.repeats),
    ),
    none(
      "reused ids",
      sum((run) => run.reused),
    ),
    none(
      "text is shown that is not stored",
      sum((run) => run.lost),
    ),
  ];
}
