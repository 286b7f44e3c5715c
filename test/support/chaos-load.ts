/**
 * Clients of several organizations that retry under idempotency keys wherever they get through, and readers of
 * streams beside them. What they were told is noted, and held against what is stored in the end.
 */
import { seededChance } from "./fake-clock.ts";
import { StreamReader } from "./event-streams.ts";
import { StreamBook } from "./stream-book.ts";
import { withTables } from "./service-tables.ts";
import { eventually } from "./troupe-process.ts";

/** An answer that takes longer is not waited for: the request is sent again. */
const ANSWER_MS = 12_000;
const RETRY_MS = 25;
/** Between two operations of a client: the shape of the load. */
const PAUSE_MS = 20;
/** Why the same request is sent again. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const SETTLED_MS = 90_000;

/** What the load is sent to. */
export interface ChaosTarget {
  /** Where clients may come to. */
  readonly urls: readonly string[];
  readonly databaseUrl: string;
  admin(...args: readonly string[]): Promise<string>;
}

interface Organization {
  readonly id: string;
  readonly token: string;
  readonly agentId: string;
  readonly workspaceId: string;
  /** When an operation was acknowledged, in ms of the monotonic clock. */
  readonly acknowledged: number[];
}

type Answer = Readonly<Record<string, unknown>>;

export interface ChaosVerdict {
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  readonly wrong: readonly string[];
}

export class ChaosLoad {
  readonly organizations: readonly Organization[];
  private readonly cluster: ChaosTarget;
  private readonly wrong: string[] = [];
  /** Titles of tasks, and contents of messages, that were acknowledged. */
  private readonly tasks = new Set<string>();
  private readonly messages = new Set<string>();
  /** Tasks that a tool makes. */
  private readonly effects = new Set<string>();
  private readonly books: { readonly chat: string; readonly book: StreamBook }[] = [];
  private readonly running: Promise<void>[] = [];
  private isOver = false;
  private areReadersOver = false;
  private count = 0;

  private constructor(cluster: ChaosTarget, organizations: readonly Organization[]) {
    this.cluster = cluster;
    this.organizations = organizations;
  }

  /** So many organizations with so many clients each. */
  static async start(cluster: ChaosTarget, organizations: number, clients: number, seed: number): Promise<ChaosLoad> {
    const made: Organization[] = [];
    for (let i = 0; i < organizations; i++) made.push(await organizationAt(cluster, i));
    const load = new ChaosLoad(cluster, made);
    for (const [i, organization] of made.entries()) {
      for (let client = 0; client < clients; client++)
        load.running.push(load.client(organization, seededChance(seed * 1_000 + i * 10 + client)));
    }
    return load;
  }

  get acknowledged(): number {
    return this.organizations.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
  }

  /** Resolves when each organization has had a success since the call: nothing is silent any more because of a fault. */
  async heard(): Promise<void> {
    const since = performance.now();
    const isHeard = ({ acknowledged }: Organization): boolean => (acknowledged.at(-1) ?? since) > since;
    await eventually("each organization is answered", () => this.organizations.every(isHeard), SETTLED_MS);
  }

  /** The longest time without a success of an organization between these, in ms. */
  silence(fromMs: number, untilMs: number): number {
    return Math.max(...this.organizations.map(({ acknowledged }) => longestGap(acknowledged, fromMs, untilMs)));
  }

  /** Lets the clients finish what they have begun. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  /** What is stored, held against what was told; to be asked for when all replicas serve. */
  async judge(): Promise<ChaosVerdict> {
    const verdict = { lost: [] as string[], twice: [] as string[], wrong: this.wrong };
    await withTables(this.cluster.databaseUrl, async (sql) => {
      const open = async (): Promise<number> => {
        const [row] = await sql<{ n: number }[]>`select ((select count(*) from job where status in ('queued', 'running',
          'cancelling')) + (select count(*) from actor_message) + (select count(*) from effect)
          + (select count(*) from alarm))::int as n`;
        return row!.n;
      };
      await eventually("everything has ended", async () => (await open()) === 0, SETTLED_MS).catch(() => {});
      const left = await open();
      if (left > 0) verdict.wrong.push(`${left} jobs, messages, effects or alarms have not ended`);
      const titles = await sql<{ title: string; n: number }[]>`
        select body ->> 'title' as title, count(*)::int as n from task group by 1`;
      compare("task", this.tasks, titles, verdict);
      compare("effect", this.effects, titles, verdict);
      const contents = await sql<{ title: string; n: number }[]>`
        select body ->> 'content' as title, count(*)::int as n from message where body ->> 'role' = 'user' group by 1`;
      compare("message", this.messages, contents, verdict);
      const jobs = await sql<{ id: string; status: string }[]>`
        select id, status from job where status <> 'completed'`;
      for (const { id, status } of jobs) verdict.wrong.push(`job ${id} is ${status}`);
      const broken = await sql<{ id: string }[]>`
        select r.id from (select organization_id, id, body from job union all select organization_id, id, body from chat) r
        left join event e on e.organization_id = r.organization_id and e.stream = r.id
        group by r.organization_id, r.id, r.body
        having count(e.seq) <> (r.body ->> 'lastSeq')::int or min(e.seq) <> 1 or max(e.seq) <> count(e.seq)`;
      for (const { id } of broken) verdict.wrong.push(`the events of ${id} have gaps`);
      const heads = await sql<{ id: string; head: number }[]>`select id, (body ->> 'lastSeq')::int as head from chat`;
      const headOf = new Map(heads.map(({ id, head }) => [id, head]));
      for (const { chat, book } of this.books) {
        await eventually("the reader has all", () => book.seq === headOf.get(chat), SETTLED_MS).catch(() => {});
        if (book.seq !== headOf.get(chat))
          verdict.wrong.push(`a reader of ${chat} has ${book.seq} of ${headOf.get(chat)} events`);
        for (const breach of book.breaches) verdict.wrong.push(`a reader of ${chat}: ${breach}`);
      }
    });
    this.areReadersOver = true;
    return verdict;
  }

  private async client(organization: Organization, chance: { fraction(): number }): Promise<void> {
    const { agentId, workspaceId } = organization;
    const name = `${organization.id.slice(-6)}-${++this.count}`;
    const register = { id: "", value: 0 };
    register.id = String(
      (await this.ask(organization, chance, "POST", "/api/tasks", { title: `${name} register` }))?.["id"],
    );
    const made = await this.ask(organization, chance, "POST", "/api/chats", {
      agent_id: agentId,
      workspace_id: workspaceId,
    });
    const chat = String(made?.["id"]);
    const book = new StreamBook();
    this.books.push({ chat, book });
    void this.read(organization, chance, chat, book);
    for (let i = 0; !this.isOver; i++) {
      const kind = chance.fraction();
      if (kind < 0.4) await this.write(organization, chance, `${name} task ${i}`);
      else if (kind < 0.8) await this.update(organization, chance, register);
      else await this.say(organization, chance, chat, `${name} message ${i}`, kind < 0.9);
      await Bun.sleep(PAUSE_MS);
    }
  }

  private async write(organization: Organization, chance: { fraction(): number }, title: string): Promise<void> {
    const task = await this.ask(organization, chance, "POST", "/api/tasks", { title });
    if (task === null) return;
    this.tasks.add(title);
    const read = await this.ask(organization, chance, "GET", `/api/tasks/${String(task["id"])}`);
    if (read?.["title"] !== title) this.wrong.push(`${title} was made, and read as ${JSON.stringify(read)}`);
  }

  /** One client alone writes its register: whatever replica it asks then shows what it has written last. */
  private async update(
    organization: Organization,
    chance: { fraction(): number },
    register: { id: string; value: number },
  ) {
    const path = `/api/tasks/${register.id}`;
    const description = String(++register.value);
    await this.ask(organization, chance, "PATCH", path, { description });
    const read = await this.ask(organization, chance, "GET", path);
    if (read?.["description"] !== description)
      this.wrong.push(`${register.id} was set to ${description}, and read as ${String(read?.["description"])}`);
  }

  private async say(
    organization: Organization,
    chance: { fraction(): number },
    chat: string,
    key: string,
    hasEffect: boolean,
  ) {
    const content = hasEffect ? `/say at work\n/call create_task ${JSON.stringify({ title: key })}` : key;
    const body = { content, on_busy: "queue" };
    const answer = await this.ask(organization, chance, "POST", `/api/chats/${chat}/messages`, body);
    if (answer === null) return;
    this.messages.add(content);
    if (hasEffect) this.effects.add(key);
  }

  /** Sends the request until it is answered; null where it is refused. */
  private async ask(
    organization: Organization,
    chance: { fraction(): number },
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer | null> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${organization.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json", "idempotency-key": `key-${++this.count}` }),
    };
    for (;;) {
      const { urls } = this.cluster;
      const url = urls[Math.floor(chance.fraction() * urls.length)];
      const answer = url === undefined ? null : await sent(url + path, { method, headers, body });
      if (answer !== null && answer.status < 300) {
        organization.acknowledged.push(performance.now());
        return answer.json;
      }
      const code = answer?.json["code"];
      if (answer !== null && !PASSING.has(answer.status) && code !== "idempotency_in_progress") {
        this.wrong.push(`${method} ${path} is answered ${answer.status} ${JSON.stringify(answer.json)}`);
        return null;
      }
      await Bun.sleep(RETRY_MS);
    }
  }

  /** Reads the stream wherever it can be had, always from where the last connection ended. */
  private async read(
    { token }: Organization,
    chance: { fraction(): number },
    chat: string,
    book: StreamBook,
  ): Promise<void> {
    while (!this.areReadersOver) {
      const { urls } = this.cluster;
      const url = urls[Math.floor(chance.fraction() * urls.length)];
      const cursor = book.lastId === null ? "?replay=all" : "";
      const headers = {
        authorization: `Bearer ${token}`,
        ...(book.lastId === null ? {} : { "last-event-id": book.lastId }),
      };
      const reader = await StreamReader.open(`${url}/api/chats/${chat}/events${cursor}`, headers).catch(() => null);
      if (reader !== null && reader.response.status === 200) {
        let taken = 0;
        const ended = reader.ended.then(
          () => true,
          () => true,
        );
        for (let isEnded = false; !isEnded;) {
          isEnded = (await Promise.race([ended, Bun.sleep(RETRY_MS)])) === true;
          for (; taken < reader.frames.length; taken++) book.take(reader.frames[taken]!);
          if (this.areReadersOver) await reader.leave().catch(() => {});
        }
      } else if (reader !== null) {
        await reader.leave().catch(() => {});
        const { status } = reader.response;
        if (!PASSING.has(status) && status !== 204) this.wrong.push(`the stream of ${chat} is answered ${status}`);
      }
      await Bun.sleep(RETRY_MS);
    }
  }
}

/** The longest time without any of these between `fromMs` and `untilMs`, in whole ms. What was before counts for whatever was before. */
export function longestGap(times: readonly number[], fromMs: number, untilMs: number): number {
  const within = times.filter((at) => at > fromMs && at < untilMs);
  return Math.round(Math.max(...[...within, untilMs].map((at, i) => at - (within[i - 1] ?? fromMs))));
}

function compare(
  what: string,
  told: ReadonlySet<string>,
  stored: readonly { readonly title: string; readonly n: number }[],
  verdict: { readonly lost: string[]; readonly twice: string[] },
): void {
  const times = new Map(stored.map(({ title, n }) => [title, n]));
  for (const key of told) {
    if (!times.has(key)) verdict.lost.push(`${what} ${key} was acknowledged and is not stored`);
    if ((times.get(key) ?? 0) > 1) verdict.twice.push(`${what} ${key} is stored ${times.get(key)} times`);
  }
}

async function sent(
  url: string,
  { method, headers, body }: { readonly method: string; readonly headers: object; readonly body: object | undefined },
): Promise<{ readonly status: number; readonly json: Answer } | null> {
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: JSON.parse(text) as Answer };
  } catch {
    return null;
  }
}

/** An organization with an agent whose tool makes tasks. */
async function organizationAt(cluster: ChaosTarget, number: number): Promise<Organization> {
  const email = `owner${number}@chaos.example`;
  const made = await cluster.admin("org", "create", "--name", `Chaos ${number}`, "--owner-email", email);
  const id = /org_[\w-]+/.exec(made)![0];
  const told = await cluster.admin("token", "create", "--org", id, "--email", email);
  const token = /pat_\S+/.exec(told)![0];
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await sent(cluster.urls[0]! + path, { method, headers, body });
    if (answer === null || answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.json;
  };
  const agent = await call("POST", "/api/agents", {
    name: "Maker",
    system_prompt: "Make.",
    allowed_tools: ["create_task"],
  });
  const { workspaces } = (await call("GET", "/api/workspaces")) as { workspaces: { id: string }[] };
  return { id, token, agentId: String(agent["id"]), workspaceId: workspaces[0]!.id, acknowledged: [] };
}
