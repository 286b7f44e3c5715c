/** The services of the tools, over the actors. */
import type { ModelPort } from "../../actors/job/ports.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { actorDelegation } from "./delegation.ts";
import { AgentFinder } from "../work/agent-finder.ts";
import type { HttpLog } from "../log/port.ts";
import type { ToolServices } from "../runner/tools.ts";
import { actorTaskService } from "./task-service.ts";

interface Parts {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly models: ModelPort;
  readonly log: HttpLog;
}

export function toolServices({ system, directory, models, log }: Parts): ToolServices {
  const agents = new AgentFinder({ system, directory, log });
  return {
    tasks: actorTaskService(system, directory),
    delegations: actorDelegation({ system, agents, models }),
  };
}
