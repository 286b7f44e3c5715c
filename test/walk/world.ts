/** The records that a walk needs, made through the operations of the contract themselves. */
import type { ContractDocument, Operation } from "./document.ts";
import { joined, type Person } from "./person.ts";
import type { Ask, Walker } from "./walker.ts";

type Fields = Readonly<Record<string, unknown>>;
interface Made {
  readonly id: string;
}
export interface JobRecord extends Made {
  readonly status: string;
  readonly version: number;
  readonly last_seq: number;
  readonly links: Readonly<Record<string, string>>;
}

/** Seconds of one long poll for a job. */
const POLL_SECONDS = 5;
/** Statuses that a job leaves for no other by itself. */
const AT_REST = new Set(["completed", "failed", "cancelled", "blocked", "needs_review"]);

/** What the demo model is long at. */
export const ENDLESS = "/say one two three\n/repeat 1000\n/slow 200";

/** Port 9 discards, and nothing listens there. */
export const INTEGRATION = { url: "https://127.0.0.1:9/hook", event_types: ["webhook.*"] };

const TEXT = { "content-type": "text/plain" };

export class World {
  readonly walker: Walker;
  private readonly operations: ReadonlyMap<string, Operation>;
  private numbers = 0;
  /** A first part with another size begins the upload anew. */
  private unfinishedBytes = 100;
  private joined: Promise<Person> | null = null;
  private configured: Promise<void> | null = null;

  constructor(walker: Walker, document: ContractDocument) {
    this.walker = walker;
    this.operations = new Map(document.operations.map((operation) => [operation.id, operation]));
  }

  operation(id: string): Operation {
    const operation = this.operations.get(id);
    if (operation === undefined) throw new Error(`the contract has no operation ${id}`);
    return operation;
  }

  /** The answer of an operation that must succeed. */
  call<T = Made>(id: string, ask: Ask = {}): Promise<T> {
    return this.walker.done<T>(this.operation(id), ask);
  }

  /** A name that nothing else here has. */
  name(word: string): string {
    return `${word}-${++this.numbers}`;
  }

  async agent(fields: Fields = {}): Promise<string> {
    const body = { name: this.name("Agent"), system_prompt: "Be brief.", ...fields };
    return (await this.call("createAgent", { body })).id;
  }

  async v1Agent(): Promise<string> {
    return (await this.call("v1CreateAgent", { body: { name: this.name("Agent"), systemPrompt: "Be brief." } })).id;
  }

  /** The organization's first one, which nobody can delete: the last of the list. */
  async workspace(): Promise<string> {
    const query = [["limit", "100"]] as const;
    const { workspaces } = await this.call<{ workspaces: readonly Made[] }>("listWorkspaces", { query });
    return first(workspaces.toReversed()).id;
  }

  /** A file in the workspace, of a path that nothing else has. */
  async file(): Promise<{ readonly id: string; readonly path: string; readonly etag: string }> {
    const id = await this.workspace();
    const path = `${this.name("file")}.txt`;
    const ask = { params: { id }, query: [["path", path]], raw: "the content", headers: TEXT } as const;
    const { etag } = await this.call<{ etag: string }>("writeFile", ask);
    return { id, path, etag };
  }

  /** A file for messages. */
  async uploaded(): Promise<{ readonly id: string; readonly sha256: string }> {
    return this.call<{ id: string; sha256: string }>("createUpload", {
      query: [["name", `${this.name("note")}.txt`]],
      raw: "a note",
      headers: TEXT,
    });
  }

  /** An upload in parts that is not finished: always the same one, because a person has few of them. */
  async unfinishedUpload(): Promise<string> {
    await this.call("writeFile", {
      params: { id: await this.workspace() },
      query: [["path", "unfinished.txt"]],
      raw: "more",
      headers: {
        ...TEXT,
        "content-range": `bytes 0-3/${this.unfinishedBytes++}`,
        "repr-digest": "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:",
      },
    });
    const { uploads } = await this.call<{ uploads: readonly (Made & { path: string })[] }>("listUnfinishedUploads");
    return uploads.find(({ path }) => path === "unfinished.txt")?.id ?? "";
  }

  /** An app in a workspace of its own: a workspace has few of them. */
  async app(): Promise<{ readonly workspaceId: string; readonly id: string }> {
    const { id: workspaceId } = await this.call<Made>("createWorkspace", { body: { name: this.name("workspace") } });
    const params = { id: workspaceId };
    await this.call("writeFile", { params, query: [["path", "app/index.html"]], raw: "<p>", headers: TEXT });
    const { id } = await this.call<Made>("createApp", { params, body: { name: "An app", slug: "app" } });
    return { workspaceId, id };
  }

  /** A mount in a workspace of its own: a workspace has few of them. */
  async repository(): Promise<{ readonly workspaceId: string; readonly id: string }> {
    const { id: workspaceId } = await this.call<Made>("createWorkspace", { body: { name: this.name("workspace") } });
    const body = { url: "https://127.0.0.1:1/a.git", path: "mount" };
    const { id } = await this.call<Made>("addRepository", { params: { id: workspaceId }, body });
    return { workspaceId, id };
  }

  async share(): Promise<{ readonly workspaceId: string; readonly id: string; readonly token: string }> {
    const { id: workspaceId, path } = await this.file();
    const made = await this.call<{ id: string; token: string }>("shareFile", {
      params: { id: workspaceId },
      body: { path },
    });
    return { workspaceId, ...made };
  }

  async libraryAgent(): Promise<string> {
    const query = [["limit", "100"]] as const;
    const { agents } = await this.call<{ agents: readonly (Made & { visibility: string; install_state: string })[] }>(
      "listAgents",
      { query },
    );
    return first(agents.filter(({ install_state: state }) => state === "available")).id;
  }

  async chat(agentFields: Fields = {}): Promise<string> {
    const body = { agent_id: await this.agent(agentFields), workspace_id: await this.workspace() };
    return (await this.call("createChat", { body })).id;
  }

  /** The job of a message, once it is in one of these states. */
  async job(
    content: string,
    status: string,
    { fields = {}, agent = {} }: { readonly fields?: Fields; readonly agent?: Fields } = {},
  ): Promise<JobRecord> {
    return this.said(await this.chat(agent), content, status, fields);
  }

  /** The same in a chat that there is. */
  async said(chat: string, content: string, status: string, fields: Fields = {}): Promise<JobRecord> {
    const ask = { params: { id: chat }, body: { content, ...fields } };
    const { job } = await this.call<{ job: JobRecord }>("sendMessage", ask);
    return this.reached(job, status);
  }

  async reached(job: JobRecord, status: string): Promise<JobRecord> {
    let now = job;
    while (now.status !== status) {
      if (AT_REST.has(now.status))
        throw new Error(`the job is ${now.status} and not ${status}: ${JSON.stringify(now)}`);
      const query = [
        ["since_version", String(now.version)],
        ["wait", String(POLL_SECONDS)],
      ] as const;
      const heard = await this.walker.ask(this.operation("getJob"), { params: { id: job.id }, query });
      if (heard.complaints.length > 0) throw new Error(`getJob: ${heard.complaints.join("; ")}`);
      if (heard.status === 200) now = JSON.parse(heard.text ?? "") as JobRecord;
    }
    return now;
  }

  async mission(): Promise<string> {
    const body = { title: this.name("Mission"), goal: "hello", agent_id: await this.agent() };
    return (await this.call("createMission", { body: { ...body, schedule: { type: "cron", value: "@yearly" } } })).id;
  }

  async missionWithRun(): Promise<string> {
    const id = await this.mission();
    await this.call("runMission", { params: { id } });
    return id;
  }

  /** A task of a mission of its own; `isStarted`: a job is at it, and does not end. */
  async missionTask(isStarted = false): Promise<{ readonly id: string; readonly taskId: string }> {
    const id = await this.mission();
    const body = { title: this.name("Task"), description: isStarted ? ENDLESS : "hello" };
    const { id: taskId } = await this.call("addMissionTask", { params: { id }, body });
    if (isStarted) await this.call("startMissionTask", { params: { id, taskId } });
    return { id, taskId };
  }

  async task(): Promise<string> {
    const { task } = await this.call<{ task: Made }>("v1CreateTask", { body: { title: this.name("Task") } });
    return task.id;
  }

  async connection(): Promise<string> {
    const url = `https://${this.name("crm")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "-")}.example/mcp`;
    return (await this.call("createConnection", { body: { url } })).id;
  }

  async secret(): Promise<string> {
    const name = this.name("SECRET");
    await this.call("putSecret", { params: { name }, body: { value: "not to be seen" } });
    return name;
  }

  async group(): Promise<string> {
    const name = `group-${this.groups++}`;
    await this.call("putGroup", { params: { name }, body: { members: [] } });
    return name;
  }
  private groups = 0;

  /**
   * Webhooks are configured, once for the organization: to where nobody listens, and for their own events
   * only, so that a walk has few deliveries.
   */
  integration(): Promise<void> {
    return (this.configured ??= this.call("putMessagingIntegration", { body: INTEGRATION }).then(() => {}));
  }

  /** An attempt to deliver. */
  async delivery(): Promise<string> {
    await this.integration();
    return (await this.call<{ delivery: Made }>("testMessagingIntegration")).delivery.id;
  }

  /** Somebody else, signed in, with a token for everything and a program that they have let in; one for all who need no other. */
  person(): Promise<Person> {
    return (this.joined ??= this.newPerson());
  }

  async newPerson(): Promise<Person> {
    const { url } = await this.call<{ url: string }>("createInvitation", {
      body: { email: `${this.name("person")}@example.com` },
    });
    return joined(this.walker.url, url);
  }

  /** A service token, or a personal one, with these scopes. */
  async token(
    scopes: readonly string[],
    kind: "Service" | "PersonalAccess" = "Service",
  ): Promise<Made & { token: string }> {
    const body = { name: this.name("Token"), scopes };
    return this.call<Made & { token: string }>(`create${kind}Token`, { body });
  }
}

export function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error("the list is empty");
  return one;
}
