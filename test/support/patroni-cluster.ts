/**
 * Two PostgreSQL servers that Patroni keeps replicated, one of them the primary, with an etcd of their own. All of it is
 * on the loopback and in one folder, run by the account that the embedded server is run by.
 */
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { type SystemAccount, accountForRoot, isRoot } from "../../db/postgres-account.ts";
import { freePort } from "./free-port.ts";
import type { GuardedFolder } from "./guarded-folder.ts";
import { eventually } from "./troupe-process.ts";

/** Where Debian has the programs of a PostgreSQL, the newest first; null where there is none. */
const DEBIAN = "/usr/lib/postgresql";
const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
const BINARIES = versions.map((name) => join(DEBIAN, name, "bin")).find((bin) => existsSync(join(bin, "pg_rewind")));
const PROGRAMS = { etcd: Bun.which("etcd"), patroni: Bun.which("patroni") };

/** Whether the tests of failover can run here. */
export const HAS_PATRONI = BINARIES !== undefined && PROGRAMS.etcd !== null && PROGRAMS.patroni !== null;

const PASSWORD = "secret";
const STARTED_MS = 60_000;
/** Patroni's times in seconds: short, so that a killed node is followed soon. */
const TIMES = { ttl: 8, loop_wait: 1, retry_timeout: 3 };

export interface ClusterOptions {
  /** Whether a commit waits for the standby. */
  readonly isSynchronous: boolean;
}

/** One server with its Patroni. */
class Node {
  readonly name: string;
  readonly port = freePort();
  readonly apiPort = freePort();
  readonly path: string;
  process: Bun.Subprocess | null = null;

  constructor(name: string, folder: string) {
    this.name = name;
    this.path = join(folder, name);
  }

  get postmaster(): number | null {
    const file = join(this.path, "data/postmaster.pid");
    return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : null;
  }
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

export class PatroniCluster {
  readonly nodes: readonly Node[];
  private readonly folder: GuardedFolder;
  private readonly path: string;
  private readonly account: SystemAccount | null;
  private readonly options: ClusterOptions;
  private readonly etcdPort = freePort();
  private etcd: Bun.Subprocess | null = null;

  private constructor(folder: GuardedFolder, options: ClusterOptions) {
    this.folder = folder;
    this.options = options;
    this.account = isRoot() ? accountForRoot() : null;
    chmodSync(folder.path, 0o755);
    this.path = join(folder.path, "patroni");
    this.makeFolder(this.path);
    this.nodes = ["a", "b"].map((name) => new Node(name, this.path));
  }

  /** Resolves when one is the primary, and the other follows it as the options say. */
  static async start(folder: GuardedFolder, options: ClusterOptions): Promise<PatroniCluster> {
    const cluster = new PatroniCluster(folder, options);
    cluster.startEtcd();
    await eventually("etcd answers", () => cluster.etcdAnswers(), STARTED_MS);
    for (const node of cluster.nodes) {
      cluster.makeFolder(node.path);
      cluster.startNode(node);
      // The first one makes the database, and the second copies it.
      if (node === cluster.nodes[0])
        await eventually("there is a primary", async () => (await cluster.primary()) !== null, STARTED_MS);
    }
    await cluster.whole();
    return cluster;
  }

  /** The address for the service: both servers, of which the one that takes writes is meant. */
  get url(): string {
    const hosts = this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(",");
    return `postgres://postgres:${PASSWORD}@${hosts}/postgres?target_session_attrs=read-write`;
  }

  /** The primary by Patroni's word, or null while there is none. */
  async primary(): Promise<Node | null> {
    for (const node of this.nodes) {
      if (node.process === null) continue;
      const answer = await fetch(`http://127.0.0.1:${node.apiPort}/primary`, {
        signal: AbortSignal.timeout(1_000),
      }).catch(() => null);
      if (answer?.status === 200) return node;
    }
    return null;
  }

  /** Resolves when both serve, and commits wait for the standby if they are to. */
  async whole(): Promise<void> {
    await eventually("the standby follows", () => this.isWhole(), STARTED_MS);
  }

  /** The primary's processes end at once; its Patroni lives on, and makes a standby of it later. */
  async killPrimary(): Promise<void> {
    const primary = await this.knownPrimary();
    killTree(primary.postmaster);
    await this.otherThan(primary);
  }

  /** The primary's whole machine ends at once, and starts again when the other one has taken over. */
  async killPrimaryNode(): Promise<void> {
    const primary = await this.knownPrimary();
    primary.process?.kill("SIGKILL");
    killTree(primary.postmaster);
    await primary.process?.exited;
    primary.process = null;
    await this.otherThan(primary);
    this.startNode(primary);
  }

  /** Resolves when the standby has all that the primary has. */
  async caughtUp(): Promise<void> {
    const primary = await this.knownPrimary();
    await this.asking(primary, (sql) =>
      eventually("the standby has all", async () => {
        const [row] = await sql<{ isCaughtUp: boolean | null }[]>`
          select bool_and(flush_lsn = pg_current_wal_flush_lsn()) as "isCaughtUp" from pg_stat_replication`;
        return row?.isCaughtUp === true;
      }),
    );
  }

  /** From now on the standby receives nothing, though its connection stays. */
  async stopReplication(): Promise<void> {
    const primary = await this.knownPrimary();
    await this.asking(primary, async (sql) => {
      for (const { pid } of await sql<{ pid: number }[]>`select pid from pg_stat_replication`)
        process.kill(pid, "SIGSTOP");
    });
  }

  /** Asks the server that is the primary now. */
  async asksPrimary<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    return this.asking(await this.knownPrimary(), work);
  }

  async close(): Promise<void> {
    for (const node of this.nodes) {
      node.process?.kill("SIGKILL");
      killTree(node.postmaster);
      await node.process?.exited;
    }
    this.etcd?.kill("SIGKILL");
    await this.etcd?.exited;
  }

  private async knownPrimary(): Promise<Node> {
    const primary = await this.primary();
    if (primary === null) throw new Error("there is no primary");
    return primary;
  }

  private otherThan(former: Node): Promise<void> {
    return eventually(
      `another server than ${former.name} is the primary`,
      async () => ![null, former].includes(await this.primary()),
      STARTED_MS,
    );
  }

  private async isWhole(): Promise<boolean> {
    const primary = await this.primary();
    if (primary === null) return false;
    const answer = await fetch(`http://127.0.0.1:${primary.apiPort}/cluster`).catch(() => null);
    const { members = [] } = ((await answer?.json()) ?? {}) as { members?: readonly Member[] };
    if (members.length !== this.nodes.length) return false;
    const roles = this.options.isSynchronous ? ["sync_standby"] : ["replica"];
    const standby = members.find(({ role }) => roles.includes(role));
    if (standby === undefined || !["running", "streaming"].includes(standby.state)) return false;
    return this.asking(primary, async (sql) => {
      const states = await sql<{ state: string }[]>`select sync_state as state from pg_stat_replication`;
      const wanted = this.options.isSynchronous ? "sync" : "async";
      return states.length === 1 && states[0]!.state === wanted;
    }).catch(() => false);
  }

  private async asking<T>(node: Node, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${node.port}/postgres`;
    const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  private startEtcd(): void {
    const client = `http://127.0.0.1:${this.etcdPort}`;
    const peer = `http://127.0.0.1:${freePort()}`;
    const options = {
      name: "one",
      "data-dir": join(this.path, "etcd"),
      "log-level": "error",
      "listen-client-urls": client,
      "advertise-client-urls": client,
      "listen-peer-urls": peer,
      "initial-advertise-peer-urls": peer,
      "initial-cluster": `one=${peer}`,
    };
    const given = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    this.etcd = this.spawn("etcd", [PROGRAMS.etcd!, ...given]);
  }

  private async etcdAnswers(): Promise<boolean> {
    const answer = await fetch(`http://127.0.0.1:${this.etcdPort}/health`).catch(() => null);
    return answer?.status === 200;
  }

  private startNode(node: Node): void {
    const file = join(node.path, "patroni.yml");
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(this.settingsOf(node)));
    node.process = this.spawn(node.name, [PROGRAMS.patroni!, file]);
  }

  private settingsOf(node: Node): object {
    const address = (port: number) => ({
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
    });
    const { isSynchronous } = this.options;
    return {
      scope: "troupe",
      name: node.name,
      restapi: address(node.apiPort),
      etcd3: { hosts: `127.0.0.1:${this.etcdPort}` },
      bootstrap: {
        dcs: {
          ...TIMES,
          // A primary that has ended is followed, not started again.
          primary_start_timeout: 0,
          synchronous_mode: isSynchronous,
          postgresql: { use_pg_rewind: true },
        },
        initdb: ["data-checksums", { encoding: "UTF8" }, { locale: "C" }],
      },
      postgresql: {
        ...address(node.port),
        bin_dir: BINARIES,
        data_dir: join(node.path, "data"),
        pgpass: join(node.path, "pgpass"),
        pg_hba: ["host all all 127.0.0.1/32 scram-sha-256", "host replication all 127.0.0.1/32 scram-sha-256"],
        parameters: {
          unix_socket_directories: "",
          max_connections: 120,
          shared_buffers: "64MB",
          wal_keep_size: "256MB",
          // The test ends processes and no machine, so nothing has to reach the disk.
          fsync: "off",
        },
        authentication: {
          superuser: { username: "postgres", password: PASSWORD },
          replication: { username: "replicator", password: PASSWORD },
          rewind: { username: "postgres", password: PASSWORD },
        },
      },
    };
  }

  private spawn(name: string, cmd: string[]): Bun.Subprocess {
    const log = Bun.file(join(this.folder.path, `${name}.log`));
    const child = Bun.spawn({
      cmd,
      cwd: this.path,
      env: { PATH: `${BINARIES}:/usr/local/bin:/usr/bin:/bin`, HOME: this.path, LANG: "C.UTF-8" },
      stdio: ["ignore", log, log],
      ...(this.account === null ? {} : { uid: this.account.uid, gid: this.account.gid }),
    });
    this.folder.guard(child);
    return child;
  }

  private makeFolder(path: string): void {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (this.account !== null) chownSync(path, this.account.uid, this.account.gid);
  }
}

/** Ends a server and all its processes at the same moment, stopped ones too. */
function killTree(pid: number | null): void {
  if (pid === null || !existsSync(`/proc/${pid}`)) return;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  for (const each of [pid, ...children]) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}
