/**
 * The service for streams: the runtime and the app as `src/service.ts` puts them together, but with
 * places for as many running jobs as the benchmark has streams, in one organization.
 *
 *   bun stream-service.ts <url of the database> <url of the provider>
 */
import { newId } from "../../actors/ids.ts";
import { jobExecution } from "../../actors/job/execution.ts";
import { Slots } from "../../actors/job/slots.ts";
import { System } from "../../actors/runtime/system.ts";
import { troupeActors, type TroupeProtocols, type TroupeSystem } from "../../actors/troupe.ts";
import { openDatabase } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { PostgresChatDirectory } from "../../db/stores/chat-directory.ts";
import { PostgresUsageDirectory } from "../../db/stores/usage-directory.ts";
import { PostgresJobDirectory } from "../../db/stores/job-directory.ts";
import { PostgresDirectory } from "../../db/stores/directory.ts";
import { PostgresTranscripts } from "../../db/stores/transcripts.ts";
import { createApp } from "../../src/app.ts";
import { systemChance, systemClock } from "../../src/clock.ts";
import { firstRun } from "../../src/first-run.ts";
import { createLogger } from "../../src/log.ts";
import { createModels } from "../../src/runner/models.ts";
import { builtinTools, createTools } from "../../src/runner/tools.ts";
import { createSealing } from "../../src/service-key.ts";
import { toolServices } from "../../src/tool-services.ts";
import { serveWorker } from "./worker.ts";

export interface StreamService {
  readonly port: number;
  readonly token: string;
  readonly agentId: string;
}

const PLACES = 1_024;
const [databaseUrl = "", openaiBaseUrl = ""] = process.argv.slice(2);

const log = await createLogger({ level: "info", pretty: false, sink: { write: () => {} } });
const database = openDatabase(databaseUrl);
const directory = new PostgresDirectory(database);
const placement = new PostgresPlacement(database, { id: newId("rpl"), address: "bench", build: "bench", folder: null });
await placement.join();
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
);
const system: TroupeSystem = new System<TroupeProtocols>({
  definitions: troupeActors(),
  effects: {
    run: jobExecution({
      models,
      tools: createTools(builtinTools(toolServices({ system: () => system, directory, models, log })), { log }),
      transcripts: new PostgresTranscripts(database),
      slots: new Slots(PLACES, PLACES),
      clock: systemClock,
      group: (members, options) => system.dispatchGroup(members, options),
      log,
    }),
  },
  store: new PostgresActorStore(database),
  placement,
  clock: systemClock,
  chance: systemChance,
  log,
  onLost: (reason) => console.error(reason),
});
await system.start();
const app = createApp({
  chats: new PostgresChatDirectory(database),
  usage: new PostgresUsageDirectory(database),
  jobs: new PostgresJobDirectory(database),
  system,
  directory,
  models,
  log,
  clock: systemClock,
  sealing: createSealing(new Uint8Array(32)),
  pingDatabase: () => Promise.resolve(),
});
const port = app.listen({ hostname: "127.0.0.1", port: 0 });
const run = await firstRun({ system, directory, now: systemClock.now(), beforeCommit: () => {} });
if (run === null) throw new Error("the database is not new");

serveWorker<null, StreamService>(
  () => Promise.resolve({ port, token: run.personalToken, agentId: run.agentId }),
  async () => {
    await app.stop();
    await system.stop();
    await database.close();
  },
);
