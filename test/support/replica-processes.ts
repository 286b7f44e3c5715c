/** Replicas of the service as processes of their own, over one database and one folder of files. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import { FIRST_RUN_FILE } from "../../src/service/first-run.ts";
import { type GuardedFolder, guardedFolder } from "./guarded-folder.ts";
import { createEmptyDatabase, type TestDatabase } from "./postgres.ts";
import { admin, eventually, startTroupe, type TroupeProcess } from "./troupe-process.ts";

/** The key of the service. */
export const REPLICA_SECRET = Buffer.alloc(32, 7).toString("base64");

export class ReplicaProcesses {
  readonly folder: GuardedFolder;
  readonly sql: postgres.Sql;
  readonly all: TroupeProcess[] = [];
  /** Of the first run: a token for everything, and an agent. */
  token = "";
  agentId = "";
  organizationId = "";
  private readonly database: TestDatabase;
  private count = 0;

  private constructor(folder: GuardedFolder, database: TestDatabase) {
    this.folder = folder;
    this.database = database;
    this.sql = postgres(database.url, { max: 2, onnotice: () => {} });
  }

  /** So many, each with an even part of the shards; `settingsOf` says what is set besides for each, from 1. */
  static async start(
    count: number,
    settingsOf: (number: number) => Readonly<Record<string, string>> = () => ({}),
  ): Promise<ReplicaProcesses> {
    const replicas = new ReplicaProcesses(guardedFolder(), await createEmptyDatabase());
    // At once: one of them founds the first organization.
    const all = await Promise.all(Array.from({ length: count }, (_, i) => replicas.join(settingsOf(i + 1))));
    // By their numbers, and not as they were ready.
    replicas.all.splice(0, count, ...all);
    const founders = all.filter(({ dataDir }) => existsSync(join(dataDir, FIRST_RUN_FILE)));
    if (founders.length !== 1) throw new Error(`${founders.length} replicas have founded an organization`);
    const { personal, agentId } = founders[0]!.firstRun();
    replicas.token = personal;
    replicas.agentId = agentId;
    const [row] = await replicas.sql<{ id: string }[]>`select id from organization`;
    replicas.organizationId = row!.id;
    await replicas.even();
    return replicas;
  }

  async join(env: Readonly<Record<string, string>> = {}): Promise<TroupeProcess> {
    const dataDir = join(this.folder.path, `data${++this.count}`);
    const replica = await startTroupe(this.folder, { dataDir, env: { ...this.env, ...env } });
    this.all.push(replica);
    return replica;
  }

  /** An administration command at this replica. */
  admin({ dataDir }: TroupeProcess, args: readonly string[]): ReturnType<typeof admin> {
    return admin(this.folder, args, { dataDir, env: this.env });
  }

  private get env(): Record<string, string> {
    const files = join(this.folder.path, "files");
    return { DATABASE_URL: this.database.url, TROUPE_SECRET: REPLICA_SECRET, REPLICA_URL: "auto", FILES_DIR: files };
  }

  /** Resolves when every shard has a living owner and none more than its part. */
  async even(): Promise<void> {
    await eventually("the shards are divided evenly", async () => {
      const parts = await this.sql<{ parts: number }[]>`select count(*)::int as parts from shard s
        join replica r on r.id = s.owner where not r.dead group by r.id`;
      const [living] = await this.sql<{ n: number }[]>`select count(*)::int as n from replica where not dead`;
      const most = Math.ceil(128 / living!.n);
      return (
        parts.reduce((sum, { parts: part }) => sum + part, 0) === 128 && parts.every(({ parts: part }) => part <= most)
      );
    });
  }

  /** The living process that owns the organization, and one that does not. */
  async sides(): Promise<{ readonly owner: TroupeProcess; readonly other: TroupeProcess }> {
    const living = this.all.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    const [owned] = await this.sql<
      { owner: string }[]
    >`select owner from shard where id = ${shardOf(this.organizationId)}`;
    const owner = living.find((one) => idOf(one) === owned!.owner)!;
    return { owner, other: living.find((one) => one !== owner)! };
  }

  /** A request with the first run's token. */
  call(at: TroupeProcess, method: string, path: string, body?: object, headers: object = {}): Promise<Response> {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    return fetch(at.url + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async stop(): Promise<void> {
    await this.sql.end();
    await this.folder.remove();
    await this.database.drop();
  }
}

/** The replica's id, as its log says it. */
const idOf = ({ log }: TroupeProcess): string => String(log.find(({ msg }) => msg === "serving")?.["replica"]);
