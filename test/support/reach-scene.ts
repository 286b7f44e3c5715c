/**
 * A service whose approvals reach people: an agent whose tool `send` waits for approval, a mail server, a messenger, and
 * a service that can be started again over the same database.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./condition.ts";
import { answered, Client, type Job, type Json } from "./current.ts";
import { createEgressWorld, type EgressWorld } from "./egress-world.ts";
import { FakeTools } from "./fake-tools.ts";
import { type MailServer, readMail, type ReceivedMail, startMailServer } from "./mail-server.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";
import { type Founded, type Service, type ServiceOptions, startService } from "./service.ts";
import { startReceiver, type WebhookReceiver } from "./webhook-receiver.ts";

/** A link in a message, as a path. */
const LINK = /https?:\/\/[\w.:-]+(\/approvals\/[\w-]+\?organization=[\w-]+&notice=[\w-]+&key=[\w-]+)/;

export class ReachScene {
  readonly world: EgressWorld;
  readonly mail: MailServer;
  readonly tools = new FakeTools();
  service!: Service;
  owner!: Founded;
  client!: Client;
  agent!: string;
  receiver!: WebhookReceiver;
  private readonly database: TestDatabase;
  private readonly folder: string;
  private readonly options: ServiceOptions;

  private constructor(parts: {
    world: EgressWorld;
    mail: MailServer;
    database: TestDatabase;
    folder: string;
    options: ServiceOptions;
  }) {
    this.world = parts.world;
    this.mail = parts.mail;
    this.database = parts.database;
    this.folder = parts.folder;
    this.options = parts.options;
  }

  static async start(options: ServiceOptions = {}): Promise<ReachScene> {
    const world = createEgressWorld();
    const folder = mkdtempSync(join(tmpdir(), "troupe-reach-"));
    writeFileSync(join(folder, "ca.pem"), world.authority.cert);
    const mail = await startMailServer(world.authority);
    const scene = new ReachScene({ world, mail, database: await createTestDatabase(), folder, options });
    await scene.startService();
    return scene;
  }

  /** Starts the service, again if it was stopped. */
  async startService(): Promise<void> {
    this.service = await startService({
      ...this.options,
      testDatabase: this.database,
      tools: this.tools,
      egress: this.world.client(),
      settings: {
        smtpUrl: this.mail.url,
        mailFrom: "Troupe <troupe@example.com>",
        smtpCaFile: join(this.folder, "ca.pem"),
        ...this.options.settings,
      },
    });
    if (this.owner !== undefined) this.client = new Client(this.service, this.owner);
  }

  async end(): Promise<void> {
    await this.service.stop();
    await this.mail.stop();
    await this.world.end();
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Another organization with an agent, for the next test. */
  async reset(fields: Json = {}): Promise<void> {
    this.mail.refuse = () => null;
    this.owner = await this.service.found();
    this.client = new Client(this.service, this.owner);
    this.tools.calls.length = 0;
    this.tools.script = ({ name }) => ({ content: `${name} done`, isError: false });
    const tools = { allowed_tools: ["look", "send"], approval_tools: ["send"] };
    const body = { name: "Ada", system_prompt: "Be brief.", visibility: "organization", ...tools };
    this.agent = await this.client.agent({ ...body, ...fields });
  }

  /** Adds a messenger with a receiver of its own. */
  async messenger(format = "slack", path = "/hook"): Promise<string> {
    this.receiver = startReceiver(this.world);
    const url = new URL(path, this.receiver.url).href;
    const made = this.client.call("POST", "/api/messengers", { name: "Ops", format, url });
    return (await answered<{ id: string }>(made, 201)).id;
  }

  /** A job that waits for approval of a call with these arguments. */
  async blocked(input: Json = { amount: 700 }): Promise<Job> {
    this.service.model.script = (call) =>
      call.entries.length === 1
        ? [{ use: { type: "tool_use" as const, id: "c1", name: "send", input: input as never } }]
        : [{ say: "Done." }];
    const chat = await this.client.chat(this.agent, this.owner.workspaceId);
    return this.client.reached((await this.client.send(chat, "go")).job.id, "blocked");
  }

  /** The mails to the owner: those of an earlier test may still come. */
  get mails(): readonly ReceivedMail[] {
    return this.mail.mails.filter(({ to }) => to.includes(`${this.owner.userId}@example.com`));
  }

  /** The link in the mail with this number, once there are so many. */
  async mailedLink(count = 1): Promise<string> {
    await until(`${count} mails`, () => this.mails.length >= count);
    return linkIn(readMail(this.mails[count - 1]!).text);
  }

  /** The link in a message of the messenger, once there are so many. */
  async postedLink(count = 1): Promise<string> {
    await until(`${count} messages`, () => this.receiver.deliveries.length >= count);
    return linkIn(this.receiver.deliveries[count - 1]!.body);
  }

  /** What was sent about the approvals of a job. */
  async notices(job: Job): Promise<readonly Json[]> {
    const list = await this.client.get<{ approval_notices: { notices: Json[] }[] }>(
      `/api/approval-notices?job_id=${job.id}`,
    );
    return list.approval_notices.flatMap(({ notices }) => notices);
  }
}

export function linkIn(text: string): string {
  const found = LINK.exec(text)?.[1];
  if (found === undefined) throw new Error(`no link in ${text}`);
  return found;
}
