/** Signing in by the operator's OpenID provider (AUTH-21), against a provider by somebody else. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { flowRef } from "../../actors/account/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { invite } from "../../src/sign-in/invitations.ts";
import type { ProviderSettings } from "../../src/sign-in/openid/provider.ts";
import { answered } from "../support/current.ts";
import { type Somebody, TestProvider } from "../support/openid-provider.ts";
import type { PlainBrowser, Shown } from "../support/plain-browser.ts";
import { type Caller, type Founded, type Service, startService } from "../support/service.ts";
import { browserOf, emailOf, PASSWORD, signedIn } from "../support/signed-in.ts";

const APP = "https://troupe.test";
const CALLBACK = "/sign-in/provider/callback";
const COOKIE = "__Host-troupe_session";
/** What the browser keeps for signing out at the provider. */
const KEPT = "__Host-troupe_provider";

let provider: TestProvider;
let service: Service;
let owner: Founded;

beforeAll(async () => {
  provider = await TestProvider.start(APP + CALLBACK);
  service = await startService({ app: ({ log }) => ({ provider: provider.client(log) }) });
  owner = await service.found();
});
afterEach(() => {
  provider.between = (_, send) => send();
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

/** Follows the link of the sign-in page; answers where the browser is sent. */
async function leave(browser: PlainBrowser, next = "/account"): Promise<string> {
  const page = await browser.get(`/sign-in?next=${encodeURIComponent(next)}`);
  const [, href = ""] = /href="(\/sign-in\/provider[^"]*)"/.exec(page.html) ?? [];
  return (await browser.get(href.replaceAll("&amp;", "&"))).at;
}

const back = (browser: PlainBrowser, address: string): Promise<Shown> => {
  const { origin, pathname, search } = new URL(address);
  expect([origin, pathname]).toEqual([APP, CALLBACK]);
  return browser.get(pathname + search);
};

/** All of it. */
const enter = async (browser: PlainBrowser, somebody: Somebody | null, next?: string): Promise<Shown> =>
  back(browser, await provider.visit(await leave(browser, next), somebody));

/** A member, as the provider knows them. */
async function known(): Promise<{ readonly person: Caller; readonly somebody: Somebody & { email: string } }> {
  const person = await service.join(owner.organizationId);
  const email = await emailOf(service, person);
  return { person, somebody: { sub: `sub of ${email}`, email, email_verified: true, name: "Ada" } };
}

const isIn = (browser: PlainBrowser): boolean => browser.cookies.has(COOKIE);

const auditOf = async (caller: Caller): Promise<readonly { action: string; detail: string | null }[]> => {
  const { audit_entries: entries } = (await answered(
    service.call(owner, "GET", `/api/audit?user_id=${caller.userId}`),
  )) as { audit_entries: { action: string; detail: string | null }[] };
  return entries;
};

test("[AUTH-21] a member signs in by a verified e-mail address, then by the subject, and goes where they wanted", async () => {
  const { person, somebody } = await known();
  const browser = browserOf(service);
  const shown = await enter(browser, { ...somebody, email: somebody.email.toUpperCase() }, "/account?x=1");
  expect([shown.status, shown.at]).toEqual([200, "/account?x=1"]);
  expect(shown.html).toContain("You sign in with Example ID");
  expect(shown.html).toContain(", by Example ID");
  expect([...browser.cookies.keys()]).toEqual([COOKIE, KEPT]);
  const actions = (await auditOf(person)).map(({ action }) => action);
  expect(actions).toEqual(["session.started", "identity.linked"]);
  const out = await browser.submit(shown, "/sign-out");
  expect([out.at, isIn(browser)]).toEqual(["/sign-in/provider/signed-out", false]);
  // The address at the provider may change, and become somebody else's: the subject does not.
  const renamed = await enter(browser, { sub: somebody.sub, email: "other@example.com", email_verified: false });
  expect([renamed.status, renamed.at]).toEqual([200, "/account"]);
  const usurper = browserOf(service);
  const other = await enter(usurper, { ...somebody, sub: "somebody else" });
  expect([other.status, isIn(usurper)]).toEqual([403, false]);
  expect(other.html).toContain("belongs to somebody else at Example ID");
});

test("[AUTH-21] the first sign-in by the provider ends the password and the sessions that were there", async () => {
  const { person, somebody } = await known();
  const former = await signedIn(service, person);
  const browser = browserOf(service);
  const shown = await enter(browser, somebody);
  expect(shown.html).toContain("No password");
  expect((await former.get("/account")).at).toStartWith("/sign-in");
  const byPassword = { email: somebody.email, password: PASSWORD };
  expect((await browserOf(service).post("/sign-in", byPassword)).status).toBe(403);
  // A password that is set later stays.
  await signedIn(service, person);
  await enter(browserOf(service), somebody);
  expect((await browserOf(service).post("/sign-in", byPassword)).at).toBe("/account");
});

test("[AUTH-21] a person who disconnects is found by their address again", async () => {
  const { person, somebody } = await known();
  const browser = browserOf(service);
  const shown = await enter(browser, somebody);
  const alone = await browser.submit(shown, "/account/provider/disconnect");
  expect(alone.html).toContain("not connected any more");
  expect(alone.html).not.toContain("You sign in with Example ID");
  expect((await enter(browserOf(service), { ...somebody, sub: `new ${somebody.sub}` })).at).toBe("/account");
  expect((await auditOf(person)).map(({ action }) => action)).toContain("identity.unlinked");
});

test("[AUTH-21] [AUTH-18] somebody new gets in by the link of an invitation to their own address, and nobody else", async () => {
  const link = async (email: string): Promise<string> => {
    const origin = { userId: owner.userId, tokenId: null, address: null };
    const made = await invite({ system: service.system, directory: service.directory } as never, owner.organizationId, {
      email,
      role: "member",
      origin,
    });
    if (!made.ok) throw new Error(made.fault.kind);
    return made.value;
  };
  const grace: Somebody = { sub: "grace", email: "Grace@example.com", email_verified: true, name: "Grace H." };
  const stranger = browserOf(service);
  const unknown = await enter(stranger, grace);
  expect([unknown.status, isIn(stranger)]).toEqual([403, false]);
  expect(unknown.html).toContain("Nobody here has the e-mail address Grace@example.com");
  const notHers = await enter(stranger, grace, await link("mallory@example.com"));
  expect([notHers.status, isIn(stranger)]).toEqual([403, false]);
  const invitation = await link("grace@example.com");
  expect((await stranger.get(invitation)).html).toContain("Continue with Example ID");
  const joined = await enter(stranger, grace, invitation);
  expect([joined.status, joined.at]).toEqual([200, "/account"]);
  expect(joined.html).toContain("Grace H.");
  // Again without the link, which is used up.
  expect((await enter(browserOf(service), grace)).at).toBe("/account");
  expect((await browserOf(service).get(invitation)).status).toBe(404);
});

test("[AUTH-21] who has no verified address, or is no member any more, is told so and stays outside", async () => {
  const { person, somebody } = await known();
  const browser = browserOf(service);
  for (const [who, words] of [
    [{ ...somebody, email_verified: false }, "has not verified"],
    [{ sub: somebody.sub, email: somebody.email }, "has not verified"],
    [{ sub: somebody.sub }, "did not tell your e-mail address"],
  ] as const) {
    const shown = await enter(browser, who);
    expect([shown.status, isIn(browser)]).toEqual([403, false]);
    expect(shown.html).toContain(words);
  }
  expect((await enter(browser, somebody)).at).toBe("/account");
  const { userId } = person;
  await service.system.dispatch(organizationRef(owner.organizationId), { kind: "remove_member", userId });
  expect((await browser.get("/account")).at).toStartWith("/sign-in");
  const gone = await enter(browserOf(service), somebody);
  expect([gone.status, gone.html.includes("Nobody here")]).toEqual([403, true]);
});

test("[AUTH-21] an answer is taken once, by the browser that asked, and only with its own state", async () => {
  const { somebody } = await known();
  const browser = browserOf(service);
  const answer = await provider.visit(await leave(browser), somebody);
  const asked = new Map(browser.cookies);
  const refusedTo = async (visitor: PlainBrowser, address: string): Promise<void> => {
    const shown = await back(visitor, address);
    expect([shown.status, shown.html.includes("begun in another browser"), isIn(visitor)]).toEqual([400, true, false]);
  };
  await refusedTo(browserOf(service), answer);
  const victim = browserOf(service);
  await leave(victim);
  await refusedTo(victim, answer);
  const planted = browserOf(service);
  for (const [name, value] of asked) planted.cookies.set(name, value);
  await refusedTo(planted, answer.replace(/state=[^&]+/, "state=wrong"));
  await refusedTo(planted, answer.replace(/state=[^&]+&?/, ""));
  expect((await back(browser, answer)).at).toBe("/account");
  // The same answer with the same cookies once more.
  for (const [name, value] of asked) planted.cookies.set(name, value);
  await refusedTo(planted, answer);
});

test("[AUTH-21] only the sign-in page leads to the provider, within ten minutes, and back to paths of this service", async () => {
  const { somebody } = await known();
  const browser = browserOf(service);
  for (const site of ["cross-site", "same-site"]) {
    const shown = await browser.get("/sign-in/provider?next=/account", { "sec-fetch-site": site });
    expect([shown.status, shown.at]).toEqual([200, "/sign-in?next=%2Faccount"]);
  }
  expect((await enter(browser, somebody, "https://evil.example/")).at).toBe("/account");
  const begin = async (seconds: number) => {
    const ref = flowRef(`flw_${seconds}`);
    const expiresAt = new Date(Date.now() + seconds * 1_000).toISOString();
    await service.system.dispatch(ref, { kind: "begin_flow", next: null, expiresAt });
    return (await service.system.dispatch(ref, { kind: "take_flow" })).ok;
  };
  expect([await begin(600), await begin(-1)]).toEqual([true, false]);
});

test("[AUTH-21] a code, a nonce or an issuer that is not of this sign-in is refused", async () => {
  const { somebody } = await known();
  const changes: readonly ((asked: string) => Promise<string>)[] = [
    // Another's code, with the state of this browser.
    async (asked) => {
      const theirs = new URL(await provider.visit(await leave(browserOf(service)), somebody));
      const own = await provider.visit(asked, somebody);
      return own.replace(/code=[^&]+/, `code=${theirs.searchParams.get("code")}`);
    },
    (asked) => provider.visit(asked.replace(/nonce=[^&]+/, "nonce=another"), somebody),
    async (asked) => (await provider.visit(asked, somebody)).replace(/iss=[^&]+/, "iss=https%3A%2F%2Fother.example"),
    async (asked) => (await provider.visit(asked, somebody)).replace(/&?iss=[^&]+/, ""),
  ];
  for (const change of changes) {
    const browser = browserOf(service);
    const shown = await back(browser, await change(await leave(browser)));
    expect([shown.status, isIn(browser)]).toEqual([400, false]);
    expect(shown.html).toContain("could not be verified");
  }
});

test("[AUTH-21] a token of another key, issuer or audience is refused", async () => {
  const { somebody } = await known();
  const forged = (change: (claims: Record<string, unknown>) => object): void => {
    provider.between = async (request, send) => {
      const answer = await send();
      if (answer.kind === "failed" || !request.url.endsWith("/token")) return answer;
      const tokens = JSON.parse(Buffer.from(answer.body).toString()) as { id_token: string };
      const [head = "", claims = "", signature = ""] = tokens.id_token.split(".");
      const said = change(JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>);
      const changed = Buffer.from(JSON.stringify(said)).toString("base64url");
      const body = JSON.stringify({ ...tokens, id_token: [head, changed, signature].join(".") });
      return { ...answer, body: new TextEncoder().encode(body) };
    };
  };
  for (const change of [{ sub: "root" }, { iss: "https://other.example" }, { aud: "another" }, { exp: 1 }]) {
    forged((claims) => ({ ...claims, ...change }));
    const browser = browserOf(service);
    const shown = await enter(browser, somebody);
    expect([change, shown.status, isIn(browser)]).toEqual([change, 400, false]);
  }
});

test("[AUTH-21] what the provider refuses, and that it is away, is said on the sign-in page", async () => {
  const { somebody } = await known();
  const browser = browserOf(service);
  const denied = await enter(browser, null);
  expect([denied.status, denied.html.includes("Example ID did not let you in")]).toEqual([403, true]);
  const answer = await provider.visit(await leave(browser), somebody);
  provider.between = async () => ({ kind: "failed", error: "connection_refused" });
  const away = await back(browser, answer);
  expect([away.status, away.html.includes("cannot be reached now"), isIn(browser)]).toEqual([503, true, false]);
  expect(away.html).toContain('name="password"');
  expect(service.log.some(({ message }) => message === "a sign-in by the OpenID provider failed")).toBeTrue();
  expect(JSON.stringify(service.log)).not.toContain(new URL(answer).searchParams.get("code") ?? "no code");
});

test("[AUTH-21] a provider that is away, another one, or does not know the service keeps nobody from the other ways in", async () => {
  const { somebody } = await known();
  const lines: string[] = [];
  const note = (_: object, message: string): void => void lines.push(message);
  const log = { info: note, warn: note, error: note };
  const secrets = { state: "s".repeat(43), nonce: "n".repeat(43), verifier: "v".repeat(43) };
  const begun = (changes: Partial<ProviderSettings>) => provider.client(log, changes).begin(APP + CALLBACK, secrets);
  expect(await begun({ issuer: "http://127.0.0.1:9" })).toEqual({ kind: "away" });
  expect(await begun({ issuer: `${provider.issuer}/elsewhere` })).toEqual({ kind: "away" });
  provider.between = async (_, send) => {
    const answer = await send();
    if (answer.kind === "failed") return answer;
    const body = Buffer.from(answer.body).toString().replaceAll(`"${provider.issuer}"`, '"http://other.example"');
    return { ...answer, body: new TextEncoder().encode(body) };
  };
  expect(await begun({})).toEqual({ kind: "misconfigured" });
  await provider.client(log).check();
  expect(lines.at(-1)).toBe("the OpenID provider cannot be used now; it is tried again when somebody signs in");
  provider.between = (_, send) => send();
  // It is asked anew each time: nothing has to be started again.
  await provider.client(log).check();
  expect(lines.at(-1)).toBe("people can sign in by the OpenID provider");
  provider.between = (request, send) => {
    const { authorization, ...headers } = request.headers ?? {};
    return authorization === undefined || !request.url.endsWith("/token")
      ? send()
      : provider.send({ ...request, headers: { ...headers, authorization: `Basic ${btoa("troupe:wrong")}` } });
  };
  const browser = browserOf(service);
  const shown = await enter(browser, somebody);
  expect([shown.status, shown.html.includes("are not set up for each other")]).toEqual([503, true]);
});

/** Signs in by the provider, whose own session is in `there`. */
async function enterKeeping(browser: PlainBrowser, somebody: Somebody, there: Map<string, string>): Promise<Shown> {
  return back(browser, await provider.visit(await leave(browser), somebody, there));
}

test("[AUTH-23] a person signs out here, then at the provider, and comes back", async () => {
  const { person, somebody } = await known();
  const browser = browserOf(service);
  const there = new Map<string, string>();
  const out = await browser.submit(await enterKeeping(browser, somebody, there), "/sign-out");
  expect([out.at, isIn(browser)]).toEqual(["/sign-in/provider/signed-out", false]);
  expect(out.html).toContain("You are still signed in at Example ID.");
  expect((await auditOf(person)).map(({ action }) => action)).toContain("session.ended");
  // Without its person there is nobody to ask.
  expect((await enterKeeping(browserOf(service), somebody, there)).at).toBe("/account");
  const away = new URL((await browser.get("/sign-in/provider/sign-out")).at);
  expect(away.origin).toBe(provider.issuer);
  const { id_token_hint: hint = "", state = "", ...asked } = Object.fromEntries(away.searchParams);
  expect(asked).toEqual({ client_id: "troupe", post_logout_redirect_uri: `${APP}/sign-in/provider/signed-out` });
  expect(JSON.parse(Buffer.from(hint.split(".")[1] ?? "", "base64url").toString())).toMatchObject({
    iss: provider.issuer,
    sub: somebody.sub,
  });
  const home = new URL(await provider.signOut(away.href, there));
  expect(home.searchParams.get("state")).toBe(state);
  const stranger = await browserOf(service).get(home.pathname + home.search);
  expect(stranger.html).not.toContain("at Example ID");
  const ended = await browser.get(home.pathname + home.search);
  expect([ended.status, ended.html.includes("You are signed out here, and at Example ID.")]).toEqual([200, true]);
  expect([...browser.cookies.keys()]).toEqual([]);
  // Nobody is known there any more either.
  const asking = await leave(browserOf(service));
  expect(await provider.visit(asking, null, there)).toContain("error=access_denied");
});

test("[AUTH-23] nobody is led to the provider by another site, as somebody else, or where it has no such address", async () => {
  const { somebody } = await known();
  const browser = browserOf(service);
  const account = await enter(browser, somebody);
  const kept = browser.cookies.get(KEPT) ?? "";
  expect(kept).not.toContain(
    Buffer.from(JSON.stringify({ iss: provider.issuer }))
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
    [`${kept.slice(0, -2)}xx`, "/sign-in"],
  ] as const) {
    const again = browserOf(service);
    const shown = await enter(again, somebody);
    again.cookies.set(KEPT, value);
    expect((await again.submit(shown, "/sign-out")).at).toBe(at);
  }
  const colleague = browserOf(service);
  const theirs = await enter(colleague, (await known()).somebody);
  expect((await colleague.get("/sign-in/provider/signed-out")).at).toBe("/account");
  colleague.cookies.set(KEPT, kept);
  const out = await colleague.submit(theirs, "/sign-out");
  expect([out.at, colleague.cookies.has(KEPT)]).toEqual(["/sign-in", false]);
  // A provider that cannot be asked keeps nobody signed in.
  const lines: string[] = [];
  const note = (_: object, message: string): void => void lines.push(message);
  const away = provider.client({ info: note, warn: note, error: note }, { issuer: "http://127.0.0.1:9" });
  expect(await away.signOut({ redirectUri: APP, idToken: "", state: "s" })).toBeNull();
  expect(lines).toEqual(["nobody can sign out at the OpenID provider"]);
});

test("[AUTH-24] somebody who has signed in connects an account of another e-mail address, and keeps the other ways in", async () => {
  const { person, somebody } = await known();
  const browser = await signedIn(service, person);
  const elsewhere = { sub: `other ${somebody.sub}`, email: "quite@other.example", email_verified: false };
  const connect = async (by: PlainBrowser, as: Somebody | null): Promise<Shown> =>
    back(by, await provider.visit((await by.get("/sign-in/provider?connect=yes")).at, as));
  expect((await browser.get("/account")).html).toContain("Connect Example ID");
  const connected = await connect(browser, elsewhere);
  expect([connected.at, connected.html.includes("Your account is connected.")]).toEqual([
    "/account?notice=connected",
    true,
  ]);
  expect(connected.html).toContain("You sign in with Example ID");
  expect((await auditOf(person)).map(({ action }) => action)).toContain("identity.linked");
  expect((await enter(browserOf(service), elsewhere)).at).toBe("/account");
  // The password and the sessions stay.
  expect((await browser.get("/account")).status).toBe(200);
  expect((await browserOf(service).post("/sign-in", { email: somebody.email, password: PASSWORD })).at).toBe(
    "/account",
  );
  const twice = await connect(browser, { ...elsewhere, sub: "a third" });
  expect([twice.status, twice.html.includes("connected with another account")]).toEqual([409, true]);
  const colleague = await signedIn(service, await service.join(owner.organizationId));
  const taken = await connect(colleague, elsewhere);
  expect([taken.status, taken.html.includes("belongs to somebody else here")]).toEqual([409, true]);
  const denied = await connect(colleague, null);
  expect([denied.status, denied.html.includes("Example ID did not let you in")]).toEqual([403, true]);
});

test("[AUTH-24] only their own page connects a person, and only with what they themselves began", async () => {
  const { person, somebody } = await known();
  const attacker = await signedIn(service, await service.join(owner.organizationId));
  const theirs = { ...somebody, sub: "attacker's", email: "attacker@example.com" };
  const begun = (by: PlainBrowser) => by.get("/sign-in/provider?connect=yes");
  const planted = await provider.visit((await begun(attacker)).at, theirs);
  const victim = await signedIn(service, person);
  const flow = [...attacker.cookies].find(([name]) => name.endsWith("_flow"));
  // The attacker's answer, without and with their cookie, in the victim's browser.
  expect((await back(victim, planted)).status).toBe(400);
  victim.cookies.set(flow?.[0] ?? "", flow?.[1] ?? "");
  expect((await back(victim, planted)).status).toBe(400);
  expect((await victim.get("/account")).html).toContain("Connect Example ID");
  // Another site does not begin it, nor does somebody who has not signed in.
  const led = await victim.get("/sign-in/provider?connect=yes", { "sec-fetch-site": "cross-site" });
  expect(led.at).toStartWith("/account");
  expect((await begun(browserOf(service))).at).toBe("/sign-in");
  // An answer is taken once.
  const own = await provider.visit((await begun(victim)).at, somebody);
  const cookies = new Map(victim.cookies);
  expect((await back(victim, own)).at).toBe("/account?notice=connected");
  for (const [name, value] of cookies) victim.cookies.set(name, value);
  expect((await back(victim, own)).status).toBe(400);
});
