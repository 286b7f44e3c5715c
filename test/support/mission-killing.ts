/**
 * The real service on a real PostgreSQL, killed at a chosen commit around the fire of a mission, and started
 * again. What is left of the mission is its story: it must be that of a mission whose service was never killed.
 *
 *   service (killed) ──▶ proxy (stops at the n-th commit of the mission) ──▶ PostgreSQL
 */
import { join } from "node:path";
import postgres from "postgres";
import { type GuardedFolder, guardedFolder } from "./guarded-folder.ts";
import { createEmptyDatabase, type TestDatabase } from "./postgres.ts";
import { type Moment, PostgresProxy } from "./postgres-proxy.ts";
import { eventually, startTroupe, type TroupeProcess } from "./troupe-process.ts";

/** Just before the nth commit about the mission is sent, from its fire on, or just before its answer arrives. */
export interface FireKill {
  readonly nth: number;
  readonly moment: Moment;
}

export interface MissionStory {
  readonly status: string;
  readonly runCount: number;
  readonly openRuns: number;
  /** Outcome of each entry of the ledger. */
  readonly ledger: readonly string[];
  /** Jobs and chats of the mission, by their status. */
  readonly jobs: readonly string[];
  readonly chats: number;
  /** What the agent has said in them. */
  readonly answers: readonly string[];
}

/** From the mission's creation to its fire: long enough to set the trap. */
const LEAD_MS = 800;

export class MissionBench {
  /** Commits about the newest mission since its trap was set. */
  commits = 0;
  private readonly folder: GuardedFolder = guardedFolder();
  private readonly sql: postgres.Sql;
  private readonly database: TestDatabase;
  private readonly proxy: PostgresProxy;
  private service!: TroupeProcess;
  private token = "";
  private agentId = "";
  private isStruck = false;

  private constructor(database: TestDatabase, proxy: PostgresProxy) {
    this.database = database;
    this.proxy = proxy;
    this.sql = postgres(database.url, { max: 2, onnotice: () => {} });
  }

  static async open(): Promise<MissionBench> {
    const database = await createEmptyDatabase();
    const bench = new MissionBench(database, await PostgresProxy.open(database.url));
    await bench.start();
    ({ personal: bench.token, agentId: bench.agentId } = bench.service.firstRun());
    return bench;
  }

  async close(): Promise<void> {
    await this.folder.remove();
    await this.proxy.close();
    await this.sql.end({ timeout: 1 });
    await this.database.drop();
  }

  /** Lets a mission fire once, with a kill at the point if one is given; answers whether it was killed. */
  async play(point: FireKill | null): Promise<{ readonly story: MissionStory; readonly killed: boolean }> {
    const value = new Date(Date.now() + LEAD_MS).toISOString();
    const schedule = { type: "once", value };
    const mission = await this.post("/api/missions", {
      title: "Due",
      goal: "/say It is time.",
      agent_id: this.agentId,
      schedule,
    });
    const id = String(mission["id"]);
    this.arm(id, point);
    await eventually(
      "the mission has fired, or its service is dead",
      async () => this.isStruck || (await this.isOver(id)),
    );
    let isUpAgain = false;
    const standUp = async (): Promise<void> => {
      if (!this.isStruck || isUpAgain) return;
      isUpAgain = true;
      await this.service.ended();
      await this.restart();
    };
    await standUp();
    await eventually("the mission is over", () => this.isOver(id));
    this.proxy.watch(null);
    // A commit about the mission may come after its end.
    await standUp();
    await eventually("the mission stays over", () => this.isOver(id));
    return { story: await this.story(id, value), killed: this.isStruck };
  }

  /** Messages, effects and alarms that stay: the last ones go with commits after the mission's end. */
  async undone(): Promise<number> {
    await eventually("nothing is undone", async () => (await this.left()) === 0).catch(() => {});
    return this.left();
  }

  private async left(): Promise<number> {
    const [row] = await this.sql<{ n: number }[]>`
      select ((select count(*) from actor_message) + (select count(*) from effect)
        + (select count(*) from alarm where actor_kind in ('mission', 'job')))::int as n`;
    return row?.n ?? -1;
  }

  private arm(id: string, point: FireKill | null): void {
    this.isStruck = false;
    this.commits = 0;
    const stops = (moment: Moment): boolean => {
      if (moment === "sent") this.commits++;
      if (this.isStruck || point === null || moment !== point.moment || this.commits !== point.nth) return false;
      this.isStruck = true;
      this.service.child.kill("SIGKILL");
      return true;
    };
    this.proxy.watch({ name: "troupe flush", holds: id, stops });
  }

  private async start(): Promise<void> {
    this.service = await startTroupe(this.folder, {
      dataDir: join(this.folder.path, "data"),
      env: { DATABASE_URL: this.proxy.urlOf(this.database.url) },
    });
  }

  /** The next process, which need not wait for the lease of the killed one. */
  private async restart(): Promise<void> {
    this.proxy.watch(null);
    this.proxy.cut();
    this.proxy.thaw();
    await this.sql`update replica set lease_until = now() - interval '1 second' where not dead`;
    await this.start();
  }

  /** Whether its run has ended and nothing of it is under way. */
  private async isOver(id: string): Promise<boolean> {
    const [row] = await this.sql<{ over: boolean }[]>`
      select m.status in ('completed', 'failed') and not exists (select 1 from effect where actor_id = m.id)
        and not exists (select 1 from job where mission_id = m.id and status in ('queued', 'running')) as over
      from mission m where m.id = ${id}`;
    return row?.over === true;
  }

  private async story(id: string, scheduledAt: string): Promise<MissionStory> {
    const { sql } = this;
    const [mission] = await sql<{ status: string; runs: number; open: number }[]>`
      select status, (body ->> 'runCount')::int as runs, jsonb_array_length(body -> 'openRuns') as open
      from mission where id = ${id}`;
    const ledger = await sql<{ outcome: string; at: string }[]>`
      select outcome, body ->> 'scheduledAt' as at from mission_run where mission_id = ${id} order by created_at`;
    const jobs = await sql<{ status: string }[]>`select status from job where mission_id = ${id}`;
    const chats = await sql<{ id: string }[]>`select id from chat where body ->> 'missionId' = ${id}`;
    const answers = await sql<{ content: string }[]>`
      select body ->> 'content' as content from message
      where chat_id = any(${chats.map((chat) => chat.id)}) and body ->> 'role' = 'assistant'`;
    return {
      status: mission?.status ?? "",
      runCount: mission?.runs ?? -1,
      openRuns: mission?.open ?? -1,
      ledger: ledger.map(({ outcome, at }) => (at === scheduledAt ? outcome : `${outcome} at ${at}`)),
      jobs: jobs.map(({ status }) => status),
      chats: chats.length,
      answers: answers.map(({ content }) => content),
    };
  }

  private async post(path: string, body: object): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
    const answer = await fetch(`${this.service.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }
}
