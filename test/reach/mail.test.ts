/** Approvals that travel by mail, over the real protocol, and come back. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import type { Job } from "../support/current.ts";
import { readMail } from "../support/mail-server.ts";
import { linkIn, ReachScene } from "../support/reach-scene.ts";
import { browserOf, signedIn } from "../support/signed-in.ts";

let scene: ReachScene;

beforeAll(async () => void (scene = await ReachScene.start()));
afterAll(() => scene.end());
beforeEach(() => scene.reset());

test("[REACH-4] an approval travels by mail and comes back, with a restart in between", async () => {
  const job = await scene.blocked({ amount: 700 });
  const link = await scene.mailedLink();
  const [mail] = scene.mails;
  expect(mail?.user).toBe("troupe");
  expect(mail?.from).toBe("troupe@example.com");
  expect(mail?.to).toEqual([`${scene.owner.userId}@example.com`]);
  const { headers, text } = readMail(mail!);
  expect(headers.get("subject")).toBe("Approval needed: Ada asks to use send");
  expect(headers.get("auto-submitted")).toBe("auto-generated");
  expect(text).toContain('"amount": 700');
  expect(text).toContain("Begun by: Owner");
  await until("the end of its attempt", async () => (await scene.notices(job))[0]?.["status"] === "success");
  await scene.service.stop();
  await scene.startService();
  const browser = await signedIn(scene.service, scene.owner);
  const page = await browser.get(link);
  expect(page.status).toBe(200);
  const after = await browser.submit(page, link.split("?")[0]!, { decision: "approve", comment: "Go on." });
  expect(after.html).toContain("Approved by <bdi>Owner</bdi>");
  expect((await scene.client.reached(job.id, "completed")).approvals[0]?.decision).toBe("approve");
  await until("the follow-up", () => scene.mails.length === 2);
  const told = readMail(scene.mails[1]!);
  expect(told.headers.get("subject")).toBe("Approved: Ada uses send");
  expect(told.text).toContain("Owner approved the call");
});

test("[REACH-4] a mail that the server refuses for now is sent again, and one that it refuses for good is not", async () => {
  scene.mail.refuse = () => (attempts++ === 0 ? { code: 451, text: "later" } : null);
  let attempts = 0;
  const first = await scene.blocked();
  await scene.mailedLink();
  await until("its end", async () => (await scene.notices(first))[0]?.["status"] === "success");
  expect((await scene.notices(first))[0]).toMatchObject({ attempts: 2, kind: "asked", user_id: scene.owner.userId });
  scene.mail.refuse = () => ({ code: 550, text: "no such user" });
  const second = await scene.blocked();
  await until("its end", async () => (await scene.notices(second))[0]?.["status"] === "failed");
  expect((await scene.notices(second))[0]).toMatchObject({ attempts: 1, error: "smtp_refused" });
});

test("[REACH-4] a person who wants no mails gets none", async () => {
  const browser = await signedIn(scene.service, scene.owner);
  await browser.submit(await browser.get("/account"), "/account/approval-mails");
  expect(await scene.client.get<object>("/api/approval-mails")).toEqual({ enabled: false });
  const job = await scene.blocked();
  await until("its end", async () => (await scene.notices(job))[0]?.["status"] === "skipped");
  expect((await scene.notices(job))[0]).toMatchObject({ skipped: "not_wanted", attempts: 0 });
  expect(scene.mails).toEqual([]);
});

test("[REACH-4] hostile texts make neither a header nor markup", async () => {
  await scene.reset({ name: "Ada\u202e <b>x</b>" });
  await scene.blocked({ note: "a\r\nBcc: evil@example.com\r\n\r\n<script>alert(1)</script>\u202e<!channel>" });
  await scene.mailedLink();
  const [mail] = scene.mails;
  const { headers, text } = readMail(mail!);
  expect(mail?.to).toHaveLength(1);
  expect(headers.has("bcc")).toBe(false);
  expect(text).toContain(String.raw`a\r\nBcc: evil@example.com`);
  expect(text).toContain(String.raw`\u202e`);
  expect(mail?.raw.slice(mail.raw.indexOf("<!doctype"))).not.toMatch(/<script|<b>|<!channel/);
});

test("[REACH-1] a link that needs no account decides for the person who got it", async () => {
  await scene.reset({ approval_reach: { links: "anyone", remind_after_seconds: null } });
  const job = await scene.blocked();
  const link = await scene.mailedLink();
  const browser = browserOf(scene.service);
  const page = await browser.get(link);
  expect(page.html).toContain("&quot;amount&quot;: 700");
  const after = await browser.submit(page, link.split("?")[0]!, { decision: "deny", comment: "Too much." });
  expect(after.html).toContain("Denied by <bdi>Owner</bdi>");
  const ended: Job = await scene.client.reached(job.id, "completed");
  expect(ended.approvals[0]).toMatchObject({ decision: "deny", decided_by: scene.owner.userId });
  expect(scene.tools.calls).toEqual([]);
});

test("[REACH-2] nobody who cannot see a private agent's work gets a notice of its call", async () => {
  await scene.reset({ visibility: "private", approval_rules: [{ tool: "send", then: "ask", of: "owners" }] });
  const second = await scene.service.join(scene.owner.organizationId, "owner");
  const job = await scene.blocked();
  const toSecond = async () => (await scene.notices(job)).find(({ user_id: userId }) => userId === second.userId);
  await until("its end", async () => ((await toSecond())?.["status"] ?? "pending") !== "pending");
  expect(await toSecond()).toMatchObject({ status: "skipped", skipped: "private" });
  await scene.mailedLink();
  expect(scene.mail.mails.filter(({ to }) => to.includes(`${second.userId}@example.com`))).toEqual([]);
});

test("[REACH-2] every owner gets a notice of a call that owners decide, which shows how many approvals it has", async () => {
  const rule: unknown = JSON.parse('{"tool": "send", "then": "ask", "of": "owners", "count": 2}');
  await scene.reset({ approval_rules: [rule] });
  const second = await scene.service.join(scene.owner.organizationId, "owner");
  const job = await scene.blocked();
  const toSecond = () => scene.mail.mails.filter(({ to }) => to.includes(`${second.userId}@example.com`));
  await until("both mails", () => scene.mails.length === 1 && toSecond().length === 1);
  const link = await scene.mailedLink();
  const browser = await signedIn(scene.service, scene.owner);
  const voted = await browser.submit(await browser.get(link), link.split("?")[0]!, { decision: "approve" });
  expect(voted.html).toContain("1 of 2 people have approved.");
  const again = await browser.submit(voted, link.split("?")[0]!, { decision: "approve" });
  expect(again.html).toContain("other people must approve it too");
  expect(scene.tools.calls).toEqual([]);
  const other = linkIn(readMail(toSecond()[0]!).text);
  const colleague = await signedIn(scene.service, second);
  await colleague.submit(await colleague.get(other), other.split("?")[0]!, { decision: "approve" });
  await scene.client.reached(job.id, "completed");
  await until("both follow-ups", () => scene.mails.length === 2 && toSecond().length === 2);
});
