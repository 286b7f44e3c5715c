/** Clients that were registered by hand, at authorization servers that register none by themselves (ACC-14). */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { AccountServer } from "../support/account-server.ts";
import { until } from "../support/condition.ts";
import { ConnectedScene } from "../support/connected-scene.ts";
import { answered, type Client, type Job, type Json, refused } from "../support/current.ts";
import type { PlainBrowser } from "../support/plain-browser.ts";
import type { Founded } from "../support/service.ts";

const FIRST = "the-first-secret";
const SECOND = "the-second-secret";

let scene: ConnectedScene;
let owner: Founded;
let client: Client;
let browser: PlainBrowser;

beforeAll(async () => void (scene = await ConnectedScene.start()));
afterAll(() => scene.stop());
beforeEach(async () => {
  Object.assign(scene.accounts, { byHand: { id: "hand-1", secret: FIRST }, namedServer: null, tokenSeconds: 3_600 });
  scene.accounts.proofs.length = 0;
  owner = await scene.service.found();
  client = scene.client(owner);
  browser = await scene.signIn(owner);
  await answered(client.call("PUT", "/api/secrets/CRM_CLIENT", { value: FIRST }), 201);
});

interface WaitingJob extends Job {
  readonly authorizations: readonly { readonly link: string; readonly connection_id: string }[];
}

const byHand = (changes: Json = {}): Json => ({
  type: "oauth",
  owner: "person",
  client: { issuer: scene.accounts.origin, id: "hand-1", secret: "CRM_CLIENT", ...changes },
});
const proof = (secret: string): string => `Basic ${btoa(`hand-1:${secret}`)}`;

async function waitingFor(agent: string): Promise<WaitingJob> {
  const { id } = await scene.begin(client, agent, owner);
  return (await client.reached(id, "blocked")) as WaitingJob;
}

/** The link of a job of this agent, after its person has connected. */
async function connected(agent: string): Promise<string> {
  const { id, authorizations } = await waitingFor(agent);
  await scene.connect(browser, authorizations[0]!.link);
  await client.reached(id, "completed");
  return authorizations[0]!.connection_id;
}

test("[ACC-14] it connects, renews with the present value of its secret, and revokes", async () => {
  const agent = await scene.agent(client, byHand());
  const id = await connected(agent);
  expect(scene.accounts.proofs).toEqual([proof(FIRST)]);
  expect(scene.accounts.counts.registrations).toBe(0);
  expect((await scene.connections(client))[0]).toMatchObject({
    id,
    client_id: "hand-1",
    issuer: scene.accounts.origin,
  });
  scene.accounts.byHand = { id: "hand-1", secret: SECOND };
  await answered(client.call("PUT", "/api/secrets/CRM_CLIENT", { value: SECOND }), 200);
  scene.accounts.forgetTokens();
  await client.reached((await scene.begin(client, agent, owner)).id, "completed");
  expect(scene.accounts.proofs).toEqual([proof(FIRST), proof(SECOND)]);
  const stored = await scene.service.database.read<{ body: string }[]>`
    select body::text from connection where organization_id = ${owner.organizationId}
    union all select data::text from event where organization_id = ${owner.organizationId}
    union all select body::text from job where organization_id = ${owner.organizationId}`;
  for (const secret of [FIRST, SECOND])
    expect(JSON.stringify([stored, scene.service.log, await scene.connections(client)])).not.toContain(secret);
  const before = scene.accounts.revoked.length;
  await answered(client.call("DELETE", `/api/connections/${id}`), 200);
  await until("it is revoked", () => scene.accounts.revoked.length > before);
  expect(scene.accounts.proofs.at(-1)).toBe(proof(SECOND));
});

test("[ACC-14] its secret goes to no other authorization server, which a tool server names later", async () => {
  const other = new AccountServer();
  const agent = await scene.agent(client, byHand());
  const { authorizations } = await waitingFor(agent);
  scene.accounts.namedServer = other.origin;
  const path = new URL(authorizations[0]!.link).pathname;
  const shown = await browser.submit(await browser.get(path), path);
  expect(shown.html).toContain("names another authorization server");
  expect(shown.html).toContain(scene.accounts.origin);
  expect({ ...other.counts, proofs: other.proofs }).toMatchObject({ registrations: 0, exchanges: 0, proofs: [] });
  // It works as before once the tool server names the right one again.
  scene.accounts.namedServer = null;
  await scene.connect(browser, authorizations[0]!.link);
  expect(scene.accounts.proofs).toEqual([proof(FIRST)]);
  await other.stop();
});

test("[ACC-14] a secret that the server does not take ends no connection and no wait: an owner can mend it", async () => {
  const agent = await scene.agent(client, byHand());
  scene.accounts.byHand = { id: "hand-1", secret: SECOND };
  const { id, authorizations } = await waitingFor(agent);
  const [wait] = authorizations;
  const shown = await scene.connect(browser, wait!.link);
  expect(shown.html).toContain("it does not know this service as a client");
  expect((await client.job(id)).status).toBe("blocked");
  await answered(client.call("PUT", "/api/secrets/CRM_CLIENT", { value: SECOND }), 200);
  await scene.connect(browser, wait!.link);
  await client.reached(id, "completed");
  scene.accounts.byHand = { id: "hand-1", secret: FIRST };
  scene.accounts.forgetTokens();
  const proofs = scene.accounts.proofs.length;
  const second = await scene.begin(client, agent, owner);
  await until("a renewal was refused", () => scene.accounts.proofs.length > proofs);
  await client.reached(second.id, "failed");
  expect((await scene.connections(client))[0]).toMatchObject({
    id: wait!.connection_id,
    status: "connected",
    end: null,
  });
});

test("[ACC-14] another client has another connection, and a deleted secret is named to the person", async () => {
  const former = await connected(await scene.agent(client, byHand()));
  scene.accounts.byHand = { id: "hand-2", secret: FIRST };
  const agent = await scene.agent(client, byHand({ id: "hand-2" }));
  const { authorizations } = await waitingFor(agent);
  const [wait] = authorizations;
  expect(wait!.connection_id).not.toBe(former);
  const users = await refused(client.call("DELETE", "/api/secrets/CRM_CLIENT"), 409, "secret_in_use");
  expect(JSON.stringify(users)).toContain(agent);
  await answered(client.call("DELETE", "/api/secrets/CRM_CLIENT?force=true"), 200);
  const path = new URL(wait!.link).pathname;
  const shown = await browser.submit(await browser.get(path), path);
  expect(shown.html).toContain("The secret CRM_CLIENT, which the client of this server needs, does not exist.");
});

test("[ACC-14] a client without a secret needs none, and everybody may name it", async () => {
  scene.accounts.byHand = null;
  const before = scene.accounts.counts.registrations;
  const auth = byHand();
  delete (auth["client"] as Json)["secret"];
  const member = scene.client(await scene.service.join(owner.organizationId));
  await answered(
    member.call("POST", "/api/agents", {
      name: "Bob",
      system_prompt: "x",
      mcp_servers: [{ name: "crm", url: scene.accounts.resource, auth }],
    }),
    201,
  );
  await connected(await scene.agent(client, auth));
  expect(scene.accounts.counts.registrations).toBe(before);
  expect(scene.accounts.proofs).toEqual([null]);
});

test("[ACC-14] [AUTH-12] only owners name its secret, and an error says which field it is about", async () => {
  const server = (auth: Json): Json => ({
    name: "Cy",
    system_prompt: "x",
    visibility: "organization",
    mcp_servers: [{ name: "crm", url: scene.accounts.resource, auth }],
  });
  const tool = (auth: Json): Json => ({
    name: "Dee",
    system_prompt: "x",
    tools: [
      {
        name: "look",
        description: "Looks",
        kind: "http",
        method: "GET",
        url: scene.accounts.resource,
        input_schema: { type: "object", properties: {} },
        auth,
      },
    ],
  });
  const members = scene.client(await scene.service.join(owner.organizationId));
  for (const body of [server(byHand()), tool(byHand())]) {
    await refused(members.call("POST", "/api/agents", body), 403, "owner_required");
  }
  const { id } = await answered<{ id: string }>(client.call("POST", "/api/agents", server(byHand())), 201);
  await refused(members.call("PATCH", `/api/agents/${id}`, { system_prompt: "Other" }), 403, "owner_required");
  const wrong: readonly (readonly [Json, string])[] = [
    [server(byHand({ secret: "NONE" })), "/mcp_servers/0/auth/client/secret"],
    [tool(byHand({ secret: "NONE" })), "/tools/0/auth/client/secret"],
    [server(byHand({ issuer: "https://a@auth.test" })), "/mcp_servers/0/auth/client/issuer"],
    [server(byHand({ issuer: "https://:b@auth.test" })), "/mcp_servers/0/auth/client/issuer"],
    [server(byHand({ issuer: "auth.test" })), "/mcp_servers/0/auth/client/issuer"],
    [server(byHand({ id: "" })), "/mcp_servers/0/auth/client/id"],
    [server({ ...byHand(), type: "identity", owner: undefined }), "/mcp_servers/0/auth/client"],
  ];
  for (const [body, field] of wrong) {
    const details = await refused(client.call("POST", "/api/agents", body), 400, "invalid_request");
    expect(JSON.stringify(details)).toContain(`"${field}"`);
  }
});
