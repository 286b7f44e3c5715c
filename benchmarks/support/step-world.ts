/**
 * The world outside of an agent, in its own process: an OpenAI-compatible provider and a tool over HTTP, which both
 * answer at once. A message `steps=3 key=a1` makes three calls of the tool, one after the other, then an answer.
 *
 * It measures what a durable step costs: the time between the answer of the model that asks for the tool, and the next
 * question to the model. Both happen here, so no clock of a measured system counts.
 */
import { serveWorker } from "./worker.ts";

interface Prompt {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}

/** What a run has asked for. */
export interface RunRequests {
  readonly models: number;
  readonly tools: number;
  /** Whether its last answer was given. */
  readonly isDone: boolean;
}

/** What happened since the question before. */
export interface WorldNotes {
  readonly port: number;
  /** Times between the model's answer and the next question of the same run, in milliseconds. */
  readonly gaps: readonly number[];
  /** By the key of the run. */
  readonly runs: Readonly<Record<string, RunRequests>>;
}

let gaps: number[] = [];
let runs = new Map<string, RunRequests>();
const answeredAt = new Map<string, number>();

function note(key: string, { models = 0, tools = 0, isDone = false }: Partial<RunRequests>): void {
  const before = runs.get(key) ?? { models: 0, tools: 0, isDone: false };
  runs.set(key, { models: before.models + models, tools: before.tools + tools, isDone: before.isDone || isDone });
}

const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  frame({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "fake-model",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
const TAIL = `${frame({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "fake-model",
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
})}data: [DONE]\n\n`;

function answerModel({ messages }: Prompt): Response {
  const asked = performance.now();
  const from = messages.findLastIndex(({ role }) => role === "user");
  const [, steps = "0", key = ""] = /steps=(\d+) key=(\w+)/.exec(JSON.stringify(messages[from]?.content)) ?? [];
  const done = messages.slice(from).filter(({ role }) => role === "tool").length;
  const since = answeredAt.get(key);
  if (since !== undefined && done > 0) gaps.push(asked - since);
  const isLast = done >= Number(steps);
  const call = {
    index: 0,
    id: `call_${done}`,
    type: "function",
    function: { name: "ping", arguments: JSON.stringify({ key }) },
  };
  const body = isLast
    ? chunk({ role: "assistant", content: "Done." }) + chunk({}, "stop")
    : chunk({ role: "assistant", content: null, tool_calls: [call] }) + chunk({}, "tool_calls");
  note(key, { models: 1, isDone: isLast });
  if (isLast) answeredAt.delete(key);
  else answeredAt.set(key, performance.now());
  return new Response(body + TAIL, { headers: { "content-type": "text/event-stream" } });
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  routes: {
    "/v1/chat/completions": { POST: async (request) => answerModel((await request.json()) as Prompt) },
    "/tool": {
      POST: async (request) => {
        note(((await request.json()) as { readonly key?: string }).key ?? "", { tools: 1 });
        return new Response("pong");
      },
    },
  },
});

/** Each question takes what happened since the one before. */
serveWorker<null, WorldNotes>(() => {
  const answer = { port: server.port ?? 0, gaps, runs: Object.fromEntries(runs) };
  gaps = [];
  runs = new Map();
  return Promise.resolve(answer);
});
