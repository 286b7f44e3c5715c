/** What the operations of v1 are made over. */
import type { JobLimits } from "../../actors/job/limits.ts";
import type { ModelPort } from "../../actors/job/ports.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { HttpLog } from "../http/log.ts";
import type { OpenStreams } from "../http/open-streams.ts";
import type { AgentFinder } from "../http/agent-finder.ts";

export interface V1Parts {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly models: Pick<ModelPort, "describe">;
  readonly agents: AgentFinder;
  readonly jobLimits: JobLimits;
  readonly streams: OpenStreams;
  readonly clock: Clock;
  readonly log: HttpLog;
}
