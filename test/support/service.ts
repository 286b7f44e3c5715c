/**
 * The service for tests of its surfaces: what `main.ts` runs, put together by the same `assemble`, with a database of
 * its own, a model that does what the test says, and a port of its own. Organizations, people and tokens are made
 * through the actors, as the administration command makes them.
 */
import { join } from "node:path";
import type { Role, TokenKind } from "../../actors/organization/schema.ts";
import type { ToolPort } from "../../actors/job/ports.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { Database } from "../../db/client.ts";
import type { ToolInfo } from "../../src/operations/tool-catalogue.ts";
import type { Files } from "../../src/files/files.ts";
import type { ServiceApp } from "../../src/service/app.ts";
import type { Actors } from "../../src/service/actors.ts";
import type { Overrides } from "../../src/service/assembly-parts.ts";
import type { Services } from "../../src/operations/services.ts";
import type { Config } from "../../src/settings/settings.ts";
import { configOf } from "./settings.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { ShiftedClock } from "./shifted-clock.ts";
import { createSealing } from "../../src/service/service-key.ts";
import type { QuotaReports } from "../../actors/usage/quota.ts";
import { undocumented } from "./documented.ts";
import { peopleOf } from "./people.ts";
import { type AssembledOptions, openAssembled } from "./assembled.ts";
import { FakeModel } from "./fake-model.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface ServiceOptions extends Partial<
  Pick<AssembledOptions, "models" | "clock" | "egress" | "resources" | "internal" | "folder" | "hasRoom">
> {
  /** Settings that are not those of an operator who has set none. */
  readonly settings?: { readonly [K in keyof Config]?: Config[K] | undefined };
  /** What the tools of jobs do; omitted: the service's own tools. */
  readonly tools?: ToolPort;
  /** What else is replaced, for example a directory that fails. */
  readonly overrides?: Omit<Overrides, "tools">;
  /** A database that outlives the service: a restart is another service on it. */
  readonly testDatabase?: TestDatabase;
  readonly port?: number;
  /** The way to the database, for example through a proxy: the url to use for the given one. */
  readonly through?: (url: string) => Promise<string>;
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
  readonly actors: Actors;
  readonly services: Services;
  readonly directory: Directory;
  readonly database: Database;
  readonly quotas: QuotaReports;
  /** The fake model; of no use where `models` was given. */
  readonly model: FakeModel;
  readonly log: readonly LogLine[];
  readonly app: ServiceApp;
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
  call(
    caller: Caller | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
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

/** What tests of the service start with; each is a setting of an operator. */
const SETTINGS = configOf({ APP_URL: "https://troupe.test", MODEL_RETRIES: "0" });

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const testDatabase = options.testDatabase ?? (await createTestDatabase());
  const { clock = systemClock, tools, overrides = {}, settings, ...given } = options;
  const lines: LogLine[] = [];
  const model = new FakeModel();
  const { actors, services, app, database, files, folder, undo } = await openAssembled(
    (await options.through?.(testDatabase.url)) ?? testDatabase.url,
    {
      models: model,
      ...given,
      config: { ...SETTINGS, ...settings } as Config,
      log: logInto(lines),
      sealing: testSealing,
      clock,
      overrides: tools === undefined ? overrides : { ...withFakeTools(overrides), tools },
    },
  );
  const { system, directory, quotas } = actors;
  await system.start();
  if (clock instanceof ShiftedClock) {
    clock.systems.add(system);
    undo.add(() => void clock.systems.delete(system));
  }
  const url = `http://127.0.0.1:${app.listen({ hostname: "127.0.0.1", port: options.port ?? 0 })}`;
  undo.add(() => app.stop());
  return {
    url,
    system,
    actors,
    services,
    directory,
    database,
    quotas,
    model,
    log: lines,
    app,
    files,
    filesFolder: join(folder, "files"),
    ...peopleOf(system, clock),
    async call(caller, method, path, body, headers = {}) {
      const answer = await fetch(`${url}${path}`, requestOf(caller, method, body, headers));
      if (answer.headers.get("content-type")?.startsWith("text/event-stream") === true) return answer;
      const complaint = await undocumented(method, path, answer.clone());
      if (complaint !== null) throw new Error(complaint);
      return answer;
    },
    async stop() {
      await undo.run();
      if (options.testDatabase === undefined) await testDatabase.drop();
    },
  };
}

/** Fake tools are in the catalogue too, whatever a test makes of them. */
const withFakeTools = (overrides: Overrides): Overrides => ({
  ...overrides,
  services: (made) => ({ tools: [...made.tools, ...FAKE_TOOLS], ...overrides.services?.(made) }),
});

function requestOf(
  caller: Caller | null,
  method: string,
  body: unknown,
  more: Readonly<Record<string, string>>,
): RequestInit {
  const headers = { ...(caller === null ? {} : { authorization: `Bearer ${caller.token}` }), ...more };
  if (body === undefined) return { method, headers };
  return { method, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}

function logInto(lines: LogLine[]) {
  const write =
    (level: LogLine["level"]) =>
    (first: object | string, second = ""): void => {
      const [fields, message] = typeof first === "string" ? [{}, first] : [{ ...first }, second];
      lines.push({ level, fields, message });
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
