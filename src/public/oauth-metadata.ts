/**
 * Metadata that programs read before they ask a person for a token (MCP-2): RFC 8414 and RFC 9728. And the document by
 * which other authorization servers know the service as their client (ACC-2).
 */
import { GRANTABLE_SCOPES } from "../../actors/organization/principal.ts";
import { MCP_SCOPES } from "../http/contract/scopes.ts";
import {
  AUTHORIZE_PATH,
  CLIENT_DOCUMENT_PATH,
  CONNECTION_CALLBACK_PATH,
  IDENTITY_KEYS_PATH,
  INTROSPECT_PATH,
  MCP_RESOURCE,
  REGISTER_PATH,
  REVOKE_PATH,
  TOKEN_PATH,
} from "../http/contract/paths.ts";
import type { Shown } from "../http/contract/operation.ts";
import type { Services } from "../operations/services.ts";
import { REFERENCE_PATH } from "./reference.ts";
import type { AuthorizationServer, OAuthClientDocument, ProtectedResource } from "./oauth-schema.ts";

export function authorizationServer(services: Services): Shown<typeof AuthorizationServer> {
  const at = (path: string): string => services.appUrl() + path;
  return {
    issuer: services.appUrl(),
    authorization_endpoint: at(AUTHORIZE_PATH),
    token_endpoint: at(TOKEN_PATH),
    registration_endpoint: at(REGISTER_PATH),
    revocation_endpoint: at(REVOKE_PATH),
    introspection_endpoint: at(INTROSPECT_PATH),
    jwks_uri: at(IDENTITY_KEYS_PATH),
    scopes_supported: [...GRANTABLE_SCOPES],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: at(REFERENCE_PATH),
  };
}

export function protectedResource(services: Services, path: string): Shown<typeof ProtectedResource> {
  return {
    resource: services.appUrl() + path,
    authorization_servers: [services.appUrl()],
    scopes_supported: [...(path === MCP_RESOURCE ? MCP_SCOPES : GRANTABLE_SCOPES)],
    bearer_methods_supported: ["header"],
    resource_name: path === "" ? "Troupe" : "Troupe (MCP)",
    resource_documentation: services.appUrl() + REFERENCE_PATH,
  };
}

export function clientDocument(services: Services): Shown<typeof OAuthClientDocument> {
  const at = (path: string): string => services.appUrl() + path;
  return {
    client_id: at(CLIENT_DOCUMENT_PATH),
    client_name: "Troupe",
    client_uri: services.appUrl(),
    redirect_uris: [at(CONNECTION_CALLBACK_PATH)],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}
