/** Runs that lack a connection wait for a person, and go on by themselves (ACC-8, ACC-9). */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { answered, type Client, type Job, refused } from "../support/current.ts";
import { ConnectedScene } from "../support/connected-scene.ts";
import type { PlainBrowser } from "../support/plain-browser.ts";
import type { Founded } from "../support/service.ts";

interface WaitingJob extends Job {
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly authorizations: readonly {
    readonly connection_id: string;
    readonly link: string;
    readonly scopes: readonly string[];
    readonly outcome: string | null;
    readonly message: string | null;
  }[];
}

/** A refresh token of the account server. */
const REFRESH_TOKEN = /rt-[0-9a-f]{8}-[0-9a-f]{4}-/;

let scene: ConnectedScene;
let owner: Founded;
let client: Client;
let agent: string;
let browser: PlainBrowser;

beforeAll(async () => void (scene = await ConnectedScene.start()));
afterAll(() => scene.stop());
beforeEach(async () => {
  ({ owner, client, agent, browser } = await scene.organization());
  scene.usesAccount();
  Object.assign(scene.accounts, { wanted: "files:read", tokenSeconds: 3_600, claimedIssuer: null, refreshes: true });
});

const waiting = async (): Promise<WaitingJob> => {
  const { id } = await scene.begin(client, agent, owner);
  return (await client.reached(id, "blocked")) as WaitingJob;
};
const linkOf = ({ authorizations }: WaitingJob): string => authorizations.find(({ outcome }) => outcome === null)!.link;
const finished = async (id: string): Promise<WaitingJob> => (await client.reached(id, "completed")) as WaitingJob;

test("[ACC-9] a run without its connection waits with a link, and goes on by itself after the consent", async () => {
  const job = await waiting();
  expect(job).toMatchObject({
    blocked_reason: "auth_required",
    allowed_actions: ["cancel", "resume"],
    authorizations: [{ name: "crm", owner: "person", outcome: null, url: scene.accounts.resource }],
  });
  expect(linkOf(job)).toStartWith("https://troupe.test/connections/con_");
  const connected = await scene.connect(browser, linkOf(job));
  expect(connected.html).toContain("Connected");
  const done = await finished(job.id);
  expect(done.result).toContain("You are ada");
  expect(done.authorizations).toMatchObject([{ outcome: "connected" }]);
  const [connection] = await scene.connections(client);
  expect(connection).toMatchObject({ status: "connected", scopes: ["files:read"], waiting_jobs: 0 });
  // The next run asks nobody.
  const next = await scene.begin(client, agent, owner);
  await finished(next.id);
});

test("[ACC-9] the events of the job and of its chat carry the link", async () => {
  const job = await waiting();
  const rows = await scene.service.database.read<{ type: string; data: string }[]>`
    select type, data::text as data from event where organization_id = ${owner.organizationId}
    and stream in (${job.id}, ${job.chat_id})`;
  const withLink = rows.filter(({ data }) => data.includes(linkOf(job))).map(({ type }) => type);
  expect(withLink.toSorted()).toEqual(["authorization.requested", "job.blocked"]);
});

test("[ACC-9] a denied connection ends the run, which says so", async () => {
  const job = await waiting();
  const path = new URL(linkOf(job)).pathname;
  await browser.post(`${path}/deny`, {});
  const failed = (await client.reached(job.id, "failed")) as WaitingJob;
  expect(failed.error).toMatchObject({
    code: "authorization_required",
    message: "The run needs a connection to crm. The connection was denied.",
  });
  // A refusal at the server is one too.
  const second = await waiting();
  await scene.connect(browser, linkOf(second), "deny");
  const refusedThere = (await client.reached(second.id, "failed")) as WaitingJob;
  expect(refusedThere.error?.message).toContain("access was denied");
});

test("[ACC-9] a cancelled wait ends the job, and a later consent does not wake it", async () => {
  const job = await waiting();
  await answered(client.decide(job.id, "cancel"));
  const cancelled = (await client.reached(job.id, "cancelled")) as WaitingJob;
  expect(cancelled.authorizations).toMatchObject([{ outcome: "expired", message: "The job ended before" }]);
  await scene.connect(browser, job.authorizations[0]!.link);
  expect((await client.job(job.id)).status).toBe("cancelled");
});

test("[ACC-9] a token that the server does not take is renewed once, and then a person is asked", async () => {
  const job = await waiting();
  await scene.connect(browser, linkOf(job));
  await finished(job.id);
  const before = scene.accounts.counts.refreshes;
  scene.accounts.forgetTokens();
  await finished((await scene.begin(client, agent, owner)).id);
  expect(scene.accounts.counts.refreshes).toBe(before + 1);
  scene.accounts.forgetAll();
  const again = await waiting();
  const [connection] = await scene.connections(client);
  expect(connection).toMatchObject({ status: "ended", end: { reason: "refused" } });
  await scene.connect(browser, linkOf(again));
  await finished(again.id);
});

test("[ACC-9] a call that needs more scopes waits for a consent to them, and is made again", async () => {
  const job = await waiting();
  await scene.connect(browser, linkOf(job));
  await finished(job.id);
  scene.accounts.wanted = "files:write";
  const more = await waiting();
  expect(more.authorizations).toMatchObject([{ scopes: ["files:write"], outcome: null }]);
  const sent = await scene.sentTo(browser, linkOf(more));
  expect(new URL(sent).searchParams.get("scope")).toBe("files:read files:write");
  await browser.get(`/connections/callback?${String(scene.accounts.consent(sent))}`);
  await finished(more.id);
});

test("[ACC-8] another person's consent, a repeated return and a wrong issuer connect nothing", async () => {
  const job = await waiting();
  const link = linkOf(job);
  const stranger = await scene.signIn(await scene.service.join(owner.organizationId));
  // The page of somebody else's connection is not shown.
  expect((await stranger.get(new URL(link).pathname)).status).toBe(404);
  const sent = await scene.sentTo(browser, link);
  const back = scene.accounts.consent(sent);
  const stolen = await stranger.get(`/connections/callback?${String(back)}`);
  expect({ status: stolen.status, shown: stolen.html.includes("another person") }).toEqual({
    status: 403,
    shown: true,
  });
  // An answer in the name of another issuer (mix-up).
  scene.accounts.claimedIssuer = "https://evil.test";
  const mixed = await scene.connect(browser, link);
  expect(mixed.status).toBe(409);
  expect((await client.job(job.id)).status).toBe("blocked");
  scene.accounts.claimedIssuer = null;
  // The consent before the mix-up was replaced: its return is stale.
  expect((await browser.get(`/connections/callback?${String(back)}`)).status).toBe(403);
  const { exchanges } = scene.accounts.counts;
  const good = scene.accounts.consent(await scene.sentTo(browser, link));
  expect((await browser.get(`/connections/callback?${String(good)}`)).html).toContain("Connected");
  // The same return once more asks the server nothing, so that it revokes nothing.
  expect((await browser.get(`/connections/callback?${String(good)}`)).html).toContain("Connected");
  expect(scene.accounts.counts.exchanges).toBe(exchanges + 1);
  await finished(job.id);
  expect((await browser.get("/connections/callback?state=none&code=x")).status).toBe(403);
});

test("[ACC-7] a person ends a connection, which is revoked at its server; others do not see it", async () => {
  const job = await waiting();
  await scene.connect(browser, linkOf(job));
  await finished(job.id);
  const [connection] = await scene.connections(client);
  const other = scene.client(await scene.service.join(owner.organizationId));
  expect(await scene.connections(other)).toEqual([]);
  await refused(other.call("GET", `/api/connections/${connection!.id}`), 404, "not_found");
  await refused(other.call("DELETE", `/api/connections/${connection!.id}`), 404, "not_found");
  const tried = await answered(client.call("POST", `/api/connections/${connection!.id}/try`));
  expect(tried).toMatchObject({ result: "accepted" });
  const revoked = scene.accounts.revoked.length;
  await answered(client.call("DELETE", `/api/connections/${connection!.id}`));
  expect(await scene.connections(client)).toEqual([]);
  await refused(client.call("GET", `/api/connections/${connection!.id}`), 404, "not_found");
  await until("it is revoked", () => scene.accounts.revoked.length > revoked);
  expect(scene.accounts.revoked.at(-1)).toStartWith("rt-");
  // The next run asks again.
  expect((await waiting()).blocked_reason).toBe("auth_required");
});

test("[ACC-6] a connection of the organization is made by an owner, and is for everybody's jobs", async () => {
  const shared = await scene.agent(client, { type: "oauth", owner: "organization" });
  const member = await scene.service.join(owner.organizationId);
  const members = scene.client(member);
  const { id } = (await members.send(await members.chat(shared, owner.workspaceId), "Who?")).job;
  const job = (await members.reached(id, "blocked")) as WaitingJob;
  const theirs = await scene.signIn(member);
  const path = new URL(linkOf(job)).pathname;
  expect((await theirs.submit(await theirs.get(path), path)).status).toBe(403);
  const [seen] = await scene.connections(members);
  expect(seen).toMatchObject({ owner: "organization", user_id: null, allowed_actions: [] });
  await refused(members.call("DELETE", `/api/connections/${seen!.id}`), 403, "owner_required");
  await scene.connect(browser, linkOf(job));
  await members.reached(id, "completed");
});

test("[ACC-6] a server has either auth or a header Authorization, and only owners lend the organization's access", async () => {
  await answered(client.call("PUT", "/api/secrets/crm", { value: "a-long-secret" }), 201);
  const server = (fields: object) => ({
    name: "Bob",
    system_prompt: "x",
    mcp_servers: [{ name: "crm", url: scene.accounts.resource, ...fields }],
  });
  const auth = { type: "oauth", owner: "organization" };
  const both = server({ auth, headers: [{ name: "authorization", secret: "crm" }] });
  const details = await refused(client.call("POST", "/api/agents", both), 400, "invalid_request");
  expect(JSON.stringify(details)).toContain("/mcp_servers/0/auth");
  const members = scene.client(await scene.service.join(owner.organizationId));
  await refused(members.call("POST", "/api/agents", server({ auth })), 403, "owner_required");
  const tool = {
    name: "look",
    description: "Looks",
    kind: "http",
    method: "GET",
    url: "https://shop.test/a",
    input_schema: { type: "object" },
    auth: { type: "oauth", owner: "person", resource: "https://other.test" },
  };
  const wrong = { name: "Cy", system_prompt: "x", tools: [tool] };
  const about = await refused(client.call("POST", "/api/agents", wrong), 400, "invalid_request");
  expect(JSON.stringify(about)).toContain("/tools/0/auth/resource");
});

test("[ACC-10] no token is in an answer, an event, a record or a line of the log", async () => {
  const job = await waiting();
  await scene.connect(browser, linkOf(job));
  const done = await finished(job.id);
  const sent = scene.accounts.mcp.authorizations.flatMap((value) => value?.replace("Bearer ", "") ?? []);
  expect(sent.length).toBeGreaterThan(0);
  expect(done.result).not.toContain(sent.at(-1)!);
  const { organizationId } = owner;
  const { database } = scene.service;
  const stored = await database.read<{ body: string }[]>`
    select body::text from connection where organization_id = ${organizationId}
    union all select data::text from event where organization_id = ${organizationId}
    union all select body::text from job where organization_id = ${organizationId}
    union all select body::text from webhook_event where organization_id = ${organizationId}`;
  const all = JSON.stringify([stored, scene.service.log, await scene.connections(client)]);
  for (const token of sent) expect(all).not.toContain(token);
  // A sealed text may have the beginning alone by chance.
  expect(all).not.toMatch(REFRESH_TOKEN);
});
