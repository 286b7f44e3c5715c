/** The documents that anybody may read: the service about itself, its policies, and where to begin. */
import { OneOf, Type } from "../../actors/schema.ts";
import { OpenObject } from "../http/contract/noun.ts";
import { operationGroup } from "../http/contract/operation.ts";
import { DOCUMENT_HEADERS } from "../http/contract/request-headers.ts";
import { ERRORS_PATH } from "../http/contract/error-page.ts";
import { REFERENCE_PATH } from "./reference.ts";
import { SdkExamples, SdkManifest } from "./sdk-schema.ts";
import { AuthorizationServer, ProtectedResource } from "./oauth-schema.ts";
import { AgentApiManifest, AgentReadiness, DeprecationPolicy, RateLimitPolicy, ServiceVersion } from "./schema.ts";

export const SURFACES = ["v1", "current"] as const;

export const publicOperations = operationGroup("Service", "Public documents about the service", {
  getVersion: {
    method: "GET",
    path: "/api/version",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read what is deployed",
    answers: { 200: ServiceVersion, 304: null },
  },
  getOpenApi: {
    method: "GET",
    path: "/api/openapi.json",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read the contract",
    description: "This document; with `surface`, the part of it that describes one surface.",
    query: { surface: OneOf(SURFACES, { description: "Only this surface" }) },
    answers: {
      200: { kind: "media", types: { "application/json": OpenObject("An OpenAPI 3.1 document") } },
      304: null,
    },
  },
  getReference: {
    method: "GET",
    path: REFERENCE_PATH,
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Open the interactive reference",
    description: "A page for people.",
    answers: { 200: { kind: "media", types: { "text/html": Type.String() } }, 304: null },
  },
  getErrorCodes: {
    method: "GET",
    path: ERRORS_PATH,
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read what the error codes mean",
    description: "A page for people. `#error-<code>` explains a code; the `type` of an error is its address.",
    answers: { 200: { kind: "media", types: { "text/html": Type.String() } }, 304: null },
  },
  getRateLimitPolicy: {
    method: "GET",
    path: "/api/rate-limits",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read the rate-limit policy",
    answers: { 200: RateLimitPolicy, 304: null },
  },
  getDeprecationPolicy: {
    method: "GET",
    path: "/api/deprecation-policy",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read the versioning and deprecation policy",
    answers: { 200: DeprecationPolicy, 304: null },
  },
  getAgentReadiness: {
    method: "GET",
    path: "/api/agent-readiness",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read what an agent needs to use the service",
    answers: { 200: AgentReadiness, 304: null },
  },
  getAgentApiManifest: {
    method: "GET",
    path: "/.well-known/teamday-agent-api",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read where crawlers and agents begin",
    answers: { 200: AgentApiManifest, 304: null },
  },
  getAuthorizationServer: {
    method: "GET",
    path: "/.well-known/oauth-authorization-server",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read how a program asks a person for a token",
    description: "The metadata of the authorization server (RFC 8414).",
    answers: { 200: AuthorizationServer, 304: null },
  },
  getProtectedResource: {
    method: "GET",
    path: "/.well-known/oauth-protected-resource",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read which server issues tokens for the current surface",
    description: "The metadata of a protected resource (RFC 9728).",
    answers: { 200: ProtectedResource, 304: null },
  },
  getProtectedMcpResource: {
    method: "GET",
    path: "/.well-known/oauth-protected-resource/mcp",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read which server issues tokens for the MCP endpoint",
    description: "The metadata of a protected resource (RFC 9728).",
    answers: { 200: ProtectedResource, 304: null },
  },
  getSdkManifest: {
    method: "GET",
    path: "/api/sdk/manifest",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "List the SDKs and their hashes",
    answers: { 200: SdkManifest, 304: null },
  },
  getTypeScriptSdk: {
    method: "GET",
    path: "/api/sdk/typescript",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Get the TypeScript SDK",
    description: "One file that needs nothing else, made from this contract.",
    answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
  },
  getJavaScriptSdk: {
    method: "GET",
    path: "/api/sdk/javascript",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Get the JavaScript SDK",
    description: "The TypeScript SDK without its types, as a module for Node from 20 on and for browsers.",
    answers: { 200: { kind: "media", types: { "text/javascript": Type.String() } }, 304: null },
  },
  getJavaScriptSdkTypes: {
    method: "GET",
    path: "/api/sdk/javascript/types",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Get the types of the JavaScript SDK",
    description: "Declarations for editors and compilers, to keep beside it.",
    answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
  },
  getPythonSdk: {
    method: "GET",
    path: "/api/sdk/python",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Get the Python SDK",
    description: "One file that needs nothing but the standard library, made from this contract.",
    answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
  },
  getSdkExamples: {
    method: "GET",
    path: "/api/sdk-examples",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read how to get and use the SDKs",
    answers: { 200: SdkExamples, 304: null },
  },
  getLlmsText: {
    method: "GET",
    path: "/llms.txt",
    scope: null,
    headers: DOCUMENT_HEADERS,
    summary: "Read the documentation as text for language models",
    answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
  },
});

type PublicOperation = keyof typeof publicOperations.operations;

/** The path of each document. */
export const pathOfDocument = (id: PublicOperation): string => publicOperations.operations[id].path;
