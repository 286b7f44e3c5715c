/** The tools of the service's own agents, over the parts of a test's service. */
import { join } from "node:path";
import type { ModelPort, ToolPort } from "../../actors/job/ports.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { QuotaReports } from "../../actors/usage/quota.ts";
import type { WorkspaceLimits } from "../../actors/workspace/limits.ts";
import type { Database } from "../../db/client.ts";
import { PostgresFileDirectory } from "../../db/stores/file-directory.ts";
import type { Egress } from "../../src/egress/egress.ts";
import type { Files } from "../../src/files/files.ts";
import { Cloner, type CloneLimits } from "../../src/repositories/clone.ts";
import type { HttpLog } from "../../src/log/port.ts";
import type { RunnerLog } from "../../src/runner/log.ts";
import { builtinTools, createTools } from "../../src/runner/tools.ts";
import { agentTools } from "../../src/runner/tools/agent-tools.ts";
import { cloneTools } from "../../src/runner/tools/clone-repository.ts";
import { fileTools } from "../../src/runner/tools/file-tools.ts";
import { missionTools } from "../../src/runner/tools/mission-tools.ts";
import { shellTool } from "../../src/runner/tools/shell.ts";
import type { Tool, ToolSource } from "../../src/runner/tools/tool.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { Shell } from "../../src/sandbox/shell.ts";
import { systemChance, systemClock } from "../../src/wiring/clock.ts";
import { cloneService } from "../../src/wiring/clone-service.ts";
import type { dataQueries } from "../../src/wiring/data-queries.ts";
import { actorFileService } from "../../src/wiring/file-service.ts";
import { actorMissionService } from "../../src/wiring/mission-service.ts";
import type { actorSecretReader } from "../../src/wiring/secret-reader.ts";
import { shellService } from "../../src/wiring/shell-service.ts";
import { toolServices } from "../../src/wiring/tool-services.ts";
import { workspaceInstructions } from "../../src/wiring/workspace-instructions.ts";

export interface ToolOptions {
  /** More than the service's own tools. */
  readonly toolSources?: (system: TroupeSystem, log: RunnerLog) => readonly ToolSource[];
  /** What runs commands of agents; they have no shell unless given. */
  readonly shell?: Pick<Shell, "run">;
  /** What they may reach; nothing unless given. */
  readonly shellHosts?: readonly string[];
  readonly cloneLimits?: CloneLimits;
}

/** What the tools work on. */
interface ToolParts {
  readonly system: TroupeSystem;
  readonly database: Database;
  readonly directory: Directory;
  readonly models: ModelPort;
  readonly files: Files;
  readonly queries: ReturnType<typeof dataQueries>;
  readonly egress: Egress;
  readonly sandbox: Sandbox;
  readonly secrets: ReturnType<typeof actorSecretReader>;
  /** Where files, clones and the folders of shells are. */
  readonly folder: string;
  readonly workspaceLimits: WorkspaceLimits;
  readonly quotas: QuotaReports;
  readonly log: HttpLog;
}

export async function serviceTools(parts: ToolParts, options: ToolOptions): Promise<ToolPort> {
  const {
    system,
    directory,
    models,
    files: contents,
    queries,
    egress,
    sandbox,
    secrets,
    workspaceLimits,
    quotas,
    log,
  } = parts;
  const files = new PostgresFileDirectory(parts.database);
  const cloner = new Cloner(join(parts.folder, "files", "clones"), egress, { isPolite: false });
  await cloner.prepare();
  const limits = options.cloneLimits === undefined ? {} : { limits: options.cloneLimits };
  return createTools(
    [
      ...builtinTools(toolServices({ system, directory, models, log })),
      ...fileTools(actorFileService({ system, files, contents, quotas, queries })),
      ...shellOf({ ...parts, files, contents }, options),
    ],
    {
      pauses: { clock: systemClock, chance: systemChance },
      sources: [
        agentTools({ egress, sandbox, secrets, clock: systemClock }),
        workspaceInstructions(system),
        missionTools(actorMissionService(system)),
        cloneTools(cloneService({ system, files, contents, quotas, secrets, cloner, workspaceLimits, ...limits, log })),
        ...(options.toolSources?.(system, log) ?? []),
      ],
      log,
    },
  );
}

function shellOf(
  parts: Omit<ToolParts, "files"> & { readonly files: PostgresFileDirectory; readonly contents: Files },
  { shell, shellHosts }: ToolOptions,
): readonly Tool[] {
  if (shell === undefined) return [];
  const { system, files, contents, quotas, egress, workspaceLimits } = parts;
  const root = join(parts.folder, "shells");
  const service = shellService({
    system,
    files,
    contents,
    quotas,
    shell,
    hosts: shellHosts ?? [],
    egress,
    root,
    workspaceLimits,
  });
  return [shellTool(service, shellHosts)];
}
