/** The OAuth client against an authorization server by somebody else, and against the answers that good servers give. */
import { afterEach, expect, test } from "bun:test";
import { askedChallenge } from "../../src/connections/oauth/challenge.ts";
import {
  beginAuthorization,
  finishAuthorization,
  refreshTokens,
  revokeAtServer,
} from "../../src/connections/oauth/client.ts";
import { discover } from "../../src/connections/oauth/discovery.ts";
import { oauthReach } from "../../src/connections/oauth/reach.ts";
import { becomeClient } from "../../src/connections/oauth/registration.ts";
import { joinedScopes, scopesOf, withOfflineAccess } from "../../src/connections/oauth/scope.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { OidcToolServer } from "../support/oidc-tool-server.ts";
import { CALLBACK, ToolAuthorization } from "../support/tool-authorization.ts";

const egress = createEgress({ allow: ["127.0.0.1"], production: false });
const reach = oauthReach(egress, systemClock, "org");
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function good(): Promise<ToolAuthorization> {
  const server = new ToolAuthorization();
  stops.push(() => server.stop());
  return server;
}

test("[ACC-3] a person connects at a real server: registration, PKCE, the resource, rotation, revocation", async () => {
  const server = await OidcToolServer.start();
  stops.push(() => server.stop());
  const target = await discover(reach, server.resource);
  expect(target.issuer).toBe(server.origin);
  expect(target.scopes).toEqual(["files:read", "files:write", "offline_access"]);
  const client = await becomeClient(reach, target, { redirectUri: CALLBACK, clientName: "Troupe" });
  expect(client).toMatchObject({ issuer: server.origin, authMethod: "client_secret_basic" });
  const asked = { redirectUri: CALLBACK, scopes: target.scopes, state: "state-1" };
  const { url, pending } = await beginAuthorization(target, client, asked);
  const answer = await server.visit(url.href);
  expect(answer.get("iss")).toBe(server.origin);
  const tokens = await finishAuthorization(reach, target, client, { pending, answer });
  expect(await server.tokenOf(tokens.accessToken)).toEqual({ scope: "files:read files:write", aud: server.resource });
  // The code works once.
  const again = finishAuthorization(reach, target, client, { pending, answer });
  expect(again).rejects.toMatchObject({ kind: "refused", oauthError: "invalid_grant" });
  await again.catch(() => {});
});

test("[ACC-4] refresh tokens rotate; one that was used before ends the connection", async () => {
  const server = await OidcToolServer.start();
  stops.push(() => server.stop());
  const target = await discover(reach, server.resource);
  const client = await becomeClient(reach, target, { redirectUri: CALLBACK, clientName: "Troupe" });
  const asked = { redirectUri: CALLBACK, scopes: target.scopes, state: "state-1" };
  const { url, pending } = await beginAuthorization(target, client, asked);
  const first = await finishAuthorization(reach, target, client, { pending, answer: await server.visit(url.href) });
  const renewed = await refreshTokens(reach, target, client, first.refreshToken ?? "");
  const { accessToken, refreshToken, expiresAt } = renewed;
  expect(refreshToken).not.toBe(first.refreshToken);
  expect(Date.parse(expiresAt ?? "")).toBeGreaterThan(Date.now());
  expect(await server.tokenOf(accessToken)).toMatchObject({ aud: server.resource });
  expect(await revokeAtServer(reach, target, client, { value: accessToken, kind: "access_token" })).toBe(true);
  expect(await server.tokenOf(accessToken)).toBeNull();
  expect(refreshTokens(reach, target, client, first.refreshToken ?? "")).rejects.toMatchObject({
    kind: "refused",
    message: expect.stringContaining("is not valid any more"),
  });
  expect(refreshTokens(reach, target, client, refreshToken ?? "")).rejects.toMatchObject({ kind: "refused" });
});

test("[ACC-4] a server that gives no new refresh token leaves the former one in use", async () => {
  const server = await good();
  const { target, client, tokens } = await server.connect();
  expect(tokens).toEqual({ accessToken: "a-1", refreshToken: "r-1", expiresAt: "1970-01-01T00:01:00.000Z" });
  server.set("/token", () => Response.json({ access_token: "a-2", token_type: "bearer", scope: "files:read" }));
  expect(await refreshTokens(server.reach, target, client, "r-1")).toEqual({
    accessToken: "a-2",
    refreshToken: "r-1",
    scope: "files:read",
  });
  for (const form of server.forms) expect(form.get("resource")).toBe(server.resource);
  server.change({ revocation_endpoint: undefined });
  const without = await server.discover();
  expect(await revokeAtServer(server.reach, without, client, { value: "a-2", kind: "access_token" })).toBe(false);
});

test("[ACC-2] a client is the registered one, else our document, else registered now", async () => {
  const server = await good();
  const ours = "https://troupe.test/oauth/client.json";
  const registration = { redirectUri: CALLBACK, clientName: "Troupe", clientMetadataUrl: ours };
  const without = await server.discover();
  const made = await becomeClient(server.reach, without, registration);
  expect(made).toEqual({
    issuer: server.origin,
    clientId: "c-1",
    clientSecret: "s-1",
    authMethod: "client_secret_basic",
  });
  server.change({ client_id_metadata_document_supported: true });
  const target = await server.discover();
  expect(await becomeClient(server.reach, target, registration)).toEqual({
    issuer: server.origin,
    clientId: ours,
    authMethod: "none",
  });
  // Nobody else can read a document at an address like these.
  for (const unreadable of ["http://127.0.0.1:3000/oauth/client.json", "https://troupe.test"])
    expect(
      (await becomeClient(server.reach, target, { ...registration, clientMetadataUrl: unreadable })).clientId,
    ).toBe("c-1");
  const known = { issuer: server.origin, clientId: "by hand", clientSecret: "s" };
  expect(await becomeClient(server.reach, target, { ...registration, known })).toMatchObject({ clientId: "by hand" });
  const elsewhere = { ...known, issuer: "https://auth.test" };
  const other = becomeClient(server.reach, target, { ...registration, known: elsewhere });
  expect(await other.catch((fault: unknown) => fault)).toMatchObject({
    kind: "untrusted",
    message: expect.stringContaining("https://auth.test"),
  });
  server.change({ registration_endpoint: undefined });
  const closed = becomeClient(server.reach, await server.discover(), registration);
  expect(closed).rejects.toMatchObject({
    kind: "unsupported",
    message: expect.stringContaining("is not registered there"),
  });
  await closed.catch(() => {});
});

test("[ACC-2] a secret that expires is registered with its end, and 200 counts as 201", async () => {
  const server = await good();
  const body = {
    client_id: "c",
    client_secret: "s",
    client_secret_expires_at: 86_400,
    token_endpoint_auth_method: "client_secret_post",
  };
  server.set("/register", () => Response.json(body));
  const { client } = await server.registered();
  expect(client).toMatchObject({ secretExpiresAt: "1970-01-02T00:00:00.000Z", authMethod: "client_secret_post" });
});

test("[ACC-1] scopes are those of the challenge, else those of the resource; offline access joins them", async () => {
  const server = await good();
  expect((await server.discover({ scope: "a b a" })).scopes).toEqual(["a", "b"]);
  server.change({ scopes_supported: ["offline_access"] });
  expect((await server.discover()).scopes).toEqual(["files:read", "offline_access"]);
  expect(withOfflineAccess([], ["offline_access"])).toEqual([]);
  expect(joinedScopes(["a", "b"], scopesOf("b c"))).toEqual(["a", "b", "c"]);
});

test("[ACC-1] a server of the first revision is its own authorization server", async () => {
  const server = await good();
  server.replies.delete("/.well-known/oauth-protected-resource/mcp");
  expect(await server.discover()).toMatchObject({ issuer: server.origin, resource: server.resource });
  server.replies.delete("/.well-known/oauth-authorization-server");
  const { server: found } = await server.discover();
  expect(found).toMatchObject({
    authorization_endpoint: `${server.origin}/authorize`,
    token_endpoint: `${server.origin}/token`,
  });
});

test("[ACC-8] a server says where its metadata is when it is asked without access", async () => {
  const server = await good();
  const asked = () => askedChallenge(server.reach, server.resource);
  const metadata = { resourceMetadata: `${server.origin}/elsewhere`, scope: "a b" };
  const refusal = (status: number) => () => {
    const challenge = `Bearer resource_metadata="${metadata.resourceMetadata}", scope="a b"`;
    return new Response("no", { status, headers: { "www-authenticate": challenge } });
  };
  server.set("/mcp", refusal(401));
  expect(await asked()).toEqual(metadata);
  expect(server.seen).toEqual(["POST /mcp"]);
  // Not every tool server speaks MCP.
  server.set("/mcp", (request) => (request.method === "GET" ? refusal(401)() : new Response("no", { status: 405 })));
  expect(await asked()).toEqual(metadata);
  for (const reply of [refusal(200), refusal(403), () => new Response("", { status: 503 })]) {
    server.set("/mcp", reply);
    expect(await asked()).toEqual({});
  }
  await server.stop();
  expect(await asked()).toEqual({});
});
