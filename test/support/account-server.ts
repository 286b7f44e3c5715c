/**
 * People's accounts at a tool server: an authorization server whose refresh tokens rotate, and an MCP server that takes
 * its tokens. Tests decide about lifetimes, refusals and lost answers. Time is that of the given clock.
 */
import { type McpServerUnderTest, type McpTool, startMcpServer, textResult } from "./mcp-server.ts";

interface IssuedGrant {
  readonly user: string;
  scope: string;
  refreshToken: string;
  /** The one before, which a server with a grace period still takes. */
  formerRefreshToken: string | null;
  isRevoked: boolean;
}

interface IssuedToken {
  readonly grant: IssuedGrant;
  readonly scope: string;
  readonly expiresAt: number;
}

export class AccountServer {
  /** Seconds that an access token lives. */
  tokenSeconds = 3_600;
  /** Whether a refresh token that was just replaced is taken once more. */
  hasGrace = false;
  /** Whether it gives refresh tokens at all. */
  refreshes = true;
  /** The scope that the tool server wants; more than `files:read` is a step-up. */
  wanted = "files:read";
  /** The `iss` of its answers; null: its own. */
  claimedIssuer: string | null = null;
  /** Called before a refresh is answered, after its tokens are issued. */
  onRefreshed: () => Promise<void> | void = () => {};
  /** The only client, if one was registered by hand: then nobody registers here, and its secret is wanted. */
  byHand: { readonly id: string; secret: string } | null = null;
  /** Another authorization server that the tool server names; null: this one. */
  namedServer: string | null = null;
  /** How clients have proven themselves, in requests for tokens and revocations. */
  readonly proofs: (string | null)[] = [];
  /** Whether the token endpoint fails with 503. */
  isDown = false;
  readonly counts = { registrations: 0, exchanges: 0, refreshes: 0, refused: 0 };
  readonly revoked: string[] = [];
  readonly origin: string;
  readonly mcp: McpServerUnderTest;
  private readonly now: () => number;
  private readonly server: Bun.Server<undefined>;
  private readonly codes = new Map<string, { readonly scope: string; readonly challenge: string; used: boolean }>();
  private readonly grants: IssuedGrant[] = [];
  private readonly tokens = new Map<string, IssuedToken>();

  constructor(now: () => number = Date.now, tools: readonly McpTool[] = [whoami]) {
    this.now = now;
    this.server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.answer(request) });
    this.origin = `http://127.0.0.1:${this.server.port}`;
    this.mcp = startMcpServer(tools, { json: true, refuse: (request) => this.guard(request) });
  }

  get resource(): string {
    return this.mcp.url;
  }

  /** No token that was issued so far is taken any more; refresh tokens are. */
  forgetTokens(): void {
    this.tokens.clear();
  }

  /** Nothing that was issued so far is taken any more. */
  forgetAll(): void {
    this.forgetTokens();
    for (const grant of this.grants) grant.isRevoked = true;
  }

  /** The query with which a person's browser comes back from this address, after consenting or refusing. */
  consent(address: string, answer: "allow" | "deny" = "allow"): string {
    const asked = new URL(address).searchParams;
    const iss = this.claimedIssuer ?? this.origin;
    const state = asked.get("state") ?? "";
    if (answer === "deny") return new URLSearchParams({ error: "access_denied", state, iss }).toString();
    const code = crypto.randomUUID();
    const scope = asked.get("scope") ?? "files:read";
    this.codes.set(code, { scope, challenge: asked.get("code_challenge") ?? "", used: false });
    return new URLSearchParams({ code, state, iss }).toString();
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
    await this.mcp.stop();
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    switch (pathname) {
      case "/.well-known/oauth-authorization-server":
        return Response.json({
          issuer: this.origin,
          authorization_endpoint: `${this.origin}/authorize`,
          token_endpoint: `${this.origin}/token`,
          ...(this.byHand === null ? { registration_endpoint: `${this.origin}/register` } : {}),
          revocation_endpoint: `${this.origin}/revoke`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          authorization_response_iss_parameter_supported: true,
          token_endpoint_auth_methods_supported: [this.byHand === null ? "none" : "client_secret_basic"],
        });
      case "/register":
        this.counts.registrations++;
        return Response.json({ client_id: "c-1", token_endpoint_auth_method: "none" }, { status: 201 });
      case "/token":
        if (this.isDown) return new Response(null, { status: 503 });
        if (!this.knowsClient(request)) return Response.json({ error: "invalid_client" }, { status: 401 });
        return this.issue(new URLSearchParams(await request.text()));
      case "/revoke":
        if (!this.knowsClient(request)) return Response.json({ error: "invalid_client" }, { status: 401 });
        this.revoked.push(new URLSearchParams(await request.text()).get("token") ?? "");
        return new Response(null, { status: 200 });
      default:
        return new Response(null, { status: 404 });
    }
  }

  private knowsClient(request: Request): boolean {
    const proof = request.headers.get("authorization");
    this.proofs.push(proof);
    if (this.byHand === null) return true;
    return proof === `Basic ${btoa(`${this.byHand.id}:${this.byHand.secret}`)}`;
  }

  private async issue(form: URLSearchParams): Promise<Response> {
    if (form.get("grant_type") === "authorization_code") {
      const code = this.codes.get(form.get("code") ?? "");
      if (code === undefined) return invalidGrant();
      if (code.used) {
        // A code that is used twice was stolen: everything that it gave is revoked (RFC 6749, 4.1.2).
        this.forgetAll();
        return invalidGrant();
      }
      code.used = true;
      this.counts.exchanges++;
      const verifier = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
      if (verifier !== code.challenge) return invalidGrant();
      const grant = { user: "ada", scope: code.scope, refreshToken: "", formerRefreshToken: null, isRevoked: false };
      this.grants.push(grant);
      return Response.json(this.tokensOf(grant));
    }
    this.counts.refreshes++;
    const token = form.get("refresh_token") ?? "";
    const grant = this.grants.find(
      (each) => each.refreshToken === token || (this.hasGrace && each.formerRefreshToken === token),
    );
    if (grant === undefined || grant.isRevoked) {
      this.counts.refused++;
      return invalidGrant();
    }
    const issued = this.tokensOf(grant);
    await this.onRefreshed();
    return Response.json(issued);
  }

  private tokensOf(grant: IssuedGrant): object {
    const accessToken = `at-${crypto.randomUUID()}`;
    grant.formerRefreshToken = grant.refreshToken;
    grant.refreshToken = `rt-${crypto.randomUUID()}`;
    this.tokens.set(accessToken, { grant, scope: grant.scope, expiresAt: this.now() + this.tokenSeconds * 1_000 });
    return {
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: this.tokenSeconds,
      scope: grant.scope,
      ...(this.refreshes ? { refresh_token: grant.refreshToken } : {}),
    };
  }

  /** The tool server's own check of each request. */
  private guard(request: Request): Response | null {
    const { origin, pathname } = new URL(request.url);
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return Response.json({
        resource: this.resource,
        authorization_servers: [this.namedServer ?? this.origin],
        scopes_supported: ["files:read"],
      });
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    const token = this.tokens.get(request.headers.get("authorization")?.replace("Bearer ", "") ?? "");
    if (token === undefined || token.expiresAt <= this.now() || token.grant.isRevoked)
      return new Response(null, { status: 401, headers: { "www-authenticate": `Bearer ${metadata}` } });
    if (token.scope.split(" ").includes(this.wanted)) return null;
    const challenge = `Bearer error="insufficient_scope", scope="${this.wanted}", ${metadata}`;
    return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
  }
}

const invalidGrant = (): Response => Response.json({ error: "invalid_grant" }, { status: 400 });

/** Says which token it was called with, so that tests see that none is shown. */
const whoami: McpTool = {
  name: "whoami",
  annotations: { readOnlyHint: true },
  run: ({ headers }) => textResult(`You are ada (${headers.get("authorization") ?? "nobody"})`),
};
