/**
 * How long does a new conversation take, from nothing to its first answer?
 *
 * A chat is created, a message is sent to it, and its answer is read as a stream to the end: two requests over HTTP,
 * with the same fake model over HTTP (5 pieces, one every 2 ms). One conversation after the other, and 8 at a time.
 *
 *   troupe     `POST /api/chats`, then an execution in that chat with `stream: true`. Chat, message, job
 *              and answer are committed to PostgreSQL, synced, before the client hears of them
 *   langgraph  the dev server of LangGraph.js: `POST /threads`, then `POST /threads/{id}/runs/stream`.
 *              It is in memory: nothing is durable before it ends in good order
 *
 * Then the same agent with `cache: "auto"` and `"off"`: a conversation of 20 turns with a fake provider whose time to the
 * first token grows with the input that is not cached, by 1 ms for each 100 tokens.
 *
 * A measurement is a number of conversations, not of seconds, because one identity of ours may make 3,000 requests a
 * minute.
 */
import { join } from "node:path";
import postgres from "postgres";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { startLangGraph } from "./support/langgraph.ts";
import { startServer } from "./support/postgres.ts";
import { startService } from "./support/service.ts";
import { figure, Samples } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker } from "./support/worker.ts";

const CALLERS = [1, 8] as const;
/** Conversations of each caller in a measurement: the peer takes more than half a second for one. */
const CONVERSATIONS = 12;
const PROMPT = "deltas=5 every=2";

/** Of the agent with and without caching, and of each of its messages. */
const INSTRUCTIONS = "You keep the notes of a meeting, and answer in one sentence. ".repeat(200);
const NOTE = `${PROMPT} ${"We have talked about the roof, and who is to mend it. ".repeat(40)}`;
const TURNS = 20;

interface Peer {
  readonly name: string;
  /** Creates a chat and answers its id. */
  open(): Promise<string>;
  /** Sends the message; the response's body is the stream. */
  send(chat: string, message?: string): Promise<Response>;
  /** Matches a part of the stream with text of the model. */
  readonly text: RegExp;
  /** Matches a successful end of the stream. */
  readonly end: RegExp;
}

interface Measured {
  readonly first: { readonly p50: number; readonly p99: number };
  readonly done: { readonly p50: number; readonly p99: number };
  readonly perSecond: number;
}

export const benchmark: Benchmark = {
  question: "How long does a new conversation take, from nothing to its first answer?",
  async run(context) {
    const { peers, cachedWays, skipped } = await open(context);
    for (const peer of peers) await measure(peer, CALLERS[1]);
    const best = new Map<string, Measured>();
    const turnsBest = new Map<string, Measured>();
    for (let round = 1; round <= context.rounds; round++) {
      for (const callers of CALLERS)
        for (const peer of peers) {
          const run = await measure(peer, callers);
          const key = keyOf(peer.name, callers);
          best.set(key, better(best.get(key), run));
          context.say(`round ${round}: ${key}: first text ${figure(run.first.p50)}, done ${figure(run.done.p50)} ms`);
        }
      for (const { name, peer } of cachedWays) {
        const run = await talk(peer);
        turnsBest.set(name, better(turnsBest.get(name), run));
        context.say(`round ${round}: ${name}: first text ${figure(run.first.p50)} ms`);
      }
    }
    return {
      text: `${text(best)}\n\n${turnsText(turnsBest)}`,
      aims: [...aims(best), ...turnsAims(turnsBest)],
      skipped,
    };
  },
};

const keyOf = (name: string, callers: number): string => `${name}, ${callers} at once`;

async function open({ lifetime }: BenchmarkContext) {
  const server = await startServer(lifetime);
  const provider = startWorker<null, { port: number }>(lifetime, "stream-provider.ts");
  const { port } = await provider.ask(null);
  const providerUrl = `http://127.0.0.1:${port}/v1`;
  const caching = startWorker<null, { port: number }>(lifetime, "cache-provider.ts");
  const { port: cachePort } = await caching.ask(null);
  const providers = join(lifetime.folder(), "providers.json");
  const provided = {
    format: "messages",
    base_url: `http://127.0.0.1:${cachePort}/v1`,
    key: "none",
    models: { m: {} },
  };
  await Bun.write(providers, JSON.stringify({ providers: { caching: provided } }));
  const service = await startService(lifetime, server, {
    MODEL_PROVIDERS: providers,
    MODEL: "openai:fake-model",
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: providerUrl,
  });
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  const [organization] = await sql<{ id: string }[]>`select body ->> 'defaultWorkspaceId' as id from organization`;
  await sql.end();
  const langGraph = await startLangGraph(lifetime, providerUrl);
  const workspaceId = organization?.id ?? "";
  const peers = [troupe(service, workspaceId)];
  const cachedWays = [];
  for (const cache of ["auto", "off"]) {
    const agent = { name: cache, system_prompt: INSTRUCTIONS, model: "caching:m", visibility: "organization", cache };
    const authorization = `Bearer ${service.token}`;
    const agentId = await idIn(await postJson(`${service.url}/api/agents`, agent, { authorization }), "id");
    cachedWays.push({ name: `cache: "${cache}"`, peer: troupe({ ...service, agentId }, workspaceId) });
  }
  if (langGraph.kind === "there") peers.push(langGraphPeer(langGraph.url));
  return { peers, cachedWays, skipped: langGraph.kind === "there" ? [] : [`LangGraph dev server (${langGraph.why})`] };
}

function troupe({ url, token, agentId }: Awaited<ReturnType<typeof startService>>, workspaceId: string): Peer {
  const post = (path: string, body: object) => postJson(`${url}${path}`, body, { authorization: `Bearer ${token}` });
  return {
    name: "Troupe",
    open: async () => idIn(await post("/api/chats", { agent_id: agentId, workspace_id: workspaceId }), "id"),
    send: (chatId, message = PROMPT) => post(`/api/v1/agents/${agentId}/execute`, { message, chatId, stream: true }),
    text: /"text_delta"/,
    end: /event: result/,
  };
}

function langGraphPeer(url: string): Peer {
  const input = { messages: [{ role: "user", content: PROMPT }] };
  return {
    name: "LangGraph dev (in memory)",
    open: async () => idIn(await postJson(`${url}/threads`, {}), "thread_id"),
    send: (thread) =>
      postJson(`${url}/threads/${thread}/runs/stream`, {
        assistant_id: "agent",
        input,
        stream_mode: ["custom", "values"],
      }),
    text: /event: custom/,
    end: /"type":"ai"/,
  };
}

const postJson = (url: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

async function idIn(answer: Response, name: string): Promise<string> {
  const body = (await answer.json()) as Record<string, unknown>;
  const id = body[name];
  if (typeof id !== "string") throw new Error(`no ${name} in ${JSON.stringify(body)}`);
  return id;
}

async function measure(peer: Peer, callers: number): Promise<Measured> {
  const conversations = callers === 1 ? 2 * CONVERSATIONS : callers * CONVERSATIONS;
  const [first, done] = [new Samples(conversations), new Samples(conversations)];
  let left = conversations;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await converse(peer, first, done);
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - from) / 1_000;
  return { first: first.summary(), done: done.summary(), perSecond: conversations / seconds };
}

/** One conversation, turn after turn. */
async function talk(peer: Peer): Promise<Measured> {
  const [first, done] = [new Samples(TURNS), new Samples(TURNS)];
  const chat = await peer.open();
  const from = performance.now();
  for (let turn = 1; turn <= TURNS; turn++) await converse(peer, first, done, () => peer.send(chat, `${turn} ${NOTE}`));
  return { first: first.summary(), done: done.summary(), perSecond: 1_000 / (performance.now() - from) };
}

async function converse(
  peer: Peer,
  first: Samples,
  done: Samples,
  begin = async (): Promise<Response> => peer.send(await peer.open()),
): Promise<void> {
  const from = performance.now();
  const answer = await begin();
  const decoder = new TextDecoder();
  let text = "";
  let isHeard = false;
  for await (const bytes of answer.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (isHeard || !peer.text.test(text)) continue;
    isHeard = true;
    first.add(performance.now() - from);
  }
  if (!isHeard || !peer.end.test(text)) throw new Error(`${peer.name} did not answer: ${text.slice(0, 500)}`);
  done.add(performance.now() - from);
}

/** The smallest of each figure, and the best rate. */
function better(before: Measured | undefined, run: Measured): Measured {
  if (before === undefined) return run;
  const smaller = (a: Measured["first"], b: Measured["first"]) => (a.p50 <= b.p50 ? a : b);
  return {
    first: smaller(before.first, run.first),
    done: smaller(before.done, run.done),
    perSecond: Math.max(before.perSecond, run.perSecond),
  };
}

function text(best: ReadonlyMap<string, Measured>): string {
  const rows = [...best].map(([name, { first, done, perSecond }]) => [
    name,
    ...[first.p50, first.p99, done.p50, done.p99, perSecond].map(figure),
  ]);
  return table(["", "first text p50 ms", "p99", "done p50 ms", "p99", "conversations/s"], rows);
}

function aims(best: ReadonlyMap<string, Measured>) {
  return CALLERS.flatMap((callers) => {
    const [ours, theirs] = ["Troupe", "LangGraph dev (in memory)"].map((name) => best.get(keyOf(name, callers)));
    if (ours === undefined || theirs === undefined) return [];
    const [first, done] = [theirs.first.p50 / ours.first.p50, theirs.done.p50 / ours.done.p50];
    return [
      {
        aim: `${callers} at once: first text and end come earlier than LangGraph's, although durable`,
        figure: `${figure(first)}× and ${figure(done)}× as long there`,
        holds: first > 1 && done > 1,
      },
    ];
  });
}

const WHERE =
  "**Where the time goes.** The service stores the chat, and then the message with its run, before it asks the model; LangGraph's server keeps everything in memory. With 8 at once these two commits wait for each other's syncs, so the first text can come later than LangGraph's.";

function turnsText(best: ReadonlyMap<string, Measured>): string {
  const rows = [...best].map(([name, { first, perSecond }]) => [
    name,
    ...[first.p50, first.p99, 1_000 / perSecond].map(figure),
  ]);
  const what = `A conversation of ${TURNS} turns, with an agent that lets its provider cache the beginning of each call, and with one that does not. The time to the first token grows by 1 ms for each 100 tokens that are not cached:`;
  return `${WHERE}\n\n${what}\n\n${table([`${TURNS} turns`, "first text p50 ms", "p99", "all turns ms"], rows)}`;
}

function turnsAims(best: ReadonlyMap<string, Measured>) {
  const [auto, off] = [...best.values()];
  if (auto === undefined || off === undefined) return [];
  const [first, all] = [off.first.p50 / auto.first.p50, auto.perSecond / off.perSecond];
  return [
    {
      aim: `${TURNS} turns: the first text comes earlier with caching than without`,
      figure: `${figure(first)}× as long without; all turns ${figure(all)}×`,
      holds: first > 1,
    },
  ];
}
