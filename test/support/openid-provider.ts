/**
 * An OpenID Connect provider by somebody else (`oidc-provider`), on a port of its own, and the part of a browser that a
 * person spends there: it keeps the provider's cookies, and signs in as the person whom the test names.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { createEgress, type Egress, type EgressRequest, type EgressResult } from "../../src/egress/egress.ts";
import { OpenIdProvider, type ProviderSettings } from "../../src/sign-in/openid/provider.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import type { HttpLog } from "../../src/log/port.ts";

/** Somebody at the provider. */
export interface Somebody {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

const CLIENT = { clientId: "troupe", clientSecret: "a secret of the client" };

export class TestProvider {
  readonly issuer: string;
  /** What comes between the service and the provider; answers what the service gets. */
  between: (request: EgressRequest, send: () => Promise<EgressResult>) => Promise<EgressResult> = (_, send) => send();
  private readonly server: Server;
  private readonly egress: Egress;
  private readonly people = new Map<string, Somebody>();
  private signingIn: Somebody | null = null;

  private constructor(server: Server, redirectUri: string) {
    this.server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.egress = createEgress({ allow: ["127.0.0.1"], production: false });
    const provider = this.providerAt(redirectUri);
    const answer = provider.callback();
    server.on("request", (request, response) => {
      if (!(request.url ?? "").startsWith("/interaction/")) return answer(request, response);
      const login = this.signingIn;
      const result = login === null ? { error: "access_denied" } : { login: { accountId: login.sub } };
      void provider.interactionFinished(request, response, result);
    });
  }

  static async start(redirectUri: string): Promise<TestProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new TestProvider(server, redirectUri);
  }

  private providerAt(redirectUri: string): Provider {
    const provider: Provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: [redirectUri],
          post_logout_redirect_uris: [new URL("/sign-in/provider/signed-out", redirectUri).href],
        },
      ],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      cookies: { keys: ["a key of the test's cookies"] },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => this.people.get(sub) ?? { sub } }),
      // Nobody is asked for their consent: the operator has given it.
      async loadExistingGrant(ctx: { oidc: { session: { accountId: string }; client: { clientId: string } } }) {
        const { session, client } = ctx.oidc;
        const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
        grant.addOIDCScope("openid email profile");
        await grant.save();
        return grant;
      },
    });
    return provider;
  }

  /** What the service asks of it, on its way. */
  send(request: EgressRequest): Promise<EgressResult> {
    return this.egress.request(request);
  }

  /** The client of the service; `changes` to what the operator has set. */
  client(log: HttpLog, changes: Partial<ProviderSettings> = {}): OpenIdProvider {
    const egress = {
      request: (request: EgressRequest) => this.between(request, () => this.send(request)),
    };
    const settings = { ...CLIENT, issuer: this.issuer, name: "Example ID", ...changes };
    return new OpenIdProvider(settings, { egress, clock: systemClock, log });
  }

  /** Follows the address as the browser of this person, who signs in (null: refuses); answers where they are sent back. */
  async visit(address: string, somebody: Somebody | null, cookies = new Map<string, string>()): Promise<string> {
    this.signingIn = somebody;
    if (somebody !== null) this.people.set(somebody.sub, somebody);
    let at = address;
    for (let hops = 0; at.startsWith(this.issuer); hops++) {
      if (hops > 10) throw new Error(`too many redirects, at ${at}`);
      const answer = await ask(at, cookies);
      const to = answer.headers.get("location");
      if (to === null) throw new Error(`${answer.status} at ${at}: ${await answer.text()}`);
      at = new URL(to, at).href;
    }
    return at;
  }

  /** Signs out at this address, as the browser with these cookies, and says yes; answers where they are sent back. */
  async signOut(address: string, cookies: Map<string, string>): Promise<string> {
    const page = await (await ask(address, cookies)).text();
    const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
    const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
    if (xsrf === "") throw new Error(page);
    const answer = await ask(action, cookies, new URLSearchParams({ xsrf, logout: "yes" }));
    return answer.headers.get("location") ?? "";
  }

  async stop(): Promise<void> {
    this.egress.close();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => void this.server.close(() => resolve()));
  }
}

/** One request of a browser, which keeps what it is given. */
async function ask(address: string, cookies: Map<string, string>, form?: URLSearchParams): Promise<Response> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const sent = form === undefined ? {} : { method: "POST", body: form };
  const answer = await fetch(address, { ...sent, headers: { cookie }, redirect: "manual" });
  for (const given of answer.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(given) ?? [];
    cookies.set(name, value);
  }
  return answer;
}
