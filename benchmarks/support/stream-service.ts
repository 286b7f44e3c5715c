/**
 * The service for streams, put together as `main.ts` does it, but its one organization may have as many job slots and open
 * streams as the benchmark needs.
 *
 * On demand it creates chats and publishes events in them, at a given pace.
 *
 *   bun stream-service.ts <url of the database> <url of the provider>
 */
import { chatRef } from "../../actors/chat/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { LoopTime } from "../../actors/runtime/fairness/loop-time.ts";
import { OpenStreams } from "../../src/http/stream/open-streams.ts";
import { systemChance, systemClock } from "../../src/wiring/clock.ts";
import { firstRun } from "../../src/service/first-run.ts";
import { createLogger } from "../../src/log/log.ts";
import { createModels } from "../../src/runner/models.ts";
import { createSealing } from "../../src/service/service-key.ts";
import { openAssembled } from "../../test/support/assembled.ts";
import { configOf } from "../../test/support/settings.ts";
import { wallMs } from "./wall-clock.ts";
import { serveWorker } from "./worker.ts";

export interface StreamService {
  readonly port: number;
  readonly token: string;
  readonly agentId: string;
}
export type StreamQuestion =
  | { readonly kind: "start" }
  | { readonly kind: "chat" }
  /** Frees unused memory, so that the rest can be measured. */
  | { readonly kind: "tidy" }
  | ({ readonly kind: "say"; readonly chat: string } & Saying);
/** Bursts of events that commit together, one every `everyMs`. */
export interface Saying {
  readonly bursts: number;
  readonly size: number;
  readonly everyMs: number;
}
/** `chat`: a new one's id. `commits`: the time of each burst. */
export interface StreamAnswer extends StreamService {
  readonly chat: string;
  readonly commits: readonly number[];
}

const PLACES = 1_024;
const TIDY_MS = 500;
const [databaseUrl = "", openaiBaseUrl = ""] = process.argv.slice(2);

const budgets = new Map<string, number>();
let measured: LoopTime | null = null;
const { actors, app, undo } = await openAssembled(databaseUrl, {
  config: configOf({
    RUNNING_JOBS: String(PLACES),
    RUNNING_JOBS_OF_ORGANIZATION: String(PLACES),
    V1_REQUESTS_PER_MINUTE: "0",
  }),
  log: await createLogger({ level: "info", pretty: false, sink: { write: () => {} } }),
  sealing: createSealing(new Uint8Array(32)),
  models: ({ log, loopTime }) => {
    measured = loopTime;
    return createModels(
      {
        model: "openai:fake-model",
        openaiBaseUrl,
        openaiApiKey: null,
        anthropicApiKey: null,
        localModels: [],
        production: false,
        allowDemoModel: false,
      },
      log,
      { time: loopTime },
    );
  },
  // One organization may have half of the streams that the limit of open files allows: fewer than the benchmark opens.
  overrides: { budgets, services: () => ({ streams: new OpenStreams(systemClock, undefined, measured) }) },
});
const { system, directory } = actors;
await system.start();
const port = app.listen({ hostname: "127.0.0.1", port: 0 });
const run = await firstRun({
  system,
  directory,
  now: systemClock.now(),
  pauses: { clock: systemClock, chance: systemChance },
  signal: new AbortController().signal,
  beforeCommit: () => {},
});
if (run === null) throw new Error("the database is not new");

budgets.set(run.organizationId, Number.MAX_SAFE_INTEGER);
const place: StreamAnswer = { port, token: run.personalToken, agentId: run.agentId, chat: "", commits: [] };

async function newChat(): Promise<string> {
  const ref = organizationRef(run!.organizationId);
  const organization = await system.dispatch(ref, { kind: "read_organization" });
  if (!organization.ok) throw new Error(organization.fault.kind);
  const response = await fetch(`http://127.0.0.1:${port}/api/chats`, {
    method: "POST",
    headers: { authorization: `Bearer ${place.token}`, "content-type": "application/json" },
    body: JSON.stringify({ agent_id: place.agentId, workspace_id: organization.value.defaultWorkspaceId }),
  });
  return ((await response.json()) as { id: string }).id;
}

/** The marker `~` is once in each event. Setting the present title again makes no event, so there are two. */
const TITLES = [`~${"x".repeat(119)}`, `~${"y".repeat(119)}`];
let said = 0;

async function say(chat: string, { bursts, size, everyMs }: Saying): Promise<readonly number[]> {
  const ref = chatRef(run!.organizationId, chat);
  const update = () =>
    system.dispatch(ref, { kind: "update_chat", options: { title: TITLES[said++ % 2]! }, version: null });
  const commits: number[] = [];
  const from = performance.now();
  for (let i = 0; i < bursts; i++) {
    const outcomes = await Promise.all(Array.from({ length: size }, update));
    commits.push(wallMs());
    if (!outcomes.every(({ ok }) => ok)) throw new Error("an event was refused");
    await Bun.sleep(Math.max(0, from + (i + 1) * everyMs - performance.now()));
  }
  return commits;
}

/** Freed memory returns to the system a moment later, and the native memory that it held with the next collection. */
async function tidy(): Promise<void> {
  Bun.gc(true);
  await Bun.sleep(TIDY_MS);
  Bun.gc(true);
}

serveWorker<StreamQuestion, StreamAnswer>(
  async (question) => {
    if (question.kind === "chat") return { ...place, chat: await newChat() };
    if (question.kind === "say") return { ...place, commits: await say(question.chat, question) };
    if (question.kind === "tidy") await tidy();
    return place;
  },
  async () => {
    await app.stop();
    await undo.run();
  },
);
