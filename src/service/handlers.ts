/** The handlers of effects: the loop of jobs with its tools, missions, and webhooks. */
import { RUN_SLICE } from "../../actors/job/run/run-slices.ts";
import { Slots } from "../../actors/job/run/slots.ts";
import type { ToolPort } from "../../actors/job/ports.ts";
import type { EffectHandlers } from "../../actors/runtime/outputs/effects.ts";
import { Slices } from "../../actors/runtime/fairness/slices.ts";
import { PostgresTranscripts } from "../../db/stores/transcripts.ts";
import { connectionEffects } from "../connections/effects.ts";
import type { Services } from "../operations/services.ts";
import { withAttachedContent } from "../runner/attached-content.ts";
import { HeldBytes } from "../runner/held-bytes.ts";
import { mcpTools } from "../runner/mcp/mcp-tools.ts";
import { withProviderKeys } from "../runner/provider-keys.ts";
import { withRepositoryModel } from "../runner/repository-model.ts";
import { agentTools } from "../runner/tools/agent-tools.ts";
import { cloneTools } from "../runner/tools/clone-repository.ts";
import { fileTools } from "../runner/tools/file-tools.ts";
import { missionTools } from "../runner/tools/mission-tools.ts";
import { shellTool } from "../runner/tools/shell.ts";
import { webFetch } from "../runner/tools/web-fetch.ts";
import { builtinTools, createTools } from "../runner/tools.ts";
import { appUrlOf } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import { cloneService } from "../wiring/clone-service.ts";
import { systemChance, systemClock } from "../wiring/clock.ts";
import { actorFileService } from "../wiring/file-service.ts";
import { actorMissionService } from "../wiring/mission-service.ts";
import { outputChecks } from "../wiring/schema-checks.ts";
import { actorProviderKeys, actorSecretReader } from "../wiring/secret-reader.ts";
import { resultFiles } from "../wiring/result-files.ts";
import { shellService } from "../wiring/shell-service.ts";
import { actorDelegation } from "../wiring/delegation.ts";
import { actorTaskService } from "../wiring/task-service.ts";
import { tracedExecution } from "../wiring/traced.ts";
import { noticeEffects } from "../wiring/notices.ts";
import { webhookHandlers } from "../wiring/webhooks.ts";
import { workspaceInstructions } from "../wiring/workspace-instructions.ts";
import { forsakingEffects } from "../work/forsaken-connections.ts";
import { missionEffects } from "../work/mission-effects.ts";
import type { ActorParts, Actors } from "./actors.ts";
import type { Overrides } from "./assembly-parts.ts";
import { slicePace } from "./loop-time.ts";
import type { Resources } from "./resources.ts";

interface HandlerParts {
  readonly config: Config;
  readonly storage: ActorParts["storage"];
  readonly resources: Resources;
  readonly services: Pick<Services, "access" | "agents" | "identities" | "queries" | "ruleChecks">;
  readonly overrides: Pick<Overrides, "tools" | "jobClock" | "cloneLimits">;
}

export function createHandlers(actors: Actors, parts: HandlerParts): EffectHandlers {
  const { system, sealing, missions, connections, webhooks, clock, log } = actors;
  const { config, resources, services } = parts;
  const pausing = { pauses: { clock: systemClock, chance: systemChance } };
  return {
    run: jobHandler(actors, parts),
    ...missionEffects({
      services: { system, agents: services.agents, models: resources.models },
      missions,
      clock,
      chance: systemChance,
      log,
    }),
    ...noticeEffects({
      system,
      agents: services.agents,
      egress: resources.egress,
      sealing,
      mailer: resources.mailer,
      clock,
      chance: systemChance,
      appUrl: appUrlOf(config, config.port),
      log,
    }),
    ...connectionEffects({
      ...resources,
      ...pausing,
      system,
      sealing,
      secrets: actorSecretReader(system, sealing),
      clock,
      log,
    }),
    ...forsakingEffects({ ...pausing, system, connections, log }),
    ...webhookHandlers({
      ...resources,
      system,
      sealing,
      queue: webhooks,
      clock,
      chance: systemChance,
      log,
      appUrl: appUrlOf(config, config.port),
    }),
  };
}

function jobHandler(actors: Actors, parts: HandlerParts): EffectHandlers[string] {
  const { system, sealing, contents, jobLimits, log } = actors;
  const { config, storage, resources, overrides } = parts;
  const { loopTime } = storage;
  const secrets = actorSecretReader(system, sealing);
  const models = withAttachedContent(withProviderKeys(resources.models, secrets), { contents, log });
  return tracedExecution(resources.tracing)({
    models: withRepositoryModel(models),
    providerKeys: actorProviderKeys(system),
    tools: overrides.tools ?? toolsOf(actors, parts),
    outputs: outputChecks(resources.fileSandbox),
    ruleChecks: parts.services.ruleChecks,
    transcripts: new PostgresTranscripts(storage.database),
    slots: new Slots(
      { inProcess: config.runningJobs, ofOrganization: config.runningJobsOfOrganization },
      { isOver: (id) => loopTime.isOverShare(id), clock: systemClock },
    ),
    runSlices: new Slices(RUN_SLICE, {
      later: setImmediate,
      isNeeded: () => loopTime.isShared,
      pace: slicePace(loopTime),
    }),
    steps: jobLimits.steps,
    retry: { retries: config.modelRetries, fallbacks: config.modelFallbacks },
    chance: systemChance,
    clock: overrides.jobClock ?? actors.clock,
    group: (members, options) => system.dispatchGroup(members, options),
    textWriter: (text) => system.textWriter(text),
    log,
  });
}

/** The tools of agents. A new one is listed here, or in `builtinTools`. */
function toolsOf(actors: Actors, { config, storage, resources, services, overrides }: HandlerParts): ToolPort {
  const { system, directory, log } = actors;
  const { egress, sandbox, shell } = resources;
  const { access, identities } = services;
  const { requests: connections } = access;
  const secrets = actorSecretReader(system, actors.sealing);
  const isOverShare = (organizationId: string): boolean => storage.loopTime.isOverShare(organizationId);
  const limits = overrides.cloneLimits === undefined ? {} : { limits: overrides.cloneLimits };
  const shellTools =
    shell === null ? [] : [shellTool(shellService({ ...actors, ...shell, isOverShare, egress }), shell.hosts)];
  return createTools(
    [
      ...builtinTools({
        tasks: actorTaskService(system, directory),
        delegations: actorDelegation({ system, agents: services.agents, models: resources.models }),
      }),
      webFetch(egress, sandbox),
      ...fileTools(actorFileService({ ...actors, queries: services.queries })),
      ...shellTools,
    ],
    {
      sources: [
        agentTools({ egress, sandbox, secrets, connections, identities, clock: systemClock }),
        workspaceInstructions(system),
        missionTools(actorMissionService(system)),
        mcpTools({
          egress,
          sandbox,
          held: new HeldBytes(),
          secrets,
          connections,
          identities,
          keeper: resultFiles(actors),
          log,
        }),
        cloneTools(cloneService({ ...actors, secrets, cloner: resources.cloner, ...limits })),
      ],
      pauses: { clock: systemClock, chance: systemChance },
      resultBytes: config.toolResultKib * 1_024,
      log,
    },
  );
}
