/** What operations work with: one object, built once by the composition, for every surface and every caller. */
import type { McpCatalogue, ToolInfo } from "./tool-catalogue.ts";
import type { ConnectionDirectory } from "../../actors/connection/protocol.ts";
import type { ChatDirectory } from "../../actors/chat/directory.ts";
import type { JobDirectory } from "../../actors/job/directory.ts";
import type { RuleChecks } from "../../actors/job/rules/judging.ts";
import type { JobLimits } from "../../actors/job/limits.ts";
import type { AgentIdentities, ModelPort } from "../../actors/job/ports.ts";
import type { MissionDirectory } from "../../actors/mission/directory.ts";
import type { Calendar } from "../../actors/mission/ports.ts";
import type { Directory, Library } from "../../actors/organization/directory.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Sealing } from "../../actors/sealing.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { UploadDirectory } from "../../actors/upload/protocol.ts";
import type { QuotaReports } from "../../actors/usage/quota.ts";
import type { UsageDirectory } from "../../actors/usage/directory.ts";
import type { ReachDirectory } from "../../actors/reach/protocol.ts";
import type { WebhookDirectory } from "../../actors/webhook/directory.ts";
import type { VerifiedSignature } from "../../actors/webhook/schema.ts";
import type { DataQueries } from "../../actors/workspace/data-queries.ts";
import type { FileDirectory } from "../../actors/workspace/directory.ts";
import type { WorkspaceLimits } from "../../actors/workspace/limits.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import type { Previews } from "../../actors/workspace/previews.ts";
import type { Connections } from "../connections/connections.ts";
import type { OpenStreams } from "../http/stream/open-streams.ts";
import type { ReadCommitted } from "../log/look-up.ts";
import type { HttpLog } from "../log/port.ts";
import type { AgentFinder } from "../work/agent-finder.ts";
import type { UrlContents } from "../work/attaching.ts";
import type { AppPlaces } from "./app-places.ts";
import type { PublishedKeys } from "./identity-keys.ts";
import type { ServiceFacts } from "./service-facts.ts";
import type { ToolImports } from "./tool-imports.ts";
import type { InputError, Outcome } from "../../actors/fault.ts";
import type { JsonObject } from "../../actors/schema.ts";

export interface Services {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly chats: ChatDirectory;
  readonly jobs: JobDirectory;
  readonly missions: MissionDirectory;
  /** Computes the next times of schedules. */
  readonly calendar: Calendar;
  readonly files: FileDirectory;
  readonly uploads: UploadDirectory;
  readonly connections: ConnectionDirectory;
  /** Consents to connections, and requests with their access. */
  readonly access: Connections;
  /** Signs which agent acts for whom. */
  readonly identities: AgentIdentities;
  readonly contents: FileContents;
  /** Fetches the content that messages refer to by URL. */
  readonly urlContents: UrlContents;
  readonly queries: DataQueries;
  readonly previews: Previews;
  readonly argumentChecks: ArgumentChecks;
  readonly ruleChecks: RuleChecks;
  readonly toolImports: ToolImports;
  readonly mcpCatalogue: McpCatalogue;
  readonly workspaceLimits: WorkspaceLimits;
  /** The git that clones repositories; null if none is installed. */
  readonly git: { readonly version: string } | null;
  /** The passwords of shares. */
  readonly passwords: PasswordHashes;
  readonly appPlaces: AppPlaces;
  readonly usage: UsageDirectory;
  readonly quotas: QuotaReports;
  readonly webhooks: WebhookDirectory;
  readonly reach: ReachDirectory;
  readonly webhookTools: WebhookTools;
  /** Encryption and keys under the key of the service. */
  readonly sealing: Sealing;
  /** The public keys that verify who acts. */
  readonly identityKeys: PublishedKeys;
  readonly models: Pick<
    ModelPort,
    "describe" | "inputOf" | "settingProblems" | "allowed" | "keyedProviders" | "currency" | "hasPrice"
  >;
  /** The limits of one job, unless its budget sets others. */
  readonly jobLimits: JobLimits;
  /** The service's own tools, by name. */
  readonly tools: readonly ToolInfo[];
  readonly library: Library;
  readonly agents: AgentFinder;
  readonly streams: OpenStreams;
  readonly clock: Clock;
  readonly log: HttpLog;
  readonly readCommitted: ReadCommitted;
  /** Where clients reach the service, without a trailing slash; known once the port is open. */
  readonly appUrl: () => string;
  /** Facts about the service for the public documents. */
  readonly facts: ServiceFacts;
}

/**
 * Whether arguments that a person gives a tool call fit the schema of the tool (JOB-8), and whether a schema can be used
 * (JOB-16).
 */
export interface ArgumentChecks {
  /** Errors with paths within the arguments; empty if the check cannot run. Does not reject. */
  errorsOf(organizationId: string, schema: JsonObject, given: JsonObject): Promise<readonly InputError[]>;
  /**
   * Errors in a schema, with paths within it; empty if the schema is usable or cannot be checked now. Does not reject.
   */
  flawsOf(organizationId: string, schema: JsonObject): Promise<readonly InputError[]>;
}

/**
 * Hashes of passwords. A few are computed at once, because each takes a core and much memory; beyond that it is
 * `overloaded`.
 */
export interface PasswordHashes {
  hash(password: string): Promise<Outcome<string>>;
  verify(password: string, hash: string): Promise<Outcome<boolean>>;
}

/** What webhooks need from outside: checks of URLs, and cryptography. */
export interface WebhookTools {
  /**
   * Why deliveries to this URL are refused; null if they are not. A host that does not resolve now is not refused: it
   * may resolve later.
   */
  refusalOf(url: string): Promise<string | null>;
  /** A new signing secret. */
  newSecret(): string;
  /** Whether a delivery verifies under one of the secrets. `now` is wall clock in ms. */
  verify(
    delivery: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
    secrets: readonly string[],
    now: number,
  ): VerifiedSignature;
}
