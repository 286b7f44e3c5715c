/**
 * Chats of the runtime in a process of its own: actors, the runner's loop and PostgreSQL as in the service, without
 * HTTP, and with a model that answers at once and ignores its input. So the cost of a turn is the service's own work.
 *
 *   bun chat-worker.ts <url of the database>
 */
import { chatRef } from "../../actors/chat/schema.ts";
import { ok } from "../../actors/fault.ts";
import type { ModelPort } from "../../actors/job/ports.ts";
import { type AgentSnapshot, jobRef, PLAIN_TERMS } from "../../actors/job/schema.ts";
import { systemChance, systemClock } from "../../src/wiring/clock.ts";
import { createLogger } from "../../src/log/log.ts";
import { createTools } from "../../src/runner/tools.ts";
import { createSealing } from "../../src/service/service-key.ts";
import { openAssembled } from "../../test/support/assembled.ts";
import { configOf } from "../../test/support/settings.ts";
import { Samples } from "./statistics.ts";
import { serveWorker } from "./worker.ts";

/** Turns in these chats, one after the other, cycling through them. Unknown chats are opened. */
export interface Talk {
  readonly chats: readonly string[];
  readonly turns: number;
}

export interface Talked {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU of this process. */
  readonly cpuMs: number;
  /** Entries and characters of the longest conversation that the model was given. */
  readonly entries: number;
  readonly characters: number;
  /** Turns that did not succeed. */
  readonly lost: number;
}

const [databaseUrl = ""] = process.argv.slice(2);
const ORGANIZATION = "org_bench";
const AGENT: AgentSnapshot = {
  id: "agt_bench",
  name: "Bench",
  version: 1,
  systemPrompt: "Answer.",
  model: null,
  allowedTools: [],
  approvalTools: [],
  mcpServers: [],
  maxSteps: null,
};
const ANSWER = "This is an answer of a usual length: a sentence or two, which say what was asked for. ".repeat(4);
const QUESTION = "What is to be said about this matter, in a sentence or two? ".repeat(2);

let longest = { entries: 0, characters: 0 };
const model: ModelPort = {
  describe: () => ok({ provider: "bench", name: "bench", demo: false }),
  inputOf: () => ["text"],
  windowOf: () => ({ contextTokens: 128_000, answerTokens: 16_000 }),
  allowed: () => [],
  async call({ entries }, onText) {
    const characters = entries.reduce(
      (sum, entry) => sum + (entry.role === "user" ? entry.text.length : JSON.stringify(entry.blocks).length),
      0,
    );
    longest = {
      entries: Math.max(longest.entries, entries.length),
      characters: Math.max(longest.characters, characters),
    };
    onText(ANSWER);
    return {
      kind: "finished",
      blocks: [{ type: "text", text: ANSWER }],
      usage: { inputTokens: 1, outputTokens: 1 },
      finishReason: "stop",
    };
  },
};

const log = await createLogger({ level: "error", pretty: false, sink: { write: (line) => console.error(line) } });
const pauses = { clock: systemClock, chance: systemChance };
const { actors, undo } = await openAssembled(databaseUrl, {
  config: configOf({ MODEL_RETRIES: "0" }),
  log,
  sealing: createSealing(new Uint8Array(32)),
  models: model,
  overrides: { tools: createTools([], { pauses, log }) },
});
const { system } = actors;
await system.start();
const opened = new Set<string>();

/** A message and its answer. False when the job did not end well. */
async function turn(chatId: string): Promise<boolean> {
  const open = opened.has(chatId) ? null : { workspaceId: "wsp_bench", title: "Bench" };
  opened.add(chatId);
  const sent = await system.dispatch(chatRef(ORGANIZATION, chatId), {
    kind: "send_message",
    open,
    agent: AGENT,
    content: QUESTION,
    userId: "usr_bench",
    onBusy: null,
    terms: PLAIN_TERMS,
    metadata: {},
  });
  const job = sent.ok ? sent.value.job : null;
  if (job === null) return false;
  const reader = system.subscribe(jobRef(ORGANIZATION, job.id), 0);
  try {
    for (;;) {
      for (const item of await reader.next()) {
        if (item.kind !== "event") continue;
        if (item.event.type === "job.completed") return true;
        if (item.event.type === "job.failed") return false;
      }
    }
  } finally {
    reader.close();
  }
}

async function talk({ chats, turns }: Talk): Promise<Talked> {
  const samples = new Samples(turns);
  longest = { entries: 0, characters: 0 };
  let lost = 0;
  const cpuFrom = process.cpuUsage();
  for (let i = 0; i < turns; i++) {
    const from = performance.now();
    if (!(await turn(chats[i % chats.length]!))) lost++;
    samples.add(performance.now() - from);
  }
  const { user, system: kernel } = process.cpuUsage(cpuFrom);
  const { p50, p99 } = samples.summary();
  return { p50Ms: p50, p99Ms: p99, cpuMs: (user + kernel) / 1_000 / turns, ...longest, lost };
}

serveWorker<Talk, Talked>(talk, () => undo.run());
