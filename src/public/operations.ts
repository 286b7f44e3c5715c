/** The documents that anybody may read: the service about itself, its policies, and where to begin. */
import { Type } from "../../actors/schema.ts";
import { OpenObject } from "../http/noun.ts";
import { operationGroup } from "../http/operation.ts";
import { SdkExamples, SdkManifest } from "./sdk-schema.ts";
import { AgentApiManifest, AgentReadiness, DeprecationPolicy, RateLimitPolicy, ServiceVersion } from "./schema.ts";

export const publicOperations = operationGroup("Service", "The service about itself, for anybody", {
  getVersion: {
    method: "GET",
    path: "/api/version",
    scope: null,
    summary: "Read what is deployed",
    answers: { 200: ServiceVersion, 304: null },
  },
  getOpenApi: {
    method: "GET",
    path: "/api/openapi.json",
    scope: null,
    summary: "Read the contract",
    description: "This document.",
    answers: {
      200: { kind: "media", types: { "application/json": OpenObject("An OpenAPI 3.1 document") } },
      304: null,
    },
  },
  getReference: {
    method: "GET",
    path: "/api/reference",
    scope: null,
    summary: "Open the interactive reference",
    description: "A page for people. `#error-<code>` explains an error code.",
    answers: { 200: { kind: "media", types: { "text/html": Type.String() } }, 304: null },
  },
  getRateLimitPolicy: {
    method: "GET",
    path: "/api/rate-limits",
    scope: null,
    summary: "Read the rate-limit policy",
    answers: { 200: RateLimitPolicy, 304: null },
  },
  getDeprecationPolicy: {
    method: "GET",
    path: "/api/deprecation-policy",
    scope: null,
    summary: "Read the versioning and deprecation policy",
    answers: { 200: DeprecationPolicy, 304: null },
  },
  getAgentReadiness: {
    method: "GET",
    path: "/api/agent-readiness",
    scope: null,
    summary: "Read what an agent needs to use the service",
    answers: { 200: AgentReadiness, 304: null },
  },
  getAgentApiManifest: {
    method: "GET",
    path: "/.well-known/teamday-agent-api",
    scope: null,
    summary: "Read where crawlers and agents begin",
    answers: { 200: AgentApiManifest, 304: null },
  },
  getSdkManifest: {
    method: "GET",
    path: "/api/sdk/manifest",
    scope: null,
    summary: "Read which SDKs there are, with their hashes",
    answers: { 200: SdkManifest, 304: null },
  },
  getTypeScriptSdk: {
    method: "GET",
    path: "/api/sdk/typescript",
    scope: null,
    summary: "Get the TypeScript SDK",
    description: "One file that needs nothing else, made from this contract.",
    answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
  },
  getPythonSdk: {
    method: "GET",
    path: "/api/sdk/python",
    scope: null,
    summary: "Get the Python SDK",
    description: "One file that needs nothing but the standard library, made from this contract.",
    answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
  },
  getSdkExamples: {
    method: "GET",
    path: "/api/sdk-examples",
    scope: null,
    summary: "Read how to get and use the SDKs",
    answers: { 200: SdkExamples, 304: null },
  },
  getLlmsText: {
    method: "GET",
    path: "/llms.txt",
    scope: null,
    summary: "Read the same as text for language models",
    answers: { 200: { kind: "media", types: { "text/plain": Type.String() } }, 304: null },
  },
});

type PublicOperation = keyof typeof publicOperations.operations;

/** The path of each document. */
export const pathOfDocument = (id: PublicOperation): string => publicOperations.operations[id].path;
