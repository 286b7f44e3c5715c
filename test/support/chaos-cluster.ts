/**
 * Replicas of the service over a PostgreSQL of their own, and what can befall them. A manager starts each anew that
 * ends, as systemd would. Between a replica and PostgreSQL, and before the port of each for the others, stands a
 * proxy that can be frozen.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { type EmbeddedPostgres, startEmbedded } from "../../db/embedded.ts";
import { FIRST_RUN_FILE } from "../../src/service/first-run.ts";
import { LINK_PATH } from "../../src/peers/peer-link.ts";
import { type GuardedFolder, guardedFolder } from "./guarded-folder.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import { admin, eventually, firstRunIn, MAIN, TroupeProcess, type LogLine } from "./troupe-process.ts";

const STEPPED_CLOCK = join(import.meta.dir, "stepped-clock.ts");
const SECRET = Buffer.alloc(32, 7).toString("base64");
/** A manager that starts a process anew waits so long. */
const RESTART_MS = 200;
const RECOVERED_MS = 180_000;

/**
 * The others find a replica behind its proxy only: before that is open, nobody listens where its row says that it is.
 * What had found it before would go past the proxy for as long as its connection lasts.
 */
const HIDING = `
  create function hide_port() returns trigger language plpgsql as $$ begin
    new.peer_url := regexp_replace(new.peer_url, '^.*:', 'http://127.0.0.1:1/?');
    return new;
  end $$;
  create trigger hide_port before insert on replica for each row execute function hide_port()`;

interface Slot {
  readonly number: number;
  readonly toDatabase: TcpProxy;
  /** Before the port of the process for the others; null where there is no process. */
  toPeers: TcpProxy | null;
  process: TroupeProcess | null;
  /** Null while it does not serve. */
  url: string | null;
  id: string | null;
}

export class ChaosCluster {
  readonly folder: GuardedFolder;
  readonly slots: Slot[] = [];
  /** What processes that have ended logged of bugs; that PostgreSQL is away is none. */
  readonly bugs: string[] = [];
  /** Over how many links was asked at a replica when its line to the others failed, each time. */
  readonly linksHit: number[] = [];
  private server: EmbeddedPostgres;
  private sql: postgres.Sql;
  private isOver = false;
  private readonly managers: Promise<void>[] = [];

  private constructor(folder: GuardedFolder, server: EmbeddedPostgres) {
    this.folder = folder;
    this.server = server;
    this.sql = postgres(server.url, { max: 2, onnotice: () => {} });
  }

  static async start(count: number): Promise<ChaosCluster> {
    const folder = guardedFolder();
    const cluster = new ChaosCluster(folder, await startDatabase(folder));
    const port = Number(new URL(cluster.server.url).port);
    for (let number = 1; number <= count; number++) {
      const toDatabase = await TcpProxy.open(port);
      const slot = { number, toDatabase, toPeers: null, process: null, url: null, id: null };
      cluster.slots.push(slot);
      cluster.managers.push(cluster.manage(slot));
      // The first one founds the first organization.
      if (number === 1) {
        await eventually("the first replica serves", () => cluster.slots[0]!.url !== null);
        await cluster.sql.unsafe(HIDING);
      }
    }
    await cluster.even();
    return cluster;
  }

  get databaseUrl(): string {
    return this.server.url;
  }

  /** Where clients may come to. */
  get urls(): readonly string[] {
    return this.slots.flatMap(({ url }) => (url === null ? [] : [url]));
  }

  /** The token of the first run. */
  async firstToken(): Promise<string> {
    return firstRunIn(await Bun.file(join(this.dataDirOf(1), FIRST_RUN_FILE)).text()).personal;
  }

  /** Runs an administration command at the first replica. */
  async admin(...args: readonly string[]): Promise<string> {
    const env = this.environmentOf(this.slots[0]!);
    const { code, out, err } = await admin(this.folder, args, { dataDir: this.dataDirOf(1), env });
    if (code !== 0) throw new Error(`admin ${args.join(" ")}: ${err}${out}`);
    return out;
  }

  /** The line to a replica that others ask over links now; it is about to fail. One that owns no organization has none. */
  async lineWithLinks(pick: (below: number) => number): Promise<TcpProxy> {
    let lines: readonly TcpProxy[] = [];
    await eventually("a replica is asked over a link", () => {
      lines = this.slots.flatMap(({ toPeers }) =>
        toPeers !== null && toPeers.connected(LINK_PATH) > 0 ? toPeers : [],
      );
      return lines.length > 0;
    });
    const line = lines[pick(lines.length)]!;
    this.linksHit.push(line.connected(LINK_PATH));
    return line;
  }

  /** The process ends with the signal, and its manager starts it anew. */
  async end(slot: Slot, signal: NodeJS.Signals): Promise<void> {
    await slot.process?.end(signal);
  }

  /** The wall clock of the process is ahead by this from now on. */
  async stepClock(slot: Slot, ms: number): Promise<void> {
    await Bun.write(this.clockOf(slot), String(ms));
  }

  /** PostgreSQL ends at once, as after a crash, and is started again. */
  async crashDatabase(): Promise<void> {
    process.kill(this.server.pid, "SIGQUIT");
    await this.server.stop();
    this.server = await startDatabase(this.folder);
  }

  /** Resolves when all serve and own their parts. */
  async even(): Promise<void> {
    await eventually("all replicas serve", () => this.urls.length === this.slots.length, RECOVERED_MS);
    await eventually(
      "the shards are divided evenly",
      async () => {
        const parts = await this.read<{ owner: string; parts: number }>(
          "select s.owner, count(*)::int as parts from shard s join replica r on r.id = s.owner where not r.dead group by 1",
        );
        const most = Math.ceil(128 / this.slots.length);
        // One that has only now lost its lease is another one in a moment.
        const ids = this.slots.map(({ id }) => id);
        const all = parts.reduce((sum, { parts: part }) => sum + part, 0);
        return all === 128 && parts.every(({ owner, parts: part }) => part <= most && ids.includes(owner));
      },
      RECOVERED_MS,
    );
  }

  /** Stops all in order; answers their exit codes. */
  async drain(): Promise<(number | string)[]> {
    this.isOver = true;
    const codes = await Promise.all(this.slots.map(async ({ process }) => (await process?.end("SIGTERM")) ?? 0));
    await Promise.all(this.managers);
    return codes;
  }

  async close(): Promise<void> {
    this.isOver = true;
    await this.sql.end({ timeout: 1 });
    for (const { toDatabase, toPeers } of this.slots) await Promise.all([toDatabase.close(), toPeers?.close()]);
    for (const { process } of this.slots) process?.child.kill("SIGKILL");
    await Promise.allSettled(this.managers);
    await this.server.stop();
    await this.folder.remove();
  }

  private async manage(slot: Slot): Promise<void> {
    while (!this.isOver) {
      const started = new TroupeProcess(this.folder, {
        dataDir: this.dataDirOf(slot.number),
        env: { ...this.environmentOf(slot), TROUPE_TEST_CLOCK: this.clockOf(slot) },
        cmd: [process.execPath, "--preload", STEPPED_CLOCK, ...MAIN.slice(1)],
      });
      slot.process = started;
      await started
        .serving()
        .then(() => this.serves(slot, started))
        // One that does not come to serve, on however slow a machine, is started anew.
        .catch(() => started.child.kill("SIGKILL"));
      // As a port is closed with its process: children of it may hold its output open for longer.
      await started.child.exited;
      slot.url = null;
      slot.id = null;
      await slot.toPeers?.close();
      slot.toPeers = null;
      await started.ended();
      this.bugs.push(...started.log.filter(isOfBug).map((line) => JSON.stringify(line)));
      await Bun.sleep(RESTART_MS);
    }
  }

  /** Puts the proxy before the port that it has opened for the others. */
  private async serves(slot: Slot, started: TroupeProcess): Promise<void> {
    slot.id = String(started.log.find(({ msg }) => msg === "serving")?.["replica"]);
    await eventually("the replica has a row", async () => {
      const [row] = await this.read<{ peer_url: string }>(`select peer_url from replica where id = '${slot.id}'`);
      if (row === undefined) return false;
      slot.toPeers ??= await TcpProxy.open(Number(/\d+$/.exec(row.peer_url)));
      await this.read(
        `update replica set peer_url = 'http://127.0.0.1:${slot.toPeers.port}' where id = '${slot.id}' returning id`,
      );
      return true;
    });
    slot.url = started.url;
  }

  /** Rows, or none while the database is away. */
  private async read<T>(query: string): Promise<readonly T[]> {
    return this.sql
      .unsafe(query)
      .then((rows) => rows as unknown as readonly T[])
      .catch(() => []);
  }

  private clockOf({ number }: Slot): string {
    return join(this.folder.path, `clock${number}`);
  }

  private dataDirOf(number: number): string {
    return join(this.folder.path, `data${number}`);
  }

  private environmentOf({ toDatabase }: Slot): Record<string, string> {
    const url = new URL(this.server.url);
    url.port = String(toDatabase.port);
    return {
      DATABASE_URL: url.href,
      TROUPE_SECRET: SECRET,
      REPLICA_URL: "auto",
      FILES_DIR: join(this.folder.path, "files"),
      RATE_BUDGETS: "*=1000000",
    };
  }
}

function isOfBug({ level, msg, ...fields }: LogLine): boolean {
  const { type = "" } = (fields["err"] ?? {}) as { readonly type?: string };
  return level >= 50 && (msg.endsWith("a bug") || /^(?:Type|Range|Reference|Syntax)Error$|Assert/.test(type));
}

function startDatabase({ path }: GuardedFolder): Promise<EmbeddedPostgres> {
  const folder = join(path, "server");
  mkdirSync(folder, { recursive: true });
  return startEmbedded({ folder, log: () => {}, settings: ["max_connections=120"] });
}
