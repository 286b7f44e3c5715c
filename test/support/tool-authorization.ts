/**
 * A tool server and its authorization server on loopback, whose every answer a test can replace, and the part of a
 * person who consents. As it comes it is a good server.
 */
import { beginAuthorization, finishAuthorization, type OAuthTokens } from "../../src/connections/oauth/client.ts";
import { type AuthorizationTarget, discover } from "../../src/connections/oauth/discovery.ts";
import { oauthReach, type OAuthReach } from "../../src/connections/oauth/reach.ts";
import { becomeClient, type RegisteredClient } from "../../src/connections/oauth/registration.ts";
import { createEgress, type Egress } from "../../src/egress/egress.ts";
import { HandClock } from "./hand-clock.ts";

export const CALLBACK = "https://troupe.test/connections/callback";
/** A large answer that never ends would wait so long. */
const TIMES = { timeoutMs: 1_000, maxResponseBytes: 128 * 1_024 };

type Reply = (request: Request) => Response | Promise<Response>;

export class ToolAuthorization {
  /** Answers by path; the last one set counts. */
  readonly replies = new Map<string, Reply>();
  /** `METHOD /path` of each request. */
  readonly seen: string[] = [];
  /** The bodies of requests for tokens. */
  readonly forms: URLSearchParams[] = [];
  readonly origin: string;
  readonly resource: string;
  readonly reach: OAuthReach;
  private readonly server: Bun.Server<undefined>;
  private readonly egress: Egress;

  constructor(allow: readonly string[] = ["127.0.0.1"]) {
    this.server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.answer(request) });
    this.origin = `http://127.0.0.1:${this.server.port}`;
    this.resource = `${this.origin}/mcp`;
    const resolve = (host: string) => Promise.resolve([host === "inner.test" ? "10.0.0.1" : "93.184.215.14"]);
    this.egress = createEgress({ allow, production: false, resolve });
    this.reach = oauthReach(this.egress, new HandClock(), "org", TIMES);
    this.set("/.well-known/oauth-protected-resource/mcp", () => Response.json(this.resourceDocument()));
    this.set("/.well-known/oauth-authorization-server", () => Response.json(this.serverDocument()));
    this.set("/register", () => Response.json({ client_id: "c-1", client_secret: "s-1" }, { status: 201 }));
    this.set("/token", () => Response.json(this.tokens()));
    this.set("/revoke", () => new Response(null, { status: 200 }));
  }

  resourceDocument(changes: object = {}): object {
    return {
      resource: this.resource,
      authorization_servers: [this.origin],
      scopes_supported: ["files:read"],
      ...changes,
    };
  }

  serverDocument(changes: object = {}): object {
    const at = (path: string): string => this.origin + path;
    return {
      issuer: this.origin,
      authorization_endpoint: at("/authorize"),
      token_endpoint: at("/token"),
      registration_endpoint: at("/register"),
      revocation_endpoint: at("/revoke"),
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      ...changes,
    };
  }

  tokens(changes: object = {}): object {
    return { access_token: "a-1", token_type: "Bearer", expires_in: 60, refresh_token: "r-1", ...changes };
  }

  set(path: string, reply: Reply): void {
    this.replies.set(path, reply);
  }
  /** Changes the metadata of the authorization server. */
  change(changes: object): void {
    this.set("/.well-known/oauth-authorization-server", () => Response.json(this.serverDocument(changes)));
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.seen.push(`${request.method} ${pathname}`);
    if (request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true)
      this.forms.push(new URLSearchParams(await request.clone().text()));
    return (this.replies.get(pathname) ?? (() => new Response("no", { status: 404 })))(request);
  }

  discover(challenge: Parameters<typeof discover>[2] = {}): Promise<AuthorizationTarget> {
    return discover(this.reach, this.resource, challenge);
  }

  async registered(): Promise<{ readonly target: AuthorizationTarget; readonly client: RegisteredClient }> {
    const target = await this.discover();
    return {
      target,
      client: await becomeClient(this.reach, target, { redirectUri: CALLBACK, clientName: "Troupe" }),
    };
  }

  /** The whole way; `answer`: what the browser brings back, from the address to which it was sent. */
  async connect(
    answer = (sent: URL) => new URLSearchParams({ code: "code-1", state: sent.searchParams.get("state") ?? "" }),
  ): Promise<{
    readonly target: AuthorizationTarget;
    readonly client: RegisteredClient;
    readonly tokens: OAuthTokens;
  }> {
    const { target, client } = await this.registered();
    const asked = { redirectUri: CALLBACK, scopes: target.scopes, state: "state-1" };
    const { url, pending } = await beginAuthorization(target, client, asked);
    const tokens = await finishAuthorization(this.reach, target, client, { pending, answer: answer(url) });
    return { target, client, tokens };
  }

  async stop(): Promise<void> {
    this.egress.close();
    await this.server.stop(true);
  }
}
