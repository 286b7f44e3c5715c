/** What the authorization server refuses (MCP-2): programs, requests and consents that are not what they seem. */
import { beforeAll, expect, test } from "bun:test";
import * as oauth from "oauth4webapi";
import { USED_CLIENT_MS, UNUSED_CLIENT_MS } from "../../actors/account/actor.ts";
import { CODE_MS, REFRESH_AGAIN_MS } from "../../actors/organization/grants.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { createAuthority } from "../support/certificates.ts";
import { allow, consentPage, ISSUER, OAuthProgram, REDIRECT } from "../support/oauth-program.ts";
import { formsOf, type PlainBrowser } from "../support/plain-browser.ts";
import { sceneOfFile } from "../support/scene.ts";
import { startService } from "../support/service.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { browserOf, signedIn } from "../support/signed-in.ts";

const clock = new ShiftedClock();
let browser: PlainBrowser;
let program: OAuthProgram;

const { service, owner } = sceneOfFile({ clock });
beforeAll(async () => {
  browser = await signedIn(service, owner);
  program = await OAuthProgram.register(service);
});

const register = async (body: unknown): Promise<{ status: number; error?: string; client_id?: string }> => {
  const answer = await fetch(`${service.url}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: answer.status, ...((await answer.json()) as object) };
};

/** The error code of a refused request to the token endpoint. */
const errorOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => "none",
    (error: unknown) => (error instanceof oauth.ResponseBodyError ? error.error : error),
  );

test("[MCP-5] a browser is never sent to an address that is not the program's own", async () => {
  for (const changes of [
    { client_id: "cli_123456789012345678901" },
    { client_id: "https://nobody.example/program.json" },
    { client_id: "nobody" },
    { redirect_uri: "https://evil.example/callback" },
    { redirect_uri: `${REDIRECT}/more` },
    { redirect_uri: "http://127.0.0.1.evil.example:8976/callback" },
    { redirect_uri: "http://localhost:8976/callback" },
    { redirect_uri: null },
  ]) {
    const page = await consentPage(browser, await program.ask(changes));
    expect([changes, page.status, page.headers.get("location")]).toEqual([changes, 400, null]);
  }
  const asking = await program.ask();
  asking.url.searchParams.append("redirect_uri", "https://evil.example/");
  expect((await consentPage(browser, asking)).status).toBe(400);
});

test("[MCP-5] a program on the person's own machine returns at any port", async () => {
  const asking = await program.ask({ redirect_uri: "http://127.0.0.1:50001/callback" });
  expect(await allow(browser, asking)).toStartWith("http://127.0.0.1:50001/callback?code=");
});

test("[MCP-5] other errors are shown, and no browser is sent to a program's address before a person clicks", async () => {
  for (const [changes, error] of [
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ code_challenge: null }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge_method: null }, "invalid_request"],
    [{ resource: "https://other.example" }, "invalid_target"],
    [{ scope: "openid" }, "invalid_scope"],
    [{ scope: "*" }, "invalid_scope"],
    [{ scope: "secrets:use" }, "invalid_scope"],
    [{ prompt: "none" }, "interaction_required"],
    [{ state: "x".repeat(2_001) }, "invalid_request"],
  ] as const) {
    const asking = await program.ask(changes);
    const stranger = await consentPage(browserOf(service), asking);
    expect([changes, stranger.status, stranger.headers.get("location")]).toEqual([changes, 400, null]);
    expect(stranger.html).not.toContain(REDIRECT);
    const own = await consentPage(browser, asking);
    expect([changes, own.status, own.headers.get("location")]).toEqual([changes, 400, null]);
    const link = /<a href="([^"]*)">Tell the program at 127\.0\.0\.1:8976</.exec(own.html)?.[1] ?? "";
    const back = new URL(link.replaceAll("&amp;", "&"));
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect([changes, back.searchParams.get("error")]).toEqual([changes, error]);
    const state = "state" in changes ? null : asking.state;
    expect([back.searchParams.get("state"), back.searchParams.get("iss")]).toEqual([state, ISSUER]);
  }
});

test("[MCP-5] a program that waits for another server can detect an answer of this one", async () => {
  const asking = await program.ask();
  const own = new URL(await allow(browser, asking));
  expect(own.searchParams.get("iss")).toBe(ISSUER);
  const parametersFor = (issuer: string, back: URL) =>
    oauth.validateAuthResponse({ ...program.server, issuer }, program.client, back, asking.state);
  expect(() => parametersFor("https://other.example", own)).toThrow();
  const unnamed = new URL(own);
  unnamed.searchParams.delete("iss");
  expect(() => parametersFor(ISSUER, unnamed)).toThrow();
  expect(parametersFor(ISSUER, own).get("code")).toStartWith("oac_");
});

test("[MCP-5] a consent cannot be forged, or changed after it was shown", async () => {
  const page = await consentPage(browser, await program.ask({ scope: "agents:read" }));
  const fields = new URLSearchParams(
    formsOf(page.html)
      .find(({ action }) => action === "/oauth/authorize")
      ?.fields.map(([name, value]): [string, string] => [name, value]),
  );
  fields.set("decision", "allow");
  fields.append("grant", "agents:read");
  const changed = (changes: Record<string, string | null>): URLSearchParams => {
    const copy = new URLSearchParams(fields);
    for (const [name, value] of Object.entries(changes))
      if (value === null) copy.delete(name);
      else copy.set(name, value);
    return copy;
  };
  const send = async (by: PlainBrowser, given: URLSearchParams, headers?: Record<string, string>) =>
    (await by.post("/oauth/authorize", given, headers)).status;
  for (const changes of [
    { signature: null },
    { signature: "0".repeat(64) },
    { scope: "agents:write" },
    { redirect_uri: "http://127.0.0.1:1/x" },
    { code_challenge: "x".repeat(43) },
    { client_id: "other" },
  ])
    expect([changes, await send(browser, changed(changes as Record<string, string | null>))]).toEqual([changes, 403]);
  // Shown to one session, sent by another.
  expect(await send(await signedIn(service, await service.join(owner.organizationId)), fields)).toBe(403);
  expect(await send(browser, fields, { origin: "https://evil.example", "sec-fetch-site": "cross-site" })).toBe(403);
  const more = changed({});
  more.append("grant", "agents:write");
  const back = await browser.post("/oauth/authorize", more);
  expect(back.at).toStartWith(`${REDIRECT}?code=`);
});

test("[MCP-5] registrations are read strictly", async () => {
  const good = { client_name: "x", redirect_uris: ["https://x.example/cb", "cursor://cb", "http://[::1]/cb"] };
  for (const client_name of ["x", "😀".repeat(100)])
    expect((await register({ ...good, client_name })).status).toBe(201);
  for (const uri of [
    "javascript:alert(1)",
    "data:text/html,x",
    "http://x.example/cb",
    "https://x.example/#a",
    "https://u:p@x.example/",
    "file:///etc",
    "no",
    "https://x.example/\n",
    "x://a;sandbox/cb",
    "x://a,default-src/cb",
    "https://*.example/cb",
    7,
  ])
    expect([uri, await register({ ...good, redirect_uris: [uri] })]).toMatchObject([
      uri,
      { status: 400, error: "invalid_redirect_uri" },
    ]);
  for (const body of [
    { ...good, redirect_uris: [] },
    { client_name: "x" },
    { ...good, redirect_uris: Array<string>(11).fill("https://x.example/") },
  ])
    expect(await register(body)).toMatchObject({ status: 400, error: "invalid_redirect_uri" });
  for (const body of [
    { ...good, client_name: "" },
    { ...good, client_name: "\u200b\u2060 " },
    { ...good, client_name: "😀".repeat(101) },
    { ...good, client_name: "a \ud83d b" },
    { ...good, redirect_uris: ["https://x.example/\ud83d"] },
    { ...good, grant_types: ["client_credentials"] },
    "[]",
    "{",
  ])
    expect(await register(body)).toMatchObject({ status: 400, error: "invalid_client_metadata" });
});

test("[MCP-5] programs without consent are deleted after a day, the others later", async () => {
  const unused = await OAuthProgram.register(service);
  const used = await OAuthProgram.register(service);
  await used.letIn(browser);
  await clock.shift(UNUSED_CLIENT_MS);
  const shows = async (one: OAuthProgram): Promise<number> => (await consentPage(browser, await one.ask())).status;
  expect([await shows(unused), await shows(used)]).toEqual([400, 200]);
  expect(USED_CLIENT_MS).toBeGreaterThan(90 * UNUSED_CLIENT_MS);
});

test("[MCP-5] a program's name cannot change the meaning of the page", async () => {
  const tricky = await OAuthProgram.register(service, { client_name: "Safe\u202eevil <b>&" });
  const page = await consentPage(browser, await tricky.ask());
  expect(page.html).toContain("Safe⟨U+202E⟩evil &lt;b&gt;&amp;");
});

test("[MCP-5] one address can register a limited number of programs, then must wait", async () => {
  const standing = new ShiftedClock();
  standing.hold();
  const other = await startService({ clock: standing });
  const statuses: number[] = [];
  for (let i = 0; i < 21; i++) {
    const answer = await fetch(`${other.url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: [REDIRECT] }),
    });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([...Array<number>(20).fill(201), 429]);
  await other.stop();
});

test("[MCP-5] a program may be the address of its document, read through the guarded client", async () => {
  const authority = createAuthority();
  const { cert, key } = authority.issue(["program.example"]);
  const documents = new Map<string, string>();
  const asked: string[] = [];
  const host = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { cert, key },
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const text = documents.get(pathname);
      return text === undefined ? new Response(null, { status: 404 }) : new Response(text);
    },
  });
  const egress = createEgress({
    allow: ["127.0.0.1"],
    production: false,
    resolve: async () => ["127.0.0.1"],
    ca: authority.cert,
  });
  const other = await startService({ egress });
  const own = await signedIn(other, await other.found());
  const at = (path: string): string => `https://program.example:${host.port}${path}`;
  const document = (path: string, changes: object = {}): void =>
    void documents.set(
      path,
      JSON.stringify({ client_id: at(path), client_name: "By document", redirect_uris: [REDIRECT], ...changes }),
    );
  document("/good");
  document("/liar", { client_id: at("/good") });
  document("/scheme", { redirect_uris: ["javascript:x"] });
  document("/large", { client_name: "x".repeat(20_000) });
  documents.set("/text", "hello");
  const registered = await OAuthProgram.register(other);
  const good = registered.as({ client_id: at("/good") });
  const page = await consentPage(own, await good.ask());
  expect(page.html).toContain("By document");
  expect(page.html).toContain(`program.example:${host.port}`);
  expect((await good.letIn(own)).token_type).toBe("bearer");
  for (const path of ["/liar", "/scheme", "/large", "/text", "/none", "/", "/good#x"]) {
    const one = registered.as({ client_id: at(path) });
    expect([path, (await consentPage(own, await one.ask())).status]).toEqual([path, 400]);
  }
  expect(asked.filter((path) => path === "/none")).toHaveLength(1);
  await consentPage(own, await registered.as({ client_id: at("/none") }).ask());
  expect(asked.filter((path) => path === "/none")).toHaveLength(1);
  // Addresses that are not public stay closed where the operator has not opened them.
  const closed = await consentPage(browser, await program.as({ client_id: at("/good") }).ask());
  expect(closed.status).toBe(400);
  await other.stop();
  egress.close();
  await host.stop(true);
});

test("[MCP-5] pages of other origins may use the endpoints of programs, and send no cookie", async () => {
  const preflight = await fetch(`${service.url}/oauth/token`, {
    method: "OPTIONS",
    headers: { origin: "https://inspector.example", "access-control-request-method": "POST" },
  });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
  const answer = await fetch(`${service.url}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "password" }),
  });
  expect([answer.status, answer.headers.get("access-control-allow-origin"), await answer.json()]).toMatchObject([
    400,
    "*",
    { error: "unsupported_grant_type" },
  ]);
});

test("[MCP-5] a refresh token that is reused within ten seconds gets the same tokens, and later ends the family", async () => {
  const used = await OAuthProgram.register(service);
  const first = await used.letIn(browser);
  const token = first.refresh_token ?? "";
  const [second, tab] = await Promise.all([used.refresh(token), used.refresh(token)]);
  expect([tab.access_token, tab.refresh_token]).toEqual([second.access_token, second.refresh_token]);
  const reading = (secret: string) => service.call({ ...owner, token: secret }, "GET", "/api/agents");
  expect((await reading(second.access_token)).status).toBe(200);
  await clock.shift(REFRESH_AGAIN_MS - 1_000);
  expect((await used.refresh(token)).access_token).toBe(second.access_token);
  const third = await used.refresh(second.refresh_token ?? "");
  expect(third.access_token).not.toBe(second.access_token);
  // The one before the last is used up, however soon it comes.
  expect(await errorOf(used.refresh(token))).toBe("invalid_grant");
  expect((await reading(third.access_token)).status).toBe(401);
  const late = await used.letIn(browser);
  const next = await used.refresh(late.refresh_token ?? "");
  await clock.shift(REFRESH_AGAIN_MS);
  expect(await errorOf(used.refresh(late.refresh_token ?? ""))).toBe("invalid_grant");
  expect((await reading(next.access_token)).status).toBe(401);
  // The ten seconds do not grow by what a clock was ahead.
  const future = await used.letIn(browser);
  await clock.shift(3_600_000);
  await used.refresh(future.refresh_token ?? "");
  await clock.shift(-3_600_000);
  expect(await errorOf(used.refresh(future.refresh_token ?? ""))).toBe("invalid_grant");
});

test("[MCP-5] a request for a token without its type is invalid, and one of another type is not supported", async () => {
  for (const [fields, error] of [
    [{}, "invalid_request"],
    [{ grant_type: "" }, "invalid_request"],
    [{ grant_type: "password" }, "unsupported_grant_type"],
  ] as const) {
    const answer = await fetch(`${service.url}/oauth/token`, { method: "POST", body: new URLSearchParams(fields) });
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([400, error]);
  }
});

// The session of the others ends meanwhile, so this one is the last.
test("[MCP-5] a code is valid for a minute, and a refresh token for 90 days", async () => {
  const used = await OAuthProgram.register(service);
  const asking = await used.ask();
  const back = await allow(browser, asking);
  await clock.shift(CODE_MS);
  expect(await errorOf(used.redeem(asking, back))).toBe("invalid_grant");
  const tokens = await used.letIn(browser);
  await clock.shift(90 * UNUSED_CLIENT_MS);
  expect(await errorOf(used.refresh(tokens.refresh_token ?? ""))).toBe("invalid_grant");
});
