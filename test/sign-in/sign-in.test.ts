/** Signing in and out over HTTP, as a browser without scripts does it. */
import { expect, test } from "bun:test";
import { organizationRef } from "../../actors/organization/schema.ts";
import { answered, refused } from "../support/current.ts";
import type { Shown } from "../support/plain-browser.ts";
import { sceneOfFile } from "../support/scene.ts";
import { browserOf, emailOf, PASSWORD, passwordLink, signedIn } from "../support/signed-in.ts";

const COOKIE = "__Host-troupe_session";

const { service, owner } = sceneOfFile();

const signIn = async (browser: ReturnType<typeof browserOf>, email: string, password: string): Promise<Shown> =>
  browser.submit(await browser.get("/sign-in"), "/sign-in", { email, password });

test("[AUTH-13] a person sets a password by a link, signs out, and signs in again", async () => {
  const person = await service.join(owner.organizationId);
  const email = await emailOf(service, person);
  const browser = await signedIn(service, person);
  const account = await browser.get("/account");
  expect(account.html).toContain(email);
  const left = await browser.submit(account, "/sign-out");
  expect([left.at, browser.cookies.size]).toEqual(["/sign-in", 0]);
  const back = await signIn(browser, email.toUpperCase(), PASSWORD);
  expect([back.status, back.at]).toEqual([200, "/app"]);
});

test("[AUTH-13] the session is a cookie of this host alone that no script reads", async () => {
  const person = await service.join(owner.organizationId);
  const email = await emailOf(service, person);
  await signedIn(service, person);
  const browser = browserOf(service);
  const answer = await browser.ask("/sign-in", {
    method: "POST",
    headers: { ...browser.own(), "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ email, password: PASSWORD }).toString(),
  });
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-troupe_session=ses_[\w-]{49}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/,
    ),
  ]);
});

test("[AUTH-6] the current surface accepts a session like a token of its person, and v1 accepts none", async () => {
  const browser = await signedIn(service, owner);
  const agents = await answered(browser.ask("/api/agents"));
  expect(agents).toEqual(await answered(service.call(owner, "GET", "/api/agents")));
  expect((await browser.ask("/api/v1/agents")).status).toBe(401);
  const secret = browser.cookies.get(COOKIE) ?? "";
  await refused(service.call({ ...owner, token: secret }, "GET", "/api/agents"), 401, "unauthenticated");
});

test("[RATE-3] a session has its own budget", async () => {
  const browser = await signedIn(service, await service.join(owner.organizationId));
  const left = async (): Promise<number> =>
    Number((await browser.ask("/api/agents")).headers.get("x-ratelimit-remaining"));
  const first = await left();
  await service.call(owner, "GET", "/api/agents");
  expect(await left()).toBe(first - 1);
  expect(first).toBeGreaterThan(2_980);
});

test("[AUTH-15] a session can change something only from pages of this service", async () => {
  const browser = await signedIn(service, owner);
  const send = (headers: Record<string, string>) =>
    browser.ask("/api/workspaces", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ name: "Mine" }),
    });
  for (const headers of [
    {},
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site", origin: "https://troupe.test" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
  ] as Record<string, string>[])
    await refused(send(headers), 403, "forbidden");
  expect((await send({ origin: "https://troupe.test" })).status).toBe(201);
  expect((await send({ "sec-fetch-site": "same-origin" })).status).toBe(201);
});

test("[AUTH-15] a form of another site is refused, with or without a session", async () => {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  for (const path of ["/sign-in", "/sign-out", "/set-password", "/account/password", "/account/tokens"]) {
    const answer = await browser.post(path, { name: "x" }, foreign);
    expect([path, answer.status]).toEqual([path, 403]);
  }
  expect((await browser.get("/account")).status).toBe(200);
});

test("[AUTH-15] pages cannot be framed, and load nothing from elsewhere", async () => {
  const browser = await signedIn(service, owner);
  for (const path of ["/sign-in", "/account", "/set-password", "/invitation", "/oauth/authorize"]) {
    // Who is signed in is led on from the sign-in page.
    const { headers } = await (path === "/sign-in" ? browserOf(service) : browser).get(path);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
    const policy = headers.get("content-security-policy") ?? "";
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"])
      expect(policy).toContain(part);
    expect(policy).not.toContain("unsafe");
  }
});

test("[AUTH-6] with an Authorization header without a token the session is used, only from pages of the service", async () => {
  const browser = await signedIn(service, owner);
  const read = (authorization: string): Promise<Response> =>
    browser.ask("/api/agents", { headers: { authorization, ...browser.own() } });
  expect((await read("Bearer")).status).toBe(200);
  expect((await read("bearer ")).status).toBe(200);
  for (const authorization of ["Bearer x", "Basic", "Bearerx"]) expect((await read(authorization)).status).toBe(401);
  const made = { method: "POST", body: JSON.stringify({ title: "x" }) };
  const headers = { authorization: "Bearer", "content-type": "application/json" };
  expect((await browser.ask("/api/tasks", { ...made, headers: { ...headers, ...browser.own() } })).status).toBe(201);
  const elsewhere = { ...headers, origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
  expect((await browser.ask("/api/tasks", { ...made, headers: elsewhere })).status).toBe(403);
  expect((await fetch(`${service.url}/api/agents`, { headers: { authorization: "Bearer" } })).status).toBe(401);
});

test("[AUTH-13] a planted cookie does not become the new session", async () => {
  const person = await service.join(owner.organizationId);
  await signedIn(service, person);
  const attacker = await signedIn(service, await service.join(owner.organizationId));
  const planted = attacker.cookies.get(COOKIE) ?? "";
  const browser = browserOf(service);
  browser.cookies.set(COOKIE, planted);
  await browser.post("/sign-in", { email: await emailOf(service, person), password: PASSWORD });
  expect(browser.cookies.get(COOKIE)).not.toBe(planted);
  expect((await browser.get("/account")).html).toContain(await emailOf(service, person));
  // The session that the browser had before has ended.
  expect((await attacker.get("/account")).at).toStartWith("/sign-in");
});

test("[AUTH-13] signing in redirects only to paths of this service", async () => {
  const person = await service.join(owner.organizationId);
  const email = await emailOf(service, person);
  await signedIn(service, person);
  const land = async (next: string): Promise<string | null> => {
    const browser = browserOf(service);
    const answer = await browser.ask("/sign-in", {
      method: "POST",
      headers: { ...browser.own(), "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ email, password: PASSWORD, next }).toString(),
    });
    return answer.headers.get("location");
  };
  expect(await land("/account?notice=x")).toBe("/account?notice=x");
  for (const next of [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "javascript:alert(1)",
    "/\t/evil.example",
    "\\\\evil",
  ])
    expect([next, await land(next)]).toEqual([next, "/app"]);
  const asked = await browserOf(service).get("/account?notice=y");
  expect(asked.at).toBe(`/sign-in?next=${encodeURIComponent("/account?notice=y")}`);
});

test("[AUTH-7] a session is in the organization that its person chose last", async () => {
  const elsewhere = await service.found("Globex");
  const person = await service.join(owner.organizationId);
  const email = await emailOf(service, person);
  const { userId } = person;
  await service.system.dispatch(organizationRef(elsewhere.organizationId), {
    kind: "add_member",
    userId,
    name: "Member",
    email,
    role: "member",
  });
  const browser = await signedIn(service, person);
  const account = await browser.get("/account");
  expect(account.html).toContain("a member of Acme");
  const moved = await browser.submit(account, "/account/organization", { organization: elsewhere.organizationId });
  expect(moved.html).toContain("a member of Globex");
  const again = browserOf(service);
  await signIn(again, email, PASSWORD);
  expect((await again.get("/account")).html).toContain("a member of Globex");
  // An organization that is not theirs is no choice.
  const foreign = await service.found("Initech");
  expect((await browser.post("/account/organization", { organization: foreign.organizationId })).status).toBe(404);
});

test("[AUTH-13] a removed member's sessions end with the next request", async () => {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  expect((await browser.ask("/api/agents")).status).toBe(200);
  await service.system.dispatch(organizationRef(owner.organizationId), {
    kind: "remove_member",
    userId: person.userId,
  });
  await refused(browser.ask("/api/agents"), 401, "unauthenticated");
  expect((await browser.get("/account")).at).toStartWith("/sign-in");
  const back = await signIn(browserOf(service), `${person.userId}@example.com`, PASSWORD);
  expect(back.status).toBe(403);
});

test("[AUTH-16] a link sets a password once, and a newer link replaces it", async () => {
  const person = await service.join(owner.organizationId);
  const former = await passwordLink(service, person);
  const link = await passwordLink(service, person);
  const browser = browserOf(service);
  expect((await browser.get(former)).status).toBe(404);
  // To open it is not to use it.
  await browser.get(link);
  const page = await browser.get(link);
  expect((await browser.submit(page, "/set-password", { password: "short", again: "short" })).status).toBe(400);
  expect((await browser.submit(page, "/set-password", { password: PASSWORD, again: `${PASSWORD}!` })).status).toBe(400);
  expect((await browser.submit(page, "/set-password", { password: PASSWORD, again: PASSWORD })).at).toBe("/app");
  expect((await browser.submit(page, "/set-password", { password: PASSWORD, again: PASSWORD })).status).toBe(404);
  expect((await browserOf(service).get(await passwordLink(service, person, Date.now() - 25 * 3_600_000))).status).toBe(
    404,
  );
});

test("[AUTH-16] a new password by a link ends every session of its person", async () => {
  const person = await service.join(owner.organizationId);
  const former = await signedIn(service, person);
  const browser = await signedIn(service, person, "another four words here");
  expect((await former.get("/account")).at).toStartWith("/sign-in");
  expect((await browser.get("/account")).status).toBe(200);
});
