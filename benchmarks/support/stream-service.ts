/**
 * The service for streams: the runtime and the app as `src/service/service.ts` puts them together, but with as many job
 * slots in one organization as the benchmark has streams.
 *
 * On demand it creates chats and publishes events in them, at a given pace.
 *
 *   bun stream-service.ts <url of the database> <url of the provider>
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok } from "../../actors/fault.ts";
import { DEFAULT_WORKSPACE_LIMITS } from "../../actors/workspace/limits.ts";
import { PostgresBlobClaims } from "../../db/stores/blob-claims.ts";
import { PostgresFileDirectory } from "../../db/stores/file-directory.ts";
import { createSandbox, filePool } from "../../src/sandbox/sandbox.ts";
import { argumentChecks } from "../../src/wiring/argument-checks.ts";
import { toolImports } from "../../src/wiring/tool-imports.ts";
import { sandboxPreviews } from "../../src/wiring/previews.ts";
import { dataQueries } from "../../src/wiring/data-queries.ts";
import { openFiles } from "../../src/files/files.ts";
import { DEFAULT_JOB_LIMITS } from "../../actors/job/limits.ts";
import { chatRef } from "../../actors/chat/schema.ts";
import { newId } from "../../actors/ids.ts";
import { jobExecution } from "../../actors/job/run/execution.ts";
import { NO_RETRIES } from "../../actors/job/run/retry-policy.ts";
import { Slots } from "../../actors/job/run/slots.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { LoopTime } from "../../actors/runtime/loop-time.ts";
import { System } from "../../actors/runtime/system.ts";
import { troupeActors, type TroupeProtocols, type TroupeSystem } from "../../actors/troupe.ts";
import { calendar } from "../../src/schedule/calendar.ts";
import { openDatabase } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { PostgresChatDirectory } from "../../db/stores/chat-directory.ts";
import { PostgresMissionDirectory } from "../../db/stores/mission-directory.ts";
import { PostgresUploadDirectory } from "../../db/stores/upload-directory.ts";
import { PostgresUsageDirectory } from "../../db/stores/usage-directory.ts";
import { PostgresJobDirectory } from "../../db/stores/job-directory.ts";
import { PostgresDirectory } from "../../db/stores/directory.ts";
import { PostgresTranscripts } from "../../db/stores/transcripts.ts";
import { PostgresWebhookDirectory } from "../../db/stores/webhook-directory.ts";
import { createApp } from "../../src/service/app.ts";
import { systemChance, systemClock } from "../../src/wiring/clock.ts";
import { Passwords } from "../../src/sign-in/passwords.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { firstRun } from "../../src/service/first-run.ts";
import { createLogger } from "../../src/log/log.ts";
import { createModels } from "../../src/runner/models.ts";
import { builtinTools, createTools } from "../../src/runner/tools.ts";
import { createSealing } from "../../src/service/service-key.ts";
import { toolServices } from "../../src/wiring/tool-services.ts";
import { wallMs } from "./wall-clock.ts";
import { webhookTools } from "../../src/wiring/webhooks.ts";
import { outputChecks } from "../../src/wiring/output-checks.ts";
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

const log = await createLogger({ level: "info", pretty: false, sink: { write: () => {} } });
const database = openDatabase(databaseUrl);
const directory = new PostgresDirectory(database);
const placement = new PostgresPlacement(database, { id: newId("rpl"), address: "bench", build: "bench", folder: null });
await placement.join();
const loopTime = new LoopTime(() => systemClock.monotonic());
const models = createModels(
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
const system: TroupeSystem = new System<TroupeProtocols>({
  definitions: troupeActors({ calendar }),
  store: new PostgresActorStore(database),
  placement,
  clock: systemClock,
  chance: systemChance,
  log,
  onLost: (reason) => console.error(reason),
  loopTime,
});
system.handle({
  run: jobExecution({
    models,
    tools: createTools(builtinTools(toolServices({ system, directory, models, log })), {
      pauses: { clock: systemClock, chance: systemChance },
      log,
    }),
    outputs: outputChecks(createSandbox()),
    transcripts: new PostgresTranscripts(database),
    slots: new Slots({ inProcess: PLACES, ofOrganization: PLACES }),
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
const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
const budgets = new Map<string, number>();
const contents = await openFiles(
  { folder, s3: null },
  { claims: new PostgresBlobClaims(database), clock: systemClock, onFailure: console.error },
);
const fileSandbox = createSandbox(undefined, { kind: filePool(contents.children) });
const egress = createEgress({ allow: [], production: false });
const app = createApp({
  passwords: new Passwords(),
  jobLimits: DEFAULT_JOB_LIMITS,
  chats: new PostgresChatDirectory(database),
  missions: new PostgresMissionDirectory(database),
  files: new PostgresFileDirectory(database),
  contents,
  argumentChecks: argumentChecks(fileSandbox),
  toolImports: toolImports(egress, fileSandbox),
  mcpCatalogue: { toolsOf: () => Promise.resolve([]), namesOf: () => null },
  previews: sandboxPreviews({ sandbox: fileSandbox, contents }),
  queries: dataQueries({ sandbox: fileSandbox, system, contents }),
  workspaceLimits: DEFAULT_WORKSPACE_LIMITS,
  git: null,
  uploads: new PostgresUploadDirectory(database),
  usage: new PostgresUsageDirectory(database),
  quotas: { report: () => Promise.resolve([]), room: () => Promise.resolve(ok(null)), unreferred: () => {} },
  jobs: new PostgresJobDirectory(database),
  webhooks: new PostgresWebhookDirectory(database),
  webhookTools: webhookTools(egress),
  egress,
  provider: null,
  system,
  directory,
  models,
  log,
  clock: systemClock,
  sealing: createSealing(new Uint8Array(32)),
  pingDatabase: () => Promise.resolve(),
  rates: { budgets },
});
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
    await system.stop();
    await database.close();
  },
);
