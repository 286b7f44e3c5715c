/** A service whose agents use the servers of the conformance suite, and a person who consents to everything. */
import { discover } from "../../src/connections/oauth/discovery.ts";
import { oauthReach } from "../../src/connections/oauth/reach.ts";
import { createEgress, type Egress } from "../../src/egress/egress.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { use } from "./approval-scene.ts";
import { until } from "./condition.ts";
import { answered, Client, type Job } from "./current.ts";
import type { PlainBrowser } from "./plain-browser.ts";
import { type Service, startService } from "./service.ts";
import { signedIn } from "./signed-in.ts";

/** What one run of the suite asks for. */
interface SuiteRequest {
  readonly url: string;
  /** The client that the suite has registered by hand, if it has. */
  readonly context: { readonly client_id?: string; readonly client_secret?: string };
}

interface WaitingJob extends Job {
  readonly authorizations: readonly { readonly link: string; readonly outcome: string | null }[];
}

/** Consents that one job may ask for. */
const MAX_CONSENTS = 5;
const OVER = ["completed", "failed"];

export class ConformanceService {
  /** Where the program of the suite asks for a job. */
  readonly control: string;
  private readonly service: Service;
  private readonly egress: Egress;
  private readonly server: Bun.Server<undefined>;

  private constructor(service: Service, egress: Egress) {
    this.service = service;
    this.egress = egress;
    service.model.script = ({ entries }) => {
      const last = JSON.stringify(entries.at(-1));
      return last.includes("tool_result") ? [{ say: `Got: ${last}` }] : [use("c1", "suite__test-tool")];
    };
    this.server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 120,
      fetch: async (request) => {
        const said = await this.job((await request.json()) as SuiteRequest);
        return new Response(said.words, { status: said.isGood ? 200 : 500 });
      },
    });
    this.control = this.server.url.href;
  }

  static async start(): Promise<ConformanceService> {
    const egress = createEgress({ allow: ["127.0.0.1", "localhost"], production: false });
    return new ConformanceService(await startService({ egress }), egress);
  }

  /** Runs a job to its end, or to a consent that fails. */
  private async job({ url, context }: SuiteRequest): Promise<{ readonly isGood: boolean; readonly words: string }> {
    const owner = await this.service.found();
    const client = new Client(this.service, owner);
    const byHand = await this.registeredByHand(client, url, context);
    const agent = await answered<{ id: string }>(
      client.call("POST", "/api/agents", {
        name: "Ada",
        system_prompt: "Be brief.",
        mcp_servers: [{ name: "suite", url, auth: { type: "oauth", owner: "person", ...byHand } }],
        allowed_tools: ["suite__*"],
      }),
      201,
    );
    const browser = await signedIn(this.service, owner);
    const { job } = await client.send(await client.chat(agent.id, owner.workspaceId), "Use it");
    for (let consents = 0; consents <= MAX_CONSENTS; consents++) {
      const now = await this.rested(client, job.id);
      if (OVER.includes(now.status)) return { isGood: now.status === "completed", words: JSON.stringify(now) };
      const link = now.authorizations.find(({ outcome }) => outcome === null)?.link ?? "";
      const shown = await consentAt(browser, link);
      if (shown !== null) return { isGood: false, words: shown };
    }
    return { isGood: false, words: "too many consents" };
  }

  /** What an owner does who has registered a client: they know its server, and store its secret. */
  private async registeredByHand(
    client: Client,
    url: string,
    { client_id: id, client_secret }: SuiteRequest["context"],
  ) {
    if (id === undefined || client_secret === undefined) return {};
    await answered(client.call("PUT", "/api/secrets/SUITE", { value: client_secret }), 201);
    const { issuer } = await discover(oauthReach(this.egress, systemClock, "suite"), url);
    return { client: { issuer, id, secret: "SUITE" } };
  }

  private async rested(client: Client, id: string): Promise<WaitingJob> {
    let now = (await client.job(id)) as WaitingJob;
    await until("the job rests", async () => {
      now = (await client.job(id)) as WaitingJob;
      return OVER.includes(now.status) || now.authorizations.some(({ outcome }) => outcome === null);
    });
    return now;
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
    await this.service.stop();
    this.egress.close();
  }
}

/** Opens the link, presses the button, and goes where the authorization server says; the page's words if that fails. */
async function consentAt(browser: PlainBrowser, link: string): Promise<string | null> {
  const path = new URL(link).pathname;
  const begun = await browser.submit(await browser.get(path), path);
  const href = /href="([^"]*\/authorize\?[^"]*)"/.exec(begun.html)?.[1];
  if (href === undefined) return begun.html;
  let at = href.replaceAll("&amp;", "&");
  for (let hops = 0; hops < 10 && !at.includes("/connections/callback"); hops++) {
    const answer = await fetch(at, { redirect: "manual" });
    at = new URL(answer.headers.get("location") ?? "about:blank", at).href;
  }
  const back = await browser.get(`/connections/callback${new URL(at).search}`);
  return back.html.includes("Connected") ? null : back.html;
}
