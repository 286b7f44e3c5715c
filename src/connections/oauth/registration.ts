/**
 * Becoming a client of an authorization server, in the order of MCP: as the operator or an owner has registered it
 * before, by the document that the service publishes about itself, or by dynamic registration (RFC 7591).
 */
import { isoTime } from "../../../actors/schema.ts";
import * as oauth from "oauth4webapi";
import type { AuthorizationTarget } from "./discovery.ts";
import { asFault, AuthorizationFault } from "./fault.ts";
import type { ServerMetadata } from "./metadata.ts";
import type { OAuthReach } from "./reach.ts";

const AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"] as const;
export type ClientAuthMethod = (typeof AUTH_METHODS)[number];

/** A client of one authorization server. Its secret must be sealed where it is stored. */
export interface RegisteredClient {
  /** The server that knows it: no other server ever gets its secret. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authMethod: ClientAuthMethod;
  /** When the secret expires: register again by then. */
  readonly secretExpiresAt?: string;
}

export interface Registration {
  readonly redirectUri: string;
  /** The name that the authorization server shows to people. */
  readonly clientName: string;
  /** The address of our own document; omitted if other servers cannot reach it. */
  readonly clientMetadataUrl?: string;
  /** A client that was registered before, by hand. It is refused at another server than the one that knows it. */
  readonly known?: Pick<RegisteredClient, "issuer" | "clientId" | "clientSecret">;
}

/** Throws `AuthorizationFault`. */
export async function becomeClient(
  reach: OAuthReach,
  { issuer, server }: AuthorizationTarget,
  registration: Registration,
): Promise<RegisteredClient> {
  const { known, clientMetadataUrl } = registration;
  if (known !== undefined) {
    const { clientId, clientSecret } = known;
    if (known.issuer !== issuer)
      throw new AuthorizationFault(
        "untrusted",
        `The tool server names another authorization server, ${new URL(issuer).host}, than the one that its client is registered at (${known.issuer}). Nothing was sent to it: an owner must check the client of the agent's server.`,
      );
    if (!CLIENT_TEXT.test(clientSecret ?? ""))
      throw new AuthorizationFault("unsupported", "The secret of the client has characters that no client has.");
    if (clientSecret === undefined) return { issuer, clientId, authMethod: "none" };
    return { issuer, clientId, clientSecret, authMethod: secretMethod(server) };
  }
  if (server.client_id_metadata_document_supported === true && isDocumentUrl(clientMetadataUrl))
    return { issuer, clientId: clientMetadataUrl, authMethod: "none" };
  const { host } = new URL(issuer);
  if (server.registration_endpoint === undefined)
    throw new AuthorizationFault(
      "unsupported",
      `${host} does not register clients by itself, and this service is not registered there.`,
    );
  return asFault(host, "The registration", () => registered(reach, { issuer, server, registration }));
}

/** A client id is a document's address only if it has https and a path. */
function isDocumentUrl(address: string | undefined): address is string {
  const url = address === undefined ? null : URL.parse(address);
  return url !== null && url.protocol === "https:" && url.pathname !== "/";
}

/** How a client with a secret proves itself; the standard's default is Basic. */
const secretMethod = ({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): ClientAuthMethod =>
  methods?.includes("client_secret_post") === true && !methods.includes("client_secret_basic")
    ? "client_secret_post"
    : "client_secret_basic";

async function registered(
  reach: OAuthReach,
  {
    issuer,
    server,
    registration,
  }: { readonly issuer: string; readonly server: ServerMetadata; readonly registration: Registration },
): Promise<RegisteredClient> {
  const { redirectUri, clientName } = registration;
  const asked = askedMethod(server);
  const answer = await oauth.dynamicClientRegistrationRequest(
    server,
    {
      client_name: clientName,
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: asked,
      application_type: isLoopback(redirectUri) ? "native" : "web",
    },
    { [oauth.customFetch]: reach.fetch, [oauth.allowInsecureRequests]: true },
  );
  const client = await oauth.processDynamicClientRegistrationResponse(await asStandard(answer));
  const { client_id: clientId, client_secret_expires_at: until } = client;
  const secret = typeof client.client_secret === "string" ? client.client_secret : "";
  const authMethod = AUTH_METHODS.find((one) => one === (client.token_endpoint_auth_method ?? asked));
  const { host } = new URL(issuer);
  if (authMethod === undefined)
    throw new AuthorizationFault("unsupported", `${host} wants a way of authentication that this service lacks.`);
  const isValid = [clientId, secret].every((text) => CLIENT_TEXT.test(text));
  if (!isValid) throw new AuthorizationFault("untrusted", `The registration of ${host} is not valid.`);
  if (secret === "" || authMethod === "none") return { issuer, clientId, authMethod: "none" };
  const expires = typeof until === "number" && until > 0 ? { secretExpiresAt: isoTime(until * 1_000) } : {};
  return { issuer, clientId, clientSecret: secret, authMethod, ...expires };
}

/** The characters of RFC 6749 for ids and secrets. */
const CLIENT_TEXT = /^[\x20-\x7e]{0,4096}$/;

/** The safest way that the server takes. */
function askedMethod({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): ClientAuthMethod {
  if (methods === undefined) return "client_secret_basic";
  return AUTH_METHODS.find((one) => methods.includes(one)) ?? "client_secret_basic";
}

const isLoopback = (redirectUri: string): boolean =>
  ["localhost", "127.0.0.1", "[::1]"].includes(new URL(redirectUri).hostname);

/** Many servers answer 200, or leave out that a secret does not expire; the library insists on both. */
async function asStandard(answer: Response): Promise<Response> {
  if (answer.status !== 200 && answer.status !== 201) return answer;
  const client: unknown = await answer.json();
  const fields = typeof client === "object" && client !== null ? client : {};
  return Response.json({ client_secret_expires_at: 0, ...fields }, { status: 201 });
}
