/**
 * A run of an agent that does everything a run can lose: several steps, calls side by side, a tool with
 * a side effect inside (a task) and some outside (a page that counts its readers, read by `web_fetch` and by an HTTP
 * tool of the agent), an approval. The
 * service is killed at a chosen point of it, started again, and driven to the end of the run by a client
 * who asks again for what was not answered. What is then left of the run is its story, in words that are
 * the same for every run: two stories are equal or something was lost or happened twice.
 *
 *   client ──HTTP──▶ service (killed) ──▶ proxy (stops at the n-th statement) ──▶ PostgreSQL
 *                        └──▶ pages (counted)
 */
import { join } from "node:path";
import postgres from "postgres";
import type { Job } from "../../actors/job/schema.ts";
import { type Chat, type Message, messageBlocks } from "../../actors/chat/schema.ts";
import { type GuardedFolder, guardedFolder } from "./guarded-folder.ts";
import { createEmptyDatabase, type TestDatabase } from "./postgres.ts";
import { type Moment, PostgresProxy } from "./postgres-proxy.ts";
import { eventually, startTroupe, type TroupeProcess } from "./troupe-process.ts";

/** Just before the nth commit of the run is sent, or just before its answer arrives. */
export interface KillPoint {
  readonly nth: number;
  readonly moment: Moment;
}

export interface Story {
  readonly status: string;
  readonly result: string | null;
  readonly steps: number;
  readonly toolCalls: number;
  readonly tokens: readonly [number, number];
  /** What the job's stream has of its transcript and its approvals. */
  readonly events: readonly string[];
  readonly messages: readonly string[];
  readonly tasks: number;
  readonly chatStatus: string;
}

export interface Played {
  readonly story: Story;
  /** Whether the run came to the point. */
  readonly killed: boolean;
  /** Calls that were made again although their result had been stored, or under another key than before. */
  readonly repeated: readonly string[];
  readonly attempt: number;
}

interface Row<T> {
  readonly body: T;
}

export class RunBench {
  private readonly folder: GuardedFolder = guardedFolder();
  private readonly sql: postgres.Sql;
  private readonly pages: Bun.Server<undefined>;
  /** Readers of each page. */
  private readonly hits = new Map<string, number>();
  /** The keys under which the HTTP tool has asked for a page. */
  private readonly keys = new Map<string, Set<string>>();
  private service!: TroupeProcess;
  private token = "";
  private agentId = "";
  private workspaceId = "";
  private runs = 0;
  /** Whether this run has come to its point, and its service is killed. */
  private isStruck = false;
  private readonly database: TestDatabase;
  private readonly proxy: PostgresProxy;

  private constructor(database: TestDatabase, proxy: PostgresProxy) {
    this.database = database;
    this.proxy = proxy;
    this.sql = postgres(database.url, { max: 2, onnotice: () => {} });
    this.pages = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        const { pathname } = new URL(request.url);
        this.hits.set(pathname, (this.hits.get(pathname) ?? 0) + 1);
        const key = request.headers.get("idempotency-key");
        if (key !== null) this.keys.set(pathname, (this.keys.get(pathname) ?? new Set()).add(key));
        const about = key === null ? "" : `url: ${request.url}\n`;
        return new Response(`${about}This is ${pathname.split("/").at(-1)}.`, {
          headers: { "content-type": "text/plain" },
        });
      },
    });
  }

  static async open(): Promise<RunBench> {
    const database = await createEmptyDatabase();
    const bench = new RunBench(database, await PostgresProxy.open(database.url));
    await bench.start();
    bench.token = bench.service.firstRun().personal;
    const [organization] = await bench.sql<{ id: string }[]>`
      select body ->> 'defaultWorkspaceId' as id from organization`;
    bench.workspaceId = organization?.id ?? "";
    const agent = await bench.post("/api/agents", {
      name: "Reader",
      system_prompt: "Read and note.",
      allowed_tools: ["web_fetch", "create_task"],
      approval_tools: ["create_task"],
      tools: [
        {
          kind: "http",
          name: "open_page",
          description: "Opens a page",
          input_schema: { type: "object", properties: { run: { type: "string" }, page: { type: "string" } } },
          method: "PUT",
          url: `${bench.pages.url.href}{run}/{page}`,
        },
      ],
    });
    bench.agentId = agent?.["id"] as string;
    return bench;
  }

  async close(): Promise<void> {
    await this.folder.remove();
    await this.proxy.close();
    await this.pages.stop(true);
    await this.sql.end({ timeout: 1 });
    await this.database.drop();
  }

  /** The service's own judgement of itself. */
  async invariants(): Promise<unknown> {
    return (await (await this.ask("GET", "/api/invariants")).json()) as unknown;
  }

  /** Messages, effects and alarms that are left when nothing is to be done. */
  async undone(): Promise<number> {
    const [row] = await this.sql<{ n: number }[]>`
      select ((select count(*) from actor_message) + (select count(*) from effect)
        + (select count(*) from alarm where actor_kind = 'job'))::int as n`;
    return row?.n ?? -1;
  }

  /** Plays the run, killed at the point if one is given, to its end. */
  async play(point: KillPoint | null): Promise<Played> {
    const name = `run-${++this.runs}`;
    const chat = await this.post("/api/chats", { agent_id: this.agentId, workspace_id: this.workspaceId });
    const chatId = chat?.["id"] as string;
    this.arm(point);
    let made = null as Map<string, number> | null;
    const standUp = async (): Promise<void> => {
      if (!this.isStruck || made !== null) return;
      made = await this.madeFor(chatId);
      await this.restart();
    };
    for (;;) {
      await standUp();
      const job = await this.job(chatId);
      if (job === null) await this.post(`/api/chats/${chatId}/messages`, { content: this.script(name) });
      else if (job.status === "blocked") await this.post(`/api/jobs/${job.id}/approve`, { decision: "approve" });
      else if (job.status !== "queued" && job.status !== "running") break;
      await Bun.sleep(2);
    }
    this.proxy.watch(null);
    // The commit that numbers the last event of the job comes after its end.
    await standUp();
    const repeated = [...(made ?? [])].flatMap(([page, hits]) => (this.hits.get(page) === hits ? [] : [page]));
    for (const [page, keys] of this.keys) if (keys.size > 1) repeated.push(`${page} under ${keys.size} keys`);
    const job = (await this.job(chatId))!;
    return { story: await this.story(job, name), killed: made !== null, repeated, attempt: job.attempt };
  }

  /** Compacts a chat, killed at the point if one is given: what the chat then has, and whether it came to the point. */
  async playCompaction(
    point: KillPoint | null,
  ): Promise<{ readonly told: readonly string[]; readonly killed: boolean }> {
    const chat = await this.post("/api/chats", { agent_id: this.agentId, workspace_id: this.workspaceId });
    const chatId = chat?.["id"] as string;
    await this.post(`/api/chats/${chatId}/messages`, { content: "/say Hello." });
    const jobs = () =>
      this.sql<Row<Job>[]>`select body from job where chat_id = ${chatId} order by body ->> 'createdAt'`;
    await eventually("the turn has ended", async () => (await jobs())[0]?.body.status === "completed");
    this.arm(point);
    let killed = false;
    for (;;) {
      if (this.isStruck && !killed) {
        killed = true;
        await this.service.ended();
        await this.restart();
      }
      const job = (await jobs()).find(({ body }) => body.isCompaction === true)?.body;
      if (job === undefined) await this.post(`/api/chats/${chatId}/compact`, {});
      else if (job.status === "completed" && !(this.isStruck && !killed)) break;
      await Bun.sleep(2);
    }
    this.proxy.watch(null);
    if (this.isStruck && !killed) await this.restart();
    const messages = await this.sql<Row<Message>[]>`select body from message where chat_id = ${chatId} order by seq`;
    const [row] = await this.sql<Row<Chat>[]>`select body from chat where id = ${chatId}`;
    const summary = row?.body.summary;
    return {
      killed,
      told: [
        ...messages.map(({ body: { role, status, content } }) => `${role} ${status} ${content}`),
        `${row?.body.status} ${row?.body.messageCount} ${summary?.messages} ${summary?.messageId === messages.at(-1)?.body.id}`,
      ],
    };
  }

  private script(name: string): string {
    const page = (of: string): string =>
      `/call web_fetch ${JSON.stringify({ url: `${this.pages.url.href}${name}/${of}` })}`;
    return [
      "/say I read two pages.",
      page("a"),
      page("b"),
      "/then",
      "/say I note what they say, and read a third.",
      `/call create_task ${JSON.stringify({ title: name })}`,
      `/call open_page ${JSON.stringify({ run: name, page: "c" })}`,
      "/then",
      "/say That is all.",
    ].join("\n");
  }

  private arm(point: KillPoint | null): void {
    this.isStruck = false;
    let count = 0;
    const stops = (moment: Moment): boolean => {
      if (moment === "sent") count++;
      if (this.isStruck || point === null || moment !== point.moment || count !== point.nth) return false;
      this.isStruck = true;
      this.service.child.kill("SIGKILL");
      return true;
    };
    this.proxy.watch({ name: "troupe flush", holds: "job_", stops });
  }

  /** The pages of this chat's run whose calls have a stored result, and how often each has been read. */
  private async madeFor(chatId: string): Promise<Map<string, number>> {
    await this.service.ended();
    const rows = await this.sql<{ content: string }[]>`
      select e.data ->> 'content' as content from event e join job j on j.id = e.stream
      where j.chat_id = ${chatId} and e.type = 'transcript.event' and e.data ->> 'kind' = 'tool_result'`;
    const pages = rows.flatMap(({ content }) => /url: \S+?(\/run-\d+\/\w)/.exec(content)?.[1] ?? []);
    return new Map(pages.map((page) => [page, this.hits.get(page) ?? 0]));
  }

  private async start(): Promise<void> {
    this.service = await startTroupe(this.folder, {
      dataDir: join(this.folder.path, "data"),
      env: { DATABASE_URL: this.proxy.urlOf(this.database.url), EGRESS_ALLOW: "127.0.0.1" },
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

  private ask(method: string, path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    return fetch(`${this.service.url}${path}`, init);
  }

  /** The answer's body; null where there is none, because the service was killed meanwhile. */
  private async post(path: string, body: object): Promise<Record<string, unknown> | null> {
    try {
      const answer = await this.ask("POST", path, body);
      const text = await answer.text();
      // A decision that was stored before the kill is refused when it is repeated.
      if (!answer.ok && answer.status !== 409) throw new Error(`${path} answers ${answer.status}: ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    } catch (cause) {
      if (this.isStruck) return null;
      throw cause;
    }
  }

  private async job(chatId: string): Promise<Job | null> {
    const [row] = await this.sql<Row<Job>[]>`select body from job where chat_id = ${chatId}`;
    return row?.body ?? null;
  }

  private async story(job: Job, name: string): Promise<Story> {
    const { chatId, status, result, step, metrics } = job;
    const { sql } = this;
    await eventually("the chat knows the end", async () => {
      const [chat] = await sql<Row<{ activeJobId: string | null }>[]>`select body from chat where id = ${chatId}`;
      return chat?.body.activeJobId === null;
    });
    const [chat] = await sql<{ status: string }[]>`select body ->> 'status' as status from chat where id = ${chatId}`;
    const events = await sql<{ type: string; data: object }[]>`
      select type, data from event where stream = ${job.id} and type in ('transcript.event', 'approval.requested', 'approval.resolved')
      order by seq`;
    const messages = await sql<Row<Message>[]>`select body from message where chat_id = ${chatId} order by seq`;
    const tasks = await sql`select 1 from task where body ->> 'title' = ${name}`;
    return {
      status,
      result,
      steps: step,
      toolCalls: metrics.toolCalls,
      tokens: [metrics.inputTokens, metrics.outputTokens],
      events: sideBySide(events.map(({ type, data }) => plain(`${type} ${JSON.stringify(data)}`, name))),
      messages: messages.map(({ body }) => {
        const blocks = messageBlocks(body).map((block) => JSON.stringify(block));
        return plain(`${body.role} ${body.status} ${body.content} ${sideBySide(blocks).join()}`, name);
      }),
      tasks: tasks.count,
      chatStatus: chat?.status ?? "",
    };
  }
}

/** Results of calls that were made side by side come in any order. */
function sideBySide(lines: readonly string[]): string[] {
  const ordered: string[] = [];
  let results: string[] = [];
  for (const line of [...lines, ""]) {
    if (line.includes("tool_result")) {
      results.push(line);
      continue;
    }
    ordered.push(...results.sort(), line);
    results = [];
  }
  return ordered.slice(0, -1);
}

/** Without what differs from run to run: its name, ids, times, and by which attempt live text was made. */
const plain = (text: string, name: string): string =>
  text
    .replaceAll(name, "run")
    .replaceAll(/,"~live":\{[^}]*\}/g, "")
    .replaceAll(/task-\d+-\w+/g, "task-")
    .replaceAll(/\b([a-z]{2,5})_[A-Za-z0-9_-]{21}/g, "$1_")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time");
