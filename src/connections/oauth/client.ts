/**
 * The authorization code flow, by which a person lets the service use their account at a tool server (OAuth 2.1, as MCP
 * narrows it): PKCE with S256, `state`, the `iss` of RFC 9207, and the `resource` of RFC 8707, so that a token serves one
 * tool server. `oauth4webapi` implements the protocol. Nothing here stores anything.
 *
 *   discover ─▶ becomeClient ─▶ beginAuthorization ─▶ (the browser) ─▶ finishAuthorization ─▶ refreshTokens … revokeAtServer
 *
 * Everything throws `AuthorizationFault`, whose message a person may read.
 */
import { isoTime } from "../../../actors/schema.ts";
import * as oauth from "oauth4webapi";
import type { AuthorizationTarget } from "./discovery.ts";
import { asFault, AuthorizationFault } from "./fault.ts";
import type { OAuthReach } from "./reach.ts";
import type { RegisteredClient } from "./registration.ts";
import { needsConsent } from "./scope.ts";

/** What must be kept, sealed, until the person comes back. */
export interface PendingAuthorization {
  readonly state: string;
  /** The secret of PKCE. */
  readonly verifier: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Where the person was sent, and for what: the answer of another server is refused. */
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
}

/** Must be sealed where they are stored. */
export interface OAuthTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Omitted if the server does not say. */
  readonly expiresAt?: string;
  /** The granted scopes with spaces between them; omitted if the server does not say. */
  readonly scope?: string;
}

/** Sends the person to the server. `state` is a secret of the caller, by which the return is found again. */
export async function beginAuthorization(
  target: AuthorizationTarget,
  client: RegisteredClient,
  asked: { readonly redirectUri: string; readonly scopes: readonly string[]; readonly state: string },
): Promise<{ readonly url: URL; readonly pending: PendingAuthorization }> {
  const { resource, issuer, server } = target;
  const { redirectUri, scopes, state } = asked;
  assertTogether(target, client);
  if (server.code_challenge_methods_supported?.includes("S256") !== true)
    throw new AuthorizationFault(
      "unsupported",
      `${new URL(issuer).host} does not offer PKCE with S256, which protects the connection.`,
    );
  const verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    client_id: client.clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    state,
    resource,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
    ...(needsConsent(scopes) ? { prompt: "consent" } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const { clientId } = client;
  return { url, pending: { state, verifier, redirectUri, scopes, issuer, resource, clientId } };
}

/** Redeems the code with which the person has come back, so call it once. */
export async function finishAuthorization(
  reach: OAuthReach,
  target: AuthorizationTarget,
  client: RegisteredClient,
  { pending, answer }: { readonly pending: PendingAuthorization; readonly answer: URLSearchParams },
): Promise<OAuthTokens> {
  const { resource, issuer, server } = target;
  assertTogether(target, client);
  if (pending.issuer !== issuer || pending.resource !== resource || pending.clientId !== client.clientId)
    throw new AuthorizationFault("untrusted", "This answer belongs to another connection. Connect again.");
  const { host } = new URL(issuer);
  const known = { client_id: client.clientId };
  const parameters = await asFault(host, "The answer", async () =>
    oauth.validateAuthResponse(server, known, answer, pending.state),
  );
  return asFault(host, "The token", async () => {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      known,
      authentication(client),
      parameters,
      pending.redirectUri,
      pending.verifier,
      { ...guardedOptions(reach), additionalParameters: { resource } },
    );
    const given = await oauth.processAuthorizationCodeResponse(server, known, response);
    return checkedTokens(given, host, reach.now());
  });
}

/**
 * A new access token, and the former refresh token if the server gave no new one. A fault of the kind `refused` is final:
 * the person must connect again. After an answer that cannot be trusted the refresh token may be used up.
 */
export async function refreshTokens(
  reach: OAuthReach,
  target: AuthorizationTarget,
  client: RegisteredClient,
  refreshToken: string,
): Promise<OAuthTokens> {
  const { resource, issuer, server } = target;
  assertTogether(target, client);
  const { host } = new URL(issuer);
  const known = { client_id: client.clientId };
  return asFault(host, "The token", async () => {
    const response = await oauth.refreshTokenGrantRequest(server, known, authentication(client), refreshToken, {
      ...guardedOptions(reach),
      additionalParameters: { resource },
    });
    const given = await oauth.processRefreshTokenResponse(server, known, response);
    return { refreshToken, ...checkedTokens(given, host, reach.now()) };
  });
}

/** Ends a token at its server (RFC 7009). False if the server has no place for that. */
export async function revokeAtServer(
  reach: OAuthReach,
  target: AuthorizationTarget,
  client: RegisteredClient,
  token: { readonly value: string; readonly kind: "access_token" | "refresh_token" },
): Promise<boolean> {
  const { issuer, server } = target;
  assertTogether(target, client);
  if (server.revocation_endpoint === undefined) return false;
  await asFault(new URL(issuer).host, "The answer", async () => {
    const known = { client_id: client.clientId };
    const additionalParameters = { token_type_hint: token.kind };
    const response = await oauth.revocationRequest(server, known, authentication(client), token.value, {
      ...guardedOptions(reach),
      additionalParameters,
    });
    await oauth.processRevocationResponse(response);
  });
  return true;
}

/** A client and its secret are only for the server that knows it; the callers store both, so a breach is a bug. */
function assertTogether({ issuer }: AuthorizationTarget, client: RegisteredClient): void {
  if (client.issuer !== issuer) throw new Error("a client is used at an authorization server that is not its own");
}

function authentication({ authMethod, clientSecret = "" }: RegisteredClient): oauth.ClientAuth {
  if (authMethod === "none") return oauth.None();
  return authMethod === "client_secret_post" ? oauth.ClientSecretPost(clientSecret) : basic(clientSecret);
}

/**
 * The library also encodes `-`, `.` and `_`, which the form encoding leaves alone; servers that do not decode (many) then
 * do not know the client.
 */
const basic =
  (secret: string): oauth.ClientAuth =>
  (_server, client, _body, headers) => {
    const credentials = `${formEncoded(client.client_id)}:${formEncoded(secret)}`;
    headers.set("authorization", `Basic ${Buffer.from(credentials).toString("base64")}`);
  };

const formEncoded = (text: string): string => new URLSearchParams({ a: text }).toString().slice("a=".length);

/** The guarded client decides about plain http. */
const guardedOptions = ({ fetch }: OAuthReach) => ({ [oauth.customFetch]: fetch, [oauth.allowInsecureRequests]: true });

/** What a header can carry; tokens with many claims have some KiB. */
const TOKEN_TEXT = /^[\x21-\x7e]{1,16384}$/;
const MAX_SCOPE_CHARACTERS = 8_192;
/** A longer life is not believed. */
const MAX_LIFE_SECONDS = 10 * 365 * 86_400;

function checkedTokens(given: oauth.TokenEndpointResponse, host: string, now: number): OAuthTokens {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: life, scope } = given;
  if (given.token_type !== "bearer")
    throw new AuthorizationFault("unsupported", `${host} issues tokens of a kind that this service lacks.`);
  if (!TOKEN_TEXT.test(accessToken) || !TOKEN_TEXT.test(refreshToken ?? "none"))
    throw new AuthorizationFault("untrusted", `The token of ${host} is not valid.`);
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(life === undefined ? {} : { expiresAt: isoTime(now + Math.floor(Math.min(life, MAX_LIFE_SECONDS) * 1_000)) }),
    ...(scope === undefined || scope.length > MAX_SCOPE_CHARACTERS ? {} : { scope }),
  };
}
