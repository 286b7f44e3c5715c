/** Approvals that travel by a messenger's message, beside the program's webhook, and come back. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { ReachScene } from "../support/reach-scene.ts";
import { browserOf, signedIn } from "../support/signed-in.ts";
import { storedText } from "../support/stored-text.ts";
import { startReceiver } from "../support/webhook-receiver.ts";

let scene: ReachScene;

beforeAll(async () => void (scene = await ReachScene.start()));
afterAll(() => scene.end());
beforeEach(() => scene.reset());
afterEach(() => scene.receiver?.stop());

const pathOf = (link: string): string => link.split("?")[0]!;

test("[REACH-5] an approval travels by a Slack-shaped webhook and comes back, beside the program's webhook", async () => {
  await scene.messenger("slack");
  const program = startReceiver(scene.world, "program");
  await answered(scene.client.call("PUT", "/api/messaging-integration", { url: program.url }), 201);
  const job = await scene.blocked();
  const link = await scene.postedLink();
  const message = JSON.parse(scene.receiver.deliveries[0]!.body) as Json;
  expect(message).toMatchObject({ text: "Approval needed: Ada asks to use send", mrkdwn: false, link_names: 0 });
  const browser = await signedIn(scene.service, scene.owner);
  const after = await browser.submit(await browser.get(link), pathOf(link), { decision: "approve" });
  expect(after.html).toContain("Approved by <bdi>Owner</bdi>");
  await scene.client.reached(job.id, "completed");
  await scene.postedLink(2);
  expect(JSON.parse(scene.receiver.deliveries[1]!.body)).toMatchObject({ text: "Approved: Ada uses send" });
  await until("the program's events", () => program.ofType("job.completed").length === 1);
  expect(program.ofType("job.blocked")).toHaveLength(1);
  program.stop();
  const notices = (await scene.notices(job)).filter((notice) => notice["messenger_id"] !== null);
  expect(notices.map(({ kind, status, http_status: status2 }) => [kind, status, status2])).toEqual([
    ["asked", "success", 200],
    ["decided", "success", 200],
  ]);
});

test("[REACH-5] a link in a messenger that needs no account decides as the link, not as a person", async () => {
  await scene.reset({ approval_reach: { links: "anyone", remind_after_seconds: null } });
  await scene.messenger("slack");
  const job = await scene.blocked();
  const link = await scene.postedLink();
  const browser = browserOf(scene.service);
  const after = await browser.submit(await browser.get(link), pathOf(link), { decision: "deny" });
  expect(after.html).toContain("Denied by <bdi>somebody with the link in Ops</bdi>");
  const { approvals } = await scene.client.reached(job.id, "completed");
  expect(approvals[0]).toMatchObject({ decision: "deny", decided_by: new URLSearchParams(link).get("notice") });
});

test("[REACH-5] the markup of Slack, Teams and ntfy stays text, and a message keeps its size", async () => {
  const hostile = "<!channel> <@U1> @here <https://evil.example|ok> [x](https://evil.example) *b* & ";
  await scene.reset({ name: hostile });
  for (const [format, path, most] of [
    ["slack", "/hook", 15_000],
    ["teams", "/hook", 28_000],
    ["ntfy", "/at/refunds", 8_000],
  ] as const) {
    const id = await scene.messenger(format, path);
    await scene.blocked({ note: hostile.repeat(2_000) });
    await scene.postedLink();
    const { body, path: at } = scene.receiver.deliveries[0]!;
    expect(Buffer.byteLength(body)).toBeLessThan(most);
    const message = JSON.parse(body) as Json;
    if (format === "slack") {
      expect(message["text"]).toContain("&lt;!channel&gt;");
      const types = JSON.stringify(message["blocks"]).match(/"type":"[a-z_]+"/g) ?? [];
      expect(types).not.toContain('"type":"mrkdwn"');
    }
    if (format === "teams") expect(body).not.toContain('"TextBlock"');
    if (format === "ntfy") {
      expect(at).toBe("/at/");
      expect(message).toMatchObject({ topic: "refunds" });
      expect(message).not.toHaveProperty("markdown");
    }
    await answered(scene.client.call("DELETE", `/api/messengers/${id}`));
    scene.receiver.stop();
  }
});

test("[REACH-5] a messenger's address is never shown again, and a private agent's calls do not reach it", async () => {
  await scene.reset({ visibility: "private" });
  await scene.messenger("slack", "/services/secret-part");
  const listed = await scene.client.call("GET", "/api/messengers");
  expect(await listed.text()).not.toContain("secret-part");
  expect(await storedText(scene.service.database)).not.toContain("secret-part");
  const job = await scene.blocked();
  const ended = async (): Promise<Json | undefined> =>
    (await scene.notices(job)).find((notice) => notice["messenger_id"] !== null && notice["status"] !== "pending");
  await until("its end", async () => (await ended()) !== undefined);
  expect(await ended()).toMatchObject({ status: "skipped", skipped: "private" });
  expect(scene.receiver.deliveries).toEqual([]);
});

test("[REACH-5] a messenger's address is stored nowhere in clear, logged nowhere, and also not when it fails", async () => {
  await scene.messenger("slack", "/services/secret-part");
  scene.receiver.respond = () => new Response(null, { status: 404 });
  const job = await scene.blocked();
  const ended = async (): Promise<boolean> =>
    (await scene.notices(job)).some(({ messenger_id: id, status }) => id !== null && status === "failed");
  await until("its end", ended);
  expect(scene.receiver.deliveries[0]?.path).toBe("/services/secret-part");
  expect(await storedText(scene.service.database)).not.toContain("secret-part");
  expect(JSON.stringify(scene.service.log)).not.toContain("secret-part");
});

test("[REACH-5] a messenger needs a public https address, a topic for ntfy, and an owner; there are eight at most", async () => {
  scene.receiver = startReceiver(scene.world);
  const { url } = scene.receiver;
  const add = (fields: Json) =>
    scene.client.call("POST", "/api/messengers", { name: "Ops", format: "slack", url, ...fields });
  await refused(add({ url: "http://plain.example/x" }), 400, "invalid_url");
  await refused(add({ url: "https://10.0.0.1/x" }), 400, "invalid_url");
  const details = await refused(add({ format: "ntfy", url: new URL("/", url).href }), 400, "invalid_request");
  expect(JSON.stringify(details)).toContain("/url");
  for (let i = 0; i < 8; i++) await answered(add({ name: `Ops ${i}` }), 201);
  await refused(add({}), 409, "invalid_state");
  const member = await scene.service.join(scene.owner.organizationId);
  expect((await scene.service.call(member, "GET", "/api/messengers")).status).toBe(403);
});
