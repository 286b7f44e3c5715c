/**
 * The service for tests of its surfaces: a database of its own, the actor system over it, a model
 * that does what the test says, and the app on a port of its own. Organizations, people and tokens
 * are made through the actors, as the administration command makes them.
 */
import { HeldBytes } from "../../src/runner/held-bytes.ts";
import { CachedMcpCatalogue } from "../../src/wiring/mcp-catalogue.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JobLimits, DEFAULT_JOB_LIMITS } from "../../actors/job/limits.ts";
import { newId } from "../../actors/ids.ts";
import type { Role, TokenKind } from "../../actors/organization/schema.ts";
import { jobExecution } from "../../actors/job/run/execution.ts";
import type { ModelPort, ToolPort } from "../../actors/job/ports.ts";
import { NO_RETRIES, type RetrySettings } from "../../actors/job/run/retry-policy.ts";
import { Slots } from "../../actors/job/run/slots.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import { BulkWork } from "../../actors/runtime/bulk-work.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import { LoopTime } from "../../actors/runtime/loop-time.ts";
import { System } from "../../actors/runtime/system.ts";
import { troupeActors, type TroupeProtocols, type TroupeSystem } from "../../actors/troupe.ts";
import { calendar } from "../../src/schedule/calendar.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { PostgresChatDirectory } from "../../db/stores/chat-directory.ts";
import { PostgresDirectory } from "../../db/stores/directory.ts";
import { PostgresJobDirectory } from "../../db/stores/job-directory.ts";
import { PostgresQuotaDirectory } from "../../db/stores/quota-directory.ts";
import { PostgresUploadDirectory } from "../../db/stores/upload-directory.ts";
import { PostgresUsageDirectory } from "../../db/stores/usage-directory.ts";
import { PostgresWebhookDirectory } from "../../db/stores/webhook-directory.ts";
import { PostgresMissionDirectory } from "../../db/stores/mission-directory.ts";
import { PostgresBlobClaims } from "../../db/stores/blob-claims.ts";
import { PostgresFileDirectory } from "../../db/stores/file-directory.ts";
import { DEFAULT_WORKSPACE_LIMITS, type WorkspaceLimits } from "../../actors/workspace/limits.ts";
import type { ToolInfo } from "../../src/operations/tool-catalogue.ts";
import { catalogueWithShell, toolCatalogue } from "../../src/wiring/tool-catalogue.ts";
import { type Files, openFiles } from "../../src/files/files.ts";
import { createSandbox, filePool } from "../../src/sandbox/sandbox.ts";
import { argumentChecks } from "../../src/wiring/argument-checks.ts";
import { toolImports } from "../../src/wiring/tool-imports.ts";
import { sandboxPreviews } from "../../src/wiring/previews.ts";
import { dataQueries } from "../../src/wiring/data-queries.ts";
import { impoliteLaunches, testSandbox } from "./sandbox.ts";
import { PostgresTranscripts } from "../../db/stores/transcripts.ts";
import { type App, type AppParts, createApp } from "../../src/service/app.ts";
import { systemChance, systemClock } from "../../src/wiring/clock.ts";
import { ShiftedClock } from "./shifted-clock.ts";
import { createEgress, type Egress } from "../../src/egress/egress.ts";
import { withProviderKeys } from "../../src/runner/provider-keys.ts";
import { actorProviderKeys } from "../../src/wiring/provider-keys.ts";
import { actorSecretReader } from "../../src/wiring/secret-reader.ts";
import { withAttachedContent } from "../../src/runner/attached-content.ts";
import { withRepositoryModel } from "../../src/runner/repository-model.ts";
import { Passwords } from "../../src/sign-in/passwords.ts";
import { findGit } from "../../src/repositories/git.ts";
import { createSealing } from "../../src/service/service-key.ts";
import { Quotas } from "../../src/wiring/quotas.ts";
import { DEFAULT_QUOTAS, type QuotaLimits, type QuotaReports } from "../../actors/usage/quota.ts";
import { AgentFinder } from "../../src/work/agent-finder.ts";
import { missionEffects } from "../../src/work/mission-effects.ts";
import { webhookHandlers, webhookTools } from "../../src/wiring/webhooks.ts";
import { undocumented } from "./documented.ts";
import { peopleOf } from "./people.ts";
import { serviceTools, type ToolOptions } from "./service-tools.ts";
import { FakeModel } from "./fake-model.ts";
import { outputChecks } from "../../src/wiring/output-checks.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface ServiceOptions extends ToolOptions {
  readonly models?: ModelPort;
  readonly tools?: ToolPort;
  readonly clock?: Clock;
  /** The way out of webhooks; the caller closes it. */
  readonly egress?: Egress;
  readonly slots?: Slots;
  /** None unless given. */
  readonly retry?: RetrySettings;
  /** Of the loop of jobs alone. */
  readonly runClock?: Clock;
  /** Whose database it is, where it outlives the service: a restart is another service on it. */
  readonly testDatabase?: TestDatabase;
  /** Whose files they are, where they outlive the service; the caller removes the folder. */
  readonly folder?: string;
  readonly port?: number;
  /** The default ones, unless given. */
  readonly jobLimits?: JobLimits;
  /** What a workspace may hold. */
  readonly workspaceLimits?: WorkspaceLimits;
  /** Quotas that are not the default ones. */
  readonly quotas?: Partial<QuotaLimits>;
  /** What an organization may use in a month. */
  readonly monthlyTokens?: number;
  /** The way to the database, for example through a proxy: the url to use for the given one. */
  readonly through?: (url: string) => Promise<string>;
  /** Whether the disk has room; omitted: always. */
  readonly hasRoom?: () => boolean;
  /** Changes parts of the app, for example a directory that fails. */
  readonly app?: (parts: AppParts) => Partial<AppParts>;
}

/** Somebody with a token. */
export interface Caller {
  readonly organizationId: string;
  readonly userId: string;
  readonly token: string;
  readonly tokenId: string;
}

export interface Founded extends Caller {
  readonly workspaceId: string;
}

export interface TokenOptions {
  readonly kind?: TokenKind;
  readonly scopes?: readonly string[];
  readonly expiresAt?: string;
}

export interface Service {
  readonly url: string;
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly database: Database;
  readonly quotas: QuotaReports;
  /** The fake model; of no use where `models` was given. */
  readonly model: FakeModel;
  readonly log: readonly LogLine[];
  readonly app: App;
  readonly files: Files;
  /** Where they are on this disk. */
  readonly filesFolder: string;
  /** An organization with its owner, who holds a personal token for everything. */
  found(name?: string): Promise<Founded>;
  /** Another person in the organization, with a token of their own. */
  join(organizationId: string, role?: Role): Promise<Caller>;
  /** Another token of the same person. */
  tokenFor(caller: Caller, options: TokenOptions): Promise<Caller>;
  /** A request with the caller's token, or none; an object is sent as JSON. Throws at an answer that is not documented. */
  call(caller: Caller | null, method: string, path: string, body?: unknown): Promise<Response>;
  stop(): Promise<void>;
}

const FAKE_TOOLS: readonly ToolInfo[] = ["look", "send"].map((name) => ({
  name,
  description: name,
  inputSchema: { type: "object" },
  availability: "granted",
  isReadOnly: false,
}));

/** Under a key that is the same in every test. */
export const testSealing = createSealing(new Uint8Array(32).fill(7));

/** Hashes that take no time: theirs takes a tenth of a second of a core. */
const QUICK = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
const quickPasswords = (): Passwords =>
  new Passwords({
    hash: (password) => Bun.password.hash(password, QUICK),
    verify: (password, hash) => Bun.password.verify(password, hash),
  });

/** Names lead nowhere unless a test says where. */
const nowhere = (): Promise<readonly string[]> => Promise.reject(new Error("no such name"));

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const testDatabase = options.testDatabase ?? (await createTestDatabase());
  const clock = options.clock ?? systemClock;
  const loopTime = new LoopTime(() => clock.monotonic());
  // Its pauses are those of the real clock, also where the test owns the time.
  const bulk = new BulkWork({ time: loopTime, clock: systemClock, later: setImmediate });
  const database = openDatabase((await options.through?.(testDatabase.url)) ?? testDatabase.url, { bulk });
  const model = new FakeModel();
  const models = options.models ?? model;
  const jobLimits = options.jobLimits ?? DEFAULT_JOB_LIMITS;
  const workspaceLimits = options.workspaceLimits ?? DEFAULT_WORKSPACE_LIMITS;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "troupe-files-"));
  const files = await openFiles(
    { folder, s3: null },
    { claims: new PostgresBlobClaims(database), clock, onFailure: () => {}, hasRoom: options.hasRoom },
  );
  const lines: LogLine[] = [];
  const log = logInto(lines);
  const directory = new PostgresDirectory(database);
  const webhooks = new PostgresWebhookDirectory(database);
  const missions = new PostgresMissionDirectory(database);
  const egress = options.egress ?? createEgress({ allow: [], production: false, resolve: nowhere });
  const placement = new PostgresPlacement(database, { id: newId("rpl"), address: "test", build: "test", folder: null });
  await placement.join();
  const quotas = new Quotas({
    directory: new PostgresQuotaDirectory(database),
    defaults: { ...DEFAULT_QUOTAS, ...options.quotas },
    clock,
    log,
  });
  const system: TroupeSystem = new System<TroupeProtocols>({
    guard: quotas,
    ...(options.hasRoom === undefined ? {} : { hasRoom: options.hasRoom }),
    definitions: troupeActors({ calendar, monthlyTokens: options.monthlyTokens ?? null, jobLimits, workspaceLimits }),
    store: new PostgresActorStore(database),
    placement,
    clock,
    loopTime,
    chance: systemChance,
    log,
    onLost: (reason) => log.error({}, `lost: ${reason}`),
  });
  const fileSandbox = createSandbox(undefined, { kind: filePool(files.children), launches: impoliteLaunches });
  const queries = dataQueries({ sandbox: fileSandbox, system, contents: files });
  const secrets = actorSecretReader(system, testSealing);
  const execution = jobExecution({
    models: withRepositoryModel(withAttachedContent(withProviderKeys(models, secrets), { contents: files })),
    providerKeys: actorProviderKeys(system),
    tools:
      options.tools ??
      (await serviceTools(
        {
          system,
          database,
          directory,
          models,
          files,
          queries,
          egress,
          sandbox: fileSandbox,
          secrets,
          folder,
          workspaceLimits,
          quotas,
          log,
        },
        options,
      )),
    outputs: outputChecks(fileSandbox),
    transcripts: new PostgresTranscripts(database),
    slots: options.slots ?? new Slots(),
    steps: jobLimits.steps,
    retry: options.retry ?? NO_RETRIES,
    chance: systemChance,
    clock: options.runClock ?? clock,
    group: (members, admission) => system.dispatchGroup(members, admission),
    textWriter: (text) => system.textWriter(text),
    log,
  });
  system.handle({
    run: execution,
    ...missionEffects({
      services: { system, agents: new AgentFinder({ system, directory, log }), models },
      missions,
      clock,
      chance: systemChance,
      log,
    }),
    ...webhookHandlers({
      egress,
      sealing: testSealing,
      queue: webhooks,
      clock,
      chance: systemChance,
      log,
      system,
      appUrl: "https://troupe.test",
    }),
  });
  await system.start();
  if (clock instanceof ShiftedClock) clock.systems.add(system);
  const ping = async (): Promise<void> => void (await database.read`select 1`);
  const parts: AppParts = {
    system,
    bulk,
    directory,
    models,
    jobLimits,
    log,
    clock,
    pingDatabase: ping,
    appUrl: () => "https://troupe.test",
    chats: new PostgresChatDirectory(database),
    jobs: new PostgresJobDirectory(database),
    missions,
    files: new PostgresFileDirectory(database),
    contents: files,
    argumentChecks: argumentChecks(fileSandbox),
    toolImports: toolImports(egress, fileSandbox),
    mcpCatalogue: new CachedMcpCatalogue({
      egress,
      sandbox: testSandbox,
      held: new HeldBytes(),
      secrets,
      clock,
    }),
    previews: sandboxPreviews({ sandbox: fileSandbox, contents: files }),
    queries,
    workspaceLimits,
    git: (await findGit()).git,
    uploads: new PostgresUploadDirectory(database),
    usage: new PostgresUsageDirectory(database),
    quotas,
    sealing: testSealing,
    webhooks,
    webhookTools: webhookTools(egress),
    egress,
    passwords: quickPasswords(),
    provider: null,
    // Fake tools have these, whatever a test makes of them.
    ...(options.tools === undefined ? {} : { tools: [...toolCatalogue, ...FAKE_TOOLS] }),
    ...(options.shell === undefined ? {} : { tools: catalogueWithShell(options.shellHosts ?? []) }),
  };
  const app = createApp({ ...parts, ...options.app?.(parts) });
  const url = `http://127.0.0.1:${app.listen({ hostname: "127.0.0.1", port: options.port ?? 0 })}`;
  return {
    url,
    system,
    directory,
    database,
    quotas,
    model,
    log: lines,
    app,
    files,
    filesFolder: join(folder, "files"),
    ...peopleOf(system, clock),
    async call(caller, method, path, body) {
      const answer = await fetch(`${url}${path}`, requestOf(caller, method, body));
      if (answer.headers.get("content-type")?.startsWith("text/event-stream") === true) return answer;
      const complaint = await undocumented(method, path, answer.clone());
      if (complaint !== null) throw new Error(complaint);
      return answer;
    },
    async stop() {
      if (clock instanceof ShiftedClock) clock.systems.delete(system);
      await app.stop();
      await system.stop();
      fileSandbox.close();
      if (options.egress === undefined) egress.close();
      await database.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
      if (options.testDatabase === undefined) await testDatabase.drop();
    },
  };
}

function requestOf(caller: Caller | null, method: string, body: unknown): RequestInit {
  const headers: Record<string, string> = caller === null ? {} : { authorization: `Bearer ${caller.token}` };
  if (body === undefined) return { method, headers };
  return { method, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}

function logInto(lines: LogLine[]) {
  const write = (level: LogLine["level"]) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message });
  };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
