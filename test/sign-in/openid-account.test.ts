/** What somebody does with their account at the OpenID provider: signing out there too (AUTH-23), connecting it (AUTH-24). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Somebody } from "../support/openid-provider.ts";
import { APP, isIn, KEPT, OpenIdSignIn } from "../support/openid-sign-in.ts";
import type { PlainBrowser, Shown } from "../support/plain-browser.ts";
import { browserOf, PASSWORD, signedIn } from "../support/signed-in.ts";

let scene: OpenIdSignIn;

beforeAll(async () => void (scene = await OpenIdSignIn.start()));
afterAll(() => scene.stop());

/** Signs in by the provider, whose own session is in `there`. */
async function enterKeeping(browser: PlainBrowser, somebody: Somebody, there: Map<string, string>): Promise<Shown> {
  return scene.back(browser, await scene.provider.visit(await scene.leave(browser), somebody, there));
}

test("[AUTH-23] a person signs out here, then at the provider, and returns", async () => {
  const { person, somebody } = await scene.known();
  const browser = browserOf(scene.service);
  const there = new Map<string, string>();
  const out = await browser.submit(await enterKeeping(browser, somebody, there), "/sign-out");
  expect([out.at, isIn(browser)]).toEqual(["/sign-in/provider/signed-out", false]);
  expect(out.html).toContain("You are still signed in at Example ID.");
  expect((await scene.auditOf(person)).map(({ action }) => action)).toContain("session.ended");
  // Without its person there is nobody to ask.
  expect((await enterKeeping(browserOf(scene.service), somebody, there)).at).toBe("/account");
  const away = new URL((await browser.get("/sign-in/provider/sign-out")).at);
  expect(away.origin).toBe(scene.provider.issuer);
  const { id_token_hint: hint = "", state = "", ...asked } = Object.fromEntries(away.searchParams);
  expect(asked).toEqual({ client_id: "troupe", post_logout_redirect_uri: `${APP}/sign-in/provider/signed-out` });
  expect(JSON.parse(Buffer.from(hint.split(".")[1] ?? "", "base64url").toString())).toMatchObject({
    iss: scene.provider.issuer,
    sub: somebody.sub,
  });
  const home = new URL(await scene.provider.signOut(away.href, there));
  expect(home.searchParams.get("state")).toBe(state);
  const stranger = await browserOf(scene.service).get(home.pathname + home.search);
  expect(stranger.html).not.toContain("at Example ID");
  const ended = await browser.get(home.pathname + home.search);
  expect([ended.status, ended.html.includes("You are signed out here, and at Example ID.")]).toEqual([200, true]);
  expect([...browser.cookies.keys()]).toEqual([]);
  // Nobody is known there any more either.
  const asking = await scene.leave(browserOf(scene.service));
  expect(await scene.provider.visit(asking, null, there)).toContain("error=access_denied");
});

test("[AUTH-23] signing out leads to the provider only from our own pages, for the same person, and if the provider has an address for it", async () => {
  const { somebody } = await scene.known();
  const browser = browserOf(scene.service);
  const account = await scene.enter(browser, somebody);
  const kept = browser.cookies.get(KEPT) ?? "";
  expect(kept).not.toContain(
    Buffer.from(JSON.stringify({ iss: scene.provider.issuer }))
      .toString("base64url")
      .slice(0, 20),
  );
  // While the session lasts, and from elsewhere.
  expect((await browser.get("/sign-in/provider/sign-out")).at).toBe("/account");
  await browser.submit(account, "/sign-out");
  const led = await browser.get("/sign-in/provider/sign-out", { "sec-fetch-site": "cross-site" });
  expect(led.at).toBe("/sign-in");
  for (const [value, at] of [
    [kept, "/sign-in/provider/signed-out"],
    // Not at its end, whose last character has bits that do not count.
    [(kept.startsWith("A") ? "B" : "A") + kept.slice(1), "/sign-in"],
  ] as const) {
    const again = browserOf(scene.service);
    const shown = await scene.enter(again, somebody);
    again.cookies.set(KEPT, value);
    expect((await again.submit(shown, "/sign-out")).at).toBe(at);
  }
  const colleague = browserOf(scene.service);
  const theirs = await scene.enter(colleague, (await scene.known()).somebody);
  expect((await colleague.get("/sign-in/provider/signed-out")).at).toBe("/account");
  colleague.cookies.set(KEPT, kept);
  const out = await colleague.submit(theirs, "/sign-out");
  expect([out.at, colleague.cookies.has(KEPT)]).toEqual(["/sign-in", false]);
  // A provider that cannot be asked keeps nobody signed in.
  const lines: string[] = [];
  const note = (_: object, message: string): void => void lines.push(message);
  const away = scene.provider.client({ info: note, warn: note, error: note }, { issuer: "http://127.0.0.1:9" });
  expect(await away.signOut({ redirectUri: APP, idToken: "", state: "s" })).toBeNull();
  expect(lines).toEqual(["nobody can sign out at the OpenID provider"]);
});

test("[AUTH-24] a signed-in person connects an account with another e-mail address, and keeps the other ways to sign in", async () => {
  const { person, somebody } = await scene.known();
  const browser = await signedIn(scene.service, person);
  const elsewhere = { sub: `other ${somebody.sub}`, email: "quite@other.example", email_verified: false };
  const connect = async (by: PlainBrowser, as: Somebody | null): Promise<Shown> =>
    scene.back(by, await scene.provider.visit((await by.get("/sign-in/provider?connect=yes")).at, as));
  expect((await browser.get("/account")).html).toContain("Connect Example ID");
  const connected = await connect(browser, elsewhere);
  expect([connected.at, connected.html.includes("Your account is connected.")]).toEqual([
    "/account?notice=connected",
    true,
  ]);
  expect(connected.html).toContain("You sign in with Example ID");
  expect((await scene.auditOf(person)).map(({ action }) => action)).toContain("identity.linked");
  expect((await scene.enter(browserOf(scene.service), elsewhere)).at).toBe("/account");
  // The password and the sessions stay.
  expect((await browser.get("/account")).status).toBe(200);
  expect((await browserOf(scene.service).post("/sign-in", { email: somebody.email, password: PASSWORD })).at).toBe(
    "/app",
  );
  const twice = await connect(browser, { ...elsewhere, sub: "a third" });
  expect([twice.status, twice.html.includes("connected with another account")]).toEqual([409, true]);
  const colleague = await signedIn(scene.service, await scene.service.join(scene.owner.organizationId));
  const taken = await connect(colleague, elsewhere);
  expect([taken.status, taken.html.includes("belongs to somebody else here")]).toEqual([409, true]);
  const denied = await connect(colleague, null);
  expect([denied.status, denied.html.includes("Example ID did not let you in")]).toEqual([403, true]);
});

test("[AUTH-24] only a person's own page connects their account, and only with a sign-in that they started", async () => {
  const { person, somebody } = await scene.known();
  const attacker = await signedIn(scene.service, await scene.service.join(scene.owner.organizationId));
  const theirs = { ...somebody, sub: "attacker's", email: "attacker@example.com" };
  const begun = (by: PlainBrowser) => by.get("/sign-in/provider?connect=yes");
  const planted = await scene.provider.visit((await begun(attacker)).at, theirs);
  const victim = await signedIn(scene.service, person);
  const flow = [...attacker.cookies].find(([name]) => name.endsWith("_flow"));
  // The attacker's answer, without and with their cookie, in the victim's browser.
  expect((await scene.back(victim, planted)).status).toBe(400);
  victim.cookies.set(flow?.[0] ?? "", flow?.[1] ?? "");
  expect((await scene.back(victim, planted)).status).toBe(400);
  expect((await victim.get("/account")).html).toContain("Connect Example ID");
  // Another site does not begin it, nor does somebody who has not signed in.
  const led = await victim.get("/sign-in/provider?connect=yes", { "sec-fetch-site": "cross-site" });
  expect(led.at).toBe("/app");
  expect((await begun(browserOf(scene.service))).at).toBe("/sign-in");
  // An answer is taken once.
  const own = await scene.provider.visit((await begun(victim)).at, somebody);
  const cookies = new Map(victim.cookies);
  expect((await scene.back(victim, own)).at).toBe("/account?notice=connected");
  for (const [name, value] of cookies) victim.cookies.set(name, value);
  expect((await scene.back(victim, own)).status).toBe(400);
});
