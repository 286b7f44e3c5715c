/** The connections of a person who is removed from the organization end, and begin anew with a return (ACC-15). */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { ConnectionCommand } from "../../actors/connection/protocol.ts";
import { connectionRef } from "../../actors/connection/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { connectionIdOf } from "../../src/connections/accessed-requests.ts";
import { use } from "../support/approval-scene.ts";
import { until } from "../support/condition.ts";
import { ConnectedScene } from "../support/connected-scene.ts";
import { answered, type Client, type Job, type Json, refused } from "../support/current.ts";
import type { Caller, Founded } from "../support/service.ts";

interface WaitingJob extends Job {
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly authorizations: readonly { readonly link: string; readonly connection_id: string }[];
}

let scene: ConnectedScene;
let owner: Founded;
let chief: Client;
let agent: string;
let person: Caller;
let theirs: Client;

beforeAll(async () => void (scene = await ConnectedScene.start()));
afterAll(() => scene.stop());
beforeEach(async () => {
  owner = await scene.service.found();
  chief = scene.client(owner);
  agent = await scene.agent(chief);
  person = await scene.service.join(owner.organizationId);
  theirs = scene.client(person);
  scene.usesAccount();
});

const waiting = async (client: Client): Promise<WaitingJob> =>
  (await client.reached((await scene.begin(client, agent, owner)).id, "blocked")) as WaitingJob;

async function connected(): Promise<WaitingJob> {
  const job = await waiting(theirs);
  await scene.connect(await scene.signIn(person), job.authorizations[0]!.link);
  await theirs.reached(job.id, "completed");
  return job;
}

const remove = () => answered(chief.call("DELETE", `/api/members/${person.userId}`));

const stored = async (id: string): Promise<Json> => {
  const [row] = await scene.service.database.read<{ body: Json }[]>`
    select body from connection where organization_id = ${owner.organizationId} and id = ${id}`;
  return row!.body;
};

const GONE = "The person is no longer a member of the organization";

test("[ACC-15] the access of a removed member is forgotten and revoked, aloud and in the audit", async () => {
  await chief.call("PUT", "/api/messaging-integration", { url: "https://hooks.test/x" });
  const { authorizations } = await connected();
  const id = authorizations[0]!.connection_id;
  const revoked = scene.accounts.revoked.length;
  await remove();
  await until("it is revoked", () => scene.accounts.revoked.length > revoked);
  expect(await stored(id)).toMatchObject({ tokens: null, sealedClient: null, consent: null, waiting: [] });
  expect((await stored(id))["removedAt"]).toBeString();
  await until("webhooks have its event", async () => {
    const rows = await scene.service.database.read`
      select 1 from webhook_event where organization_id = ${owner.organizationId}
      and body ->> 'type' = 'connection.ended' and body::text like '%member_removed%'`;
    return rows.length === 1;
  });
  for (const [action, userId] of [
    ["connection.made", person.userId],
    ["connection.ended", owner.userId],
  ] as const) {
    const { audit_entries: entries } = await chief.get<{ audit_entries: Json[] }>(`/api/audit?action=${action}`);
    expect(entries).toMatchObject([{ user_id: userId, subject_id: id, detail: scene.accounts.resource }]);
  }
});

test("[ACC-7] a person has 200 connections; one more is refused, also on the page that a job's link leads to", async () => {
  const job = await waiting(theirs);
  // The job asks by a message to the connection.
  await until("it is stored", async () => (await ofPerson()).length === 1);
  const { organizationId } = owner;
  const now = new Date().toISOString();
  await scene.service.database.read`
    insert into connection (organization_id, id, version, body)
    select ${organizationId}, 'con_' || lpad(n::text, 21, '0'), 1, body || jsonb_build_object('id', 'con_' || lpad(n::text, 21, '0'))
    from generate_series(1, 200) n, (select body || jsonb_build_object('waiting', '[]'::jsonb, 'createdAt', ${now}::text) as body
    from connection where organization_id = ${organizationId} and owner_id = ${person.userId}) known`;
  const more = { url: scene.accounts.resource.replace("/mcp", "/other") };
  const details = await refused(theirs.call("POST", "/api/connections", more), 429, "quota_exceeded");
  expect(details).toMatchObject({ quota: "connections", limit: 200 });
  await answered(chief.call("POST", "/api/connections", more), 201);
  const browser = await scene.signIn(person);
  const path = new URL(job.authorizations[0]!.link).pathname;
  expect((await browser.submit(await browser.get(path), path)).html).toContain("There are 200 connections already");
  for (const n of [1, 2]) await answered(theirs.call("DELETE", `/api/connections/con_${String(n).padStart(21, "0")}`));
  await scene.connect(browser, job.authorizations[0]!.link);
  await theirs.reached(job.id, "completed");
  await answered(theirs.call("POST", "/api/connections", more), 201);
});

test("[ACC-15] a person who comes back begins anew", async () => {
  await connected();
  await remove();
  await until("it has ended", async () => (await ofPerson()).every((body) => body["removedAt"] !== null));
  const back = {
    kind: "add_member",
    userId: person.userId,
    name: "Bo",
    email: `${person.userId}@example.com`,
    role: "member",
  } as const;
  await scene.service.system.dispatch(organizationRef(owner.organizationId), back);
  theirs = scene.client(await scene.service.tokenFor(person, {}));
  expect(await scene.connections(theirs)).toEqual([]);
  const job = await waiting(theirs);
  expect(await scene.connections(theirs)).toMatchObject([{ status: "required", scopes: [] }]);
  await scene.connect(await scene.signIn(person), job.authorizations[0]!.link);
  await theirs.reached(job.id, "completed");
});

test("[ACC-15] a job that waits for the consent of a removed member ends, and says why", async () => {
  const job = await waiting(theirs);
  await remove();
  const failed = (await chief.reached(job.id, "failed")) as WaitingJob;
  expect(failed.error).toMatchObject({ code: "authorization_required" });
  expect(failed.error!.message).toContain(GONE);
});

test("[ACC-15] a job that runs while its person is removed does not begin to wait for them", async () => {
  await connected();
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  scene.service.model.script = ({ entries }) => {
    const last = JSON.stringify(entries.at(-1));
    if (last.includes("tool_result")) return [{ say: `Got: ${last}` }];
    begun.resolve();
    return [{ hold: held.promise }, use("c1", "crm__whoami")] as never;
  };
  const { id } = await scene.begin(theirs, agent, owner);
  await begun.promise;
  await remove();
  await until("it has ended", async () => (await ofPerson()).every((body) => body["removedAt"] !== null));
  held.resolve();
  const failed = (await chief.reached(id, "failed")) as WaitingJob;
  expect(failed.error).toMatchObject({ code: "authorization_required" });
  expect(failed.error!.message).toContain(GONE);
});

test("[ACC-15] a consent that ends just after its person was removed gives nothing", async () => {
  const [resource, by] = ["https://late.test/mcp", { userId: person.userId, isOwner: false }];
  const ref = connectionRef(owner.organizationId, connectionIdOf(owner.organizationId, person.userId, resource));
  const told = async (command: ConnectionCommand) =>
    expect(await scene.service.system.dispatch(ref, command)).toMatchObject({ ok: true });
  const connectionEnded = async () => (await stored(ref.id))["removedAt"] !== null;
  const subject = { ownerId: person.userId, resource, scopes: [], resourceMetadata: null, client: null };
  await told({ kind: "want_connection", by, subject });
  await remove();
  await until("the removal has looked for their connections", connectionEnded);
  // A request that was verified before.
  await told({ kind: "want_connection", by, subject });
  await told({ kind: "begin_consent", by, stateHash: "s", sealed: "consent", issuer: "https://as.test" });
  const tokens = { sealed: "tokens", expiresAt: null, isRefreshable: true, scopes: [] };
  const issued = { stateHash: "s", issuer: "https://as.test", sealedClient: "client", tokens };
  await told({ kind: "finish_consent", by, ...issued, origin: ORIGIN });
  await until("it is forgotten", connectionEnded);
  expect(await stored(ref.id)).toMatchObject({ tokens: null, sealedClient: null });
});

const ORIGIN = { userId: null, tokenId: null, address: null };

const ofPerson = async (): Promise<readonly Json[]> =>
  (
    await scene.service.database.read<{ body: Json }[]>`
      select body from connection where organization_id = ${owner.organizationId}
      and owner_id = ${person.userId}`
  ).map(({ body }) => body);
