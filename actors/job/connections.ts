/** What an agent is connected to outside of the service: MCP servers (RUN-6), and tools of its clients (RUN-12). */
import { type JsonObject, type Static, Type } from "../schema.ts";

/** A header that an MCP server is sent: a secret of the organization, after a fixed prefix such as `Bearer `. */
export const McpHeader = Type.Object({
  name: Type.String({ pattern: "^[A-Za-z0-9-]{1,64}$", examples: ["Authorization"] }),
  /** The name of the secret (RUN-5); the value is looked up for each request and kept nowhere. */
  secret: Type.String({ pattern: "^[A-Za-z0-9_.-]{1,64}$", examples: ["MCP_TOKEN"] }),
  prefix: Type.Optional(Type.String({ pattern: "^[\\x20-\\x7e]{0,64}$", examples: ["Bearer "] })),
});
export type McpHeader = Static<typeof McpHeader>;

/** An MCP server of an agent, over HTTP. Its tools are `<name>__<tool>`, so the name neither has `__` nor ends in `_`. */
export const McpServer = Type.Object({
  name: Type.String({ pattern: "^(?=.{1,32}$)[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$", examples: ["files"] }),
  url: Type.String({ pattern: "^https?://", maxLength: 2_048, examples: ["https://mcp.example/mcp"] }),
  headers: Type.Optional(Type.Array(McpHeader, { maxItems: 8 })),
  /** Whether a run goes on without its tools while the server cannot be used. */
  optional: Type.Optional(Type.Boolean()),
});
export type McpServer = Static<typeof McpServer>;

/** A tool of one agent alone. The kind `client`: programs that use the agent run it, and send its results (JOB-17). */
export const AgentTool = Type.Object({
  name: Type.String(),
  description: Type.String(),
  /** JSON Schema of its arguments; always an object. */
  inputSchema: Type.Unsafe<JsonObject>({ type: "object" }),
  kind: Type.Literal("client"),
});
export type AgentTool = Static<typeof AgentTool>;
