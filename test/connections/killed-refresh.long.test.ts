/**
 * Kill -9 of the whole service between a server's answer to a refresh and our commit (ACC-11): servers with a grace
 * period lose nothing, and of others the person is asked once.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_RUN_FILE } from "../../src/service/first-run.ts";
import { AccountServer } from "../support/account-server.ts";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { freePort } from "../support/free-port.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { PlainBrowser } from "../support/plain-browser.ts";
import { PASSWORD } from "../support/signed-in.ts";
import { eventually, type FirstRunText, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

let folder: GuardedFolder;
let accounts: AccountServer;
let first: FirstRunText;
let service: TroupeProcess;
/** The same after each start: people come back to it from the authorization server. */
let port: number;

beforeAll(async () => {
  folder = guardedFolder();
  accounts = new AccountServer();
  first = await copyFirstRun(folder);
  port = freePort();
  service = await start();
});
afterAll(async () => {
  await folder.remove();
  await accounts.stop();
});

const start = (): Promise<TroupeProcess> =>
  startTroupe(folder, { env: { EGRESS_ALLOW: "127.0.0.1", PORT: String(port) } });

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${first.personal}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect({ path, isDone: answer.ok, text }).toEqual({ path, isDone: true, text });
  return JSON.parse(text) as T;
}

interface SeenJob {
  readonly status: string;
  readonly result: string | null;
  readonly authorizations: readonly { readonly link: string; readonly outcome: string | null }[];
}
const jobOf = (id: string): Promise<SeenJob> => call("GET", `/api/jobs/${id}`);
async function reached(id: string, status: string): Promise<SeenJob> {
  await eventually(`the job is ${status}`, async () => (await jobOf(id)).status === status);
  return jobOf(id);
}

async function connect(browser: PlainBrowser, link: string): Promise<void> {
  const path = new URL(link).pathname;
  const page = await browser.submit(await browser.get(path), path);
  const href = /href="([^"]*\/authorize\?[^"]*)"/.exec(page.html)?.[1] ?? "";
  const back = accounts.consent(href.replaceAll("&amp;", "&"));
  expect((await browser.get(`/connections/callback?${back}`)).html).toContain("Connected");
}

async function browserOfOwner(): Promise<PlainBrowser> {
  const browser = new PlainBrowser({ url: service.url, origin: service.url });
  const told = readFileSync(join(service.dataDir, FIRST_RUN_FILE), "utf8");
  const path = /(\/set-password\?\S+)/.exec(told)?.[1] ?? "";
  await browser.submit(await browser.get(path), "/set-password", { password: PASSWORD, again: PASSWORD });
  return browser;
}

test("[ACC-11] kill -9 between a refresh and its commit loses nothing where the server has a grace period", async () => {
  const browser = await browserOfOwner();
  const { workspaces } = await call<{ workspaces: { id: string }[] }>("GET", "/api/workspaces");
  const { id: agent } = await call<{ id: string }>("POST", "/api/agents", {
    name: "Ada",
    system_prompt: "x",
    model: "demo:echo",
    allowed_tools: ["crm__*"],
    mcp_servers: [{ name: "crm", url: accounts.resource, auth: { type: "oauth", owner: "person" } }],
  });
  const begin = async (): Promise<string> => {
    const opening = { agent_id: agent, workspace_id: workspaces[0]?.id };
    const { id } = await call<{ id: string }>("POST", "/api/chats", opening);
    const content = "/call crm__whoami {}";
    return (await call<{ job: { id: string } }>("POST", `/api/chats/${id}/messages`, { content })).job.id;
  };
  const waiting = await begin();
  await connect(browser, (await reached(waiting, "blocked")).authorizations[0]!.link);
  expect((await reached(waiting, "completed")).result).toContain("You are ada");

  for (const hasGrace of [true, false]) {
    Object.assign(accounts, { hasGrace });
    const { refreshes } = accounts.counts;
    const never = Promise.withResolvers<void>();
    accounts.onRefreshed = () => never.promise;
    // The server takes no token that it has issued so far: the next request renews it.
    accounts.forgetTokens();
    const id = await begin();
    await eventually("the server has replaced the refresh token", () => accounts.counts.refreshes === refreshes + 1);
    await service.end("SIGKILL");
    accounts.onRefreshed = () => {};
    never.resolve();
    service = await start();
    const job = await reached(id, hasGrace ? "completed" : "blocked");
    expect(accounts.counts.refreshes).toBe(refreshes + 2);
    const { connections } = await call<{ connections: { status: string; end: { reason: string } | null }[] }>(
      "GET",
      "/api/connections",
    );
    expect(connections).toMatchObject([
      hasGrace ? { status: "connected", end: null } : { status: "ended", end: { reason: "refresh_lost" } },
    ]);
    if (hasGrace) continue;
    const again = new PlainBrowser({ url: service.url, origin: service.url });
    for (const [name, value] of browser.cookies) again.cookies.set(name, value);
    await connect(again, job.authorizations.find(({ outcome }) => outcome === null)!.link);
    await reached(id, "completed");
  }
});
