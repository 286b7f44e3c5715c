/**
 * What do the protocols of other people's clients cost beside the service's own stream?
 *
 * The same readers as in `stream.ts` read answers of the same provider through the service, by `execute` of v1 and by
 * each protocol, in turns; each round begins with another one. Each request begins a new conversation. A client of ACP
 * makes its session before it sends a prompt, so its time begins with the prompt. With many streams at once, prompts
 * wait also for the sessions of others, which are commits that no other way has; the first prompt names its session.
 *
 *   starts  short streams: the time from the request to the first delta
 *   flow    streams that last: the CPU of the service for each delta
 */
import type { Aim, Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { startServer } from "./support/postgres.ts";
import { figure } from "./support/statistics.ts";
import { type StreamLoad, type StreamRun, UNIQUE } from "./support/stream-load.ts";
import type { StreamQuestion, StreamService } from "./support/stream-service.ts";
import { table } from "./support/table.ts";
import { startWorker } from "./support/worker.ts";

/** Streams at once, ms between deltas, the deltas of a short stream, and seconds until all streams have begun. */
const SHAPES = [
  { streams: 1, every: 5, few: 4, warmUpSeconds: 0.3 },
  { streams: 50, every: 20, few: 25, warmUpSeconds: 1 },
] as const;
type Shape = (typeof SHAPES)[number];
type Phase = "starts" | "flow";
const PHASES: readonly Phase[] = ["starts", "flow"];
/** What is measured of each phase, in seconds of the benchmark: with three rounds, all of it takes about four minutes. */
const SHARE: Readonly<Record<Phase, number>> = { starts: 0.5, flow: 0.75 };
/** A stream lasts a little longer than it is measured. */
const LAST_SECONDS = 0.3;
/** Lets the service finish the work of the streams before. */
const SETTLE_MS = 100;
/** A protocol's figure as a multiple of the own stream's, at most. */
const RATIO = 1.1;

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
const WAYS: Readonly<Record<string, Way>> = {
  [OWN]: {
    path: (agent) => `/api/v1/agents/${agent}/execute`,
    body: (prompt) => ({ message: said(prompt), stream: true }),
  },
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

export const benchmark: Benchmark = {
  question: "What do the protocols of other people's clients cost beside the service's own stream?",
  async run(context) {
    const { ask, service, pid } = await open(context);
    const load = (name: string, shape: Shape, phase: Phase, seconds: number): StreamLoad =>
      loadOf(WAYS[name]!, shape, { service, pid, phase, seconds });
    const names = Object.keys(WAYS);
    // Code is compiled during use: the first few hundred executions cost several times as much.
    for (const name of names) await ask(load(name, SHAPES[1], "starts", context.seconds));
    const best = new Map<string, Cost>();
    for (let round = 0; round < context.rounds; round++)
      for (const shape of SHAPES)
        for (const phase of PHASES)
          for (const name of rotated(names, round * OFFSET)) {
            await Bun.sleep(SETTLE_MS);
            const { firstDelta, cpuUsPerDelta } = await ask(load(name, shape, phase, context.seconds * SHARE[phase]));
            const key = `${shape.streams} ${name}`;
            const before = best.get(key) ?? NOTHING;
            const cost =
              phase === "starts"
                ? { ...before, firstMs: Math.min(before.firstMs, firstDelta.p50) }
                : { ...before, deltaUs: Math.min(before.deltaUs, cpuUsPerDelta) };
            best.set(key, cost);
            const now =
              phase === "starts" ? `first ${figure(firstDelta.p50)} ms` : `${figure(cpuUsPerDelta)} µs a delta`;
            context.say(`round ${round + 1}: ${key}: ${now}`);
          }
    const of = (streams: number, name: string): Cost => best.get(`${streams} ${name}`) ?? NOTHING;
    return { text: rendered(of), aims: aims(of), skipped: [] };
  },
};

/** The least of each over all rounds. */
interface Cost {
  readonly firstMs: number;
  readonly deltaUs: number;
}
const NOTHING: Cost = { firstMs: Number.POSITIVE_INFINITY, deltaUs: Number.POSITIVE_INFINITY };

/** Each round begins so many ways further on. */
const OFFSET = 3;
const rotated = <T>(list: readonly T[], by: number): readonly T[] => {
  const from = by % list.length;
  return [...list.slice(from), ...list.slice(0, from)];
};

interface Measurement {
  readonly service: StreamService;
  readonly pid: number;
  readonly phase: Phase;
  readonly seconds: number;
}

function loadOf(
  { path, body, whole, isAcp = false }: Way,
  { streams, every, few, warmUpSeconds }: Shape,
  { service, pid, phase, seconds }: Measurement,
): StreamLoad {
  const { port, token, agentId } = service;
  const lasting = Math.ceil(((seconds + warmUpSeconds + LAST_SECONDS) * 1_000) / every);
  const asked = body(`deltas=${phase === "flow" ? lasting : few} every=${every}`, agentId);
  const of = { port, pid, streams, seconds, warmUpSeconds, ...(whole === undefined ? {} : { whole }) };
  return isAcp
    ? { ...of, request: String(asked), acp: { path: path(agentId), token } }
    : { ...of, request: post(path(agentId), asked as object, token) };
}

async function open({ lifetime }: BenchmarkContext) {
  const server = await startServer(lifetime);
  const provider = startWorker<null, { port: number }>(lifetime, "stream-provider.ts");
  const { port } = await provider.ask(null);
  const worker = startWorker<StreamQuestion, StreamService>(lifetime, "stream-service.ts", {
    args: [server.url, `http://127.0.0.1:${port}/v1`],
    env: { BUN_CONFIG_MAX_HTTP_REQUESTS: "8192" },
  });
  const service = await worker.ask({ kind: "start" });
  const client = startWorker<StreamLoad, StreamRun>(lifetime, "stream-client.ts");
  return { ask: client.ask, service, pid: worker.pid };
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

type Of = (streams: number, name: string) => Cost;
const ratio = (part: number, whole: number): string => `${(part / whole).toFixed(2)} ×`;

function rendered(of: Of): string {
  const head = ["streams", "first delta p50 ms", "of its own", "CPU µs/delta", "of its own"];
  const rows = SHAPES.flatMap(({ streams }) =>
    Object.keys(WAYS).map((name) => {
      const [cost, own] = [of(streams, name), of(streams, OWN)];
      return [
        `${streams}, ${name}`,
        figure(cost.firstMs),
        ratio(cost.firstMs, own.firstMs),
        figure(cost.deltaUs),
        ratio(cost.deltaUs, own.deltaUs),
      ];
    }),
  );
  return table(head, rows);
}

function aims(of: Of): Aim[] {
  return SHAPES.flatMap(({ streams }) =>
    Object.keys(WAYS).flatMap((name): Aim[] => {
      if (name === OWN) return [];
      const [cost, own] = [of(streams, name), of(streams, OWN)];
      const at = `${streams} stream${streams === 1 ? "" : "s"}, ${name}`;
      return [
        {
          aim: `${at}: first delta, at most ${RATIO} × that of the own stream`,
          figure: ratio(cost.firstMs, own.firstMs),
          holds: cost.firstMs <= RATIO * own.firstMs,
        },
        {
          aim: `${at}: CPU of a delta, at most ${RATIO} × that of the own stream`,
          figure: ratio(cost.deltaUs, own.deltaUs),
          holds: cost.deltaUs <= RATIO * own.deltaUs,
        },
      ];
    }),
  );
}
