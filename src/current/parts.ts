/** What the operations of the current surface are made over. */
import type { ChatDirectory } from "../../actors/chat/directory.ts";
import type { JobDirectory } from "../../actors/job/directory.ts";
import type { JobLimits } from "../../actors/job/limits.ts";
import type { ModelPort } from "../../actors/job/ports.ts";
import type { Library } from "../../actors/organization/library.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { Sealing } from "../../actors/sealing.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { UsageDirectory } from "../../actors/usage/directory.ts";
import type { WebhookDirectory } from "../../actors/webhook/directory.ts";
import type { AgentFinder } from "../http/agent-finder.ts";
import type { HttpLog } from "../http/log.ts";
import type { OpenStreams } from "../http/open-streams.ts";
import type { WebhookTools } from "./messaging-integration/tools.ts";

export interface CurrentParts {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly chats: ChatDirectory;
  readonly jobs: JobDirectory;
  readonly usage: UsageDirectory;
  readonly webhooks: WebhookDirectory;
  readonly webhookTools: WebhookTools;
  /** Encryption and keys under the key of the service. */
  readonly sealing: Sealing;
  readonly models: Pick<ModelPort, "describe" | "allowed">;
  readonly jobLimits: JobLimits;
  readonly library: Library;
  readonly agents: AgentFinder;
  readonly streams: OpenStreams;
  readonly clock: Clock;
  readonly log: HttpLog;
  /** Where clients reach the service, without a slash at the end. */
  readonly appUrl: () => string;
}
