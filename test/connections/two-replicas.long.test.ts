/** Two replicas whose runs need one connection at once: it is renewed once, also when the one that renews it dies (ACC-10). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_RUN_FILE } from "../../src/service/first-run.ts";
import { AccountServer } from "../support/account-server.ts";
import { PlainBrowser } from "../support/plain-browser.ts";
import { ReplicaProcesses } from "../support/replica-processes.ts";
import { PASSWORD } from "../support/signed-in.ts";
import { eventually, type TroupeProcess } from "../support/troupe-process.ts";

let accounts: AccountServer;
let replicas: ReplicaProcesses;

beforeAll(async () => {
  accounts = new AccountServer();
  replicas = await ReplicaProcesses.start(2, () => ({ EGRESS_ALLOW: "127.0.0.1" }));
});
afterAll(async () => {
  await replicas.stop();
  await accounts.stop();
});

async function call<T>(at: TroupeProcess, method: string, path: string, body?: object): Promise<T> {
  const answer = await replicas.call(at, method, path, body);
  const text = await answer.text();
  expect({ path, isDone: answer.ok, text }).toEqual({ path, isDone: true, text });
  return JSON.parse(text) as T;
}

interface SeenJob {
  readonly status: string;
  readonly result: string | null;
  readonly authorizations: readonly { readonly link: string }[];
}

/** While a replica dies the other one may refuse for a moment. */
async function reached(at: TroupeProcess, id: string, status: string): Promise<SeenJob> {
  let job: SeenJob | null = null;
  await eventually(`the job is ${status}`, async () => {
    const answer = await replicas.call(at, "GET", `/api/jobs/${id}`);
    if (!answer.ok) return false;
    job = (await answer.json()) as SeenJob;
    return job.status === status;
  });
  return job!;
}

async function connect(at: TroupeProcess, link: string): Promise<void> {
  const browser = new PlainBrowser({ url: at.url, origin: at.url });
  const founder = replicas.all.find(({ dataDir }) => existsSync(join(dataDir, FIRST_RUN_FILE)))!;
  const told = readFileSync(join(founder.dataDir, FIRST_RUN_FILE), "utf8");
  const entry = /(\/set-password\?\S+)/.exec(told)?.[1] ?? "";
  await browser.submit(await browser.get(entry), "/set-password", { password: PASSWORD, again: PASSWORD });
  const path = new URL(link).pathname;
  const page = await browser.submit(await browser.get(path), path);
  const href = /href="([^"]*\/authorize\?[^"]*)"/.exec(page.html)?.[1] ?? "";
  const back = accounts.consent(href.replaceAll("&amp;", "&"));
  expect((await browser.get(`/connections/callback?${back}`)).html).toContain("Connected");
}

test("[ACC-10] runs that two replicas begin at once renew the connection once, also if its owner dies meanwhile", async () => {
  const { owner, other } = await replicas.sides();
  const { workspaces } = await call<{ workspaces: { id: string }[] }>(owner, "GET", "/api/workspaces");
  const { id: agent } = await call<{ id: string }>(owner, "POST", "/api/agents", {
    name: "Ada",
    system_prompt: "x",
    model: "demo:echo",
    allowed_tools: ["crm__*"],
    mcp_servers: [{ name: "crm", url: accounts.resource, auth: { type: "oauth", owner: "person" } }],
  });
  const begin = async (at: TroupeProcess): Promise<string> => {
    const opening = { agent_id: agent, workspace_id: workspaces[0]?.id };
    const { id } = await call<{ id: string }>(at, "POST", "/api/chats", opening);
    const content = "/call crm__whoami {}";
    return (await call<{ job: { id: string } }>(at, "POST", `/api/chats/${id}/messages`, { content })).job.id;
  };
  const waiting = await begin(other);
  await connect(owner, (await reached(other, waiting, "blocked")).authorizations[0]!.link);
  await reached(owner, waiting, "completed");

  Object.assign(accounts, { hasGrace: true });
  for (const dies of [false, true]) {
    const { refreshes } = accounts.counts;
    const held = Promise.withResolvers<void>();
    accounts.onRefreshed = () => held.promise;
    // The server takes no token that it has issued so far: the next request renews it.
    accounts.forgetTokens();
    const first = await begin(owner);
    await eventually("it is being renewed", () => accounts.counts.refreshes === refreshes + 1);
    const asked = accounts.mcp.authorizations.length;
    const second = await begin(other);
    await eventually("the second run is refused too", () => accounts.mcp.authorizations.length > asked);
    if (dies) await owner.end("SIGKILL");
    accounts.onRefreshed = () => {};
    held.resolve();
    for (const id of [first, second]) expect((await reached(other, id, "completed")).result).toContain("You are ada");
    // After a death the next owner sends the same refresh token again (ACC-11).
    expect(accounts.counts.refreshes).toBe(refreshes + (dies ? 2 : 1));
  }
});
