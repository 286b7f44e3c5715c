/** Access tokens are renewed in time, once, and across crashes (ACC-10, ACC-11). */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { connectionRef } from "../../actors/connection/schema.ts";
import { until } from "../support/condition.ts";
import { ConnectedScene } from "../support/connected-scene.ts";
import type { Client, Job } from "../support/current.ts";
import { createTestDatabase } from "../support/postgres.ts";
import type { PlainBrowser } from "../support/plain-browser.ts";
import type { Founded } from "../support/service.ts";

let scene: ConnectedScene;
let owner: Founded;
let client: Client;
let agent: string;

beforeAll(async () => void (scene = await ConnectedScene.start()));
afterAll(() => scene.stop());
beforeEach(async () => {
  Object.assign(scene.accounts, { tokenSeconds: 60, hasGrace: false, refreshes: true, isDown: false });
  scene.accounts.onRefreshed = () => {};
  scene.usesAccount();
  [owner, client, agent] = await connectedIn(scene);
});

interface Linked extends Job {
  readonly authorizations: readonly { readonly link: string; readonly connection_id: string }[];
}

/** An organization whose owner has connected the server. */
async function connectedIn(at: ConnectedScene): Promise<[Founded, Client, string, string, PlainBrowser]> {
  const founded = await at.service.found();
  const hands = at.client(founded);
  const made = await at.agent(hands);
  const job = (await hands.reached((await at.begin(hands, made, founded)).id, "blocked")) as Linked;
  const browser = await at.signIn(founded);
  await at.connect(browser, job.authorizations[0]!.link);
  await hands.reached(job.id, "completed");
  return [founded, hands, made, job.authorizations[0]!.connection_id, browser];
}

const run = async (): Promise<string> => (await scene.begin(client, agent, owner)).id;
const [MINUTE, TEN_SECONDS] = [60_000, 10_000];

test("[ACC-10] a token of 60 s lives through a run of ten minutes", async () => {
  const before = scene.accounts.counts.refreshes;
  let step = 0;
  const reached: (() => void)[] = [];
  const stepped = Array.from({ length: 10 }, (_, at) => new Promise<void>((resolve) => (reached[at] = resolve)));
  const goes = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
  scene.service.model.script = () => {
    const at = step++;
    reached[at]?.();
    if (at >= 10) return [{ say: "Done." }];
    return [
      { hold: goes[at]!.promise },
      { use: { type: "tool_use", id: `c${at}`, name: "crm__whoami", input: {} } },
    ] as never;
  };
  const id = await run();
  for (let at = 0; at < 10; at++) {
    await stepped[at];
    await scene.clock.shift(MINUTE);
    goes[at]!.resolve();
  }
  const job = await client.reached(id, "completed");
  expect(job.result).toBe("Done.");
  expect(scene.accounts.counts.refreshes - before).toBeGreaterThanOrEqual(10);
  const results = await scene.service.database.read<{ data: { isError?: boolean } }[]>`
    select data from event where stream = ${id} and data ->> 'kind' = 'tool_result'`;
  expect(results.map(({ data }) => data.isError)).toEqual(Array.from({ length: 10 }, () => false));
});

test("[ACC-10] two runs at once renew once, and a valid token is used as it is", async () => {
  await client.reached(await run(), "completed");
  const { refreshes } = scene.accounts.counts;
  await scene.clock.shift(MINUTE);
  const ids = await Promise.all([run(), run(), run()]);
  await Promise.all(ids.map((id) => client.reached(id, "completed")));
  expect(scene.accounts.counts.refreshes).toBe(refreshes + 1);
});

test("[ACC-10] a server that is away ends nothing: a valid token is used, and the renewal is tried again", async () => {
  scene.accounts.isDown = true;
  await scene.clock.shift(MINUTE - TEN_SECONDS);
  await client.reached(await run(), "completed");
  await until("the failure is logged", () =>
    scene.service.log.some(({ message }) => message === "a connection could not be refreshed yet"),
  );
  await scene.clock.shift(MINUTE);
  scene.accounts.isDown = false;
  await client.reached(await run(), "completed");
});

test("[ACC-10] a refusal ends the connection aloud", async () => {
  await client.call("PUT", "/api/messaging-integration", { url: "https://hooks.test/x" });
  scene.accounts.forgetAll();
  await scene.clock.shift(MINUTE);
  const id = await run();
  await client.reached(id, "blocked");
  const [connection] = await scene.connections(client);
  expect(connection).toMatchObject({ status: "ended", scopes: [], end: { reason: "refused" } });
  expect(connection!.end!.message).toContain("the authorization is not valid any more");
  await until("it is logged", () =>
    scene.service.log.some(
      ({ message, fields }) => message === "a connection has ended" && fields["reason"] === "refused",
    ),
  );
  await until("webhooks have its event", async () => {
    const rows = await scene.service.database.read`
      select 1 from webhook_event where organization_id = ${owner.organizationId}
      and body ->> 'type' = 'connection.ended'`;
    return rows.length === 1;
  });
});

test("[ACC-10] an expired token that cannot be renewed asks the person again", async () => {
  scene.accounts.refreshes = false;
  const [founded, hands, made] = await connectedIn(scene);
  await scene.clock.shift(2 * MINUTE);
  await hands.reached((await scene.begin(hands, made, founded)).id, "blocked");
  const [connection] = await scene.connections(hands);
  expect(connection).toMatchObject({ status: "ended", end: { reason: "expired" } });
});

test("[ACC-9] a run that waits is found by the consent after a restart", async () => {
  const testDatabase = await createTestDatabase();
  const first = await ConnectedScene.start({ testDatabase });
  const { accounts } = first;
  const founded = await first.service.found();
  const hands = first.client(founded);
  const made = await first.agent(hands);
  const blocked = (await hands.reached((await first.begin(hands, made, founded)).id, "blocked")) as Linked;
  await first.leave();
  const second = await ConnectedScene.start({ testDatabase, accounts });
  await second.connect(await second.signIn(founded), blocked.authorizations[0]!.link);
  await second.client(founded).reached(blocked.id, "completed");
  await second.stop();
  await testDatabase.drop();
}, 120_000);

test.each([true, false])(
  "[ACC-11] a renewal whose process ends before its answer is stored is made again; grace period: %p",
  async (hasGrace) => {
    const testDatabase = await createTestDatabase();
    const first = await ConnectedScene.start({ testDatabase });
    const { accounts } = first;
    Object.assign(accounts, { tokenSeconds: 60, hasGrace });
    const [founded, , made] = await connectedIn(first);
    const answered = Promise.withResolvers<void>();
    const never = Promise.withResolvers<void>();
    accounts.onRefreshed = () => (answered.resolve(), never.promise);
    await first.clock.shift(MINUTE);
    const { id } = await first.begin(first.client(founded), made, founded);
    await answered.promise;
    await first.leave();
    accounts.onRefreshed = () => {};
    never.resolve();
    const second = await ConnectedScene.start({ testDatabase, accounts });
    await second.clock.shift(MINUTE);
    const hands = second.client(founded);
    await hands.reached(id, hasGrace ? "completed" : "blocked");
    const [connection] = await second.connections(hands);
    expect(connection).toMatchObject(
      hasGrace
        ? { status: "connected", end: null }
        : { status: "ended", end: { reason: "refresh_lost", message: expect.stringContaining("replaced") as string } },
    );
    await second.stop();
    await testDatabase.drop();
  },
  120_000,
);

test("[ACC-11] a refresh that begins again while its answer is here does not send the token twice", async () => {
  const { system } = scene.service;
  const [founded, hands, , connectionId] = await connectedIn(scene);
  const ref = connectionRef(founded.organizationId, connectionId);
  await scene.clock.shift(MINUTE);
  const { refreshes } = scene.accounts.counts;
  const held = Promise.withResolvers<void>();
  scene.accounts.onRefreshed = () => held.promise;
  await system.dispatch(ref, { kind: "use_connection", spent: null });
  await until("the server has the request", () => scene.accounts.counts.refreshes > refreshes);
  const stored = await system.dispatch(ref, { kind: "read_sealed_connection" });
  if (!stored.ok || stored.value === null || stored.value.refresh === null) throw new Error("no refresh is under way");
  // As after a commit whose outcome was unknown.
  await system.dispatch(ref, { kind: "recover_refresh", effectId: stored.value.refresh.effectId });
  held.resolve();
  const { generation } = stored.value;
  await until("it is renewed", async () => {
    const now = await system.dispatch(ref, { kind: "read_sealed_connection" });
    return now.ok && now.value!.generation > generation;
  });
  expect((await scene.connections(hands))[0]).toMatchObject({ status: "connected" });
  expect(scene.accounts.counts.refreshes).toBe(refreshes + 1);
});
