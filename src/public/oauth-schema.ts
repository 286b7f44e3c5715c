/** Schemas of the metadata of the authorization server and of the protected resource (RFC 8414, RFC 9728). */
import { Type } from "../../actors/schema.ts";
import { noun } from "../http/contract/noun.ts";

const OAuthUrl = (description: string) =>
  Type.String({ format: "uri", description, examples: ["https://troupe.example"] });
const OAuthWords = (description: string) => Type.Array(Type.String(), { description, examples: [["code"]] });

export const AuthorizationServer = noun("AuthorizationServer", "Metadata of the authorization server", {
  issuer: OAuthUrl("Identifier of the authorization server; the same as `iss` in its responses"),
  authorization_endpoint: OAuthUrl("Where a browser is sent for consent"),
  token_endpoint: OAuthUrl("Where codes and refresh tokens are redeemed"),
  registration_endpoint: OAuthUrl("Where programs register themselves"),
  revocation_endpoint: OAuthUrl("Where tokens are revoked"),
  introspection_endpoint: OAuthUrl("Where owners inspect a token"),
  jwks_uri: OAuthUrl("The keys that verify which agent acts for whom; no token of the authorization server needs them"),
  scopes_supported: OAuthWords("Scopes that can be requested"),
  response_types_supported: OAuthWords("Supported response types"),
  response_modes_supported: OAuthWords("Supported response modes"),
  grant_types_supported: OAuthWords("Supported grant types"),
  token_endpoint_auth_methods_supported: OAuthWords("Only `none`: clients have no secret"),
  revocation_endpoint_auth_methods_supported: OAuthWords("Only `none`: clients have no secret"),
  code_challenge_methods_supported: OAuthWords("PKCE is required"),
  authorization_response_iss_parameter_supported: Type.Boolean({
    description: "Whether responses have the issuer (RFC 9207)",
  }),
  client_id_metadata_document_supported: Type.Boolean({
    description: "Whether a client id may be the URL of a metadata document",
  }),
  service_documentation: OAuthUrl("Documentation for people"),
});

export const ProtectedResource = noun("ProtectedResource", "Which servers issue tokens for a resource", {
  resource: OAuthUrl("Resource that the tokens are for"),
  authorization_servers: Type.Array(OAuthUrl("Servers that issue the tokens"), {
    description: "Servers that issue the tokens",
  }),
  scopes_supported: OAuthWords("Scopes that can be requested"),
  bearer_methods_supported: OAuthWords("How a token is sent"),
  resource_name: Type.String({ description: "Its name for people", examples: ["Troupe"] }),
  resource_documentation: OAuthUrl("Documentation for people"),
});

export const OAuthClientDocument = noun(
  "OAuthClientDocument",
  "The service as a client of other authorization servers",
  {
    client_id: OAuthUrl("Address of this document, which is the client's id"),
    client_name: Type.String({ description: "Its name for people", examples: ["Troupe"] }),
    client_uri: OAuthUrl("Address of the service"),
    redirect_uris: Type.Array(OAuthUrl("Where people come back"), { description: "Where people come back" }),
    grant_types: OAuthWords("Grant types that it uses"),
    response_types: OAuthWords("Response types that it uses"),
    token_endpoint_auth_method: Type.String({ description: "`none`: it proves itself by PKCE", examples: ["none"] }),
  },
);
