/** The services of the tools, over the actors. */
import type { ModelPort } from "../../actors/job/ports.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { actorDelegation } from "./delegation.ts";
import type { AgentFinder } from "../work/agent-finder.ts";
import type { BuiltinServices } from "../runner/tools.ts";
import { actorTaskService } from "./task-service.ts";

interface Parts {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly agents: AgentFinder;
  readonly models: ModelPort;
}

export function toolServices({ system, directory, agents, models }: Parts): BuiltinServices {
  return {
    tasks: actorTaskService(system, directory),
    delegations: actorDelegation({ system, agents, models }),
  };
}
