/** Schemas of the metadata of the authorization server and of the protected resource (RFC 8414, RFC 9728). */
import { Type } from "../../actors/schema.ts";
import { noun } from "../http/contract/noun.ts";

const Url = (description: string) => Type.String({ format: "uri", description, examples: ["https://troupe.example"] });
const Words = (description: string) => Type.Array(Type.String(), { description, examples: [["code"]] });

export const AuthorizationServer = noun("AuthorizationServer", "Metadata of the authorization server", {
  issuer: Url("Identifier of the authorization server; the same as `iss` in its responses"),
  authorization_endpoint: Url("Where a browser is sent for consent"),
  token_endpoint: Url("Where codes and refresh tokens are redeemed"),
  registration_endpoint: Url("Where programs register themselves"),
  revocation_endpoint: Url("Where tokens are revoked"),
  introspection_endpoint: Url("Where owners inspect a token"),
  scopes_supported: Words("Scopes that can be requested"),
  response_types_supported: Words("Supported response types"),
  response_modes_supported: Words("Supported response modes"),
  grant_types_supported: Words("Supported grant types"),
  token_endpoint_auth_methods_supported: Words("Only `none`: clients have no secret"),
  revocation_endpoint_auth_methods_supported: Words("Only `none`: clients have no secret"),
  code_challenge_methods_supported: Words("PKCE is required"),
  authorization_response_iss_parameter_supported: Type.Boolean({
    description: "Whether responses have the issuer (RFC 9207)",
  }),
  client_id_metadata_document_supported: Type.Boolean({
    description: "Whether a client id may be the URL of a metadata document",
  }),
  service_documentation: Url("Documentation for people"),
});

export const ProtectedResource = noun("ProtectedResource", "Which servers issue tokens for a resource", {
  resource: Url("Resource that the tokens are for"),
  authorization_servers: Type.Array(Url("Servers that issue the tokens"), {
    description: "Servers that issue the tokens",
  }),
  scopes_supported: Words("Scopes that can be requested"),
  bearer_methods_supported: Words("How a token is sent"),
  resource_name: Type.String({ description: "Its name for people", examples: ["Troupe"] }),
  resource_documentation: Url("Documentation for people"),
});
