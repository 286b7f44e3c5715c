/**
 * What an agent needs to find its way (DOC-4): the readiness manifest, the well-known manifest and `llms.txt`. They
 * name only what the service has: paths that are not mounted are left out.
 */
import { SCOPES } from "../../actors/organization/principal.ts";
import { IDEMPOTENCY_KEY_MS } from "../../actors/traffic/policy.ts";
import { API_VERSION } from "../http/contract/deprecation.ts";
import type { Shown } from "../http/contract/operation.ts";
import { scopeSentence } from "../http/contract/scopes.ts";
import { guidePath, GUIDES } from "./guides.ts";
import type { Services } from "../operations/services.ts";
import { explainedErrors } from "./errors-page.ts";
import { DEPRECATIONS_PATH, RATE_LIMITS_PATH, WINDOW_SECONDS } from "./policies.ts";
import { REFERENCE_PATH } from "./reference.ts";
import { SCALAR_CONFIGURATION } from "./scalar.ts";
import type { AgentApiManifest, AgentReadiness } from "./schema.ts";

const PRODUCT_NAME = "Troupe";
const SERVICE_DESCRIPTION =
  "Hosts AI agents for an organization and runs them over HTTP: durable chats and jobs, streamed output, approvals.";
export const VERSION_PATH = "/api/version";
export const READINESS_PATH = "/api/agent-readiness";
export const LLMS_PATH = "/llms.txt";
const OPENAPI = SCALAR_CONFIGURATION.url;
const MCP = "/mcp";
const OAUTH_METADATA = "/.well-known/oauth-authorization-server";
const WEBHOOKS = "/api/messaging-integration";
const SDKS = [
  { language: "typescript", path: "/api/sdk/typescript" },
  { language: "javascript", path: "/api/sdk/javascript" },
  { language: "python", path: "/api/sdk/python" },
];
const STREAM_PATHS = ["/api/chats/{id}/events", "/api/jobs/{id}/events", "/api/v1/agents/{id}/execute"];

export const agentReadiness = (services: Services): Shown<typeof AgentReadiness> => {
  const at = (path: string): string => services.appUrl() + path;
  return {
    name: PRODUCT_NAME,
    description: SERVICE_DESCRIPTION,
    contract: {
      openapi: at(OPENAPI),
      reference: at(REFERENCE_PATH),
      api_version: API_VERSION,
      version_header: "Api-Version",
    },
    authentication: [
      {
        type: "bearer",
        header: "Authorization: Bearer <token>",
        kinds: ["personal access token (pat_…)", "service token (svc_…)"],
        how: "A member of the organization creates the token, with the scopes that the agent needs. It is shown once and acts as its creator.",
      },
      ...(services.facts.hasPath(OAUTH_METADATA) ? signIns(at) : []),
    ],
    scopes: SCOPES.map((name) => ({ name, allows: scopeSentence(name) })),
    mcp: services.facts.hasPath(MCP) ? { url: at(MCP), transport: "streamable-http" } : null,
    sdks: SDKS.filter(({ path }) => services.facts.hasPath(path)).map(({ language, path }) => ({
      language,
      source: at(path),
    })),
    rate_limits: {
      policy: at(RATE_LIMITS_PATH),
      limit: services.facts.budget,
      window_seconds: WINDOW_SECONDS,
    },
    idempotency: {
      header: "Idempotency-Key",
      answer_header: "Idempotency-Status",
      remembered_seconds: IDEMPOTENCY_KEY_MS / 1_000,
      how: "A change takes effect once for each key; a repeated request gets the same response, marked `replayed`.",
    },
    streams: {
      content_type: "text/event-stream",
      paths: STREAM_PATHS,
      resume:
        "The streams of chats and jobs resume after the id in `Last-Event-ID` or `?after=`, without gaps or duplicates.",
    },
    webhooks: services.facts.hasPath(WEBHOOKS)
      ? {
          configuration: at(WEBHOOKS),
          verification:
            "`Service-Signature`: HMAC-SHA256 over `<timestamp>.<raw body>`, in hex. The key is the whole `whsec_…` string, prefix included.",
        }
      : null,
    errors: {
      fields: ["type", "code", "error", "message", "status", "request_id", "details"],
      codes: [...explainedErrors(services)],
    },
    changelog: {
      versions: [{ version: API_VERSION, changes: "The first version." }],
      deprecations: at(DEPRECATIONS_PATH),
    },
  };
};

/** How a person lets a program or a page in. */
const signIns = (at: (path: string) => string) => [
  {
    type: "oauth2",
    header: "Authorization: Bearer <access token>",
    kinds: ["authorization code with PKCE (S256)", "refresh token"],
    how: `A person signs in and grants the program access, with the scopes that they choose. Metadata: ${at(OAUTH_METADATA)}. v1 does not accept such tokens.`,
  },
  {
    type: "session",
    header: "Cookie: troupe_session=<secret>",
    kinds: ["session of a browser"],
    how: `A person signs in at ${at("/sign-in")}. For pages of the service itself, only on the current surface; v1 and MCP do not accept sessions.`,
  },
];

export const agentApiManifest = (services: Services): Shown<typeof AgentApiManifest> => {
  const at = (path: string): string => services.appUrl() + path;
  return {
    name: PRODUCT_NAME,
    description: SERVICE_DESCRIPTION,
    version: services.facts.version,
    api_version: API_VERSION,
    base_url: services.appUrl(),
    openapi: at(OPENAPI),
    reference: at(REFERENCE_PATH),
    agent_readiness: at(READINESS_PATH),
    rate_limits: at(RATE_LIMITS_PATH),
    deprecation_policy: at(DEPRECATIONS_PATH),
    deployed_version: at(VERSION_PATH),
    llms_txt: at(LLMS_PATH),
    authentication: {
      type: "bearer",
      header: "Authorization",
      format: "Bearer <token>",
      authorization_server: services.facts.hasPath(OAUTH_METADATA) ? at(OAUTH_METADATA) : null,
    },
    mcp: services.facts.hasPath(MCP) ? at(MCP) : null,
    sdks: SDKS.filter(({ path }) => services.facts.hasPath(path)).map(({ path }) => at(path)),
  };
};

/** In the form of llmstxt.org: a title, what it is, and lists of links. */
export function llmsText(services: Services): string {
  const link = (title: string, path: string, what: string): string =>
    `- [${title}](${services.appUrl()}${path}): ${what}`;
  const sdks = SDKS.filter(({ path }) => services.facts.hasPath(path));
  return [
    `# ${PRODUCT_NAME}`,
    "",
    `> ${SERVICE_DESCRIPTION}`,
    "",
    "Every request needs `Authorization: Bearer <token>`, except those for the documents below. Bodies are JSON.",
    ...(services.facts.hasPath(OAUTH_METADATA)
      ? [`A program gets a token from a person by OAuth: ${services.appUrl()}${OAUTH_METADATA}`]
      : []),
    "A request that changes something accepts `Idempotency-Key`: repeated with the same key, it takes effect once.",
    "An error has a `code`, a `message` and `details`; its `type` is the URL of its explanation.",
    "",
    "## Contract",
    "",
    link("OpenAPI 3.1", OPENAPI, "every operation, with its bodies, answers, errors and events"),
    link("Reference", REFERENCE_PATH, "the same for people, with calls to try"),
    link("Agent readiness", READINESS_PATH, "tokens, scopes, streams, idempotency, error codes"),
    ...(services.facts.hasPath(MCP) ? [link("MCP", MCP, "the same for MCP clients")] : []),
    "",
    "## Policies",
    "",
    link("Rate limits", RATE_LIMITS_PATH, "how many requests a minute, and the headers about it"),
    link("Deprecation", DEPRECATIONS_PATH, "versions, notice periods, deprecated operations"),
    link("Version", VERSION_PATH, "the deployed version, and the default model"),
    "",
    "## Guides",
    "",
    ...[...GUIDES].map(([name, title]) => link(title, guidePath(name), "a page of commands to paste")),
    ...(sdks.length > 0 ? ["", "## SDKs", ""] : []),
    ...sdks.map(({ language, path }) => link(language, path, "one file that needs nothing else")),
    "",
  ].join("\n");
}
