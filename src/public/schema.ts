/**
 * The public documents: the version, the policies, and what an agent needs to find its way (VER-2,
 * DOC-4, DOC-5). Addresses in them are absolute.
 */
import { Nullable, Type } from "../../actors/schema.ts";
import { noun, Text } from "../http/contract/noun.ts";

const DocumentUrl = (description: string) =>
  Type.String({ description, examples: ["https://troupe.example/api/reference"] });
const DocumentTime = (description: string) => Type.String({ format: "date-time", description });
const ContractVersion = Text("A version of the contract, by date", "2026-11-01");
const DocumentedHeader = noun("DocumentedHeader", "A header and its meaning", {
  name: Type.String(),
  meaning: Type.String(),
});

export const ServiceVersion = noun("ServiceVersion", "What is deployed", {
  version: Text("The version of the service", "0.1.0"),
  api_version: ContractVersion,
  supported_versions: Type.Array(ContractVersion, { description: "What a request may send in `Api-Version`" }),
  commit: Nullable(Type.String({ description: "The commit that it was built from; null if unknown" })),
  built_at: Nullable(DocumentTime("When it was built; null if it runs from source")),
  runner: noun("DefaultRunner", "What jobs run with by default", {
    model: Nullable(Text("The default model; null if there is none", "demo:echo")),
    demo: Type.Boolean({ description: "Whether that is the built-in demo, which is not a language model" }),
  }),
});

export const RateLimitPolicy = noun("RateLimitPolicy", "The current rate limits", {
  default: Type.Object({
    limit: Type.Integer({ description: "Requests per window of one identity" }),
    window_seconds: Type.Integer(),
    burst: Type.Integer({ description: "Requests that may arrive at once" }),
    algorithm: Type.Literal("fixed-window"),
  }),
  identity_order: Type.Array(Type.String(), {
    description: "The identity that a request is counted for: the first of these that it has",
  }),
  headers: Type.Array(DocumentedHeader, { description: "Headers of every response of the current surface" }),
  public_endpoints: Type.Object({
    counted: Type.Boolean(),
    limit: Type.Integer({ description: "Requests per window from one address without a valid token" }),
    identity: Type.String(),
  }),
  v1: Type.Object({
    counted: Type.Boolean({ description: "Whether requests to v1 are counted" }),
    protective_limit: Nullable(
      Type.Integer({
        description:
          "If requests to v1 are not counted: requests per window of one organization, beyond which the service protects itself with 429 and `Retry-After`",
        examples: [600_000],
      }),
    ),
  }),
  status: Type.Literal(429, { description: "Status of a request beyond the limit; it has `Retry-After`" }),
  higher_limits: Type.String(),
});

const Deprecated = noun("Deprecation", "A deprecated operation", {
  operation: Text("The operation's id", "listAgents"),
  method: Type.String(),
  path: Type.String(),
  announced_at: DocumentTime("When it was announced"),
  deprecated_at: DocumentTime("When it becomes deprecated"),
  sunset_at: Nullable(DocumentTime("When it will be removed; null if not decided yet")),
  successor: Nullable(Type.String({ description: "Path of its replacement" })),
  guide: Nullable(Type.String({ description: "The migration guide" })),
});

export const DeprecationPolicy = noun("DeprecationPolicy", "Versioning policy, and the deprecated operations", {
  versioning: Type.Object({
    scheme: Type.Literal("date"),
    header: Type.Literal("Api-Version"),
    current: ContractVersion,
    supported: Type.Array(ContractVersion),
    breaking_changes: Type.String(),
    v1: Type.String(),
  }),
  compatibility_months: Type.Integer({
    description: "Months that an operation stays after its replacement is published",
  }),
  deprecation_notice_days: Type.Integer({ description: "Days between the announcement and the deprecation" }),
  sunset_notice_days: Type.Integer({ description: "Days between the announcement and the removal" }),
  headers: Type.Array(DocumentedHeader, { description: "Headers of the responses of a deprecated operation" }),
  deprecations: Type.Array(Deprecated),
});

export const AgentReadiness = noun("AgentReadiness", "What an agent needs to use the service by itself", {
  name: Type.String(),
  description: Type.String(),
  contract: Type.Object({
    openapi: DocumentUrl("The OpenAPI 3.1 document"),
    reference: DocumentUrl("The interactive reference"),
    api_version: ContractVersion,
    version_header: Type.String(),
  }),
  authentication: Type.Array(
    Type.Object({ type: Type.String(), header: Type.String(), kinds: Type.Array(Type.String()), how: Type.String() }),
  ),
  scopes: Type.Array(Type.Object({ name: Type.String(), allows: Type.String() })),
  mcp: Nullable(Type.Object({ url: DocumentUrl("The endpoint"), transport: Type.String() })),
  sdks: Type.Array(Type.Object({ language: Type.String(), source: DocumentUrl("Source of the SDK, one file") })),
  rate_limits: Type.Object({
    policy: DocumentUrl("The policy"),
    limit: Type.Integer(),
    window_seconds: Type.Integer(),
  }),
  idempotency: Type.Object({
    header: Type.String(),
    answer_header: Type.String(),
    remembered_seconds: Type.Integer(),
    how: Type.String(),
  }),
  streams: Type.Object({
    content_type: Type.String(),
    paths: Type.Array(Type.String()),
    resume: Type.String(),
  }),
  webhooks: Nullable(
    Type.Object({ configuration: DocumentUrl("Where they are configured"), verification: Type.String() }),
  ),
  errors: Type.Object({
    fields: Type.Array(Type.String()),
    codes: Type.Array(
      Type.Object({
        code: Type.String(),
        status: Type.Integer(),
        meaning: Type.String(),
        remedy: Type.String(),
        url: DocumentUrl("The same in the reference"),
      }),
    ),
  }),
  changelog: Type.Object({
    versions: Type.Array(Type.Object({ version: ContractVersion, changes: Type.String() })),
    deprecations: DocumentUrl("The deprecated operations"),
  }),
});

export const AgentApiManifest = noun("AgentApiManifest", "Entry document for crawlers and agents", {
  name: Type.String(),
  description: Type.String(),
  version: Type.String(),
  api_version: ContractVersion,
  base_url: Type.String(),
  openapi: DocumentUrl("The OpenAPI 3.1 document"),
  reference: DocumentUrl("The reference"),
  agent_readiness: DocumentUrl("The manifest for agents"),
  rate_limits: DocumentUrl("The rate-limit policy"),
  deprecation_policy: DocumentUrl("The deprecation policy"),
  deployed_version: DocumentUrl("What is deployed"),
  llms_txt: DocumentUrl("Documentation as text for language models"),
  authentication: Type.Object({
    type: Type.String(),
    header: Type.String(),
    format: Type.String(),
    authorization_server: Nullable(DocumentUrl("The metadata of the authorization server (RFC 8414)")),
  }),
  mcp: Nullable(DocumentUrl("The MCP endpoint")),
  sdks: Type.Array(DocumentUrl("The source of an SDK")),
});
