/** An agent's connections to the outside: MCP servers (RUN-6), and tools of its own (RUN-12, RUN-13). */
import { CONNECTION_OWNERS, AuthClient } from "../connection/schema.ts";
import { type JsonObject, OneOf, SECRET_NAME_RULE, type Static, Type, WEB_ADDRESS } from "../schema.ts";

const HEADER_NAME = "the name of a header: 1 to 64 letters, digits and `-`";
const headerText = (longest: number): string => `at most ${longest} characters of ASCII, without control characters`;

/** A header for an MCP server: a secret of the organization, after a fixed prefix such as `Bearer `. */
export const McpHeader = Type.Object(
  {
    name: Type.String({
      pattern: "^[A-Za-z0-9-]{1,64}$",
      form: HEADER_NAME,
      description: "Name of the header",
      examples: ["Authorization"],
    }),
    /** The name of the secret (RUN-5); the value is looked up for each request and never stored. */
    secret: Type.String({ pattern: "^[A-Za-z0-9_.-]{1,64}$", form: SECRET_NAME_RULE, examples: ["MCP_TOKEN"] }),
    prefix: Type.Optional(
      Type.String({ pattern: "^[\\x20-\\x7e]{0,64}$", form: headerText(64), examples: ["Bearer "] }),
    ),
  },
  { $id: "McpServerHeader", description: "A header for the MCP server: a prefix and a secret" },
);
export type McpHeader = Static<typeof McpHeader>;

/** A scope of OAuth: printable ASCII without space, `"` and `\\`. */
export const AuthScope = Type.String({
  pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,256}$",
  form: "a scope of OAuth: 1 to 256 printable characters without spaces, quotes and backslashes",
  examples: ["files:read"],
});

/**
 * How the service gets access to a tool server. `oauth`: by a connection that a person, or an owner, consents to (ACC-6).
 * `identity`: each request says who acts, by a signed token (ACC-12). `authErrors` refuses fields of the other type.
 */
export const ToolServerAuth = Type.Object(
  {
    type: OneOf(["oauth", "identity"] as const, {
      description: "`oauth`: as an OAuth client; `identity`: a signed token says which agent acts for whom",
    }),
    owner: Type.Optional(
      OneOf(CONNECTION_OWNERS, {
        description:
          "For `oauth`. `person`: each person's jobs use that person's own connection; `organization`: all jobs use one connection, which an owner makes",
      }),
    ),
    scopes: Type.Optional(
      Type.Array(AuthScope, {
        maxItems: 32,
        description: "For `oauth`: scopes to ask for; omitted: those that the server asks for",
      }),
    ),
    client: Type.Optional(AuthClient),
    audience: Type.Optional(
      Type.String({
        pattern: "^[\\x21-\\x7e]{1,512}$",
        form: "1 to 512 printable characters of ASCII without spaces",
        description:
          "For `identity`: audience of the token; default: the server's address. Only an owner with the scope `secrets:use` may name another audience",
        examples: ["https://shop.example"],
      }),
    ),
  },
  { $id: "ToolServerAuth", description: "Access to a tool server, by OAuth or by the agent's identity" },
);
export type ToolServerAuth = Static<typeof ToolServerAuth>;

/** What access by OAuth needs; null: the server is reached without it. */
export const oauthNeedOf = (auth: ToolServerAuth | undefined) =>
  auth?.type === "oauth"
    ? { owner: auth.owner ?? "person", scopes: auth.scopes ?? [], client: auth.client ?? null }
    : null;

/** An MCP server of an agent, over HTTP. Its tools are `<name>__<tool>`, so the name neither has `__` nor ends in `_`. */
export const McpServer = Type.Object(
  {
    name: Type.String({
      pattern: "^(?=.{1,32}$)[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$",
      form: "1 to 32 letters, digits, `-` and single `_` between them",
      description: "Name of the MCP server; its tools are called `<name>__<tool>`",
      examples: ["files"],
    }),
    url: Type.String({
      pattern: "^https?://",
      form: WEB_ADDRESS,
      maxLength: 2_048,
      examples: ["https://mcp.example/mcp"],
    }),
    headers: Type.Optional(Type.Array(McpHeader, { maxItems: 8 })),
    auth: Type.Optional(ToolServerAuth),
    /** Whether a run continues without its tools while the server is unavailable. */
    optional: Type.Optional(Type.Boolean()),
  },
  { $id: "McpServer", description: "An MCP server whose tools an agent can use" },
);
export type McpServer = Static<typeof McpServer>;

/** A header of an HTTP tool: either a secret of the organization after a fixed prefix, or a fixed value. */
export const ToolHeader = Type.Object({
  name: McpHeader.properties.name,
  secret: Type.Optional(McpHeader.properties.secret),
  prefix: McpHeader.properties.prefix,
  value: Type.Optional(
    Type.String({ pattern: "^[\\x20-\\x7e]{0,512}$", form: headerText(512), examples: ["2026-11-01"] }),
  ),
});
export type ToolHeader = Static<typeof ToolHeader>;

export const HTTP_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export const ARGUMENT_PLACES = ["path", "query", "header", "body"] as const;

/** Where an argument goes in a request, and its name there; `body` is the whole body. */
export const ArgumentPlace = Type.Object({
  name: Type.String(),
  place: OneOf(ARGUMENT_PLACES),
  as: Type.Optional(Type.String()),
});
export type ArgumentPlace = Static<typeof ArgumentPlace>;

/** The request of an HTTP tool. Secrets are names: their values are looked up for each request and never stored. */
export const HttpCall = Type.Object({
  method: OneOf(HTTP_METHODS),
  /** Its path may contain `{argument}`. */
  url: Type.String(),
  headers: Type.Array(ToolHeader),
  /** Arguments that are not listed become fields of the body, or of the query if the method has no body. */
  arguments: Type.Array(ArgumentPlace),
  /** The timeout of one request. */
  timeoutMs: Type.Integer(),
  retry: Type.Object({ times: Type.Integer(), pauseMs: Type.Integer() }),
  /** Whether a request with an unknown outcome may be repeated. */
  repeatable: Type.Boolean(),
  /** The secret that signs each request; null: unsigned. */
  signingSecret: Type.Union([Type.String(), Type.Null()]),
  /** Access to the host. For `oauth`, `resource` is the address that the tokens are for, of the same origin as `url`. */
  auth: Type.Optional(Type.Object({ ...ToolServerAuth.properties, resource: Type.Optional(Type.String()) })),
});
export type HttpCall = Static<typeof HttpCall>;

/**
 * A tool that only one agent has. `client`: programs that use the agent run it and send its results (JOB-17). `http`:
 * the service makes a request (RUN-13).
 */
export const AgentTool = Type.Object({
  name: Type.String(),
  description: Type.String(),
  /** JSON Schema of its arguments; always an object. */
  inputSchema: Type.Unsafe<JsonObject>({ type: "object" }),
  kind: OneOf(["client", "http"] as const),
  /** The client's own name of a tool that it gave to one run, where the model must know it by another one (DIA-3). */
  clientName: Type.Optional(Type.String()),
  /** Present for the kind `http` only. */
  http: Type.Optional(HttpCall),
});
export type AgentTool = Static<typeof AgentTool>;

/**
 * Whether a server or a tool acts with access that only owners give away (AUTH-12): that of the organization, a client
 * with a secret, or a token that is valid elsewhere than where it is sent.
 */
export const usesOrganizationAccess = (auth: ToolServerAuth | undefined): boolean =>
  auth?.owner === "organization" || auth?.client?.secret !== undefined || auth?.audience !== undefined;

/** The secrets that the requests of a tool need. That of an OAuth client is not among them: no tool server gets it. */
export const secretsOfTool = ({ http }: Pick<AgentTool, "http">): readonly string[] =>
  http === undefined
    ? []
    : [
        ...http.headers.flatMap(({ secret }) => secret ?? []),
        ...(http.signingSecret === null ? [] : [http.signingSecret]),
      ];
