/** A service with an agent whose MCP server wants OAuth, the accounts there, and people with browsers. */
import { createEgress, type Egress } from "../../src/egress/egress.ts";
import { AccountServer } from "./account-server.ts";
import { use } from "./approval-scene.ts";
import { Client, type Job, type Json } from "./current.ts";
import type { PlainBrowser } from "./plain-browser.ts";
import type { TestDatabase } from "./postgres.ts";
import { type Caller, type Founded, type Service, type ServiceOptions, startService } from "./service.ts";
import { ShiftedClock } from "./shifted-clock.ts";
import { signedIn } from "./signed-in.ts";

/** A connection as the surface shows it. */
export interface ShownConnection extends Json {
  readonly id: string;
  readonly status: string;
  readonly scopes: readonly string[];
  readonly authorization_url: string;
  readonly allowed_actions: readonly string[];
  readonly end: { readonly reason: string; readonly message: string } | null;
}

export interface ConnectedOptions extends Pick<ServiceOptions, "settings" | "folder"> {
  readonly testDatabase?: TestDatabase;
  readonly accounts?: AccountServer;
}

export class ConnectedScene {
  readonly clock: ShiftedClock;
  readonly accounts: AccountServer;
  readonly service: Service;
  private readonly egress: Egress;

  private constructor(parts: Pick<ConnectedScene, "clock" | "accounts" | "service"> & { readonly egress: Egress }) {
    this.clock = parts.clock;
    this.accounts = parts.accounts;
    this.service = parts.service;
    this.egress = parts.egress;
  }

  static async start(options: ConnectedOptions = {}): Promise<ConnectedScene> {
    const clock = new ShiftedClock();
    const accounts = options.accounts ?? new AccountServer(clock.now);
    const egress = createEgress({ allow: ["127.0.0.1"], production: false });
    const service = await startService({ ...options, clock, egress });
    const scene = new ConnectedScene({ clock, accounts, service, egress });
    scene.usesAccount();
    return scene;
  }

  /** The model calls the server's tool once, then says what it got. */
  usesAccount(): void {
    this.service.model.script = ({ entries }) => {
      const last = JSON.stringify(entries.at(-1));
      return last.includes("tool_result") ? [{ say: `Got: ${last}` }] : [use("c1", "crm__whoami")];
    };
  }

  /** The id of an agent with the server. */
  async agent(client: Client, auth: Json = { type: "oauth", owner: "person" }, more: Json = {}): Promise<string> {
    const body = {
      name: "Ada",
      system_prompt: "Be brief.",
      visibility: "organization",
      mcp_servers: [{ name: "crm", url: this.accounts.resource, auth, ...more }],
      allowed_tools: ["crm__*"],
    };
    return await client.agent(body);
  }

  /** A new organization: its owner, with a client, an agent and a browser. */
  async organization() {
    const owner = await this.service.found();
    const client = this.client(owner);
    return { owner, client, agent: await this.agent(client), browser: await this.signIn(owner) };
  }

  client = (caller: Caller): Client => new Client(this.service, caller);

  /** The job of a new chat with the agent. */
  async begin(client: Client, agent: string, { workspaceId }: Founded): Promise<Job> {
    return (await client.send(await client.chat(agent, workspaceId), "Who am I?")).job;
  }

  signIn = (caller: Caller): Promise<PlainBrowser> => signedIn(this.service, caller);

  /** The person opens the link and presses the button: where the browser is sent. */
  async sentTo(browser: PlainBrowser, link: string): Promise<string> {
    const path = new URL(link).pathname;
    const begun = await browser.submit(await browser.get(path), path);
    const href = /href="([^"]*\/authorize\?[^"]*)"/.exec(begun.html)?.[1];
    if (href === undefined) throw new Error(`no way to the server: ${begun.status} ${begun.html}`);
    return href.replaceAll("&amp;", "&");
  }

  /** The whole way of a person who consents, or refuses there. */
  async connect(browser: PlainBrowser, link: string, answer: "allow" | "deny" = "allow") {
    const back = this.accounts.consent(await this.sentTo(browser, link), answer);
    return browser.get(`/connections/callback?${String(back)}`);
  }

  async connections(client: Client): Promise<readonly ShownConnection[]> {
    return (await client.get<{ connections: readonly ShownConnection[] }>("/api/connections")).connections;
  }

  /** Ends the service; the accounts stay. */
  async leave(): Promise<void> {
    await this.service.stop();
    this.egress.close();
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.accounts.stop();
    this.egress.close();
  }
}
