/**
 * The OpenAPI 3.1 document of both surfaces (DOC-1), made from their operations. The same operations
 * make the same bytes: `docs/openapi.json` is this document, and a test fails when it is not.
 */
import { assert } from "../../actors/assert.ts";
import { GRANTABLE_SCOPES, SCOPES } from "../../actors/organization/principal.ts";
import { CURRENT_OPERATIONS } from "../current/operations.ts";
import { API_VERSION } from "../http/contract/deprecation.ts";
import { AUTHORIZE_PATH, ERRORS_PATH, TOKEN_PATH } from "../http/contract/paths.ts";
import type { OperationGroup } from "../http/contract/operation.ts";
import { scopeSentence } from "../http/contract/scopes.ts";
import { guidePath, GUIDES } from "../public/guides.ts";
import { mcpOperations } from "../mcp/operations.ts";
import { publicOperations } from "../public/operations.ts";
import { V1_OPERATIONS } from "../v1/operations.ts";
import { ErrorBody, V1ErrorBody } from "./error-schemas.ts";
import { headerComponents, leftOut, PARAMETERS } from "./headers.ts";
import { Components, type JsonSchema } from "./json-schema.ts";
import { operationObject, type Placed } from "./operation-object.ts";
import { protocolObject } from "./protocol-object.ts";
import { webhookObject } from "./webhook-object.ts";
import { RefusalResponses } from "./refusals.ts";
import type { DocumentedSurface } from "../public/contract.ts";

const ABOUT = `Troupe hosts AI agents for an organization and lets clients drive them over HTTP.

There are two surfaces. The paths below \`/api/v1\` use camelCase and answer every success with 200. All other paths are the current surface: it uses snake_case, its versions are dates (\`Api-Version\`), and its errors have a [code](${ERRORS_PATH}). Times are ISO 8601 in UTC. Requests that change something take an \`Idempotency-Key\`.

The [guides](${guidePath("README.md")}) show the API step by step, with commands to paste.`;

/** The operations of the service, by surface. */
const SURFACE_GROUPS: readonly { readonly surface: DocumentedSurface; readonly groups: readonly OperationGroup[] }[] = [
  { surface: "current", groups: [...CURRENT_OPERATIONS, publicOperations] },
  { surface: "v1", groups: V1_OPERATIONS },
];

const placeOperations = (surface: DocumentedSurface, { tag, operations }: OperationGroup): Placed[] =>
  Object.entries(operations).map(([id, { contract }]) => ({ id, tag, surface, operation: contract }));

/** Every operation that clients call as such, in the order of the document. */
export const OPERATIONS: readonly Placed[] = SURFACE_GROUPS.flatMap(({ surface, groups }) =>
  groups.flatMap((group) => placeOperations(surface, group)),
);

/** Operations that carry another protocol: the document shows them, but no tool or SDK calls them. */
const PROTOCOL_GROUPS: readonly OperationGroup[] = [mcpOperations];
const CARRIERS: readonly Placed[] = PROTOCOL_GROUPS.flatMap((group) => placeOperations("current", group));

/** The document as an object; `documentText` has its bytes. */
export function openApiDocument(): JsonSchema {
  const components = new Components();
  const refusals = new RefusalResponses();
  for (const body of [ErrorBody, V1ErrorBody]) components.schema(body);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const one of [...OPERATIONS, ...CARRIERS]) {
    const { method, path } = one.operation;
    const item = (paths[path] ??= {});
    const verb = method.toLowerCase();
    assert(item[verb] === undefined, `there is one ${method} ${path}`);
    item[verb] = (CARRIERS.includes(one) ? protocolObject : operationObject)({ components, refusals }, one);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Troupe",
      version: API_VERSION,
      summary: "A self-hosted service that runs AI agents",
      description: ABOUT,
      contact: { name: "The operator of this service" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...SURFACE_GROUPS.flatMap(({ groups }) => groups), ...PROTOCOL_GROUPS].map(({ tag, description }) => {
      const guide = GUIDE_OF_TAG[tag];
      return { name: tag, description: guide === undefined ? description : `${description}. ${linkTo(guide)}` };
    }),
    paths,
    webhooks: { event: { post: webhookObject(components) } },
    components: {
      schemas: components.all(),
      responses: refusals.all(),
      parameters: usedParameters(paths),
      headers: headerComponents(OPERATIONS.some(({ operation }) => operation.deprecation !== undefined)),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** The guide that shows the operations of a tag. */
const GUIDE_OF_TAG: Readonly<Record<string, string>> = {
  Agents: "agents-and-tools.md",
  Chats: "conversations.md",
  Jobs: "approvals-and-review.md",
  Missions: "missions.md",
  Streams: "streams-and-resuming.md",
  "Embedded pages": "streams-and-resuming.md",
  Events: "webhooks.md",
  Webhooks: "webhooks.md",
  Messengers: "approvals-by-mail.md",
  Secrets: "mcp-tool-servers.md",
  Workspaces: "files.md",
  Files: "files.md",
  Shares: "files.md",
  MCP: "mcp-clients.md",
};

/** A link in a description. `externalDocs` needs the address of a deployment, and this document is the same for all. */
const linkTo = (guide: string): string => `[Guide: ${GUIDES.get(guide) ?? guide}](${guidePath(guide)})`;

/** The parameters that an operation refers to. */
function usedParameters(paths: object): JsonSchema {
  const text = JSON.stringify(paths);
  const isUsed = (name: string): boolean => text.includes(`"#/components/parameters/${name}"`);
  return Object.fromEntries(
    Object.entries(PARAMETERS).flatMap(([name, parameter]) =>
      isUsed(name) ? [[name, { ...parameter, ...leftOut(parameter.schema) }]] : [],
    ),
  );
}

/** The document as it is committed and served. */
export const documentText = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`;

const SECURITY_SCHEMES = {
  serviceToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "svc_… or pat_…",
    description:
      "A service token or a personal access token. An operation names the scope that it needs; `x:write` includes `x:read`, and `*` is all.",
    "x-scopes": SCOPES,
  },
  personalAccessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "pat_… or svc_…",
    description: "A personal access token; a service token with the scope is accepted too.",
    "x-scopes": SCOPES,
  },
  oauth: {
    type: "oauth2",
    description:
      "Access that a person has granted to a program: authorization code with PKCE (S256). `/.well-known/oauth-authorization-server` has the metadata, with client registration.",
    flows: {
      authorizationCode: {
        authorizationUrl: AUTHORIZE_PATH,
        tokenUrl: TOKEN_PATH,
        refreshUrl: TOKEN_PATH,
        scopes: Object.fromEntries(GRANTABLE_SCOPES.map((scope) => [scope, scopeSentence(scope)])),
      },
    },
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "troupe_session",
    description:
      "The session of a person who has signed in at `/sign-in`, for pages of the service itself; it has every scope. Over https the name begins with `__Host-`, or with `__Secure-` below a path.",
  },
  signedAddress: {
    type: "apiKey",
    in: "query",
    name: "sig",
    description: "The signature of a signed URL, with its `sub` and `exp`.",
  },
};
