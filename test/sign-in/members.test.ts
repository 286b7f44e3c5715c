/** Joining by invitation, roles and removal (AUTH-18). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { refused } from "../support/current.ts";
import type { PlainBrowser, Shown } from "../support/plain-browser.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { browserOf, emailOf, PASSWORD, signedIn } from "../support/signed-in.ts";

let service: Service;
let owner: Founded;
let browser: PlainBrowser;

beforeAll(async () => {
  service = await startService();
  owner = await service.found();
  browser = await signedIn(service, owner);
});
afterAll(() => service.stop());

/** The path of the link that the owner is shown. */
async function invited(email: string, role = "member", by = browser): Promise<string> {
  const page = await by.submit(await by.get("/members"), "/members/invite", { email, role });
  const link = /<code class="secret">https:\/\/troupe\.test([^<]+)<\/code>/.exec(page.html)?.[1] ?? "";
  return link.replaceAll("&amp;", "&");
}
const joinWith = async (guest: PlainBrowser, link: string, fields = {}): Promise<Shown> =>
  guest.submit(await guest.get(link), "/invitation", { name: "Ada", password: PASSWORD, again: PASSWORD, ...fields });

test("[AUTH-18] a person who is invited by a link joins, makes a token and uses it", async () => {
  const link = await invited("ada@example.com");
  const guest = browserOf(service);
  expect((await joinWith(guest, link)).at).toBe("/app");
  const account = await guest.get("/account");
  expect(account.html).toContain("ada@example.com, a member of Acme");
  const made = await guest.submit(account, "/account/tokens", { name: "mine", scope: ["agents:read"], days: "30" });
  const token = /<code class="secret">(pat_[\w-]+)<\/code>/.exec(made.html)?.[1] ?? "";
  expect((await service.call({ ...owner, token }, "GET", "/api/agents")).status).toBe(200);
  // Once.
  expect((await browserOf(service).get(link)).status).toBe(404);
  const again = browserOf(service);
  expect((await again.post("/sign-in", { email: "ada@example.com", password: PASSWORD })).at).toBe("/app");
});

test("[AUTH-18] nobody can take over the account of a person by inviting them", async () => {
  const other = await service.found("Globex");
  const victim = await service.join(owner.organizationId);
  const email = await emailOf(service, victim);
  const thief = await signedIn(service, other);
  const link = await invited(email, "member", thief);
  const guest = browserOf(service);
  const page = await guest.get(link);
  expect(page.html).toContain("There is an account for this e-mail address.");
  const query = new URL(link, "https://x.example").searchParams;
  query.set("name", "Thief");
  query.set("password", PASSWORD);
  query.set("again", PASSWORD);
  expect((await guest.post("/invitation", query)).html).toContain("There is an account");
  // The person joins with their own account.
  const own = await signedIn(service, victim);
  const joined = await own.submit(await own.get(link), "/invitation");
  expect(joined.at).toBe("/app");
  expect((await own.get("/account")).html).toContain(`${email}, a member of Globex`);
});

test("[AUTH-18] a member is not invited again", async () => {
  const person = await service.join(owner.organizationId);
  const email = `${person.userId}@example.com`;
  const page = await browser.submit(await browser.get("/members"), "/members/invite", { email, role: "member" });
  expect([page.status, page.html.includes(`${email} is a member already.`)]).toEqual([409, true]);
});

test("[AUTH-18] a wrong, withdrawn or expired invitation does not work", async () => {
  const link = await invited("grace@example.com");
  const guest = browserOf(service);
  expect((await guest.get(link.replace(/key=.*/, "key=wrong"))).status).toBe(404);
  const bad = await joinWith(guest, link, { password: "short", again: "short" });
  expect(bad.status).toBe(400);
  await browser.confirm(await browser.get("/members"), "/members/invitations/revoke");
  expect((await guest.get(link)).status).toBe(404);
});

test("[AUTH-18] an owner changes roles and removes members, whose credentials end; the last owner stays", async () => {
  const person = await service.join(owner.organizationId);
  const guest = await signedIn(service, person);
  expect((await guest.get("/members")).status).toBe(403);
  await browser.post("/members/role", { id: person.userId, role: "owner" });
  expect((await guest.get("/members")).status).toBe(200);
  await browser.post("/members/role", { id: person.userId, role: "member" });
  for (const path of ["/members/role", "/members/remove", "/members/invitations/revoke"])
    expect([path, (await guest.post(path, { id: owner.userId, role: "member" })).status]).toEqual([path, 403]);
  expect((await guest.post("/members/invite", { email: "x@example.com" })).status).toBe(403);
  expect((await browser.post("/members/role", { id: owner.userId, role: "member" })).status).toBe(409);
  expect((await browser.post("/members/remove", { id: person.userId })).at).toBe("/members");
  expect((await guest.get("/account")).at).toStartWith("/sign-in");
  await refused(service.call(person, "GET", "/api/agents"), 401, "unauthenticated");
  // Who comes back is who they were, with nothing of what had ended.
  const back = browserOf(service);
  await joinWith(back, await invited(`${person.userId}@example.com`));
  expect((await back.get("/account")).status).toBe(200);
  await refused(service.call(person, "GET", "/api/agents"), 401, "unauthenticated");
});

test("[AUTH-18] removals and role changes ask owners for confirmation, and are refused to others", async () => {
  const person = await service.join(owner.organizationId);
  const question = await browser.get(`/members/remove?id=${person.userId}`);
  expect(question.html).toContain("loses access to the organization at once");
  expect((await service.call(person, "GET", "/api/agents")).status).toBe(200);
  expect((await browser.get("/members/remove?id=usr_x")).status).toBe(404);
  const role = await browser.get(`/members/role?id=${person.userId}&role=owner`);
  const members = await browser.submit(role, "/members/role");
  expect(members.html).toContain(`${person.userId}@example.com, owner`);
  expect((await browser.submit(question, "/members/remove")).html).not.toContain(`${person.userId}@example.com`);
  await refused(service.call(person, "GET", "/api/agents"), 401, "unauthenticated");
  const member = await signedIn(service, await service.join(owner.organizationId));
  for (const path of ["remove", "role", "invitations/revoke"])
    expect((await member.get(`/members/${path}?id=${owner.userId}`)).status).toBe(403);
});

test("[AUTH-18] the only owner is not offered to become a member, which would be refused", async () => {
  const founder = await service.found("Initech");
  const page = await signedIn(service, founder);
  const roleForms = async () => (await page.get("/members")).html.split('href="/members/role?').length - 1;
  expect(await roleForms()).toBe(0);
  const person = await service.join(founder.organizationId);
  expect(await roleForms()).toBe(1);
  await page.post("/members/role", { id: person.userId, role: "owner" });
  expect(await roleForms()).toBe(2);
  await page.post("/members/role", { id: person.userId, role: "member" });
  expect(await roleForms()).toBe(1);
});
