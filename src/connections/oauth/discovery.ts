/**
 * Finds the authorization server of a tool server, as MCP prescribes:
 *
 *   challenge, or well-known places ─▶ metadata of the resource (RFC 9728) ─▶ issuer
 *                                                                              │
 *      metadata of the server (RFC 8414, OpenID Connect Discovery) ◀───────────┘
 *
 * Guarantees: the metadata of the resource covers the address that will get the token; the issuer in the server's
 * metadata is, to the letter, the one that was asked for; every endpoint is https, or plain http that the operator has
 * opened. No redirect is followed. What is returned is plain JSON of bounded size, fit to be stored.
 */
import type { SmallFetch } from "../../egress/small-fetch.ts";
import type { AuthorizationChallenge } from "./challenge.ts";
import { asFault, AuthorizationFault, mayPassSoon } from "./fault.ts";
import { plainServer, type ServerMetadata, usableEndpoint } from "./metadata.ts";
import type { OAuthReach } from "./reach.ts";
import { grantableScopes, scopesOf, withOfflineAccess } from "./scope.ts";

export interface AuthorizationTarget {
  /** The resource that tokens are asked for, as its server spells it. */
  readonly resource: string;
  readonly issuer: string;
  readonly server: ServerMetadata;
  /** What to ask for; empty: whatever the server grants by default. */
  readonly scopes: readonly string[];
}

/** For all documents together; each of them has the limit of a request. */
const DISCOVERY_MS = 20_000;

/**
 * `challenge`: what the tool server has answered, if it was called already. Throws `AuthorizationFault`.
 */
export async function discover(
  reach: OAuthReach,
  resourceUrl: string,
  challenge: Pick<AuthorizationChallenge, "resourceMetadata" | "scope"> = {},
): Promise<AuthorizationTarget> {
  const address = URL.parse(resourceUrl);
  if (address === null) throw new AuthorizationFault("untrusted", "The tool server's address is not a URL.");
  return asFault(address.host, "The metadata", async () => {
    const signal = AbortSignal.timeout(DISCOVERY_MS);
    const read = documentReader(reach.fetch, signal);
    const resource = await findResource(read, address, challenge.resourceMetadata);
    const server =
      resource === null ? await olderServer(reach, read, address) : await readServer(reach, read, resource.issuer);
    const asked = challenge.scope === undefined ? (resource?.scopes ?? []) : scopesOf(challenge.scope);
    return {
      resource: resource?.resource ?? withoutHash(address),
      issuer: server.issuer,
      server,
      scopes: withOfflineAccess(asked, server.scopes_supported),
    };
  });
}

type DocumentReader = (url: string) => Promise<Readonly<Record<string, unknown>> | null>;

/**
 * Reads a JSON object; null if the server has none there. A failed server or a broken document does not count as
 * absent: otherwise somebody who breaks a document could choose the next one.
 */
const documentReader =
  (fetching: SmallFetch, signal: AbortSignal): DocumentReader =>
  async (url) => {
    const headers = { accept: "application/json" };
    const answer = await fetching(url, { method: "GET", headers, signal });
    if (mayPassSoon(answer.status))
      throw new AuthorizationFault("away", `${new URL(url).host} cannot be reached now. Try again in a moment.`);
    // Servers of web pages answer any path with a page.
    const isPage = /^text\/html\b/i.test(answer.headers.get("content-type") ?? "");
    if (answer.status !== 200 || isPage) return null;
    const document: unknown = await answer.json().catch(() => null);
    if (typeof document !== "object" || document === null || Array.isArray(document))
      throw new AuthorizationFault("untrusted", `The metadata of ${new URL(url).host} is not a JSON object.`);
    return document as Readonly<Record<string, unknown>>;
  };

interface FoundResource {
  readonly resource: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
}

/** Null if the server publishes none, as under older revisions of MCP. */
async function findResource(
  read: DocumentReader,
  address: URL,
  named: string | undefined,
): Promise<FoundResource | null> {
  const places = named === undefined ? resourcePlaces(address) : [named];
  for (const place of places) {
    if (URL.parse(place) === null) break;
    const document = await read(place);
    if (document !== null) return resourceIn(document, address);
  }
  if (named === undefined) return null;
  throw new AuthorizationFault("untrusted", `${address.host} names a metadata document that does not exist.`);
}

const resourcePlaces = ({ origin, pathname }: URL): string[] => {
  const root = `${origin}/.well-known/oauth-protected-resource`;
  return pathname === "/" ? [root] : [root + pathname, root];
};

function resourceIn(document: Readonly<Record<string, unknown>>, address: URL): FoundResource {
  const { resource, authorization_servers: issuers } = document;
  if (typeof resource !== "string" || !covers(resource, address))
    throw new AuthorizationFault("untrusted", `The metadata of ${address.host} describes a different address.`);
  const issuer: unknown = Array.isArray(issuers) ? issuers[0] : undefined;
  if (typeof issuer !== "string")
    throw new AuthorizationFault("unsupported", `${address.host} names no authorization server.`);
  return { resource, issuer, scopes: grantableScopes(document["scopes_supported"]) };
}

/** Whether a resource is this address, or a folder above it. */
function covers(resource: string, address: URL): boolean {
  const its = URL.parse(resource);
  if (its === null || its.origin !== address.origin || its.hash !== "" || its.username + its.password !== "")
    return false;
  if (its.search !== "" && its.search !== address.search) return false;
  const folder = its.pathname.endsWith("/") ? its.pathname : `${its.pathname}/`;
  return `${address.pathname}/`.startsWith(folder);
}

/** The server's metadata. Throws if it has none. */
async function readServer(reach: OAuthReach, read: DocumentReader, issuer: string): Promise<ServerMetadata> {
  const url = await usableEndpoint(reach, issuer);
  if (url === null || url.search !== "")
    throw new AuthorizationFault("untrusted", "The tool server names an authorization server without a valid address.");
  for (const place of serverPlaces(url)) {
    const document = await read(place);
    if (document === null) continue;
    // Nothing else is tried: a server that gives another name may be an attacker between two servers (mix-up).
    if (document["issuer"] !== issuer)
      throw new AuthorizationFault("untrusted", `The metadata of ${url.host} is that of another issuer.`);
    return plainServer(reach, url.host, { ...document, issuer });
  }
  throw new AuthorizationFault("unsupported", `${url.host} publishes no metadata of an authorization server.`);
}

function serverPlaces({ origin, pathname }: URL): string[] {
  const path = pathname.replace(/\/$/, "");
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return path === "" ? places : [...places, `${origin}${path}/.well-known/openid-configuration`];
}

/**
 * A tool server of the revision 2025-03-26 is its own authorization server, at its origin; without metadata it has the
 * endpoints that this revision names, which prescribes PKCE for all.
 */
async function olderServer(reach: OAuthReach, read: DocumentReader, { origin, host }: URL): Promise<ServerMetadata> {
  for (const place of serverPlaces(new URL(origin))) {
    const document = await read(place);
    if (document === null) continue;
    const { issuer } = document;
    if (issuer !== origin && issuer !== `${origin}/`)
      throw new AuthorizationFault("untrusted", `The metadata of ${host} is that of another issuer.`);
    return plainServer(reach, host, { ...document, issuer });
  }
  return plainServer(reach, host, {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ["S256"],
  });
}

const withoutHash = (address: URL): string => {
  const url = new URL(address);
  url.hash = "";
  // A URL without a path has one character more when it is written out; servers spell it without.
  return url.pathname === "/" && url.search === "" ? url.origin : url.href;
};
