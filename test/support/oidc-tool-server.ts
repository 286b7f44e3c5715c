/**
 * An authorization server by somebody else (`oidc-provider`) for a tool server: dynamic registration, resource
 * indicators, refresh tokens that rotate, revocation. Its tool server is only a document.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export class OidcToolServer {
  readonly origin: string;
  readonly resource: string;
  private readonly server: Server;
  private readonly provider: Provider;

  private constructor(server: Server, accessTokenSeconds: number) {
    this.server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.resource = `${this.origin}/mcp`;
    this.provider = this.providerFor(accessTokenSeconds);
    const answer = this.provider.callback();
    server.on("request", (request, response) => {
      const path = request.url ?? "";
      if (path === "/.well-known/oauth-protected-resource/mcp") {
        response.setHeader("content-type", "application/json");
        const scopes = ["files:read", "files:write"];
        const document = { resource: this.resource, authorization_servers: [this.origin], scopes_supported: scopes };
        response.end(JSON.stringify(document));
      } else if (path.startsWith("/interaction/")) {
        void this.provider.interactionFinished(request, response, { login: { accountId: "ada" }, consent: {} });
      } else answer(request, response);
    });
  }

  static async start(accessTokenSeconds = 60): Promise<OidcToolServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new OidcToolServer(server, accessTokenSeconds);
  }

  private providerFor(accessTokenSeconds: number): Provider {
    const { resource } = this;
    const scope = "files:read files:write";
    const provider: Provider = new Provider(this.origin, {
      cookies: { keys: ["a key of the test's cookies"] },
      scopes: ["openid", "offline_access"],
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: accessTokenSeconds, RefreshToken: 600 },
      // Every client gets a refresh token, and each use of one replaces it.
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      features: {
        devInteractions: { enabled: false },
        registration: { enabled: true },
        revocation: { enabled: true },
        introspection: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({ scope, audience: resource, accessTokenFormat: "opaque" }),
        },
      },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
      async loadExistingGrant(ctx: { oidc: { session: { accountId: string }; client: { clientId: string } } }) {
        const { session, client } = ctx.oidc;
        const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
        grant.addOIDCScope("openid offline_access");
        grant.addResourceScope(resource, scope);
        await grant.save();
        return grant;
      },
    });
    return provider;
  }

  /** Follows the address as a person's browser, who signs in and consents; the query with which they come back. */
  async visit(address: string): Promise<URLSearchParams> {
    const cookies = new Map<string, string>();
    let at = address;
    for (let hops = 0; at.startsWith(this.origin); hops++) {
      if (hops > 10) throw new Error(`too many redirects, at ${at}`);
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const answer = await fetch(at, { headers: { cookie }, redirect: "manual" });
      for (const given of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(given) ?? [];
        cookies.set(name, value);
      }
      const to = answer.headers.get("location");
      if (to === null) throw new Error(`${answer.status} at ${at}: ${await answer.text()}`);
      at = new URL(to, at).href;
    }
    return new URL(at).searchParams;
  }

  /** What the server says of an access token; null if it is not valid. */
  async tokenOf(value: string): Promise<{ readonly scope: string; readonly aud: string | readonly string[] } | null> {
    const token = await this.provider.AccessToken.find(value);
    return token === undefined ? null : { scope: token.scope ?? "", aud: token.aud };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => void this.server.close(() => resolve()));
  }
}
