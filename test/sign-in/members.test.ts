/** Joining by invitation, and what a removal ends (AUTH-18). */
import { expect, test } from "bun:test";
import { answered, refused } from "../support/current.ts";
import type { PlainBrowser, Shown } from "../support/plain-browser.ts";
import { sceneOfFile } from "../support/scene.ts";
import { browserOf, emailOf, PASSWORD, signedIn } from "../support/signed-in.ts";

const { service, owner } = sceneOfFile();

/** The path of the link that the owner gets. */
async function invited(email: string, by = owner): Promise<string> {
  const { url } = await answered<{ url: string }>(service.call(by, "POST", "/api/invitations", { email }), 201);
  return url.replace("https://troupe.test", "");
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
  const link = await invited(email, other);
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

test("[AUTH-18] a wrong, withdrawn or expired invitation does not work", async () => {
  const link = await invited("grace@example.com");
  const guest = browserOf(service);
  expect((await guest.get(link.replace(/key=.*/, "key=wrong"))).status).toBe(404);
  const bad = await joinWith(guest, link, { password: "short", again: "short" });
  expect(bad.status).toBe(400);
  const id = new URL(link, "https://x.example").searchParams.get("invitation");
  await answered(service.call(owner, "POST", `/api/invitations/${id}/revoke`));
  expect((await guest.get(link)).status).toBe(404);
});

test("[AUTH-18] a removed member's session and tokens end, and stay ended when they come back", async () => {
  const person = await service.join(owner.organizationId);
  const guest = await signedIn(service, person);
  await answered(service.call(owner, "DELETE", `/api/members/${person.userId}`));
  expect((await guest.get("/account")).at).toStartWith("/sign-in");
  await refused(service.call(person, "GET", "/api/agents"), 401, "unauthenticated");
  const back = browserOf(service);
  await joinWith(back, await invited(`${person.userId}@example.com`));
  expect((await back.get("/account")).status).toBe(200);
  await refused(service.call(person, "GET", "/api/agents"), 401, "unauthenticated");
});
