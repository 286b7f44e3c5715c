/**
 * Chats of the runtime in a process of its own: actors, the runner's loop and PostgreSQL as in the service, without
 * HTTP, and with a model that answers at once and ignores its input. So the cost of a turn is the service's own work.
 *
 *   bun chat-worker.ts <url of the database>
 */
import { DEFAULT_JOB_LIMITS } from "../../actors/job/limits.ts";
import { chatRef } from "../../actors/chat/schema.ts";
import { ok } from "../../actors/fault.ts";
import { newId } from "../../actors/ids.ts";
import { jobExecution } from "../../actors/job/run/execution.ts";
import type { ModelPort } from "../../actors/job/ports.ts";
import { type AgentSnapshot, jobRef, PLAIN_TERMS } from "../../actors/job/schema.ts";
import { NO_RETRIES } from "../../actors/job/run/retry-policy.ts";
import { Slots } from "../../actors/job/run/slots.ts";
import { System } from "../../actors/runtime/system.ts";
import { troupeActors, type TroupeProtocols, type TroupeSystem } from "../../actors/troupe.ts";
import { calendar } from "../../src/schedule/calendar.ts";
import { openDatabase } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { PostgresTranscripts } from "../../db/stores/transcripts.ts";
import { systemChance, systemClock } from "../../src/wiring/clock.ts";
import { createLogger } from "../../src/log/log.ts";
import { createTools } from "../../src/runner/tools.ts";
import { Samples } from "./statistics.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { outputChecks } from "../../src/wiring/output-checks.ts";
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
const database = openDatabase(databaseUrl);
const placement = new PostgresPlacement(database, { id: newId("rpl"), address: "bench", build: "bench", folder: null });
await placement.join();
const system: TroupeSystem = new System<TroupeProtocols>({
  definitions: troupeActors({ calendar }),
  store: new PostgresActorStore(database),
  placement,
  clock: systemClock,
  chance: systemChance,
  log,
  onLost: (reason) => console.error(reason),
});
system.handle({
  run: jobExecution({
    models: model,
    tools: createTools([], { pauses: { clock: systemClock, chance: systemChance }, log }),
    outputs: outputChecks(createSandbox()),
    transcripts: new PostgresTranscripts(database),
    slots: new Slots(),
    steps: DEFAULT_JOB_LIMITS.steps,
    retry: NO_RETRIES,
    chance: systemChance,
    clock: systemClock,
    group: (members, options) => system.dispatchGroup(members, options),
    textWriter: (text) => system.textWriter(text),
    log,
  }),
});
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

serveWorker<Talk, Talked>(talk, async () => {
  await system.stop();
  await database.close();
});
