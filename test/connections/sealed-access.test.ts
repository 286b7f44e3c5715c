/** What is sealed for connections: a new key of the service, exports and erasures (ACC-6). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectionContext, connectionRef } from "../../actors/connection/schema.ts";
import { inOrganization } from "../../db/organization-export.ts";
import { PostgresErasure } from "../../db/erasure.ts";
import { createSealing } from "../../src/service/service-key.ts";
import { runCommand } from "../support/admin.ts";
import { ConnectedScene } from "../support/connected-scene.ts";
import type { Client, Job } from "../support/current.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import type { Founded } from "../support/service.ts";

const FORMER = new Uint8Array(32).fill(7);
const PRESENT = new Uint8Array(32).fill(8);

let testDatabase: TestDatabase;
let scene: ConnectedScene;
let owner: Founded;
let client: Client;
let id: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  scene = await ConnectedScene.start({ testDatabase });
  owner = await scene.service.found();
  client = scene.client(owner);
  const agent = await scene.agent(client);
  const job = (await client.reached((await scene.begin(client, agent, owner)).id, "blocked")) as Job & {
    readonly authorizations: readonly { readonly link: string; readonly connection_id: string }[];
  };
  id = job.authorizations[0]!.connection_id;
  const browser = await scene.signIn(owner);
  await scene.connect(browser, job.authorizations[0]!.link);
  await client.reached(job.id, "completed");
  // A consent that is under way is sealed too.
  await scene.sentTo(browser, job.authorizations[0]!.link);
});
afterAll(async () => {
  await scene.stop();
  await testDatabase.drop();
});

const sealedTexts = async (): Promise<readonly string[]> => {
  const ref = connectionRef(owner.organizationId, id);
  const found = await scene.service.system.dispatch(ref, { kind: "read_sealed_connection" });
  if (!found.ok || found.value === null) throw new Error("no connection");
  const { tokens, sealedClient, consent } = found.value;
  return [tokens!.sealed, sealedClient!, consent!.sealed];
};

test("[ACC-6] [OPS-7] a new key of the service seals connections anew", async () => {
  const { database } = scene.service;
  const [ring, alone] = [createSealing(PRESENT, [FORMER]), createSealing(PRESENT)];
  const check = Buffer.from(ring.key("key_check")).toString("hex");
  await database.read`insert into service_key (id, check_value) values (1, 'former') on conflict do nothing`;
  await database.read`update replica set key_check = ${check}`;
  const context = connectionContext(owner.organizationId, id);
  for (const text of await sealedTexts()) expect(alone.open("connection", text, context)).toBeNull();
  const rotated = JSON.parse(await runCommand(scene.service, "secrets rotate-key", {}, ["json"], ring));
  expect(rotated).toMatchObject({ organizations: 1, connections: 3 });
  const kinds = (await sealedTexts()).map((text) => alone.open("connection", text, context)?.slice(0, 18));
  expect(kinds).toEqual(['{"kind":"tokens","', '{"kind":"client","', '{"kind":"consent",']);
});

test("[ACC-6] an export has the connection without anything sealed, and an erasure deletes it", async () => {
  const sealed = await sealedTexts();
  const exported = await inOrganization(testDatabase.url, owner.organizationId, async (snapshot) => {
    expect(snapshot.tables).toContain("connection");
    const rows: unknown[] = [];
    for await (const page of snapshot.records("connection")) rows.push(...page);
    return rows;
  });
  expect(exported).toMatchObject([{ id, resource: scene.accounts.resource, status: "connected" }]);
  for (const text of sealed) expect(JSON.stringify(exported)).not.toContain(text);
  const erasure = new PostgresErasure(scene.service.database);
  await erasure.begin(owner.organizationId);
  expect(await erasure.eraseRows(owner.organizationId)).toMatchObject({ connection: 1 });
});
