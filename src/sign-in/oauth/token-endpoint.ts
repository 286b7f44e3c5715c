/**
 * The endpoints at which programs get and revoke tokens (RFC 6749, 7009, 7591). Every error of a code or a refresh
 * token gets the same answer.
 */
import { attemptsRef } from "../../../actors/account/schema.ts";
import { GRANTABLE_SCOPES } from "../../../actors/organization/principal.ts";
import type { Directory } from "../../../actors/organization/directory.ts";
import type { Issued } from "../../../actors/organization/people-protocol.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import type { Outcome } from "../../../actors/fault.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import { isoTime } from "../../../actors/schema.ts";
import type { Sealing } from "../../../actors/sealing.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import { checkToken, makeToken, type MintedToken } from "../../http/admission/token.ts";
import { lookUp } from "../../log/look-up.ts";
import type { HttpLog } from "../../log/port.ts";
import { oauthAnswer, oauthDone, oauthRefusal } from "./answer.ts";
import { tokenResource } from "./authorization-request.ts";
import { type Clients, parseClientDocument, readMetadata } from "./clients.ts";
import { accessBitsOf, verifierChallenge, readCode, readRefreshToken, refreshTokenOf } from "./grant-secrets.ts";

/** The lifetime of an access token; programs refresh it by themselves. */
export const ACCESS_TOKEN_SECONDS = 3_600;
/** Programs that one address may register before it must wait. */
const FREE_REGISTRATIONS = 20;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
const CLIENT_HASH_CHARACTERS = 32;

export interface TokenParts {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly sealing: Sealing;
  readonly clients: Clients;
  readonly clock: Pick<Clock, "now">;
  readonly log: HttpLog;
  readonly appUrl: () => string;
  readonly onRevoked: (tokenId: string) => void;
}

/** A form from a program, and its sender. */
export interface SentForm {
  readonly form: URLSearchParams;
  readonly address: string;
}

export async function issueToken(parts: TokenParts, sent: SentForm): Promise<Response> {
  const { form } = sent;
  const repeated = [...form.keys()].find((name) => name !== "resource" && form.getAll(name).length > 1);
  if (repeated !== undefined) return oauthRefusal("invalid_request", `${repeated} was sent more than once`);
  switch (form.get("grant_type")) {
    case null:
    case "":
      return oauthRefusal("invalid_request", "grant_type is missing");
    case "authorization_code":
      return redeem(parts, sent);
    case "refresh_token":
      return refresh(parts, sent);
    default:
      return oauthRefusal("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
  }
}

async function redeem(parts: TokenParts, { form, address }: SentForm): Promise<Response> {
  const code = readCode(form.get("code") ?? "");
  const verifier = form.get("code_verifier") ?? "";
  if (!VERIFIER.test(verifier)) return oauthRefusal("invalid_request", "code_verifier is missing or malformed");
  const resource = requestedResource(parts, form);
  if (resource === undefined) return BAD_TARGET();
  if (code === null) return BAD_GRANT();
  const { grantId, organizationId } = code;
  const { secret, issued } = await issue(parts, makeToken("oauth"), (made) =>
    parts.system.dispatch(organizationRef(organizationId), {
      kind: "redeem_code",
      grantId,
      given: {
        codeHash: code.codeHash,
        codeChallenge: verifierChallenge(verifier),
        clientId: form.get("client_id") ?? "",
        redirectUri: form.get("redirect_uri") ?? "",
        resource,
      },
      token: made,
      origin: { userId: null, tokenId: null, address },
    }),
  );
  return tokenAnswer(parts, organizationId, { secret, issued });
}

async function refresh(parts: TokenParts, { form, address }: SentForm): Promise<Response> {
  const given = readRefreshToken(parts.sealing, form.get("refresh_token") ?? "");
  const resource = requestedResource(parts, form);
  if (resource === undefined) return BAD_TARGET();
  if (given === null) return BAD_GRANT();
  const { grantId, organizationId, generation } = given;
  const scope = form.get("scope");
  const scopes = scope === null ? null : GRANTABLE_SCOPES.filter((each) => scope.split(/\s+/).includes(each));
  if (scopes?.length === 0) return oauthRefusal("invalid_scope", "scope has nothing that was granted");
  const minted = makeToken("oauth", accessBitsOf(parts.sealing, given, generation));
  const { secret, issued } = await issue(parts, minted, (made) =>
    parts.system.dispatch(organizationRef(organizationId), {
      kind: "refresh_grant",
      grantId,
      given: { clientId: form.get("client_id") ?? "", generation, resource, scopes },
      token: made,
      origin: { userId: null, tokenId: null, address },
    }),
  );
  return tokenAnswer(parts, organizationId, { secret, issued });
}

/** The resource that the request names, null for none; undefined if it is not ours. */
function requestedResource(parts: TokenParts, form: URLSearchParams): string | null | undefined {
  const given = form.getAll("resource");
  return given.length === 0 ? null : (tokenResource(given, parts.appUrl()) ?? undefined);
}

type NewAccess = { readonly hash: string; readonly hint: string; readonly expiresAt: string };

async function issue(
  parts: TokenParts,
  { secret, hash, hint }: MintedToken,
  take: (made: NewAccess) => Promise<Outcome<Issued>>,
) {
  const expiresAt = isoTime(parts.clock.now() + ACCESS_TOKEN_SECONDS * 1_000);
  return { secret, issued: await take({ hash, hint, expiresAt }) };
}

function tokenAnswer(
  parts: TokenParts,
  organizationId: string,
  { secret, issued }: { secret: string; issued: Outcome<Issued> },
): Response {
  if (!issued.ok) return oauthRefusal("temporarily_unavailable", "The service cannot do this now");
  for (const id of issued.value.endedIds) parts.onRevoked(id);
  if (issued.value.kind === "refused") return BAD_GRANT();
  const { grant, token: made } = issued.value;
  return oauthAnswer({
    access_token: secret,
    token_type: "Bearer",
    expires_in: Math.max(0, Math.ceil((Date.parse(made.expiresAt) - parts.clock.now()) / 1_000)),
    refresh_token: refreshTokenOf(parts.sealing, { organizationId, grantId: grant.id }, grant.generation),
    scope: made.scopes.join(" "),
  });
}

const BAD_GRANT = (): Response =>
  oauthRefusal("invalid_grant", "The code or refresh token is invalid, or not for this client");
const BAD_TARGET = (): Response => oauthRefusal("invalid_target", "resource is not one of this service");

/** A program registers itself (RFC 7591). */
export async function register(
  parts: TokenParts,
  { body, address }: { readonly body: string; readonly address: string },
): Promise<Response> {
  const fields = parseClientDocument(body);
  if (fields === null)
    return oauthRefusal("invalid_client_metadata", "The body must be a JSON object, without NUL and lone surrogates");
  const metadata = readMetadata(fields);
  if (typeof metadata === "string") {
    const isUri = metadata.startsWith("redirect_uris");
    return oauthRefusal(isUri ? "invalid_redirect_uri" : "invalid_client_metadata", metadata);
  }
  const ref = attemptsRef(`reg_${Bun.SHA256.hash(address, "hex").slice(0, CLIENT_HASH_CHARACTERS)}`);
  const admitted = await parts.system.dispatch(ref, { kind: "admit_attempt", free: FREE_REGISTRATIONS });
  if (!admitted.ok && admitted.fault.kind === "rate_limited")
    return oauthRefusal("temporarily_unavailable", "Too many registrations from here", admitted.fault.retryAfterMs);
  const client = admitted.ok ? await parts.clients.register(metadata) : admitted;
  if (!client.ok) return oauthRefusal("temporarily_unavailable", "The service cannot do this now");
  return oauthAnswer(
    {
      client_id: client.value.id,
      client_id_issued_at: Math.floor(parts.clock.now() / 1_000),
      client_name: client.value.name,
      redirect_uris: client.value.redirectUris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    201,
  );
}

/**
 * Ends the grant of a token (RFC 7009). The holder of a token may revoke it; an unknown token counts as already
 * revoked.
 */
export async function revoke(parts: TokenParts, { form, address }: SentForm): Promise<Response> {
  const text = form.get("token") ?? "";
  const origin = { userId: null, tokenId: null, address };
  const refreshed = readRefreshToken(parts.sealing, text);
  const place = refreshed ?? (await grantOfAccess(parts, text));
  if (place === null) return oauthDone();
  const { organizationId, grantId } = place;
  const ended = await parts.system.dispatch(organizationRef(organizationId), {
    kind: "end_grant",
    grantId,
    userId: null,
    origin,
  });
  if (ended.ok) for (const id of ended.value.endedIds) parts.onRevoked(id);
  else if (ended.fault.kind !== "not_found")
    return oauthRefusal("temporarily_unavailable", "The service cannot do this now");
  return oauthDone();
}

async function grantOfAccess({ directory, system, log }: TokenParts, text: string) {
  const hash = text.startsWith("oat_") ? checkToken(text) : null;
  if (hash === null) return null;
  const found = await lookUp(log, directory.findToken(hash));
  if (!found.ok || found.value === null) return null;
  const { organizationId, tokenId } = found.value;
  const grant = await system.dispatch(organizationRef(organizationId), { kind: "grant_of_token", tokenId });
  return grant.ok && grant.value !== null ? { organizationId, grantId: grant.value } : null;
}

/** Describes a token to an owner of its organization (RFC 7662). */
export async function introspect(
  parts: TokenParts,
  of: { readonly form: URLSearchParams; readonly organizationId: string },
): Promise<Response> {
  const { system, directory, log, appUrl } = parts;
  const text = of.form.get("token") ?? "";
  const hash = checkToken(text);
  const found = hash === null ? null : await lookUp(log, directory.findToken(hash));
  if (found !== null && !found.ok) return oauthRefusal("temporarily_unavailable", "The service cannot do this now");
  // Nothing of another organization is revealed, not even that the token exists.
  if (hash === null || found?.value?.organizationId !== of.organizationId) return oauthAnswer({ active: false });
  const { tokenId } = found.value;
  const asked = await system.dispatch(organizationRef(of.organizationId), { kind: "authenticate", tokenId, hash });
  if (!asked.ok) return oauthAnswer({ active: false });
  const { principal, audience } = asked.value;
  return oauthAnswer({
    active: true,
    scope: principal.scopes.join(" "),
    token_type: "Bearer",
    sub: principal.userId,
    aud: audience ?? appUrl(),
    iss: appUrl(),
    exp: Math.floor(Date.parse(principal.expiresAt) / 1_000),
    jti: tokenId,
  });
}
