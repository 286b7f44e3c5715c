/** Assembles the effects of missions: the agent finder, the models, and the directory of missions. */
import type { ModelPort } from "../../actors/job/ports.ts";
import type { MissionDirectory } from "../../actors/mission/directory.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { Chance, Clock } from "../../actors/runtime/clock.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { HttpLog } from "../log/port.ts";
import { AgentFinder } from "../work/agent-finder.ts";
import { missionEffects } from "../work/mission-effects.ts";
import type { WorkServices } from "../work/prepared-work.ts";

export interface MissionParts {
  /** Late-bound: the system is built with these handlers. */
  readonly system: () => TroupeSystem;
  readonly directory: Directory;
  readonly missions: MissionDirectory;
  readonly models: ModelPort;
  readonly clock: Clock;
  readonly chance: Pick<Chance, "fraction">;
  readonly log: HttpLog;
}

/** The handlers of mission effects. */
export function missionHandlers({ system, directory, missions, models, clock, chance, log }: MissionParts) {
  let services: WorkServices | null = null;
  const late = (): WorkServices =>
    (services ??= { system: system(), agents: new AgentFinder({ system: system(), directory, log }), models });
  return missionEffects({ services: late, missions, clock, chance, log });
}
