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
import { CUT_READERS, type CutRun, cutRun } from "./support/cut-run.ts";
import type { ResumePeer } from "./support/resume-peer.ts";
import { troupePeer } from "./support/resume-troupe.ts";
import { startService } from "./support/service.ts";
import { figure } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker } from "./support/worker.ts";

export const benchmark: Benchmark = {
  question: "What does a crash in the middle of a run cost its readers?",
  async run(context) {
    const { peers, skipped } = await open(context);
    const outcomes = new Map<string, CutRun[]>();
    for (let round = 1; round <= context.rounds; round++) {
      for (const peer of peers) {
        const outcome = await cutRun(peer, round);
        outcomes.set(peer.name, [...(outcomes.get(peer.name) ?? []), outcome]);
        const { ended, gaps, repeats, reused, lost, end } = outcome;
        context.say(
          `round ${round}: ${peer.name}: ${ended} of ${CUT_READERS} at the end, ${gaps} gaps, ${repeats} repeats, ${reused} reused ids, ${lost} lost, ${figure(end)} s`,
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

function tableOf(outcomes: ReadonlyMap<string, readonly CutRun[]>): string {
  const rows = [...outcomes].map(([name, runs]) => {
    const sum = (of: (outcome: CutRun) => number): string => figure(runs.reduce((total, run) => total + of(run), 0));
    const best = (of: (outcome: CutRun) => number): string => figure(Math.min(...runs.map(of)));
    return [
      name,
      `${sum(({ ended }) => ended)} of ${figure(runs.length * CUT_READERS)}`,
      sum(({ gaps }) => gaps),
      sum(({ repeats }) => repeats),
      sum(({ reused }) => reused),
      sum(({ lost }) => lost),
      best(({ serves }) => serves),
      best(({ back }) => back),
      best(({ end }) => end),
    ];
  });
  const head = [
    "",
    "readers at the end",
    "gaps",
    "repeats",
    "reused ids",
    "lost",
    "serves again, s",
    "half are back, s",
  ];
  return table([...head, "all at the end, s"], rows);
}

function aims(ours: readonly CutRun[]): Aim[] {
  const sum = (of: (outcome: CutRun) => number): number => ours.reduce((total, run) => total + of(run), 0);
  const ended = sum((run) => run.ended);
  const none = (what: string, count: number): Aim => ({ aim: `no ${what}`, figure: figure(count), holds: count === 0 });
  return [
    {
      aim: `each of ${CUT_READERS} readers reaches the end in every round`,
      figure: `${figure(ended)} of ${figure(ours.length * CUT_READERS)}`,
      holds: ended === ours.length * CUT_READERS,
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
