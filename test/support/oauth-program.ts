/** A program that asks a person for a token, by `oauth4webapi`, which knows nothing of this service. */
import * as oauth from "oauth4webapi";
import { formsOf, type PlainBrowser, type Shown } from "./plain-browser.ts";
import type { Service } from "./service.ts";

export const ISSUER = "https://troupe.test";
export const REDIRECT = "http://127.0.0.1:8976/callback";

/** What a program keeps between the way out and the way back. */
export interface Asking {
  readonly url: URL;
  readonly verifier: string;
  readonly state: string;
}

export class OAuthProgram {
  private readonly service: Service;
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;

  private constructor(service: Service, server: oauth.AuthorizationServer, client: oauth.Client) {
    this.service = service;
    this.server = server;
    this.client = client;
  }

  /** Finds the server from the resource, and registers there. */
  static async register(service: Service, metadata: Partial<oauth.Client> = {}): Promise<OAuthProgram> {
    const fetching = fetchOf(service);
    const resource = new URL(ISSUER);
    const described = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, { [oauth.customFetch]: fetching }),
    );
    const issuer = new URL(described.authorization_servers?.[0] ?? "");
    const discovery = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", [oauth.customFetch]: fetching });
    const server = await oauth.processDiscoveryResponse(issuer, discovery);
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { client_name: "A test program", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none", ...metadata },
        { [oauth.customFetch]: fetching },
      ),
    );
    return new OAuthProgram(service, server, client);
  }

  /** Another one at the same server, for example one that has not registered. */
  as(client: oauth.Client): OAuthProgram {
    return new OAuthProgram(this.service, this.server, client);
  }

  /** The address that a browser is sent to; null leaves a parameter out. */
  async ask(changes: Readonly<Record<string, string | null>> = {}): Promise<Asking> {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(this.server.authorization_endpoint ?? "");
    const given: Readonly<Record<string, string | null>> = {
      response_type: "code",
      client_id: this.client.client_id,
      redirect_uri: REDIRECT,
      scope: "agents:read chats:write",
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: ISSUER,
      ...changes,
    };
    for (const [name, value] of Object.entries(given)) if (value !== null) url.searchParams.set(name, value);
    return { url, verifier, state };
  }

  /** Redeems what the browser has come back with. */
  async redeem(
    asking: Asking,
    back: string,
    changes: Readonly<Record<string, string>> = {},
  ): Promise<oauth.TokenEndpointResponse> {
    const parameters = oauth.validateAuthResponse(this.server, this.client, new URL(back), asking.state);
    const answer = await oauth.authorizationCodeGrantRequest(
      this.server,
      this.client,
      oauth.None(),
      parameters,
      changes["redirect_uri"] ?? REDIRECT,
      changes["code_verifier"] ?? asking.verifier,
      { [oauth.customFetch]: fetchOf(this.service), additionalParameters: { resource: changes["resource"] ?? ISSUER } },
    );
    return oauth.processAuthorizationCodeResponse(this.server, this.client, answer);
  }

  async refresh(refreshToken: string): Promise<oauth.TokenEndpointResponse> {
    const options = { [oauth.customFetch]: fetchOf(this.service) };
    const answer = await oauth.refreshTokenGrantRequest(this.server, this.client, oauth.None(), refreshToken, options);
    return oauth.processRefreshTokenResponse(this.server, this.client, answer);
  }

  async revoke(token: string): Promise<void> {
    const options = { [oauth.customFetch]: fetchOf(this.service) };
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(this.server, this.client, oauth.None(), token, options),
    );
  }

  /** All of it: the person consents, and the program has its tokens. */
  async letIn(
    browser: PlainBrowser,
    changes: Readonly<Record<string, string | null>> = {},
  ): Promise<oauth.TokenEndpointResponse> {
    const asking = await this.ask(changes);
    return this.redeem(asking, await allow(browser, asking), { resource: changes["resource"] ?? ISSUER });
  }
}

/** The address of the service is that of a test; what is asked of it goes where it listens. */
export const fetchOf =
  ({ url }: Service) =>
  (
    address: string,
    { method = "GET", headers, body }: Pick<RequestInit, "method" | "headers" | "body">,
  ): Promise<Response> =>
    fetch(address.replace(ISSUER, url), { method, headers, body: body ?? null, redirect: "manual" });

export const consentPage = (browser: PlainBrowser, { url }: Asking): Promise<Shown> =>
  browser.get(url.pathname + url.search);

/** The person lets the program in; answers where the browser is sent. */
export async function allow(browser: PlainBrowser, asking: Asking): Promise<string> {
  return decide(browser, await consentPage(browser, asking), "allow");
}

export async function decide(
  browser: PlainBrowser,
  page: Shown,
  decision: "allow" | "deny",
  grant?: readonly string[],
): Promise<string> {
  if (!formsOf(page.html).some(({ action }) => action === "/oauth/authorize"))
    throw new Error(`${page.status} ${page.at} ${page.html}`);
  const scopes = [...page.html.matchAll(/name="grant" value="([^"]+)"/g)].map(([, scope = ""]) => scope);
  return (await browser.submit(page, "/oauth/authorize", { decision, grant: grant ?? scopes })).at;
}
