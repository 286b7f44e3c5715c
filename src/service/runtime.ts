/**
 * The actor system of this process over its storage: the actors, the runner's loop, the placement. `startRuntime`
 * returns when this replica owns its shards and has taken up what was undone on them.
 */

import type { ChatDirectory } from "../../actors/chat/directory.ts";
import { slicePace } from "./loop-time.ts";
import { newId } from "../../actors/ids.ts";
import type { JobDirectory } from "../../actors/job/directory.ts";
import type { ModelPort } from "../../actors/job/ports.ts";
import type { RetrySettings } from "../../actors/job/run/retry-policy.ts";
import { RUN_SLICE } from "../../actors/job/run/run-slices.ts";
import { type SlotLimits, Slots } from "../../actors/job/run/slots.ts";
import type { MissionDirectory } from "../../actors/mission/directory.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { EffectHandler } from "../../actors/runtime/effects.ts";
import { SHARD_COUNT } from "../../actors/runtime/placement.ts";
import { Slices } from "../../actors/runtime/slices.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import { System } from "../../actors/runtime/system.ts";
import { type ActorSettings, troupeActors, type TroupeProtocols, type TroupeSystem } from "../../actors/troupe.ts";
import type { QuotaLimits, QuotaReports } from "../../actors/usage/quota.ts";
import type { UploadDirectory } from "../../actors/upload/directory.ts";
import type { UsageDirectory } from "../../actors/usage/directory.ts";
import type { Files } from "../files/files.ts";
import type { Sealing } from "../../actors/sealing.ts";
import { PostgresKeyRotation } from "../../db/key-rotation.ts";
import { PostgresErasure } from "../../db/erasure.ts";
import { folderName } from "../../db/folder-lock.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { PostgresChatDirectory } from "../../db/stores/chat-directory.ts";
import { PostgresDirectory } from "../../db/stores/directory.ts";
import { PostgresJobDirectory } from "../../db/stores/job-directory.ts";
import type { WebhookDirectory } from "../../actors/webhook/directory.ts";
import { PostgresMissionDirectory } from "../../db/stores/mission-directory.ts";
import type { FileDirectory } from "../../actors/workspace/directory.ts";
import { PostgresFileDirectory } from "../../db/stores/file-directory.ts";
import { PostgresTranscripts } from "../../db/stores/transcripts.ts";
import { PostgresQuotaDirectory } from "../../db/stores/quota-directory.ts";
import { PostgresUploadDirectory } from "../../db/stores/upload-directory.ts";
import { PostgresUsageDirectory } from "../../db/stores/usage-directory.ts";
import { PostgresWebhookDirectory } from "../../db/stores/webhook-directory.ts";
import { systemChance, systemClock } from "../wiring/clock.ts";
import type { Logger } from "../log/log.ts";
import { DatabaseInUse, waitForRivals } from "./rivals.ts";
import type { Egress } from "../egress/egress.ts";
import { HeldBytes } from "../runner/held-bytes.ts";
import { resultFiles } from "../wiring/result-files.ts";
import { mcpTools } from "../runner/mcp/mcp-tools.ts";
import { dataQueries } from "../wiring/data-queries.ts";
import { actorFileService } from "../wiring/file-service.ts";
import { agentTools } from "../runner/tools/agent-tools.ts";
import { fileTools } from "../runner/tools/file-tools.ts";
import { builtinTools, createTools } from "../runner/tools.ts";
import { webFetch } from "../runner/tools/web-fetch.ts";
import type { Cloner } from "../repositories/clone.ts";
import { withAttachedContent } from "../runner/attached-content.ts";
import { withProviderKeys } from "../runner/provider-keys.ts";
import { withRepositoryModel } from "../runner/repository-model.ts";
import { cloneTools } from "../runner/tools/clone-repository.ts";
import { shellTool } from "../runner/tools/shell.ts";
import { type AgentShell, shellService } from "../wiring/shell-service.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { Quotas } from "../wiring/quotas.ts";
import { actorProviderKeys } from "../wiring/provider-keys.ts";
import { actorSecretReader } from "../wiring/secret-reader.ts";
import { cloneService } from "../wiring/clone-service.ts";
import { DEFAULT_WORKSPACE_LIMITS } from "../../actors/workspace/limits.ts";
import { calendar } from "../schedule/calendar.ts";
import type { Replica, ReplicaParts } from "./replica.ts";
import { checkServiceKey, keyCheckOf } from "./service-key.ts";
import type { Storage } from "./storage.ts";
import { missionTools } from "../runner/tools/mission-tools.ts";
import { actorMissionService } from "../wiring/mission-service.ts";
import type { Meters } from "../metrics/meters.ts";
import { MeteredActorStore, MeteredPlacement } from "../wiring/metered.ts";
import { tracedExecution } from "../wiring/traced.ts";
import { toolServices } from "../wiring/tool-services.ts";
import { workspaceInstructions } from "../wiring/workspace-instructions.ts";
import { outputChecks } from "../wiring/output-checks.ts";
import { AgentFinder } from "../work/agent-finder.ts";
import { missionEffects } from "../work/mission-effects.ts";
import { webhookHandlers } from "../wiring/webhooks.ts";

export interface Runtime {
  readonly system: TroupeSystem;
  /** This process as one of several replicas; null if it is alone. */
  readonly replica: Replica | null;
  readonly directory: Directory;
  readonly chats: ChatDirectory;
  readonly jobs: JobDirectory;
  readonly files: FileDirectory;
  readonly uploads: UploadDirectory;
  readonly usage: UsageDirectory;
  readonly quotas: QuotaReports;
  readonly webhooks: WebhookDirectory;
  readonly missions: MissionDirectory;
  readonly erasure: PostgresErasure;
  readonly keyRotation: PostgresKeyRotation;
  readonly sealing: Sealing;
  /** Stores the content of files. */
  readonly contents: Files;
}

/** What jobs need to run. */
export interface RunnerParts {
  readonly models: ModelPort;
  /** The guarded client for requests to untrusted addresses. */
  readonly egress: Egress;
  /** Parses the answers to those requests. */
  readonly sandbox: Sandbox;
  /** Runs queries over files of workspaces. */
  readonly fileSandbox: Sandbox;
  /** Runs commands of agents, and has their folders; null if commands cannot be isolated. */
  readonly shell: AgentShell | null;
  /** Fetches repositories. */
  readonly cloner: Cloner;
  /** Jobs that run at once (JOB-10). */
  readonly slots: SlotLimits;
  readonly retry: RetrySettings;
  /** Limit of one tool's result, in bytes. */
  readonly toolResultBytes: number;
}

export interface RuntimeParts extends ActorSettings {
  /** Counts for metrics; null if metrics are off. */
  readonly meters: Meters | null;
  /** Receives spans; null if nothing is traced. */
  readonly tracing: Tracing | null;
  /** The default quotas of an organization. */
  readonly quotas: QuotaLimits;
  readonly storage: Storage;
  /** Null if no jobs are to run: they stay as they are, for the next start. */
  readonly runner: RunnerParts | null;
  readonly log: Logger;
  /** Where this replica is reached. */
  readonly address: string;
  /** Opens the peer port; resolves with null if this process is to be alone. Omitted: it is alone. */
  readonly openReplica?: (of: Pick<ReplicaParts, "placement" | "system">) => Promise<Replica | null>;
  readonly build: string;
  readonly onLost: (reason: string) => void;
  /** Cancels the start. */
  readonly signal: AbortSignal;
}

/** A runtime that owns nothing yet. */
export interface PreparedRuntime {
  readonly runtime: Runtime;
  /** Joins and takes shards, whose clients come at once. Throws `DatabaseInUse` if another replica has taken some. */
  join(): Promise<void>;
}

/** Prepares the runtime and joins. */
export async function startRuntime(parts: RuntimeParts): Promise<Runtime> {
  const { runtime, join } = await prepareRuntime(parts);
  await join();
  return runtime;
}

/** Waits until the database is free. Throws `DatabaseInUse`, `WrongServiceKey`, or the signal's reason. */
export async function prepareRuntime(parts: RuntimeParts): Promise<PreparedRuntime> {
  const { storage, log, runner, signal } = parts;
  const { path } = storage.folder;
  const folder = storage.isEmbedded ? path : folderName(path);
  const replica = (await parts.openReplica?.({ placement: () => placement, system: () => system })) ?? null;
  const self = {
    id: replica?.id ?? newId("rpl"),
    address: parts.address,
    build: parts.build,
    keyCheck: keyCheckOf(storage.sealing),
    folder,
    ...(replica === null ? {} : { peerUrl: replica.group.url }),
  };
  const { meters } = parts;
  const { database } = storage;
  const placement: PostgresPlacement =
    meters === null ? new PostgresPlacement(database, self) : new MeteredPlacement(database, self, meters);
  await placement.buryFormer();
  await waitForRivals({ placement, clock: systemClock, log, signal });
  await checkServiceKey(storage.database, storage.sealing);
  await replica?.share();
  const directory = new PostgresDirectory(storage.database);
  const webhooks = new PostgresWebhookDirectory(storage.database);
  const missions = new PostgresMissionDirectory(storage.database);
  const quotas = new Quotas({
    directory: new PostgresQuotaDirectory(storage.database),
    defaults: parts.quotas,
    clock: systemClock,
    log,
  });
  const system: TroupeSystem = new System<TroupeProtocols>({
    guard: quotas,
    ...(replica === null ? {} : { peers: replica.group }),
    definitions: troupeActors({ ...parts, calendar }),
    store: meters === null ? new PostgresActorStore(database) : new MeteredActorStore(database, meters),
    placement,
    clock: systemClock,
    loopTime: storage.loopTime,
    later: setImmediate,
    chance: systemChance,
    log,
    onLost: parts.onLost,
    hasRoom: storage.hasRoom,
    ...(parts.tracing === null ? {} : { tracing: parts.tracing }),
  });
  if (runner !== null) system.handle(effectsOf(runner, parts, { directory, quotas, webhooks, missions, system }));
  const runtime: Runtime = {
    system,
    replica,
    quotas,
    directory,
    chats: new PostgresChatDirectory(storage.database),
    jobs: new PostgresJobDirectory(storage.database),
    files: new PostgresFileDirectory(storage.database),
    uploads: new PostgresUploadDirectory(storage.database),
    usage: new PostgresUsageDirectory(storage.database),
    webhooks,
    missions,
    erasure: new PostgresErasure(database),
    keyRotation: new PostgresKeyRotation(database),
    sealing: storage.sealing,
    contents: storage.files,
  };
  const join = async (): Promise<void> => {
    await placement.join();
    await system.start();
    await replica?.group.joined();
    if (replica !== null || system.shards.count === SHARD_COUNT) return;
    await system.stop();
    throw new DatabaseInUse(
      "Another instance of the service took shards of this database meanwhile; stop one of them.",
    );
  };
  return { runtime, join };
}

interface Actors {
  readonly directory: Directory;
  readonly quotas: QuotaReports;
  readonly webhooks: WebhookDirectory;
  readonly missions: MissionDirectory;
  readonly system: TroupeSystem;
}

const effectsOf = (runner: RunnerParts, parts: RuntimeParts, actors: Actors) => ({
  run: execution(runner, parts, actors),
  ...missionEffects({
    services: { system: actors.system, agents: new AgentFinder({ ...actors, log: parts.log }), models: runner.models },
    missions: actors.missions,
    clock: systemClock,
    chance: systemChance,
    log: parts.log,
  }),
  ...webhookHandlers({
    egress: runner.egress,
    sealing: parts.storage.sealing,
    queue: actors.webhooks,
    clock: systemClock,
    chance: systemChance,
    log: parts.log,
    system: actors.system,
    appUrl: parts.address,
    meters: parts.meters,
    tracing: parts.tracing,
  }),
});

function execution(
  runner: RunnerParts,
  parts: RuntimeParts,
  { directory, quotas, system }: Pick<Actors, "directory" | "quotas" | "system">,
): EffectHandler {
  const { storage, log } = parts;
  const { models, egress, sandbox, fileSandbox } = runner;
  const jobExecution = tracedExecution(parts.tracing);
  const secrets = actorSecretReader(system, storage.sealing);
  const files = new PostgresFileDirectory(storage.database);
  const { workspaceLimits = DEFAULT_WORKSPACE_LIMITS } = parts;
  const isOverShare = (organizationId: string): boolean => system.loopTime.isOverShare(organizationId);
  const shared = { system, files, contents: storage.files, quotas };
  return jobExecution({
    models: withRepositoryModel(
      withAttachedContent(withProviderKeys(models, secrets), { contents: storage.files, log }),
    ),
    providerKeys: actorProviderKeys(system),
    tools: createTools(
      [
        ...builtinTools(toolServices({ system, directory, models, log })),
        webFetch(egress, sandbox),
        ...fileTools(
          actorFileService({
            ...shared,
            queries: dataQueries({ sandbox: fileSandbox, system, contents: storage.files }),
          }),
        ),
        ...(runner.shell === null
          ? []
          : [
              shellTool(
                shellService({ ...shared, ...runner.shell, workspaceLimits, isOverShare, egress }),
                runner.shell.hosts,
              ),
            ]),
      ],
      {
        sources: [
          agentTools({ egress, sandbox, secrets, clock: systemClock }),
          workspaceInstructions(system),
          missionTools(actorMissionService(system)),
          mcpTools({
            egress,
            sandbox,
            held: new HeldBytes(),
            secrets,
            keeper: resultFiles({ contents: storage.files, quotas, log }),
            log,
          }),
          cloneTools(
            cloneService({
              ...shared,
              secrets,
              cloner: runner.cloner,
              workspaceLimits,
              log,
            }),
          ),
        ],
        pauses: { clock: systemClock, chance: systemChance },
        resultBytes: runner.toolResultBytes,
        log,
      },
    ),
    outputs: outputChecks(fileSandbox),
    transcripts: new PostgresTranscripts(storage.database),
    slots: new Slots(runner.slots, (organizationId) => system.loopTime.isOverShare(organizationId)),
    runSlices: new Slices(RUN_SLICE, {
      later: setImmediate,
      isNeeded: () => system.loopTime.isShared,
      pace: slicePace(system.loopTime),
    }),
    steps: parts.jobLimits.steps,
    retry: runner.retry,
    chance: systemChance,
    clock: systemClock,
    group: (members, options) => system.dispatchGroup(members, options),
    textWriter: (text) => system.textWriter(text),
    log,
  });
}
