/** The public documents. The first request for a document makes it; later requests all get the same one. */
import { mapOutcome, ok } from "../../actors/fault.ts";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import { OneOf, Type } from "../../actors/schema.ts";
import { API_VERSION, SUPPORTED_VERSIONS } from "../http/contract/deprecation.ts";
import {
  API_RESOURCE,
  CLIENT_DOCUMENT_PATH,
  ERRORS_PATH,
  IDENTITY_KEYS_PATH,
  MCP_RESOURCE,
} from "../http/contract/paths.ts";
import { OpenObject } from "../http/contract/noun.ts";
import { operationGroup, type Shown } from "../http/contract/operation.ts";
import { DOCUMENT_HEADERS } from "../http/contract/request-headers.ts";
import { type DocumentRequest, JSON_FORM, oncePer, PublicDocument, TEXT_FORM } from "../http/document/document.ts";
import { PAGE_HEADERS, PAGE_TYPE } from "../http/document/page.ts";
import type { Visitor } from "../http/request/caller.ts";
import { pathPrefixOf } from "../http/request/path-prefix.ts";
import { IdentityKeySet, type PublicIdentityKey } from "../operations/identity-keys.ts";
import { operation } from "../operations/operation.ts";
import type { Services } from "../operations/services.ts";
import { contract, DOCUMENTED_SURFACES } from "./contract.ts";
import { errorsPage } from "./errors-page.ts";
import { agentApiManifest, agentReadiness, LLMS_PATH, llmsText, READINESS_PATH, VERSION_PATH } from "./manifests.ts";
import { authorizationServer, clientDocument, protectedResource } from "./oauth-metadata.ts";
import { AuthorizationServer, OAuthClientDocument, ProtectedResource } from "./oauth-schema.ts";
import { deprecationPolicy, DEPRECATIONS_PATH, RATE_LIMITS_PATH, rateLimitPolicy } from "./policies.ts";
import { REFERENCE_FORM, REFERENCE_PATH, referencePage } from "./reference.ts";
import { AgentApiManifest, AgentReadiness, DeprecationPolicy, RateLimitPolicy, ServiceVersion } from "./schema.ts";
import { SdkExamples, SdkManifest } from "./sdk-schema.ts";
import { sdkExamples, sdkManifest, sdkPart, sdkSource, sdkTypes } from "./sdk.ts";

export const publicOperations = operationGroup("Service", "Public documents about the service", {
  getVersion: operation(
    {
      method: "GET",
      path: VERSION_PATH,
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read the deployed version",
      answers: { 200: ServiceVersion, 304: null },
    },
    serveDocument((services) =>
      PublicDocument.json(serviceVersion(services), { ...JSON_FORM, cacheControl: "no-cache" }),
    ),
  ),

  getOpenApi: operation(
    {
      method: "GET",
      path: "/api/openapi.json",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read the contract",
      description: "This document; with `surface`, the part of it that describes one surface.",
      query: { surface: OneOf(DOCUMENTED_SURFACES, { description: "Only this surface" }) },
      answers: {
        200: { kind: "media", types: { "application/json": OpenObject("An OpenAPI 3.1 document") } },
        304: null,
      },
    },
    async ({ appUrl }, _visitor, { headers, query }) =>
      ok(await (await contract(query.surface, pathPrefixOf(appUrl()))).answer(headers)),
  ),

  getReference: operation(
    {
      method: "GET",
      path: REFERENCE_PATH,
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Open the interactive reference",
      description: "A page for people.",
      answers: { 200: { kind: "media", types: { "text/html": Type.String() } }, 304: null },
    },
    serveDocument(async (services) => new PublicDocument(await referencePage(services), REFERENCE_FORM)),
  ),

  getErrorCodes: operation(
    {
      method: "GET",
      path: ERRORS_PATH,
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read what the error codes mean",
      description: "A page for people. `#error-<code>` explains a code; the `type` of an error is its address.",
      answers: { 200: { kind: "media", types: { "text/html": Type.String() } }, 304: null },
    },
    serveDocument((services) => new PublicDocument(errorsPage(services), ERRORS_FORM)),
  ),

  getRateLimitPolicy: operation(
    {
      method: "GET",
      path: RATE_LIMITS_PATH,
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read the rate-limit policy",
      answers: { 200: RateLimitPolicy, 304: null },
    },
    serveJson(rateLimitPolicy),
  ),

  getDeprecationPolicy: operation(
    {
      method: "GET",
      path: DEPRECATIONS_PATH,
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read the versioning and deprecation policy",
      answers: { 200: DeprecationPolicy, 304: null },
    },
    serveJson(deprecationPolicy),
  ),

  getAgentReadiness: operation(
    {
      method: "GET",
      path: READINESS_PATH,
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read what an agent needs to use the service",
      answers: { 200: AgentReadiness, 304: null },
    },
    serveJson(agentReadiness),
  ),

  getAgentApiManifest: operation(
    {
      method: "GET",
      path: "/.well-known/teamday-agent-api",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read the entry document for crawlers and agents",
      answers: { 200: AgentApiManifest, 304: null },
    },
    serveJson(agentApiManifest),
  ),

  getAuthorizationServer: operation(
    {
      method: "GET",
      path: "/.well-known/oauth-authorization-server",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read the metadata of the authorization server",
      description: "The metadata of the authorization server (RFC 8414).",
      answers: { 200: AuthorizationServer, 304: null },
    },
    serveJson(authorizationServer),
  ),

  getProtectedResource: operation(
    {
      method: "GET",
      path: "/.well-known/oauth-protected-resource",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read which server issues tokens for the current surface",
      description: "The metadata of a protected resource (RFC 9728).",
      answers: { 200: ProtectedResource, 304: null },
    },
    serveJson((services) => protectedResource(services, API_RESOURCE)),
  ),

  getProtectedMcpResource: operation(
    {
      method: "GET",
      path: "/.well-known/oauth-protected-resource/mcp",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read which server issues tokens for the MCP endpoint",
      description: "The metadata of a protected resource (RFC 9728).",
      answers: { 200: ProtectedResource, 304: null },
    },
    serveJson((services) => protectedResource(services, MCP_RESOURCE)),
  ),

  getOAuthClientDocument: operation(
    {
      method: "GET",
      path: CLIENT_DOCUMENT_PATH,
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read how the service describes itself to other authorization servers",
      description: "A Client ID Metadata Document: its address is the client id of the service.",
      answers: { 200: OAuthClientDocument, 304: null },
    },
    serveJson(clientDocument),
  ),

  getIdentityKeys: operation(
    {
      method: "GET",
      path: IDENTITY_KEYS_PATH,
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read the keys that verify which agent acts for whom",
      description: "A JSON Web Key Set (RFC 7517).",
      answers: { 200: IdentityKeySet, 304: null },
    },
    async ({ identityKeys }, _visitor, { headers }) =>
      ok(await identityKeyDocument(identityKeys.published()).answer(headers)),
  ),

  getSdkManifest: operation(
    {
      method: "GET",
      path: "/api/sdk/manifest",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "List the SDKs and their hashes",
      answers: { 200: SdkManifest, 304: null },
    },
    serveDocument(async (services) => PublicDocument.json(await sdkManifest(services))),
  ),

  getTypeScriptSdk: operation(
    {
      method: "GET",
      path: "/api/sdk/typescript",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Get the TypeScript SDK",
      description: "One file without dependencies, generated from this contract.",
      answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
    },
    serveDocument(() => sdkSource("typescript")),
  ),

  getJavaScriptSdk: operation(
    {
      method: "GET",
      path: "/api/sdk/javascript",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Get the JavaScript SDK",
      description: "The TypeScript SDK without its types, as a module for browsers and for Node 20 or later.",
      answers: { 200: { kind: "media", types: { "text/javascript": Type.String() } }, 304: null },
    },
    serveDocument(() => sdkSource("javascript")),
  ),

  getJavaScriptSdkTypes: operation(
    {
      method: "GET",
      path: "/api/sdk/javascript/types",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Get the types of the JavaScript SDK",
      description: "Type declarations for editors and compilers; save them beside the SDK.",
      answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
    },
    serveDocument(() => sdkTypes("javascript")),
  ),

  getTypeScriptAgUi: operation(
    {
      method: "GET",
      path: "/api/sdk/typescript/ag-ui",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Get `TroupeAgent` for AG-UI's clients, in TypeScript",
      description:
        "An `HttpAgent` that also connects and stops. It needs `@ag-ui/client` 1.0, which your program installs.",
      answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
    },
    serveDocument(() => sdkPart("typescript", "ag-ui.ts")),
  ),

  getJavaScriptAgUi: operation(
    {
      method: "GET",
      path: "/api/sdk/javascript/ag-ui",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Get `TroupeAgent` for AG-UI's clients, in JavaScript",
      description: "The TypeScript one without its types. It needs `@ag-ui/client` 1.0, which your program installs.",
      answers: { 200: { kind: "media", types: { "text/javascript": Type.String() } }, 304: null },
    },
    serveDocument(() => sdkPart("javascript", "ag-ui.mjs")),
  ),

  getJavaScriptAgUiTypes: operation(
    {
      method: "GET",
      path: "/api/sdk/javascript/ag-ui/types",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Get the types of `TroupeAgent` in JavaScript",
      answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
    },
    serveDocument(() => sdkPart("javascript", "ag-ui.d.mts")),
  ),

  getPythonSdk: operation(
    {
      method: "GET",
      path: "/api/sdk/python",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Get the Python SDK",
      description: "One file that needs only the standard library, generated from this contract.",
      answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
    },
    serveDocument(() => sdkSource("python")),
  ),

  getSdkExamples: operation(
    {
      method: "GET",
      path: "/api/sdk-examples",
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read how to get and use the SDKs",
      answers: { 200: SdkExamples, 304: null },
    },
    serveDocument(async (services) => PublicDocument.json(await sdkExamples(services))),
  ),

  getLlmsText: operation(
    {
      method: "GET",
      path: LLMS_PATH,
      scope: null,
      headers: DOCUMENT_HEADERS,
      summary: "Read the documentation as text for language models",
      answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
    },
    serveDocument((services) => new PublicDocument(llmsText(services), TEXT_FORM)),
  ),
});

/** The same document until the keys change. */
const identityKeyDocument = oncePer((keys: readonly PublicIdentityKey[]) => PublicDocument.json({ keys }));

/** The handler of a document. */
function serveDocument(make: (services: Services) => MaybePromise<PublicDocument>) {
  const documentOf = oncePer(make);
  return async (services: Services, _: Visitor, { headers }: { readonly headers: DocumentRequest }) =>
    ok(await (await documentOf(services)).answer(headers));
}

function serveJson(make: (services: Services) => object) {
  return serveDocument((services) => PublicDocument.json(make(services)));
}

const ERRORS_FORM = { contentType: PAGE_TYPE, cacheControl: JSON_FORM.cacheControl, headers: PAGE_HEADERS };

/** The deployed version (VER-2). The model is the default one of jobs. */
function serviceVersion({ facts, models }: Services): Shown<typeof ServiceVersion> {
  const runner = mapOutcome(models.describe(null), ({ provider, name, demo }) => ({
    model: `${provider}:${name}`,
    demo,
  }));
  return {
    version: facts.version,
    api_version: API_VERSION,
    supported_versions: [...SUPPORTED_VERSIONS],
    commit: facts.build.commit,
    built_at: facts.build.builtAt,
    runner: runner.ok ? runner.value : { model: null, demo: false },
  };
}
