/** Signing in and letting a program in behind nginx, over https: on a host of its own, and below a path (START-64). */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as oauth from "oauth4webapi";
import { createAuthority } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { type Nginx, NGINX, startNginx } from "../support/nginx.ts";
import { formsOf, PlainBrowser } from "../support/plain-browser.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { PASSWORD, passwordLink } from "../support/signed-in.ts";

/** The sites of the documents, with what their proxy takes away. */
const SITES = [
  { file: "nginx.conf", prefix: "" },
  { file: "nginx-prefix.conf", prefix: "/troupe" },
] as const;

interface Behind {
  readonly service: Service;
  readonly owner: Founded;
  readonly appUrl: string;
  readonly origin: string;
}

const authority = createAuthority();
const behind = new Map<string, Behind>();
let nginx: Nginx | undefined;

beforeAll(async () => {
  if (NGINX === null) return;
  const certificate = authority.issue(["127.0.0.1", "localhost"]);
  const opened = SITES.map(async ({ file, prefix }) => {
    const port = freePort();
    const origin = `https://localhost:${port}`;
    const appUrl = origin + prefix;
    const service = await startService({ settings: { appUrl } });
    behind.set(prefix, { service, owner: await service.found(), appUrl, origin });
    return { file, port, service: service.url, certificate };
  });
  nginx = await startNginx(await Promise.all(opened));
});
afterAll(async () => {
  await nginx?.stop();
  await Promise.all([...behind.values()].map(({ service }) => service.stop()));
});

describe.each(SITES.map(({ prefix }) => prefix))("below %p", (prefix) => {
  const within = test.skipIf(NGINX === null);
  const browserAt = ({ origin }: Behind): PlainBrowser => new PlainBrowser({ url: origin, origin, ca: authority.cert });
  const trusting = (address: string, init: RequestInit): Promise<Response> =>
    fetch(address, { ...init, redirect: "manual", tls: { ca: authority.cert } });

  within("[START-64] a person sets a password, signs out and in, and makes a token", async () => {
    const here = behind.get(prefix)!;
    const browser = browserAt(here);
    const asked = await browser.ask(`${prefix}/account`);
    expect([asked.status, asked.headers.get("location")]).toEqual([303, `${prefix}/sign-in?next=%2Faccount`]);
    const page = await browser.get(prefix + (await passwordLink(here.service, here.owner)));
    const shown = await browser.submit(page, `${prefix}/set-password`, { password: PASSWORD, again: PASSWORD });
    expect([shown.status, shown.at]).toEqual([200, `${prefix}/app`]);
    const account = await browser.get(`${prefix}/account`);
    // Every link and form of the page leads to this service, as it is seen from outside.
    const links = [...account.html.matchAll(/ (?:href|action)="(\/[^"]*)"/g)].map(([, path]) => path);
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) expect(link).toStartWith(`${prefix}/`);
    expect((await browser.submit(account, `${prefix}/sign-out`)).at).toBe(`${prefix}/sign-in`);
    const form = await browser.get(`${prefix}/sign-in?next=%2Fconnections%2Fx`);
    const email = (await here.service.directory.listMembers(here.owner.organizationId))[0]!.email;
    const sent = formsOf(form.html).find(({ action }) => action === `${prefix}/sign-in`);
    expect(sent?.fields).toContainEqual(["next", "/connections/x"]);
    const body = new URLSearchParams({ email, password: PASSWORD, next: "/connections/x" }).toString();
    const headers = { ...browser.own(), "content-type": "application/x-www-form-urlencoded" };
    const entered = await browser.ask(`${prefix}/sign-in`, { method: "POST", headers, body });
    expect(entered.headers.get("location")).toBe(`${prefix}/connections/x`);
    const [name = "", path = ""] = prefix === "" ? ["__Host-troupe_session", "/"] : ["__Secure-troupe_session", prefix];
    const cookie = entered.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(
      new RegExp(`^${name}=ses_[^;]+; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=\\d+; Secure$`),
    );
    const headersOfApi = { ...browser.own(), "content-type": "application/json" };
    const invited = await browser.ask(`${prefix}/api/invitations`, {
      method: "POST",
      headers: headersOfApi,
      body: JSON.stringify({ email: "ada@example.com" }),
    });
    expect((await invited.json()) as object).toMatchObject({
      url: expect.stringContaining(`${here.appUrl}/invitation?`),
    });
    // The API takes the session from a page of this origin, and of no other.
    const wanted = JSON.stringify({ name: "Laptop", scopes: ["agents:read"] });
    const json = { "content-type": "application/json" };
    const make = (origin: string): Promise<Response> =>
      browser.ask(`${prefix}/api/personal-access-tokens`, {
        method: "POST",
        headers: { ...json, origin },
        body: wanted,
      });
    expect((await make(here.origin)).status).toBe(201);
    expect((await make("https://localhost")).status).toBe(403);
  });

  within("[START-64] a program finds the way from a 401, and a person lets it in", async () => {
    const { appUrl, service, owner, origin } = behind.get(prefix)!;
    const options = { [oauth.customFetch]: trusting };
    const turnedAway = await trusting(`${appUrl}/api/agents`, {});
    const challenge = turnedAway.headers.get("www-authenticate") ?? "";
    const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
    expect(await (await trusting(metadata, {})).json()).toMatchObject({ resource: appUrl });
    const resource = new URL(appUrl);
    const described = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, options),
    );
    const issuer = new URL(described.authorization_servers?.[0] ?? "");
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...options }),
    );
    const redirect = "http://127.0.0.1:8976/callback";
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { client_name: "A test program", redirect_uris: [redirect], token_endpoint_auth_method: "none" },
        options,
      ),
    );
    const verifier = oauth.generateRandomCodeVerifier();
    const asked = new URLSearchParams({
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: redirect,
      scope: "agents:read",
      state: "s",
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: appUrl,
    });
    expect(server.authorization_endpoint).toBe(`${appUrl}/oauth/authorize`);
    const browser = browserAt({ service, owner, appUrl, origin });
    const password = { password: PASSWORD, again: PASSWORD };
    const link = prefix + (await passwordLink(service, owner));
    await browser.submit(await browser.get(link), `${prefix}/set-password`, password);
    const consent = await browser.get(`${prefix}/oauth/authorize?${asked.toString()}`);
    const back = await browser.submit(consent, `${prefix}/oauth/authorize`, {
      decision: "allow",
      grant: ["agents:read"],
    });
    expect(back.at).toStartWith(`${redirect}?code=`);
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      oauth.validateAuthResponse(server, client, new URL(back.at), "s"),
      redirect,
      verifier,
      { ...options, additionalParameters: { resource: appUrl } },
    );
    const { access_token: token } = await oauth.processAuthorizationCodeResponse(server, client, answer);
    const headers = { authorization: `Bearer ${token}` };
    expect((await trusting(`${appUrl}/api/agents`, { headers })).status).toBe(200);
  });

  within(
    "[START-64] the contract, the reference and the redirects name addresses as they are seen from outside",
    async () => {
      const { appUrl } = behind.get(prefix)!;
      const { servers } = (await (await trusting(`${appUrl}/api/openapi.json`, {})).json()) as { servers: unknown };
      expect(servers).toEqual([{ url: prefix || "/" }]);
      const reference = await (await trusting(`${appUrl}/api/reference`, {})).text();
      const script = /<script src="([^"]+)"/.exec(reference)?.[1] ?? "";
      expect((await trusting(new URL(script, appUrl).href, { method: "HEAD" })).status).toBe(200);
      expect((await trusting(`${appUrl}/api/agents/`, {})).headers.get("location")).toBe(`${prefix}/api/agents`);
      const home = await (await trusting(`${appUrl}/`, {})).text();
      expect(home).toContain(`<a href="${prefix}/account">`);
    },
  );
});
