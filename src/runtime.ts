/**
 * The actor system of this process over its storage: the actors, the runner's loop, the placement.
 * `startRuntime` returns when this replica owns its shards and has taken up what was undone on them.
 */

import type { ChatDirectory } from "../actors/chat/directory.ts";
import { newId } from "../actors/ids.ts";
import type { JobDirectory } from "../actors/job/directory.ts";
import { jobExecution } from "../actors/job/execution.ts";
import type { ModelPort } from "../actors/job/ports.ts";
import { type Places, Slots } from "../actors/job/slots.ts";
import type { Directory } from "../actors/organization/directory.ts";
import type { EffectHandler } from "../actors/runtime/effects.ts";
import { SHARD_COUNT } from "../actors/runtime/placement.ts";
import { System } from "../actors/runtime/system.ts";
import { type ActorSettings, troupeActors, type TroupeProtocols, type TroupeSystem } from "../actors/troupe.ts";
import type { UsageDirectory } from "../actors/usage/directory.ts";
import { PostgresPlacement } from "../db/placement.ts";
import { PostgresActorStore } from "../db/stores/actor-store.ts";
import { PostgresChatDirectory } from "../db/stores/chat-directory.ts";
import { PostgresDirectory } from "../db/stores/directory.ts";
import { PostgresJobDirectory } from "../db/stores/job-directory.ts";
import type { WebhookDirectory } from "../actors/webhook/directory.ts";
import { PostgresTranscripts } from "../db/stores/transcripts.ts";
import { PostgresUsageDirectory } from "../db/stores/usage-directory.ts";
import { PostgresWebhookDirectory } from "../db/stores/webhook-directory.ts";
import { systemChance, systemClock } from "./clock.ts";
import type { Logger } from "./log.ts";
import { DatabaseInUse, waitForRivals } from "./rivals.ts";
import type { Egress } from "./egress/egress.ts";
import { mcpTools } from "./runner/mcp/mcp-tools.ts";
import { builtinTools, createTools } from "./runner/tools.ts";
import { webFetch } from "./runner/tools/web-fetch.ts";
import { actorSecretReader } from "./secret-reader.ts";
import { checkServiceKey } from "./service-key.ts";
import type { Storage } from "./storage.ts";
import { toolServices } from "./tool-services.ts";
import { webhookHandlers } from "./webhooks.ts";

export interface Runtime {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly chats: ChatDirectory;
  readonly jobs: JobDirectory;
  readonly usage: UsageDirectory;
  readonly webhooks: WebhookDirectory;
}

/** What jobs run with. */
export interface RunnerParts {
  readonly models: ModelPort;
  /** The door for requests to addresses that somebody else has chosen. */
  readonly egress: Egress;
  /** Jobs that run at once (JOB-10). */
  readonly places: Places;
  /** Of one tool's result, in bytes. */
  readonly toolResultBytes: number;
}

export interface RuntimeParts extends ActorSettings {
  readonly storage: Storage;
  /** Null where nothing is to run: jobs stay as they are, for the next start. */
  readonly runner: RunnerParts | null;
  readonly log: Logger;
  /** Where this replica is reached. */
  readonly address: string;
  readonly build: string;
  readonly onLost: (reason: string) => void;
  /** Calls the start off. */
  readonly signal: AbortSignal;
}

/** Joins and takes the shards. Throws `DatabaseInUse` while another replica holds them, `WrongServiceKey`, or the signal's reason. */
export async function startRuntime(parts: RuntimeParts): Promise<Runtime> {
  const { storage, log, runner, signal } = parts;
  const folder = storage.isEmbedded ? storage.folder.path : null;
  const self = { id: newId("rpl"), address: parts.address, build: parts.build, folder };
  const placement = new PostgresPlacement(storage.database, self);
  await placement.buryFormer();
  await waitForRivals({ placement, clock: systemClock, log, signal });
  await checkServiceKey(storage.database, storage.sealing);
  await placement.join();
  const directory = new PostgresDirectory(storage.database);
  const webhooks = new PostgresWebhookDirectory(storage.database);
  const system: TroupeSystem = new System<TroupeProtocols>({
    definitions: troupeActors(parts),
    effects: runner === null ? IDLE : effectsOf(runner, parts, { directory, webhooks, system: () => system }),
    store: new PostgresActorStore(storage.database),
    placement,
    clock: systemClock,
    chance: systemChance,
    log,
    onLost: parts.onLost,
  });
  await system.start();
  if (system.shards.count !== SHARD_COUNT) {
    await system.stop();
    throw new DatabaseInUse(
      "Another instance of the service took shards of this database meanwhile; stop one of them.",
    );
  }
  return {
    system,
    directory,
    chats: new PostgresChatDirectory(storage.database),
    jobs: new PostgresJobDirectory(storage.database),
    usage: new PostgresUsageDirectory(storage.database),
    webhooks,
  };
}

/** Effects stay rows until a process comes that can run them. */
const LEFT_ALONE: EffectHandler = { run: () => Promise.resolve(), recover: () => Promise.resolve() };
const IDLE: Readonly<Record<keyof ReturnType<typeof effectsOf>, EffectHandler>> = {
  run: LEFT_ALONE,
  deliver_webhooks: LEFT_ALONE,
  find_webhooks: LEFT_ALONE,
  redeliver_webhooks: LEFT_ALONE,
};

interface Late {
  readonly directory: Directory;
  readonly webhooks: WebhookDirectory;
  readonly system: () => TroupeSystem;
}

const effectsOf = (runner: RunnerParts, parts: RuntimeParts, { directory, webhooks, system }: Late) => ({
  run: execution(runner, parts, directory, system),
  ...webhookHandlers({
    egress: runner.egress,
    sealing: parts.storage.sealing,
    queue: webhooks,
    clock: systemClock,
    log: parts.log,
    system,
    appUrl: parts.address,
  }),
});

function execution(
  runner: RunnerParts,
  parts: RuntimeParts,
  directory: Directory,
  system: () => TroupeSystem,
): EffectHandler {
  const { storage, log } = parts;
  const { models, egress } = runner;
  return jobExecution({
    models,
    tools: createTools([...builtinTools(toolServices({ system, directory, models, log })), webFetch(egress)], {
      sources: [mcpTools({ egress, secrets: actorSecretReader(system, storage.sealing), log })],
      resultBytes: runner.toolResultBytes,
      log,
    }),
    transcripts: new PostgresTranscripts(storage.database),
    slots: new Slots(runner.places),
    steps: parts.jobLimits.steps,
    clock: systemClock,
    group: (members, options) => system().dispatchGroup(members, options),
    log,
  });
}
