/**
 * The service over a database of the caller's, put together as `main.ts` does it (`src/service/assembly.ts`): alone, not
 * listening, and without metrics, traces, a shell, an OpenID provider, or a way out to other hosts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../actors/ids.ts";
import type { ModelPort } from "../../actors/job/ports.ts";
import { BulkWork } from "../../actors/runtime/fairness/bulk-work.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { LoopTime } from "../../actors/runtime/fairness/loop-time.ts";
import type { Sealing } from "../../actors/sealing.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresBlobClaims } from "../../db/stores/blob-claims.ts";
import { createEgress, type Egress } from "../../src/egress/egress.ts";
import { type Files, openFiles } from "../../src/files/files.ts";
import { Cloner } from "../../src/repositories/clone.ts";
import { createSandbox, filePool } from "../../src/sandbox/sandbox.ts";
import type { ServiceLog } from "../../src/service/actors.ts";
import { assemble, type Assembly } from "../../src/service/assembly.ts";
import type { Overrides } from "../../src/service/assembly-parts.ts";
import { openResources, type Resources } from "../../src/service/resources.ts";
import { Undo } from "../../src/service/undo.ts";
import type { Config } from "../../src/settings/settings.ts";
import { Passwords } from "../../src/sign-in/passwords.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { impoliteLaunches, testSandbox } from "./sandbox.ts";

/** What models and more resources may be made of. */
interface Made {
  readonly loopTime: LoopTime;
  readonly log: ServiceLog;
  readonly egress: Egress;
  /** For files, and for the folders of shells. */
  readonly folder: string;
}

export interface AssembledOptions {
  readonly config: Config;
  readonly log: ServiceLog;
  readonly sealing: Sealing;
  readonly models: ModelPort | ((made: Made) => ModelPort);
  readonly clock?: Clock;
  /** The way out of webhooks and tools; the caller closes it. Omitted: names lead nowhere. */
  readonly egress?: Egress;
  readonly resources?: (made: Made) => Partial<Resources>;
  readonly overrides?: Overrides;
  readonly internal?: (request: Request) => Promise<Response | null>;
  /** A folder of files that outlives the service; the caller removes it. */
  readonly folder?: string;
  /** Whether the disk has room; omitted: always. */
  readonly hasRoom?: () => boolean;
}

export interface Assembled extends Assembly {
  readonly database: Database;
  readonly files: Files;
  readonly folder: string;
  /** Ends everything that has been opened; the caller adds what it opens. */
  readonly undo: Undo;
}

/** Names lead nowhere unless a test says where. */
const nowhere = (): Promise<readonly string[]> => Promise.reject(new Error("no such name"));

/** Hashes that take no time: theirs takes a tenth of a second of a core. */
const QUICK = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
const QUICK_DECOY = Bun.password.hashSync("a value that nobody types", QUICK);

/** Opens what the service works with and puts it together; the caller starts `actors.system`. */
export async function openAssembled(url: string, options: AssembledOptions): Promise<Assembled> {
  const { config, log, sealing, models, clock = systemClock, hasRoom = () => true } = options;
  const undo = new Undo();
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "troupe-files-"));
  if (options.folder === undefined) undo.add(() => rmSync(folder, { recursive: true, force: true }));
  const loopTime = new LoopTime(() => clock.monotonic());
  // Its pauses are those of the real clock, also where the test owns the time.
  const bulk = new BulkWork({ time: loopTime, clock: systemClock, later: setImmediate });
  const database = openDatabase(url, { bulk });
  undo.add(() => database.close());
  const claims = new PostgresBlobClaims(database);
  const files = await openFiles({ folder, s3: null }, { claims, clock, onFailure: () => {}, hasRoom });
  const storage = { folder: { path: folder }, database, files, loopTime, hasRoom, sealing };
  const fileSandbox = createSandbox(undefined, { kind: filePool(files.children), launches: impoliteLaunches });
  undo.add(() => fileSandbox.close());
  const egress = options.egress ?? createEgress({ allow: [], production: false, resolve: nowhere });
  if (options.egress === undefined) undo.add(() => egress.close());
  const made = { loopTime, log, egress, folder };
  const passwords = new Passwords(
    {
      hash: (password) => Bun.password.hash(password, QUICK),
      verify: (password, hash) => Bun.password.verify(password, hash),
    },
    QUICK_DECOY,
  );
  const cloner = new Cloner(join(folder, "files", "clones"), egress, { isPolite: false });
  const given = { egress, cloner, fileSandbox, sandbox: testSandbox, shell: null, provider: null, passwords };
  const resources = await openResources(
    { config, log, storage },
    {
      ...given,
      models: typeof models === "function" ? models(made) : models,
      meters: null,
      tracing: null,
      ...options.resources?.(made),
    },
    undo,
  );
  const placement = new PostgresPlacement(database, { id: newId("rpl"), address: "test", build: "test", folder: null });
  await placement.join();
  const assembly = assemble({
    ...options,
    storage,
    resources,
    clock,
    placement,
    peers: null,
    forwarding: null,
    onLost: (reason) => log.error({}, `lost: ${reason}`),
  });
  undo.add(() => assembly.actors.system.stop());
  return { ...assembly, database, files, folder, undo };
}
