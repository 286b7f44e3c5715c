/** Signing in by the operator's OpenID provider (AUTH-21), against a provider by somebody else. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { flowRef } from "../../actors/account/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { ProviderSettings } from "../../src/sign-in/openid/provider.ts";
import type { Somebody } from "../support/openid-provider.ts";
import { APP, CALLBACK, COOKIE, isIn, KEPT, OpenIdSignIn } from "../support/openid-sign-in.ts";
import type { PlainBrowser } from "../support/plain-browser.ts";
import { browserOf, PASSWORD, signedIn } from "../support/signed-in.ts";

let scene: OpenIdSignIn;

beforeAll(async () => void (scene = await OpenIdSignIn.start()));
afterEach(() => void (scene.provider.between = (_, send) => send()));
afterAll(() => scene.stop());

test("[AUTH-21] a member signs in with a verified e-mail address, later by the subject, and returns to the requested page", async () => {
  const { person, somebody } = await scene.known();
  const browser = browserOf(scene.service);
  const shown = await scene.enter(browser, { ...somebody, email: somebody.email.toUpperCase() }, "/account?x=1");
  expect([shown.status, shown.at]).toEqual([200, "/account?x=1"]);
  expect(shown.html).toContain("You sign in with Example ID");
  expect(shown.html).toContain(", by Example ID");
  expect([...browser.cookies.keys()]).toEqual([COOKIE, KEPT]);
  const actions = (await scene.auditOf(person)).map(({ action }) => action);
  expect(actions).toEqual(["session.started", "identity.linked"]);
  const out = await browser.submit(shown, "/sign-out");
  expect([out.at, isIn(browser)]).toEqual(["/sign-in/provider/signed-out", false]);
  // The address at the provider may change, and become somebody else's: the subject does not.
  const renamed = await scene.enter(browser, { sub: somebody.sub, email: "other@example.com", email_verified: false });
  expect([renamed.status, renamed.at]).toEqual([200, "/account"]);
  const usurper = browserOf(scene.service);
  const other = await scene.enter(usurper, { ...somebody, sub: "somebody else" });
  expect([other.status, isIn(usurper)]).toEqual([403, false]);
  expect(other.html).toContain("belongs to somebody else at Example ID");
});

test("[AUTH-21] the first sign-in with the provider ends the former password and sessions", async () => {
  const { person, somebody } = await scene.known();
  const former = await signedIn(scene.service, person);
  const browser = browserOf(scene.service);
  const shown = await scene.enter(browser, somebody);
  expect(shown.html).toContain("No password");
  expect((await former.get("/account")).at).toStartWith("/sign-in");
  const byPassword = { email: somebody.email, password: PASSWORD };
  expect((await browserOf(scene.service).post("/sign-in", byPassword)).status).toBe(403);
  // A password that is set later stays.
  await signedIn(scene.service, person);
  await scene.enter(browserOf(scene.service), somebody);
  expect((await browserOf(scene.service).post("/sign-in", byPassword)).at).toBe("/app");
});

test("[AUTH-21] a person who disconnects is found by their address again", async () => {
  const { person, somebody } = await scene.known();
  const browser = browserOf(scene.service);
  const shown = await scene.enter(browser, somebody);
  const alone = await browser.confirm(shown, "/account/provider/disconnect");
  expect(alone.html).toContain("no longer connected");
  expect(alone.html).not.toContain("You sign in with Example ID");
  expect((await scene.enter(browserOf(scene.service), { ...somebody, sub: `new ${somebody.sub}` })).at).toBe(
    "/account",
  );
  expect((await scene.auditOf(person)).map(({ action }) => action)).toContain("identity.unlinked");
});

test("[AUTH-21] [AUTH-18] a new person joins with an invitation link to their own address, and nobody else can use it", async () => {
  const grace: Somebody = { sub: "grace", email: "Grace@example.com", email_verified: true, name: "Grace H." };
  const stranger = browserOf(scene.service);
  const unknown = await scene.enter(stranger, grace);
  expect([unknown.status, isIn(stranger)]).toEqual([403, false]);
  expect(unknown.html).toContain("Nobody here has the e-mail address Grace@example.com");
  const notHers = await scene.enter(stranger, grace, await scene.invitation("mallory@example.com"));
  expect([notHers.status, isIn(stranger)]).toEqual([403, false]);
  const invitation = await scene.invitation("grace@example.com");
  expect((await stranger.get(invitation)).html).toContain("Continue with Example ID");
  const joined = await scene.enter(stranger, grace, invitation);
  expect([joined.status, joined.at]).toEqual([200, "/app"]);
  expect((await stranger.get("/account")).html).toContain("Grace H.");
  // Again without the link, which is used up.
  expect((await scene.enter(browserOf(scene.service), grace)).at).toBe("/account");
  expect((await browserOf(scene.service).get(invitation)).status).toBe(404);
});

test("[AUTH-21] a person without a verified address, or no longer a member, gets the reason and cannot sign in", async () => {
  const { person, somebody } = await scene.known();
  const browser = browserOf(scene.service);
  for (const [who, words] of [
    [{ ...somebody, email_verified: false }, "has not verified"],
    [{ sub: somebody.sub, email: somebody.email }, "has not verified"],
    [{ sub: somebody.sub }, "did not send your e-mail address"],
  ] as const) {
    const shown = await scene.enter(browser, who);
    expect([shown.status, isIn(browser)]).toEqual([403, false]);
    expect(shown.html).toContain(words);
  }
  expect((await scene.enter(browser, somebody)).at).toBe("/account");
  const { userId } = person;
  await scene.service.system.dispatch(organizationRef(scene.owner.organizationId), { kind: "remove_member", userId });
  expect((await browser.get("/account")).at).toStartWith("/sign-in");
  const gone = await scene.enter(browserOf(scene.service), somebody);
  expect([gone.status, gone.html.includes("Nobody here")]).toEqual([403, true]);
});

test("[AUTH-21] an answer is accepted once, from the browser that started the sign-in, and only with its own state", async () => {
  const { somebody } = await scene.known();
  const browser = browserOf(scene.service);
  const answer = await scene.provider.visit(await scene.leave(browser), somebody);
  const asked = new Map(browser.cookies);
  const refusedTo = async (visitor: PlainBrowser, address: string): Promise<void> => {
    const shown = await scene.back(visitor, address);
    expect([shown.status, shown.html.includes("begun in another browser"), isIn(visitor)]).toEqual([400, true, false]);
  };
  await refusedTo(browserOf(scene.service), answer);
  const victim = browserOf(scene.service);
  await scene.leave(victim);
  await refusedTo(victim, answer);
  const planted = browserOf(scene.service);
  for (const [name, value] of asked) planted.cookies.set(name, value);
  await refusedTo(planted, answer.replace(/state=[^&]+/, "state=wrong"));
  await refusedTo(planted, answer.replace(/state=[^&]+&?/, ""));
  expect((await scene.back(browser, answer)).at).toBe("/account");
  // The same answer with the same cookies once more.
  for (const [name, value] of asked) planted.cookies.set(name, value);
  await refusedTo(planted, answer);
});

test("[AUTH-21] only the sign-in page leads to the provider, within ten minutes, and back to paths of this service", async () => {
  const { somebody } = await scene.known();
  const browser = browserOf(scene.service);
  for (const site of ["cross-site", "same-site"]) {
    const shown = await browser.get("/sign-in/provider?next=/account", { "sec-fetch-site": site });
    expect([shown.status, shown.at]).toEqual([200, "/sign-in?next=%2Faccount"]);
  }
  expect((await scene.enter(browser, somebody, "https://evil.example/")).at).toBe("/app");
  const begin = async (seconds: number) => {
    const ref = flowRef(`flw_${seconds}`);
    const expiresAt = new Date(Date.now() + seconds * 1_000).toISOString();
    await scene.service.system.dispatch(ref, { kind: "begin_flow", next: null, expiresAt });
    return (await scene.service.system.dispatch(ref, { kind: "take_flow" })).ok;
  };
  expect([await begin(600), await begin(-1)]).toEqual([true, false]);
});

test("[AUTH-21] a code, a nonce or an issuer of another sign-in is refused", async () => {
  const { somebody } = await scene.known();
  const changes: readonly ((asked: string) => Promise<string>)[] = [
    // Another's code, with the state of this browser.
    async (asked) => {
      const theirs = new URL(await scene.provider.visit(await scene.leave(browserOf(scene.service)), somebody));
      const own = await scene.provider.visit(asked, somebody);
      return own.replace(/code=[^&]+/, `code=${theirs.searchParams.get("code")}`);
    },
    (asked) => scene.provider.visit(asked.replace(/nonce=[^&]+/, "nonce=another"), somebody),
    async (asked) =>
      (await scene.provider.visit(asked, somebody)).replace(/iss=[^&]+/, "iss=https%3A%2F%2Fother.example"),
    async (asked) => (await scene.provider.visit(asked, somebody)).replace(/&?iss=[^&]+/, ""),
  ];
  for (const change of changes) {
    const browser = browserOf(scene.service);
    const shown = await scene.back(browser, await change(await scene.leave(browser)));
    expect([shown.status, isIn(browser)]).toEqual([400, false]);
    expect(shown.html).toContain("could not be verified");
  }
});

test("[AUTH-21] a token of another key, issuer or audience is refused", async () => {
  const { somebody } = await scene.known();
  const forged = (change: (claims: Record<string, unknown>) => object): void => {
    scene.provider.between = async (request, send) => {
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
    const browser = browserOf(scene.service);
    const shown = await scene.enter(browser, somebody);
    expect([change, shown.status, isIn(browser)]).toEqual([change, 400, false]);
  }
});

test("[AUTH-21] a refusal of the provider, or its outage, is shown on the sign-in page", async () => {
  const { somebody } = await scene.known();
  const browser = browserOf(scene.service);
  const denied = await scene.enter(browser, null);
  expect([denied.status, denied.html.includes("Example ID did not let you in")]).toEqual([403, true]);
  const answer = await scene.provider.visit(await scene.leave(browser), somebody);
  scene.provider.between = async () => ({ kind: "failed", error: "connection_refused" });
  const away = await scene.back(browser, answer);
  expect([away.status, away.html.includes("cannot be reached now"), isIn(browser)]).toEqual([503, true, false]);
  expect(away.html).toContain('name="password"');
  expect(scene.service.log.some(({ message }) => message === "a sign-in by the OpenID provider failed")).toBeTrue();
  expect(JSON.stringify(scene.service.log)).not.toContain(new URL(answer).searchParams.get("code") ?? "no code");
});

test("[AUTH-21] a provider that is unavailable, different, or does not know the service does not block other ways to sign in", async () => {
  const { somebody } = await scene.known();
  const lines: string[] = [];
  const note = (_: object, message: string): void => void lines.push(message);
  const log = { info: note, warn: note, error: note };
  const secrets = { state: "s".repeat(43), nonce: "n".repeat(43), verifier: "v".repeat(43) };
  const begun = (changes: Partial<ProviderSettings>) =>
    scene.provider.client(log, changes).begin(APP + CALLBACK, secrets);
  expect(await begun({ issuer: "http://127.0.0.1:9" })).toEqual({ kind: "away" });
  expect(await begun({ issuer: `${scene.provider.issuer}/elsewhere` })).toEqual({ kind: "away" });
  scene.provider.between = async (_, send) => {
    const answer = await send();
    if (answer.kind === "failed") return answer;
    const body = Buffer.from(answer.body).toString().replaceAll(`"${scene.provider.issuer}"`, '"http://other.example"');
    return { ...answer, body: new TextEncoder().encode(body) };
  };
  expect(await begun({})).toEqual({ kind: "misconfigured" });
  await scene.provider.client(log).check();
  expect(lines.at(-1)).toBe("the OpenID provider cannot be used now; it is tried again when somebody signs in");
  scene.provider.between = (_, send) => send();
  // It is asked anew each time: nothing has to be started again.
  await scene.provider.client(log).check();
  expect(lines.at(-1)).toBe("people can sign in by the OpenID provider");
  scene.provider.between = (request, send) => {
    const { authorization, ...headers } = request.headers ?? {};
    return authorization === undefined || !request.url.endsWith("/token")
      ? send()
      : scene.provider.send({ ...request, headers: { ...headers, authorization: `Basic ${btoa("troupe:wrong")}` } });
  };
  const browser = browserOf(scene.service);
  const shown = await scene.enter(browser, somebody);
  expect([shown.status, shown.html.includes("are not set up for each other")]).toEqual([503, true]);
});
