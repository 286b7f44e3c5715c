/** Schemas of the metadata of the authorization server and of the protected resource (RFC 8414, RFC 9728). */
import { Type } from "../../actors/schema.ts";
import { noun } from "../http/contract/noun.ts";

const Url = (description: string) => Type.String({ format: "uri", description, examples: ["https://troupe.example"] });
const Words = (description: string) => Type.Array(Type.String(), { description, examples: [["code"]] });

export const AuthorizationServer = noun("AuthorizationServer", "How a program asks a person for a token", {
  issuer: Url("The authorization server; the same as `iss` in its answers"),
  authorization_endpoint: Url("Where a browser is sent for consent"),
  token_endpoint: Url("Where codes and refresh tokens are redeemed"),
  registration_endpoint: Url("Where programs register themselves"),
  revocation_endpoint: Url("Where tokens are given back"),
  introspection_endpoint: Url("Where owners ask what a token is"),
  scopes_supported: Words("What can be asked for"),
  response_types_supported: Words("Kinds of answers"),
  response_modes_supported: Words("Where the answer is"),
  grant_types_supported: Words("What is redeemed"),
  token_endpoint_auth_methods_supported: Words("Programs have no secret"),
  revocation_endpoint_auth_methods_supported: Words("Programs have no secret"),
  code_challenge_methods_supported: Words("PKCE is required"),
  authorization_response_iss_parameter_supported: Type.Boolean({ description: "Answers name the issuer (RFC 9207)" }),
  client_id_metadata_document_supported: Type.Boolean({
    description: "A client id may be the address of its document",
  }),
  service_documentation: Url("What people read"),
});

export const ProtectedResource = noun("ProtectedResource", "Which servers issue tokens for a resource", {
  resource: Url("What the tokens are for"),
  authorization_servers: Type.Array(Url("Who gives them"), { description: "Who gives them" }),
  scopes_supported: Words("What can be asked for"),
  bearer_methods_supported: Words("Where a token is sent"),
  resource_name: Type.String({ description: "Its name for people", examples: ["Troupe"] }),
  resource_documentation: Url("What people read"),
});
