/**
 * What do the protocols of other people's clients cost beside the service's own stream?
 *
 * The same readers as in `stream.ts` read answers of the same provider through the service, by `execute` of v1 and by
 * each protocol. Each request begins a new conversation. A client of ACP makes its session before it sends a prompt, so
 * its time begins with the prompt.
 *
 *   starts  short streams: the time from the request to the first delta. A turn of a reader is one stream by each way, in
 *           an order that chance chooses, so all ways are measured beside the same others
 *   flow    streams that last: the CPU of the service for each delta. Each way's streams are open all the time, and the
 *           provider speaks by the turn of each way for a moment: the same number of deltas, evenly in time. So no
 *           beginning or end of a stream falls into a moment
 *
 * A figure is compared with that of the own stream in the same turn, because the machine's speed, compilation and the
 * garbage of a minute before change the cost of the same work by a third from second to second. The median of these
 * ratios counts. The own stream is measured once more under another name: its ratio says how exact the others are.
 * Collections of the whole heap come once in several turns; the median leaves them out of every way.
 */
import type { Aim, Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import type { DialectAnswer, DialectQuestion, Loads } from "./support/dialect-client.ts";
import { cpuOf } from "./support/cpu.ts";
import { startServer } from "./support/postgres.ts";
import { figure, percentile, shuffled } from "./support/statistics.ts";
import { UNIQUE } from "./support/stream-load.ts";
import type { ProviderQuestion } from "./support/stream-provider.ts";
import type { ReaderLoad } from "./support/stream-reader.ts";
import type { StreamQuestion, StreamService } from "./support/stream-service.ts";
import { table } from "./support/table.ts";
import { startWorker, type Worker } from "./support/worker.ts";

/** Streams at once, ms between deltas, the deltas of a short stream, and seconds until all streams have begun. */
const SHAPES = [
  { streams: 1, every: 5, few: 4, warmUpSeconds: 0.3 },
  { streams: 50, every: 20, few: 25, warmUpSeconds: 1 },
] as const;
type Shape = (typeof SHAPES)[number];
/** Seconds of the benchmark for which first deltas are measured in each round, all ways together. */
const STARTS_SHARE = 6;
/** Seconds of the benchmark in which a way speaks, in each turn. */
const FLOW_SHARE = 0.2;
/** Turns of a round. Before the first round come as many that are not counted: code is compiled during use. */
const TURNS = 6;
/** A protocol's figure as a multiple of the own stream's, at most. */
const RATIO = 1.1;
/** How far the own stream's figure may be from itself. */
const EXACT = 0.05;

/** A stream: its path, its body, and where it repeats the whole text. */
interface Way {
  readonly path: (agent: string) => string;
  readonly body: (prompt: string, agent: string) => object | string;
  readonly whole?: string;
  /** Over a connection of ACP: the body is the prompt. */
  readonly isAcp?: boolean;
}
const NO_REPEAT = "\u0000";
const messageOf = (text: string) => ({ id: UNIQUE, role: "user", content: text, parts: [{ type: "text", text }] });
const a2aMessage = (text: string) => ({ messageId: UNIQUE, role: "ROLE_USER", parts: [{ text }] });
const said = (prompt: string): string => `${prompt} ${UNIQUE}`;

const OWN = "its own stream";
const AGAIN = "its own stream, again";
const EXECUTE: Way = {
  path: (agent) => `/api/v1/agents/${agent}/execute`,
  body: (prompt) => ({ message: said(prompt), stream: true }),
};
const WAYS: Readonly<Record<string, Way>> = {
  [OWN]: EXECUTE,
  [AGAIN]: EXECUTE,
  "OpenAI Chat Completions": {
    path: () => "/openai/v1/chat/completions",
    body: (prompt, model) => ({ model, stream: true, messages: [{ role: "user", content: said(prompt) }] }),
    whole: NO_REPEAT,
  },
  "OpenAI Responses": {
    path: () => "/openai/v1/responses",
    body: (prompt, model) => ({ model, stream: true, input: said(prompt) }),
    whole: "response.output_text.done",
  },
  "AI SDK UI": {
    path: (agent) => `/ai-sdk/agents/${agent}/chat`,
    body: (prompt) => ({ id: UNIQUE, messages: [messageOf(prompt)] }),
    whole: NO_REPEAT,
  },
  "A2A over JSON-RPC": {
    path: (agent) => `/a2a/rpc/agents/${agent}`,
    body: (prompt) => ({
      jsonrpc: "2.0",
      id: 1,
      method: "SendStreamingMessage",
      params: { message: a2aMessage(prompt) },
    }),
    whole: NO_REPEAT,
  },
  "A2A over HTTP+JSON": {
    path: (agent) => `/a2a/agents/${agent}/message:stream`,
    body: (prompt) => ({ message: a2aMessage(prompt) }),
    whole: NO_REPEAT,
  },
  "AG-UI": {
    path: (agent) => `/ag-ui/agents/${agent}`,
    body: (prompt) => ({ threadId: UNIQUE, runId: "r", messages: [messageOf(prompt)] }),
    whole: NO_REPEAT,
  },
  ACP: { path: (agent) => `/acp?agent=${agent}`, body: said, whole: NO_REPEAT, isAcp: true },
};

const NAMES = Object.keys(WAYS);

export const benchmark: Benchmark = {
  question: "What do the protocols of other people's clients cost beside the service's own stream?",
  async run(context) {
    const parts = await open(context);
    const figures = new Figures();
    for (const shape of SHAPES) await measured(parts, shape, context, null);
    for (let round = 1; round <= context.rounds; round++)
      for (const shape of SHAPES) {
        await measured(parts, shape, context, figures);
        for (const name of NAMES) {
          const { firstMs, deltaUs } = figures.costOf(shape.streams, name);
          context.say(
            `round ${round}: ${shape.streams} ${name}: first ${figure(firstMs)} ms, ${figure(deltaUs)} µs a delta`,
          );
        }
      }
    return { text: rendered(figures), aims: aims(figures), skipped: [] };
  },
};

interface Parts {
  readonly client: Worker<DialectQuestion, DialectAnswer>;
  readonly provider: Worker<ProviderQuestion, unknown>;
  readonly service: StreamService;
  readonly pid: number;
}

/** `figures`: null before the first round. */
async function measured(
  { client, provider, service, pid }: Parts,
  shape: Shape,
  { seconds }: BenchmarkContext,
  figures: Figures | null,
): Promise<void> {
  const { streams, every, few, warmUpSeconds } = shape;
  const loads = loadsOf(service, () => `deltas=${few} every=${every}`);
  const starts = await client.ask({ kind: "starts", loads, streams, seconds: seconds * STARTS_SHARE, warmUpSeconds });
  for (const firstMs of starts) figures?.add("firstMs", streams, firstMs);
  await client.ask({ kind: "hold", loads: loadsOf(service, (name) => `group=${groupOf(name)}`), streams });
  const pieces = Math.ceil((seconds * FLOW_SHARE * 1_000) / every);
  for (let turn = 0; turn < TURNS; turn++) {
    const costs: Record<string, number> = {};
    for (const name of shuffled(NAMES)) {
      const before = cpuOf(pid);
      await provider.ask({ kind: "say", group: groupOf(name), pieces, everyMs: every });
      await client.ask({ kind: "heard", way: name, deltas: pieces * streams });
      costs[name] = ((cpuOf(pid) - before) * 1e6) / (pieces * streams);
    }
    figures?.add("deltaUs", streams, costs);
  }
  await provider.ask({ kind: "end" });
  await client.ask({ kind: "ended" });
}

const groupOf = (name: string): string => `way${NAMES.indexOf(name)}`;

/** What a first delta and a further one cost. */
interface Cost {
  readonly firstMs: number;
  readonly deltaUs: number;
}

/** What was measured, all ways in each turn. */
class Figures {
  private readonly turns: { figure: keyof Cost; streams: number; of: Readonly<Record<string, number>> }[] = [];

  add(name: keyof Cost, streams: number, of: Readonly<Record<string, number>>): void {
    this.turns.push({ figure: name, streams, of });
  }

  costOf(streams: number, name: string): Cost {
    return { firstMs: this.median("firstMs", streams, name), deltaUs: this.median("deltaUs", streams, name) };
  }

  /** As multiples of the own stream's in the same turn. */
  ratioOf(streams: number, name: string): Cost {
    return { firstMs: this.median("firstMs", streams, name, OWN), deltaUs: this.median("deltaUs", streams, name, OWN) };
  }

  private median(figureName: keyof Cost, streams: number, name: string, beside?: string): number {
    const values = this.turns
      .filter((turn) => turn.figure === figureName && turn.streams === streams)
      .map(({ of }) => (of[name] ?? Number.NaN) / (beside === undefined ? 1 : (of[beside] ?? Number.NaN)))
      .toSorted((a, b) => a - b);
    return (percentile(values, 0.5) + percentile(values.toReversed(), 0.5)) / 2;
  }
}

function loadsOf({ port, token, agentId }: StreamService, promptOf: (name: string) => string): Loads {
  const loadOf = (name: string, { path, body, whole, isAcp = false }: Way): ReaderLoad => {
    const asked = body(promptOf(name), agentId);
    const of = { port, ...(whole === undefined ? {} : { whole }) };
    return isAcp
      ? { ...of, request: String(asked), acp: { path: path(agentId), token } }
      : { ...of, request: post(path(agentId), asked as object, token) };
  };
  return Object.fromEntries(Object.entries(WAYS).map(([name, way]) => [name, loadOf(name, way)]));
}

async function open({ lifetime }: BenchmarkContext): Promise<Parts> {
  const server = await startServer(lifetime);
  const provider = startWorker<ProviderQuestion, { port: number }>(lifetime, "stream-provider.ts");
  const { port } = await provider.ask(null);
  const worker = startWorker<StreamQuestion, StreamService>(lifetime, "stream-service.ts", {
    args: [server.url, `http://127.0.0.1:${port}/v1`],
    env: { BUN_CONFIG_MAX_HTTP_REQUESTS: "8192" },
  });
  const service = await worker.ask({ kind: "start" });
  const client = startWorker<DialectQuestion, DialectAnswer>(lifetime, "dialect-client.ts");
  return { client, provider, service, pid: worker.pid };
}

function post(path: string, body: object, token: string): string {
  const text = JSON.stringify(body);
  const headers = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${token}`,
    "A2A-Version: 1.0",
    "Content-Type: application/json",
    `Content-Length: ${text.length}`,
  ];
  return `${headers.join("\r\n")}\r\n\r\n${text}`;
}

const shown = (ratio: number): string => `${ratio.toFixed(2)} ×`;

const HOW =
  "Here each figure is the median of all turns, and each multiple the median of the turns' own multiples. So a multiple is not the quotient of the two figures beside it.";
const WHERE =
  "**Where the time goes** (2026-11-29). Translating a delta takes 0.2 to 0.6 µs in the protocols over HTTP, which send it by the same code as the own stream does. " +
  "In a profile of ACP with 50 streams, the connection's own code has an eighth of the time: 5 % writes messages as JSON, 2 % looks whether a text was shown before, and the rest takes deltas from the stream to the socket. " +
  "For a first text with one stream, the protocols over HTTP take 0.3 to 0.5 ms longer, although none asks the database before its commit: they make the run from their own form of a message, and the input of A2A's operations is written and read once more. These parts have no profile of their own yet.";

function rendered(figures: Figures): string {
  const head = ["streams", "first delta p50 ms", "of its own", "CPU µs/delta", "of its own"];
  const rows = SHAPES.flatMap(({ streams }) =>
    NAMES.map((name) => {
      const [cost, ratio] = [figures.costOf(streams, name), figures.ratioOf(streams, name)];
      const cells = [figure(cost.firstMs), shown(ratio.firstMs), figure(cost.deltaUs), shown(ratio.deltaUs)];
      return [`${streams}, ${name}`, ...cells];
    }),
  );
  return [table(head, rows), HOW, WHERE].join("\n\n");
}

function aims(figures: Figures): Aim[] {
  return SHAPES.flatMap(({ streams }) =>
    NAMES.filter((name) => name !== OWN).flatMap((name): Aim[] => {
      const { firstMs, deltaUs } = figures.ratioOf(streams, name);
      const at = `${streams} stream${streams === 1 ? "" : "s"}, ${name}`;
      const most = name === AGAIN ? `the measure is exact to ${EXACT} ×` : `at most ${RATIO} × that of the own stream`;
      const holds = (ratio: number) => (name === AGAIN ? Math.abs(ratio - 1) <= EXACT : ratio <= RATIO);
      return [
        { aim: `${at}: first delta, ${most}`, figure: shown(firstMs), holds: holds(firstMs) },
        { aim: `${at}: CPU of a delta, ${most}`, figure: shown(deltaUs), holds: holds(deltaUs) },
      ];
    }),
  );
}
