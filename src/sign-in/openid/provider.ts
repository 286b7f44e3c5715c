/**
 * The operator's OpenID Connect provider (AUTH-21): sends people there, and verifies who comes back. `oauth4webapi`
 * implements the protocol: the authorization code with PKCE, `state`, `nonce`, the `iss` of the answer, and the
 * signature of the ID token. Nothing here knows our people.
 */
import { cutText } from "../../../actors/cut-text.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { Egress } from "../../egress/egress.ts";
import type { HttpLog } from "../../log/port.ts";
import { smallFetch, SmallFetchFailed } from "../../egress/small-fetch.ts";
import * as oauth from "oauth4webapi";

/** The operator's settings. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Its name for people. */
  readonly name: string;
}

export interface ProviderParts {
  /** A client that may reach the host of the issuer, public or not. */
  readonly egress: Pick<Egress, "request">;
  readonly clock: Pick<Clock, "now">;
  readonly log: HttpLog;
}

/** Values that go out with a person and must come back with them. */
export interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The parameters of a sign-out. */
export interface SignOut {
  /** Where the person comes back; registered at the provider by the operator. */
  readonly redirectUri: string;
  /** Empty if it was too long to keep. */
  readonly idToken: string;
  readonly state: string;
}

/** A person as the provider identifies them. */
export interface ProvenPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider has verified the address. */
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  /** The signed ID token: the hint for signing out at the provider. */
  readonly idToken: string;
}

/**
 * `away`: the provider cannot be reached, or fails. `refused`: it did not sign the person in. `misconfigured`: it does
 * not know this service, or is not the configured provider. `unproven`: the answer does not belong to the request, or
 * is not the provider's.
 */
export type ProviderFailure = { readonly kind: "away" | "refused" | "misconfigured" | "unproven" };

/** The provider's metadata is read again after this; while the provider is unavailable, the last version is used. */
const METADATA_MS = 3_600_000;
/** Documents, keys and tokens are small, and a person waits. */
const PROVIDER_LIMITS = { timeoutMs: 8_000, maxResponseBytes: 512 * 1_024 };
const SCOPE = "openid email profile";
const PROVIDED_NAME_CHARACTERS = 100;

export class OpenIdProvider {
  readonly name: string;
  readonly issuer: string;
  private readonly settings: ProviderSettings;
  private readonly parts: ProviderParts;
  private readonly fetching: ReturnType<typeof smallFetch>;
  private readonly keys: oauth.JWKSCacheInput = {};
  private known: { readonly server: oauth.AuthorizationServer; readonly until: number } | null = null;
  private reading: Promise<oauth.AuthorizationServer> | null = null;

  constructor(settings: ProviderSettings, parts: ProviderParts) {
    this.name = settings.name;
    this.issuer = settings.issuer;
    this.settings = settings;
    this.parts = parts;
    this.fetching = smallFetch(parts.egress, PROVIDER_LIMITS);
  }

  /** Logs whether people can sign in by the provider. Does not reject: an unavailable provider may come back. */
  async check(): Promise<void> {
    const { log } = this.parts;
    const { issuer } = this;
    try {
      await this.server();
      log.info({ issuer }, "people can sign in by the OpenID provider");
    } catch (error) {
      log.warn(
        { issuer, ...detailsOf(error) },
        "the OpenID provider cannot be used now; it is tried again when somebody signs in",
      );
    }
  }

  /** The URL to which the person's browser is sent. */
  async begin(redirectUri: string, { state, nonce, verifier }: FlowSecrets): Promise<URL | ProviderFailure> {
    return this.guarded("misconfigured", async () => {
      const url = new URL((await this.server()).authorization_endpoint ?? "");
      const asked = {
        client_id: this.settings.clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
      return url;
    });
  }

  /** Verifies who has come back with `answer`, the query of the address. It redeems the code, so call it once. */
  async finish(
    redirectUri: string,
    answer: URLSearchParams,
    { state, nonce, verifier }: FlowSecrets,
  ): Promise<ProvenPerson | ProviderFailure> {
    return this.guarded("unproven", async () => {
      const server = await this.server();
      const client: oauth.Client = { client_id: this.settings.clientId };
      const parameters = oauth.validateAuthResponse(server, client, answer, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        this.authentication(server),
        parameters,
        redirectUri,
        verifier,
        this.options,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      await oauth.validateApplicationLevelSignature(server, response, {
        ...this.options,
        [oauth.jwksCache]: this.keys,
      });
      const claims = oauth.getValidatedIdTokenClaims(tokens);
      if (claims === undefined) throw new Error("no ID token");
      // Many providers give the e-mail address only from the userinfo endpoint.
      const hasAll = claims["email"] !== undefined || server.userinfo_endpoint === undefined;
      const said = hasAll ? claims : await this.userInfo(server, client, tokens, claims.sub);
      return provenPerson(claims, said, tokens.id_token ?? "");
    });
  }

  /**
   * The URL at which a person signs out at the provider (OpenID Connect RP-Initiated Logout 1.0), and from which they
   * come back with `state`. Null if the provider does not offer it, or is unavailable.
   */
  async signOut(asked: SignOut): Promise<URL | null> {
    try {
      const { end_session_endpoint: endpoint } = await this.server();
      if (endpoint === undefined || !this.isUsable(endpoint)) return null;
      const url = new URL(endpoint);
      url.searchParams.set("client_id", this.settings.clientId);
      if (asked.idToken !== "") url.searchParams.set("id_token_hint", asked.idToken);
      url.searchParams.set("post_logout_redirect_uri", asked.redirectUri);
      url.searchParams.set("state", asked.state);
      return url;
    } catch (error) {
      this.parts.log.warn({ issuer: this.issuer, ...detailsOf(error) }, "nobody can sign out at the OpenID provider");
      return null;
    }
  }

  private async userInfo(
    server: oauth.AuthorizationServer,
    client: oauth.Client,
    tokens: oauth.TokenEndpointResponse,
    subject: string,
  ): Promise<oauth.UserInfoResponse> {
    const response = await oauth.userInfoRequest(server, client, tokens.access_token, this.options);
    return oauth.processUserInfoResponse(server, client, subject, response);
  }

  /** How the secret is sent: as the provider's metadata requires, else the standard's default. */
  private authentication({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer) {
    const isPostOnly = methods?.includes("client_secret_post") === true && !methods.includes("client_secret_basic");
    return (isPostOnly ? oauth.ClientSecretPost : oauth.ClientSecretBasic)(this.settings.clientSecret);
  }

  private get options() {
    return { [oauth.customFetch]: this.fetching, [oauth.allowInsecureRequests]: isPlain(this.issuer) };
  }

  /** The provider's metadata. Throws if it cannot be read or used. */
  private async server(): Promise<oauth.AuthorizationServer> {
    const { known } = this;
    const now = this.parts.clock.now();
    if (known !== null && known.until > now) return known.server;
    this.reading ??= this.discover().finally(() => (this.reading = null));
    try {
      const server = await this.reading;
      this.known = { server, until: now + METADATA_MS };
      return server;
    } catch (error) {
      if (known !== null) return known.server;
      throw error;
    }
  }

  private async discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.issuer);
    const response = await oauth.discoveryRequest(issuer, this.options);
    if (response.status !== 200) throw new SmallFetchFailed(issuer, response.status);
    const server = await oauth.processDiscoveryResponse(issuer, response);
    for (const endpoint of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
      if (!this.isUsable(server[endpoint] ?? "")) throw new Error(`its ${endpoint} is not an https address`);
    }
    return server;
  }

  /** Whether an endpoint is https; plain http is accepted only if the issuer itself is configured with it. */
  private isUsable(address: string): boolean {
    const protocol = URL.parse(address)?.protocol;
    return protocol === "https:" || (protocol === "http:" && isPlain(this.issuer));
  }

  /** The result of `work`. Errors are logged; the person sees only their kind. */
  private async guarded<T>(usually: ProviderFailure["kind"], work: () => Promise<T>): Promise<T | ProviderFailure> {
    try {
      return await work();
    } catch (error) {
      const kind = failureKind(error) ?? usually;
      this.parts.log.warn(
        { issuer: this.issuer, kind, ...detailsOf(error) },
        "a sign-in by the OpenID provider failed",
      );
      return { kind };
    }
  }
}

/** Errors of providers for an unknown or wrongly authenticated client. */
const CLIENT_ERRORS = ["invalid_client", "unauthorized_client"];

function failureKind(error: unknown): ProviderFailure["kind"] | null {
  if (error instanceof SmallFetchFailed) return "away";
  if (error instanceof oauth.AuthorizationResponseError) return "refused";
  const isOfClient = error instanceof oauth.ResponseBodyError && CLIENT_ERRORS.includes(error.error);
  return isOfClient || error instanceof oauth.WWWAuthenticateChallengeError ? "misconfigured" : null;
}

const LOGGED_CHARACTERS = 200;

/** Details for the log: never the answers themselves, which contain codes and tokens. */
function detailsOf(error: unknown): { readonly reason: string; readonly said?: string } {
  const reason = cutText(error instanceof Error ? error.message : String(error), LOGGED_CHARACTERS);
  const isAnswer = error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError;
  return isAnswer ? { reason, said: cutText(error.error, LOGGED_CHARACTERS) } : { reason };
}

const isPlain = (issuer: string): boolean => issuer.startsWith("http:");

function provenPerson(
  { iss: issuer, sub: subject }: Pick<oauth.IDToken, "iss" | "sub">,
  { email, email_verified: isVerified, name }: Readonly<Record<string, unknown>>,
  idToken: string,
): ProvenPerson {
  const said = typeof name === "string" ? name.replace(/\p{Cc}/gu, " ").trim() : "";
  return {
    issuer,
    subject,
    email: typeof email === "string" && email.trim() !== "" ? email.trim() : null,
    isEmailVerified: isVerified === true,
    name: said === "" ? null : cutText(said, PROVIDED_NAME_CHARACTERS),
    idToken,
  };
}
