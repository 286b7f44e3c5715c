/** Replicas of the service on one PostgreSQL, each a process of its own at a port of its own. */
import { join } from "node:path";
import postgres from "postgres";
import { SHARD_COUNT, shardOf } from "../../actors/runtime/placement/placement.ts";
import { freePort } from "../../test/support/free-port.ts";
import type { Lifetime } from "./lifetime.ts";
import { asked, newOrganization, type Organization } from "./organization.ts";
import type { Server } from "./postgres.ts";
import { type RunningService, spawnService, startService, stopped, waitFor } from "./service.ts";

const SECRET = Buffer.alloc(32, 7).toString("base64");

export interface BenchReplica {
  readonly url: string;
  readonly port: number;
  pid: number;
}

/** An organization with a task. */
export interface FoundOrganization extends Organization {
  readonly taskId: string;
}

export class BenchReplicas {
  readonly all: BenchReplica[] = [];
  readonly organizations: FoundOrganization[] = [];
  private readonly sql: postgres.Sql;
  private readonly lifetime: Lifetime;
  private readonly server: Server;
  private readonly files: string;
  private first: RunningService | null = null;

  constructor(lifetime: Lifetime, server: Server) {
    this.lifetime = lifetime;
    this.server = server;
    this.files = join(lifetime.folder(), "files");
    this.sql = postgres(server.url, { max: 1, onnotice: () => {} });
    lifetime.add(() => this.sql.end({ timeout: 1 }));
  }

  /** Starts one more replica; resolves when all own their parts. */
  async join(): Promise<BenchReplica> {
    const port = freePort();
    const env = this.environmentOf(port);
    if (this.first === null) {
      this.first = await startService(this.lifetime, this.server, env);
      this.all.push({ url: this.first.url, port, pid: this.first.pid });
    } else {
      const folder = this.lifetime.folder({ isOpen: true });
      const replica = { url: `http://127.0.0.1:${port}`, port, pid: 0 };
      await this.run(replica, folder);
      this.all.push(replica);
    }
    await this.even();
    return this.all.at(-1)!;
  }

  /** Creates organizations, each with a token and a task. */
  async found(count: number): Promise<void> {
    while (this.organizations.length < count) {
      const made = await newOrganization(this.first!, `replicas-${this.organizations.length}`);
      const { id: taskId } = await asked(this.first!, made, ["POST", "/api/tasks"], { title: "Read me" });
      this.organizations.push({ ...made, taskId });
    }
  }

  /** The organizations that this replica owns now. */
  async ownedBy({ url }: BenchReplica): Promise<readonly FoundOrganization[]> {
    const rows = await this.sql<{ id: number }[]>`
      select s.id from shard s join replica r on r.id = s.owner where r.address = ${url} and not r.dead`;
    const shards = new Set(rows.map(({ id }) => id));
    return this.organizations.filter(({ id }) => shards.has(shardOf(id)));
  }

  /** Sends the signal to the newest replica at once; answers a function that restarts it. */
  end(signal: NodeJS.Signals): () => Promise<void> {
    const replica = this.all.at(-1)!;
    process.kill(replica.pid, signal);
    return async () => {
      await stopped(replica.pid);
      await this.run(replica, this.lifetime.folder({ isOpen: true }));
      await this.even();
    };
  }

  private async run(replica: BenchReplica, folder: string): Promise<void> {
    replica.pid = spawnService(this.lifetime, folder, {
      ...this.environmentOf(replica.port),
      DATABASE_URL: this.server.url,
    });
    await waitFor(
      "a replica serves",
      async () => (await fetch(`${replica.url}/readyz`).catch(() => null))?.ok === true,
    );
  }

  private async even(): Promise<void> {
    const most = Math.ceil(SHARD_COUNT / this.all.length);
    await waitFor("the shards are divided", async () => {
      const parts = await this.sql<{ parts: number }[]>`select count(*)::int as parts from shard s
        join replica r on r.id = s.owner where not r.dead group by r.id`;
      return parts.length === this.all.length && parts.every(({ parts: part }) => part <= most);
    });
    // By now the new owners serve the handed-over shards: each replica answers for what it owns.
    for (const replica of this.all)
      for (const { token } of await this.ownedBy(replica))
        await waitFor("an organization is served", async () => {
          const headers = { authorization: `Bearer ${token}` };
          return (await fetch(`${replica.url}/api/tasks?limit=1`, { headers }).catch(() => null))?.ok === true;
        });
  }

  private environmentOf(port: number): Record<string, string> {
    return {
      PORT: String(port),
      TROUPE_SECRET: SECRET,
      REPLICA_URL: "auto",
      FILES_DIR: this.files,
      RATE_BUDGETS: "*=999999999",
      V1_REQUESTS_PER_MINUTE: "0",
    };
  }
}
