/** Replicas of the service on a database elsewhere; a manager starts each anew that ends, as systemd would. */
import { join } from "node:path";
import { FIRST_RUN_FILE } from "../../src/service/first-run.ts";
import type { GuardedFolder } from "./guarded-folder.ts";
import { admin, eventually, firstRunIn, type LogLine, TroupeProcess } from "./troupe-process.ts";

const SECRET = Buffer.alloc(32, 7).toString("base64");
/** A manager that starts a process anew waits so long. */
const RESTART_MS = 200;
const SERVING_MS = 60_000;

interface Slot {
  readonly number: number;
  process: TroupeProcess | null;
  url: string | null;
  /** Processes that have ended although nobody has told them to. */
  ends: number;
}

export class FailoverService {
  readonly databaseUrl: string;
  readonly slots: Slot[] = [];
  private readonly folder: GuardedFolder;
  private readonly managers: Promise<void>[] = [];
  private isOver = false;

  private readonly env: Readonly<Record<string, string>>;

  private constructor(folder: GuardedFolder, databaseUrl: string, env: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.databaseUrl = databaseUrl;
    this.env = env;
  }

  /** Resolves when all of them serve. `env`: further settings. */
  static async start(
    folder: GuardedFolder,
    databaseUrl: string,
    count: number,
    env: Readonly<Record<string, string>> = {},
  ): Promise<FailoverService> {
    const service = new FailoverService(folder, databaseUrl, env);
    for (let number = 1; number <= count; number++) {
      const slot = { number, process: null, url: null, ends: 0 };
      service.slots.push(slot);
      service.managers.push(service.manage(slot));
      // The first one founds the first organization.
      await service.serve();
    }
    return service;
  }

  /** Where clients may come to. */
  get urls(): readonly string[] {
    return this.slots.flatMap(({ url }) => (url === null ? [] : [url]));
  }

  get log(): readonly LogLine[] {
    return this.slots.flatMap(({ process }) => process?.log ?? []);
  }

  async serve(): Promise<void> {
    await eventually("all replicas serve", () => this.urls.length === this.slots.length, SERVING_MS);
  }

  /** The token of the first run. */
  async firstToken(): Promise<string> {
    return firstRunIn(await Bun.file(join(this.dataDirOf(1), FIRST_RUN_FILE)).text()).personal;
  }

  /** Runs an administration command at the first replica. */
  async admin(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await admin(this.folder, args, { dataDir: this.dataDirOf(1), env: this.environment() });
    if (code !== 0) throw new Error(`admin ${args.join(" ")}: ${err}${out}`);
    return out;
  }

  async close(): Promise<void> {
    this.isOver = true;
    for (const { process } of this.slots) process?.child.kill("SIGKILL");
    await Promise.all(this.managers);
  }

  private async manage(slot: Slot): Promise<void> {
    while (!this.isOver) {
      const started = new TroupeProcess(this.folder, {
        dataDir: this.dataDirOf(slot.number),
        env: this.environment(),
      });
      slot.process = started;
      await started
        .serving()
        .then(() => (slot.url = started.url))
        .catch(() => {});
      await started.ended();
      slot.url = null;
      if (this.isOver) return;
      slot.ends++;
      await Bun.sleep(RESTART_MS);
    }
  }

  private dataDirOf(number: number): string {
    return join(this.folder.path, `data${number}`);
  }

  private environment(): Record<string, string> {
    return {
      DATABASE_URL: this.databaseUrl,
      TROUPE_SECRET: SECRET,
      REPLICA_URL: "auto",
      FILES_DIR: join(this.folder.path, "files"),
      RATE_BUDGETS: "*=1000000",
      ...this.env,
    };
  }
}
