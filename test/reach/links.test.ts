/** The links to approvals: who opens them, what they decide, and when they are over. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { organizationRef } from "../../actors/organization/schema.ts";
import { answered, Client } from "../support/current.ts";
import { ReachScene } from "../support/reach-scene.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { browserOf, signedIn } from "../support/signed-in.ts";

let scene: ReachScene;
const clock = new ShiftedClock();

beforeAll(async () => void (scene = await ReachScene.start({ clock })));
afterAll(() => scene.end());
beforeEach(() => scene.reset());

const ANYONE = { approval_reach: { links: "anyone", remind_after_seconds: null } };
const pathOf = (link: string): string => link.split("?")[0]!;

test("[REACH-6] opening a link decides nothing, however often and by whom", async () => {
  await scene.reset(ANYONE);
  const job = await scene.blocked();
  const link = await scene.mailedLink();
  for (const method of ["GET", "HEAD", "GET"])
    expect((await fetch(scene.service.url + link, { method, headers: { "user-agent": "MailScanner" } })).status).toBe(
      200,
    );
  expect((await fetch(`${scene.service.url}${link}&decision=approve`)).status).toBe(200);
  expect((await scene.client.job(job.id)).status).toBe("blocked");
});

test("[REACH-6] a form from another site, or without the page's terms, decides nothing", async () => {
  await scene.reset(ANYONE);
  const job = await scene.blocked();
  const link = await scene.mailedLink();
  const fields = { ...Object.fromEntries(new URLSearchParams(link.split("?")[1])), decision: "approve" };
  const browser = browserOf(scene.service);
  const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect((await browser.post(pathOf(link), fields, foreign)).status).toBe(403);
  expect((await browser.post(pathOf(link), fields)).status).toBe(409);
  expect((await browser.post(pathOf(link), { ...fields, terms: "x".repeat(64) })).status).toBe(409);
  expect((await scene.client.job(job.id)).status).toBe("blocked");
});

test("[REACH-6] a forwarded link asks for a sign-in, and the person's own rights decide", async () => {
  await scene.reset({ visibility: "private" });
  const job = await scene.blocked();
  const link = await scene.mailedLink();
  const stranger = browserOf(scene.service);
  const asked = await stranger.get(link);
  expect(asked.at).toStartWith("/sign-in?next=%2Fapprovals%2F");
  expect(asked.html).not.toContain("amount");
  const fields = { ...Object.fromEntries(new URLSearchParams(link.split("?")[1])), decision: "approve" };
  expect((await stranger.post(pathOf(link), fields)).at).toStartWith("/sign-in");
  const outsider = await signedIn(scene.service, await scene.service.found("Other"));
  expect((await outsider.get(link)).status).toBe(403);
  const colleague = await signedIn(scene.service, await scene.service.join(scene.owner.organizationId));
  const seen = await colleague.get(link);
  expect(seen.status).toBe(404);
  expect(seen.html).not.toContain("amount");
  expect((await colleague.post(pathOf(link), fields)).status).toBe(404);
  expect((await scene.client.job(job.id)).status).toBe("blocked");
});

test("[REACH-6] a replay after the decision shows what was decided, and by whom", async () => {
  await scene.reset(ANYONE);
  const job = await scene.blocked();
  const link = await scene.mailedLink();
  const browser = browserOf(scene.service);
  const page = await browser.get(link);
  await answered(scene.client.call("POST", `/api/jobs/${job.id}/approve`, { decision: "deny" }));
  const late = await browser.submit(page, pathOf(link), { decision: "approve" });
  expect(late.status).toBe(409);
  expect(late.html).toContain("Denied by <bdi>Owner</bdi>");
  expect(scene.tools.calls).toEqual([]);
  const again = await browser.get(link);
  expect(again.status).toBe(200);
  expect(again.html).not.toContain('<form method="post" action="/approvals');
});

test("[REACH-6] of two who decide at once, by the link and over the API, one decides", async () => {
  await scene.reset(ANYONE);
  const job = await scene.blocked();
  const link = await scene.mailedLink();
  const browser = browserOf(scene.service);
  const page = await browser.get(link);
  const [byLink, byApi] = await Promise.all([
    browser.submit(page, pathOf(link), { decision: "deny" }),
    scene.client.call("POST", `/api/jobs/${job.id}/approve`, { decision: "approve" }),
  ]);
  expect([byLink.status, byApi.status].filter((status) => status === 200)).toHaveLength(1);
  const { approvals } = await scene.client.reached(job.id, "completed");
  expect(approvals[0]?.decision).toBe(byApi.status === 200 ? "approve" : "deny");
  expect(scene.tools.calls).toHaveLength(byApi.status === 200 ? 1 : 0);
});

test("[REACH-6] a link is over when the agent's settings of approvals have changed", async () => {
  await scene.reset(ANYONE);
  const job = await scene.blocked();
  const link = await scene.mailedLink();
  const browser = browserOf(scene.service);
  const page = await browser.get(link);
  const change = { approval_reach: { links: "signed_in", remind_after_seconds: null } };
  await answered(scene.client.call("PATCH", `/api/agents/${scene.agent}`, change));
  expect((await browser.submit(page, pathOf(link), { decision: "approve" })).status).toBe(409);
  expect((await browser.get(link)).html).toContain("has changed since you were asked");
  expect((await scene.client.job(job.id)).status).toBe("blocked");
  // Another change of the agent leaves the next link as it is.
  const next = await scene.blocked();
  const second = await scene.mailedLink(2);
  await answered(scene.client.call("PATCH", `/api/agents/${scene.agent}`, { description: "Another" }));
  const owner = await signedIn(scene.service, scene.owner);
  const shown = await owner.get(second);
  expect((await owner.submit(shown, pathOf(second), { decision: "approve" })).status).toBe(200);
  await scene.client.reached(next.id, "completed");
});

test("[REACH-6] guessed keys and ids open nothing, and say nothing", async () => {
  await scene.reset(ANYONE);
  await scene.blocked();
  const link = await scene.mailedLink();
  const browser = browserOf(scene.service);
  const other = link.slice(0, -1) + (link.endsWith("A") ? "B" : "A");
  const wrong = [other, link.replace(/key=.*/, "key="), link.replace(/notice=[\w-]+/, "notice=ntc_x"), pathOf(link)];
  const pages = await Promise.all(wrong.map(async (each) => browser.get(each)));
  expect(pages.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(new Set(pages.map(({ html }) => html)).size).toBe(1);
  expect(JSON.stringify(scene.service.log)).not.toContain(new URLSearchParams(link).get("key")!);
});

test("[REACH-6] the link in a message opens nothing of an agent that has become private", async () => {
  await scene.reset(ANYONE);
  await scene.messenger();
  const job = await scene.blocked();
  const link = await scene.postedLink();
  const browser = browserOf(scene.service);
  const page = await browser.get(link);
  expect(page.html).toContain("amount");
  await answered(scene.client.call("PATCH", `/api/agents/${scene.agent}`, { visibility: "private" }));
  const hidden = await browser.get(link);
  expect(hidden.status).toBe(404);
  expect(hidden.html).not.toContain("amount");
  const late = await browser.submit(page, pathOf(link), { decision: "approve" });
  expect(late.status).toBe(404);
  expect(late.html).not.toContain("amount");
  expect((await scene.client.job(job.id)).status).toBe("blocked");
});

test("[REACH-6] the link of a removed member opens nothing", async () => {
  await scene.reset(ANYONE);
  const { organizationId, userId } = scene.owner;
  const job = await scene.blocked();
  const link = await scene.mailedLink();
  const browser = browserOf(scene.service);
  const page = await browser.get(link);
  const second = await scene.service.join(organizationId, "owner");
  await scene.service.system.dispatch(organizationRef(organizationId), { kind: "remove_member", userId });
  expect((await browser.get(link)).status).toBe(404);
  expect((await browser.submit(page, pathOf(link), { decision: "approve" })).status).toBe(404);
  const now = new Client(scene.service, second);
  expect((await now.job(job.id)).status).toBe("blocked");
});

test("[REACH-6] the link of a removed member opens nothing after a return either", async () => {
  await scene.reset(ANYONE);
  const { organizationId, userId } = scene.owner;
  await scene.blocked();
  const link = await scene.mailedLink();
  const browser = browserOf(scene.service);
  const page = await browser.get(link);
  await scene.service.join(organizationId, "owner");
  const ref = organizationRef(organizationId);
  await scene.service.system.dispatch(ref, { kind: "remove_member", userId });
  const back = { userId, name: "Owner", email: `${userId}@example.com`, role: "owner" } as const;
  expect((await scene.service.system.dispatch(ref, { kind: "add_member", ...back })).ok).toBe(true);
  expect((await browser.get(link)).status).toBe(404);
  expect((await browser.submit(page, pathOf(link), { decision: "approve" })).status).toBe(404);
  expect(scene.tools.calls).toEqual([]);
});

test("[REACH-6] hostile arguments are shown as text, and a call that is not shown whole cannot be approved", async () => {
  await scene.reset({ ...ANYONE, name: "<img src=x>" });
  await scene.blocked({ note: "</code></pre><script>alert(1)</script>\u202etxt.exe\u200b" });
  const link = await scene.mailedLink();
  const browser = browserOf(scene.service);
  const { html, headers } = await browser.get(link);
  expect(html).not.toMatch(/<script|<img/);
  expect(html).toContain(String.raw`\u202etxt.exe\u200b`);
  expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(headers.get("cache-control")).toBe("no-store");
  const job = await scene.blocked({ note: "x".repeat(70_000) });
  const long = await scene.mailedLink(2);
  const page = await browser.get(long);
  expect(page.html).not.toContain('value="approve"');
  expect((await browser.submit(page, pathOf(long), { decision: "approve" })).status).toBe(400);
  expect((await scene.client.job(job.id)).status).toBe("blocked");
  expect((await browser.submit(page, pathOf(long), { decision: "deny" })).status).toBe(200);
});

test("[REACH-6] a link decides nothing after the deadline", async () => {
  await scene.reset({ ...ANYONE, approval_expiry: { after_seconds: 60, on_expiry: "deny" } });
  const job = await scene.blocked();
  const link = await scene.mailedLink();
  const browser = browserOf(scene.service);
  const page = await browser.get(link);
  await clock.shift(61_000);
  const late = await browser.submit(page, pathOf(link), { decision: "approve" });
  expect(late.status).toBe(409);
  expect(late.html).toContain("Nobody decided in time");
  expect((await scene.client.job(job.id)).approvals[0]?.decision).not.toBe("approve");
});

test("[REACH-6] whoever guesses keys is turned away, and no guess says whether it was close", async () => {
  await scene.reset(ANYONE);
  const job = await scene.blocked();
  const link = await scene.mailedLink();
  const guess = async (at: number): Promise<string> => {
    const key = at.toString(36).padStart(43, "A");
    const answer = await fetch(scene.service.url + link.replace(/key=.*/, `key=${key}`));
    const text = await answer.text();
    return answer.status === 404 ? `404 ${Bun.hash(text)}` : String(answer.status);
  };
  const answers = new Set<string>();
  // Twice what an address has in a window, in case that a window ends meanwhile.
  for (let at = 0; at < 6_500 && !answers.has("429"); at += 50)
    for (const one of await Promise.all(Array.from({ length: 50 }, (_, more) => guess(at + more)))) answers.add(one);
  expect([...answers].map((one) => one.slice(0, 3)).toSorted()).toEqual(["404", "429"]);
  // A right guess would not be answered either.
  const turnedAway = await fetch(scene.service.url + link);
  expect([turnedAway.status, Number(turnedAway.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
  expect(await turnedAway.text()).not.toContain("amount");
  await clock.shift(60_000);
  const browser = browserOf(scene.service);
  expect((await browser.submit(await browser.get(link), pathOf(link), { decision: "deny" })).status).toBe(200);
  await scene.client.reached(job.id, "completed");
}, 60_000);
