/**
 * The mixed load of the soak: executions, chats with readers that are cut off, files, tasks and webhooks, for as long
 * as it runs, and always over the same few hundred things, so that only a leak grows without an end.
 */

/** Callers of each kind. */
const CALLERS = { execute: 4, converse: 4, read: 4, file: 2, task: 2 } as const;
/** From one request of a caller to its next. A constant load: a faster machine must not look like a leak. */
const PERIOD_MS = 200;
const CHATS = 60;
const FILES = 20;
/** Of a reader, before it is cut off: less than a turn takes, or just a little more. */
const LONGEST_READ_MS = 120;

/** While the database is away a request is answered with 503, and on v1 with 500 in these words; with nothing else. */
const isAway = (status: number, text: string): boolean =>
  status === 503 || (status === 500 && text.includes("The service is temporarily unavailable"));

export interface SoakAddress {
  readonly url: string;
  readonly token: string;
  readonly agentId: string;
}

export interface SoakCounts {
  done: number;
  cut: number;
  /** While the database is away. */
  refused: number;
  /** What must not be: other answers, by their words. */
  readonly wrong: Map<string, number>;
}

export class SoakLoad {
  readonly counts: SoakCounts = { done: 0, cut: 0, refused: 0, wrong: new Map() };
  private readonly address: SoakAddress;
  private readonly chats: string[] = [];
  private workspace = "";
  private isOver = false;
  private callers: Promise<void>[] = [];
  private n = 0;

  constructor(address: SoakAddress) {
    this.address = address;
  }

  /** Makes the chats, and sets the receiver of webhooks. */
  async prepare(receiver: string): Promise<void> {
    const { workspaces } = (await this.json("GET", "/api/workspaces")) as { workspaces: readonly { id: string }[] };
    this.workspace = workspaces[0]?.id ?? "";
    for (let i = 0; i < CHATS; i++) {
      const chat = { agent_id: this.address.agentId, workspace_id: this.workspace };
      this.chats.push(((await this.json("POST", "/api/chats", chat)) as { id: string }).id);
    }
    await this.json("PUT", "/api/messaging-integration", { url: receiver, event_types: ["job.*"] });
  }

  /** Begins, or goes on. */
  start(): void {
    this.isOver = false;
    this.callers = Object.entries(CALLERS).flatMap(([kind, count]) =>
      Array.from({ length: count }, () => this.call(kind as keyof typeof CALLERS)),
    );
  }

  /** Resolves when every caller has its last answer. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.callers);
  }

  private async call(kind: keyof typeof CALLERS): Promise<void> {
    while (!this.isOver) {
      const next = performance.now() + PERIOD_MS;
      try {
        await this[kind]();
      } catch {
        // A connection that the service has cut, as it cuts them when the database is away.
        this.counts.cut++;
      }
      await Bun.sleep(Math.max(0, next - performance.now()));
    }
  }

  private async execute(): Promise<void> {
    const i = this.n++;
    const path = `/api/v1/agents/${this.address.agentId}/execute`;
    const body = { message: `/say answer ${i}\n/repeat ${1 + (i % 20)}`, stream: i % 2 === 0 };
    await this.ask("POST", path, body);
  }

  private async converse(): Promise<void> {
    const chat = this.chats[this.n++ % CHATS];
    await this.ask("POST", `/api/chats/${chat}/messages`, { content: `/say turn ${this.n}\n/slow 5` });
    await this.ask("GET", `/api/chats/${chat}/events?wait=end`);
  }

  /** From the first event on, cut off at any moment, or at the end of the turn. */
  private async read(): Promise<void> {
    const chat = this.chats[this.n++ % CHATS];
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), 1 + (this.n % LONGEST_READ_MS));
    try {
      const response = await this.send("GET", `/api/chats/${chat}/events`, undefined, abort.signal);
      await response.text();
    } catch (cause) {
      if (!abort.signal.aborted) throw cause;
      this.counts.cut++;
    } finally {
      clearTimeout(timer);
    }
  }

  private async file(): Promise<void> {
    const i = this.n++;
    const path = `notes/file-${i % FILES}.csv`;
    const files = `/api/workspaces/${this.workspace}/files`;
    await this.ask("PUT", `${files}/content?path=${path}`, `n,m\n${`${i},2\n`.repeat(1 + (i % 500))}`);
    // A first write that failed, because the database was away, has left nothing to read.
    await this.ask("GET", `${files}?limit=20`);
    if (i % 10 === 0) await this.ask("POST", `${files}/preview`, { path });
  }

  private async task(): Promise<void> {
    const made = (await this.json("POST", "/api/tasks", { title: `task ${this.n++}` })) as { id?: string };
    await this.ask("GET", "/api/tasks?limit=20");
    if (made.id !== undefined) await this.ask("DELETE", `/api/tasks/${made.id}`);
  }

  private async json(method: string, path: string, body?: object): Promise<object> {
    const text = await this.ask(method, path, body);
    return text.startsWith("{") ? (JSON.parse(text) as object) : {};
  }

  private async ask(method: string, path: string, body?: object | string): Promise<string> {
    const response = await this.send(method, path, body);
    const text = await response.text();
    if (response.ok) this.counts.done++;
    else if (isAway(response.status, text)) this.counts.refused++;
    else {
      const what = `${method} ${path.replaceAll(/\w{3}_[\w-]{21}/g, "…").replace(/\?.*/, "")} ${response.status} ${text.slice(0, 200)}`;
      this.counts.wrong.set(what, (this.counts.wrong.get(what) ?? 0) + 1);
    }
    return text;
  }

  private send(method: string, path: string, body?: object | string, signal?: AbortSignal): Promise<Response> {
    return fetch(this.address.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.address.token}`,
        ...(typeof body === "object" ? { "content-type": "application/json" } : {}),
      },
      ...(body === undefined ? {} : { body: typeof body === "object" ? JSON.stringify(body) : body }),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}
