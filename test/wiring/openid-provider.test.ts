/** The provider that the operator sets may be at a private address, and its host alone (AUTH-21). */
import { expect, test } from "bun:test";
import { readConfig } from "../../src/settings/config.ts";
import { openIdProvider } from "../../src/wiring/openid-provider.ts";

const SECRETS = { state: "s".repeat(43), nonce: "n".repeat(43), verifier: "v".repeat(43) };

/** The client of a service with these settings. */
function clientOf(env: Readonly<Record<string, string>>) {
  const read = readConfig(env);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return openIdProvider(read.config, { info() {}, warn() {}, error() {} });
}

test("[AUTH-21] the issuer's host is reached even if it is not public, and other private hosts are not", async () => {
  expect(clientOf({})).toBeNull();
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      asked.push(new URL(request.url).pathname);
      const issuer = new URL(request.url).origin;
      const [authorize, token, keys] = [`${issuer}/authorize`, `${issuer}/token`, `${issuer}/keys`];
      return Response.json({
        issuer,
        authorization_endpoint: authorize,
        token_endpoint: token.replace("127.0.0.1", "127.0.0.2"),
        jwks_uri: keys,
      });
    },
  });
  const provider = clientOf({ OIDC_ISSUER: server.url.origin, OIDC_CLIENT_ID: "troupe", OIDC_CLIENT_SECRET: "hush" });
  try {
    const to = await provider?.client.begin("https://troupe.test/back", SECRETS);
    if (!(to instanceof URL)) throw new Error(JSON.stringify(to));
    expect([to.origin, to.searchParams.get("client_id")]).toEqual([server.url.origin, "troupe"]);
    const answer = new URLSearchParams({ code: "x", state: SECRETS.state });
    expect(await provider?.client.finish("https://troupe.test/back", answer, SECRETS)).toEqual({ kind: "away" });
    expect(asked).toEqual(["/.well-known/openid-configuration"]);
  } finally {
    provider?.close();
    await server.stop(true);
  }
});
