/**
 * The service for tests of its surfaces: a database of its own, the actor system over it, a model
 * that does what the test says, and the app on a port of its own. Organizations, people and tokens
 * are made through the actors, as the administration command makes them.
 */
import { type JobLimits, USUAL_JOB_LIMITS } from "../../actors/job/limits.ts";
import { newId } from "../../actors/ids.ts";
import { jobExecution } from "../../actors/job/execution.ts";
import type { ModelPort, ToolPort } from "../../actors/job/ports.ts";
import { Slots } from "../../actors/job/slots.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import { organizationRef, type Role, type TokenKind } from "../../actors/organization/schema.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import { System } from "../../actors/runtime/system.ts";
import { troupeActors, type TroupeProtocols, type TroupeSystem } from "../../actors/troupe.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { PostgresChatDirectory } from "../../db/stores/chat-directory.ts";
import { PostgresDirectory } from "../../db/stores/directory.ts";
import { PostgresJobDirectory } from "../../db/stores/job-directory.ts";
import { PostgresUsageDirectory } from "../../db/stores/usage-directory.ts";
import { PostgresWebhookDirectory } from "../../db/stores/webhook-directory.ts";
import { PostgresTranscripts } from "../../db/stores/transcripts.ts";
import { type App, type AppParts, createApp } from "../../src/app.ts";
import { systemChance, systemClock } from "../../src/clock.ts";
import { makeToken } from "../../src/http/token.ts";
import type { RunnerLog } from "../../src/runner/log.ts";
import type { ToolSource } from "../../src/runner/tools/tool.ts";
import { builtinTools, createTools } from "../../src/runner/tools.ts";
import { createEgress, type Egress } from "../../src/egress/egress.ts";
import { createSealing } from "../../src/service-key.ts";
import { webhookHandlers, webhookTools } from "../../src/webhooks.ts";
import { toolServices } from "../../src/tool-services.ts";
import { undocumented } from "./documented.ts";
import { FakeModel } from "./fake-model.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface ServiceOptions {
  readonly models?: ModelPort;
  readonly tools?: ToolPort;
  /** More than the service's own tools. */
  readonly toolSources?: (system: () => TroupeSystem, log: RunnerLog) => readonly ToolSource[];
  readonly clock?: Clock;
  /** The way out of webhooks; the caller closes it. */
  readonly egress?: Egress;
  readonly slots?: Slots;
  /** Whose database it is, where it outlives the service: a restart is another service on it. */
  readonly testDatabase?: TestDatabase;
  readonly port?: number;
  /** As is usual, unless given. */
  readonly jobLimits?: JobLimits;
  /** What an organization may use in a month. */
  readonly monthlyTokens?: number;
  /** The way to the database, for example through a proxy: the url to use for the given one. */
  readonly through?: (url: string) => Promise<string>;
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
  /** The fake model; of no use where `models` was given. */
  readonly model: FakeModel;
  readonly log: readonly LogLine[];
  readonly app: App;
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

/** Under a key that is the same in every test. */
export const testSealing = createSealing(new Uint8Array(32).fill(7));

const DAY_MS = 86_400_000;
/** Names lead nowhere unless a test says where. */
const nowhere = (): Promise<readonly string[]> => Promise.reject(new Error("no such name"));

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const testDatabase = options.testDatabase ?? (await createTestDatabase());
  const database = openDatabase((await options.through?.(testDatabase.url)) ?? testDatabase.url);
  const clock = options.clock ?? systemClock;
  const model = new FakeModel();
  const models = options.models ?? model;
  const jobLimits = options.jobLimits ?? USUAL_JOB_LIMITS;
  const lines: LogLine[] = [];
  const log = logInto(lines);
  const directory = new PostgresDirectory(database);
  const webhooks = new PostgresWebhookDirectory(database);
  const egress = options.egress ?? createEgress({ allow: [], production: false, resolve: nowhere });
  const placement = new PostgresPlacement(database, { id: newId("rpl"), address: "test", build: "test", folder: null });
  await placement.join();
  const execution = jobExecution({
    models,
    tools:
      options.tools ??
      createTools(builtinTools(toolServices({ system: () => system, directory, models, log })), {
        sources: options.toolSources?.(() => system, log) ?? [],
        log,
      }),
    transcripts: new PostgresTranscripts(database),
    slots: options.slots ?? new Slots(),
    steps: jobLimits.steps,
    clock,
    group: (members, admission) => system.dispatchGroup(members, admission),
    log,
  });
  const system: TroupeSystem = new System<TroupeProtocols>({
    definitions: troupeActors({ monthlyTokens: options.monthlyTokens ?? null, jobLimits }),
    effects: {
      run: execution,
      ...webhookHandlers({
        egress,
        sealing: testSealing,
        queue: webhooks,
        clock,
        log,
        system: () => system,
        appUrl: "https://troupe.test",
      }),
    },
    store: new PostgresActorStore(database),
    placement,
    clock,
    chance: systemChance,
    log,
    onLost: (reason) => log.error({}, `lost: ${reason}`),
  });
  await system.start();
  const ping = async (): Promise<void> => void (await database.read`select 1`);
  const parts: AppParts = {
    system,
    directory,
    models,
    jobLimits,
    log,
    clock,
    pingDatabase: ping,
    appUrl: () => "https://troupe.test",
    chats: new PostgresChatDirectory(database),
    jobs: new PostgresJobDirectory(database),
    usage: new PostgresUsageDirectory(database),
    sealing: testSealing,
    webhooks,
    webhookTools: webhookTools(egress),
  };
  const app = createApp({ ...parts, ...options.app?.(parts) });
  const url = `http://127.0.0.1:${app.listen({ hostname: "127.0.0.1", port: options.port ?? 0 })}`;
  return {
    url,
    system,
    directory,
    database,
    model,
    log: lines,
    app,
    ...people(system, clock),
    async call(caller, method, path, body) {
      const answer = await fetch(`${url}${path}`, requestOf(caller, method, body));
      if (answer.headers.get("content-type")?.startsWith("text/event-stream") === true) return answer;
      const complaint = await undocumented(method, path, answer.clone());
      if (complaint !== null) throw new Error(complaint);
      return answer;
    },
    async stop() {
      await app.stop();
      await system.stop();
      if (options.egress === undefined) egress.close();
      await database.close();
      if (options.testDatabase === undefined) await testDatabase.drop();
    },
  };
}

function people(system: TroupeSystem, clock: Clock): Pick<Service, "found" | "join" | "tokenFor"> {
  const mint = (userId: string, { kind = "personal", scopes = ["*"], expiresAt }: TokenOptions) => {
    const { secret, hash, hint } = makeToken(kind);
    const expiry = expiresAt ?? new Date(clock.now() + 90 * DAY_MS).toISOString();
    return { secret, token: { kind, name: "test", hash, hint, userId, scopes, expiresAt: expiry } };
  };
  const tokenFor = async (organizationId: string, userId: string, options: TokenOptions): Promise<Caller> => {
    const { secret, token } = mint(userId, options);
    const made = unwrap(
      await system.dispatch(organizationRef(organizationId), { kind: "create_token", token, by: null }),
    );
    return { organizationId, userId, token: secret, tokenId: made.id };
  };
  return {
    async found(name = "Acme") {
      const organizationId = newId("org");
      const userId = newId("usr");
      const { secret, token } = mint(userId, {});
      const owner = { userId, name: "Owner", email: `${userId}@example.com` };
      const command = { kind: "found_organization", name, owner, tokens: [token] } as const;
      const made = unwrap(await system.dispatch(organizationRef(organizationId), command));
      return { organizationId, userId, token: secret, tokenId: made.tokens[0]!.id, workspaceId: made.workspace.id };
    },
    async join(organizationId, role = "member") {
      const userId = newId("usr");
      const command = { kind: "add_member", userId, name: "Member", email: `${userId}@example.com`, role } as const;
      unwrap(await system.dispatch(organizationRef(organizationId), command));
      return tokenFor(organizationId, userId, {});
    },
    tokenFor: ({ organizationId, userId }, options) => tokenFor(organizationId, userId, options),
  };
}

function unwrap<T>(outcome: { ok: true; value: T } | { ok: false; fault: object }): T {
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.fault)}`);
  return outcome.value;
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
