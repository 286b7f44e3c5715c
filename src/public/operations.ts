/** The public documents. The first request for a document makes it; later requests all get the same one. */
import { mapOutcome, ok } from "../../actors/fault.ts";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import { OneOf, type TSchema, Type } from "../../actors/schema.ts";
import { API_VERSION, SUPPORTED_VERSIONS } from "../http/contract/deprecation.ts";
import {
  API_RESOURCE,
  CLIENT_DOCUMENT_PATH,
  ERRORS_PATH,
  IDENTITY_KEYS_PATH,
  MCP_RESOURCE,
} from "../http/contract/paths.ts";
import { OpenObject } from "../http/contract/noun.ts";
import { type Media, media, type OperationContract, operationGroup, type Shown } from "../http/contract/operation.ts";
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

const HTML = media({ "text/html": Type.String() });
const PLAIN_TEXT = media({ "text/plain": Type.String() });
const JAVASCRIPT = media({ "text/javascript": Type.String() });

export const publicOperations = operationGroup("Service", "Public documents about the service", {
  getVersion: publicDocument({ path: VERSION_PATH, summary: "Read the deployed version" }, ServiceVersion, (services) =>
    PublicDocument.json(serviceVersion(services), { ...JSON_FORM, cacheControl: "no-cache" }),
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

  getReference: publicDocument(
    { path: REFERENCE_PATH, summary: "Open the interactive reference", description: "A page for people." },
    HTML,
    async (services) => new PublicDocument(await referencePage(services), REFERENCE_FORM),
  ),

  getErrorCodes: publicDocument(
    {
      path: ERRORS_PATH,
      summary: "Read what the error codes mean",
      description: "A page for people. `#error-<code>` explains a code; the `type` of an error is its address.",
    },
    HTML,
    (services) => new PublicDocument(errorsPage(services), ERRORS_FORM),
  ),

  getRateLimitPolicy: jsonDocument(
    { path: RATE_LIMITS_PATH, summary: "Read the rate-limit policy" },
    RateLimitPolicy,
    rateLimitPolicy,
  ),

  getDeprecationPolicy: jsonDocument(
    { path: DEPRECATIONS_PATH, summary: "Read the versioning and deprecation policy" },
    DeprecationPolicy,
    deprecationPolicy,
  ),

  getAgentReadiness: jsonDocument(
    { path: READINESS_PATH, summary: "Read what an agent needs to use the service" },
    AgentReadiness,
    agentReadiness,
  ),

  getAgentApiManifest: jsonDocument(
    { path: "/.well-known/teamday-agent-api", summary: "Read the entry document for crawlers and agents" },
    AgentApiManifest,
    agentApiManifest,
  ),

  getAuthorizationServer: jsonDocument(
    {
      path: "/.well-known/oauth-authorization-server",
      summary: "Read the metadata of the authorization server",
      description: "The metadata of the authorization server (RFC 8414).",
    },
    AuthorizationServer,
    authorizationServer,
  ),

  getProtectedResource: jsonDocument(
    {
      path: "/.well-known/oauth-protected-resource",
      summary: "Read which server issues tokens for the current surface",
      description: "The metadata of a protected resource (RFC 9728).",
    },
    ProtectedResource,
    (services) => protectedResource(services, API_RESOURCE),
  ),

  getProtectedMcpResource: jsonDocument(
    {
      path: "/.well-known/oauth-protected-resource/mcp",
      summary: "Read which server issues tokens for the MCP endpoint",
      description: "The metadata of a protected resource (RFC 9728).",
    },
    ProtectedResource,
    (services) => protectedResource(services, MCP_RESOURCE),
  ),

  getOAuthClientDocument: jsonDocument(
    {
      path: CLIENT_DOCUMENT_PATH,
      summary: "Read how the service describes itself to other authorization servers",
      description: "A Client ID Metadata Document: its address is the client id of the service.",
    },
    OAuthClientDocument,
    clientDocument,
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

  getSdkManifest: jsonDocument(
    { path: "/api/sdk/manifest", summary: "List the SDKs and their hashes" },
    SdkManifest,
    sdkManifest,
  ),

  getTypeScriptSdk: publicDocument(
    {
      path: "/api/sdk/typescript",
      summary: "Get the TypeScript SDK",
      description: "One file without dependencies, generated from this contract.",
    },
    PLAIN_TEXT,
    () => sdkSource("typescript"),
  ),

  getJavaScriptSdk: publicDocument(
    {
      path: "/api/sdk/javascript",
      summary: "Get the JavaScript SDK",
      description: "The TypeScript SDK without its types, as a module for browsers and for Node 20 or later.",
    },
    JAVASCRIPT,
    () => sdkSource("javascript"),
  ),

  getJavaScriptSdkTypes: publicDocument(
    {
      path: "/api/sdk/javascript/types",
      summary: "Get the types of the JavaScript SDK",
      description: "Type declarations for editors and compilers; save them beside the SDK.",
    },
    PLAIN_TEXT,
    () => sdkTypes("javascript"),
  ),

  getTypeScriptAgUi: publicDocument(
    {
      path: "/api/sdk/typescript/ag-ui",
      summary: "Get `TroupeAgent` for AG-UI's clients, in TypeScript",
      description:
        "An `HttpAgent` that also connects and stops. It needs `@ag-ui/client` 1.0, which your program installs.",
    },
    PLAIN_TEXT,
    () => sdkPart("typescript", "ag-ui.ts"),
  ),

  getJavaScriptAgUi: publicDocument(
    {
      path: "/api/sdk/javascript/ag-ui",
      summary: "Get `TroupeAgent` for AG-UI's clients, in JavaScript",
      description: "The TypeScript one without its types. It needs `@ag-ui/client` 1.0, which your program installs.",
    },
    JAVASCRIPT,
    () => sdkPart("javascript", "ag-ui.mjs"),
  ),

  getJavaScriptAgUiTypes: publicDocument(
    { path: "/api/sdk/javascript/ag-ui/types", summary: "Get the types of `TroupeAgent` in JavaScript" },
    PLAIN_TEXT,
    () => sdkPart("javascript", "ag-ui.d.mts"),
  ),

  getPythonSdk: publicDocument(
    {
      path: "/api/sdk/python",
      summary: "Get the Python SDK",
      description: "One file that needs only the standard library, generated from this contract.",
    },
    PLAIN_TEXT,
    () => sdkSource("python"),
  ),

  getSdkExamples: jsonDocument(
    { path: "/api/sdk-examples", summary: "Read how to get and use the SDKs" },
    SdkExamples,
    sdkExamples,
  ),

  getLlmsText: publicDocument(
    { path: LLMS_PATH, summary: "Read the documentation as text for language models" },
    PLAIN_TEXT,
    (services) => new PublicDocument(llmsText(services), TEXT_FORM),
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

type DocumentFacts = Pick<OperationContract, "path" | "summary" | "description">;

/** An operation that answers a document of this form. */
function publicDocument(
  facts: DocumentFacts,
  form: TSchema | Media,
  make: (services: Services) => MaybePromise<PublicDocument>,
) {
  return operation(
    { method: "GET", scope: null, headers: DOCUMENT_HEADERS, ...facts, answers: { 200: form, 304: null } },
    serveDocument(make),
  );
}

/** The same for a JSON document that does not change while the service runs. */
function jsonDocument(facts: DocumentFacts, form: TSchema, make: (services: Services) => MaybePromise<object>) {
  return publicDocument(facts, form, async (services) => PublicDocument.json(await make(services)));
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
