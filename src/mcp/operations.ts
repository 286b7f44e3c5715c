/**
 * The endpoint as an operation. It passes the same stages as every request (Host, token, rate, scope, turn, limits
 * of bodies), and its handler passes the message to the protocol. The contract has its requests and answers; MCP
 * defines what the messages mean. The SDKs leave it out, because MCP clients use it.
 */
import type { Outcome } from "../../actors/fault.ts";
import { Type } from "../../actors/schema.ts";
import { binary } from "../http/contract/body-schema.ts";
import { OpenObject } from "../http/contract/noun.ts";
import { type Input, media, operationGroup, operationsOver } from "../http/contract/operation.ts";
import { MCP_RESOURCE } from "../http/contract/paths.ts";
import type { Caller } from "../http/request/caller.ts";
import { BATCH_MESSAGES } from "./batch.ts";
import { toolsField } from "./toolsets.ts";

/** Limit of one message: a file of 3 MiB fits in as Base64. */
export const MCP_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Headers that the protocol reads. */
const PROTOCOL_HEADERS = {
  host: Type.String(),
  origin: Type.String(),
  accept: Type.String(),
  "mcp-protocol-version": Type.String(),
  "mcp-method": Type.String(),
  "mcp-name": Type.String(),
  "mcp-session-id": Type.String(),
  "last-event-id": Type.String(),
} as const;

const McpMessage = Type.Object(
  {
    jsonrpc: Type.Literal("2.0", { description: "The version of JSON-RPC" }),
    id: Type.Optional(
      Type.Union([Type.String(), Type.Integer(), Type.Null()], {
        description: "Id of a request and of its result or error; absent in notifications",
      }),
    ),
    method: Type.Optional(Type.String({ description: "Method of a request or a notification" })),
    params: Type.Optional(OpenObject("Parameters of a request or a notification")),
    result: Type.Optional(OpenObject("Result of a request")),
    error: Type.Optional(OpenObject("Error, with `code`, `message` and `data`")),
  },
  {
    $id: "McpMessage",
    title: "McpMessage",
    description: "A JSON-RPC message of MCP: a request, a notification, a result or an error",
    examples: [{ jsonrpc: "2.0", id: 1, result: { tools: [] } }],
  },
);
const EVENT_STREAM_TYPE = "text/event-stream";

/** What a client may send at once, and get: a message, or in revision 2025-03-26 several. */
const McpMessages = Type.Union([
  McpMessage,
  Type.Array(McpMessage, {
    minItems: 1,
    maxItems: BATCH_MESSAGES,
    description: "A batch; only revision 2025-03-26 has batches. Each message counts as a request",
  }),
]);
const HEADED = { query: { tools: toolsField }, headers: PROTOCOL_HEADERS } as const;
const POSTED = { ...HEADED, body: binary(MCP_MESSAGE_BYTES, ["application/json"], McpMessages) } as const;

export type HeadedMessage = Input<typeof HEADED>;
export type PostedMessage = Input<typeof POSTED>;
/** What takes the messages (`endpoint.ts`). */
interface McpDoor {
  take(caller: Caller, message: PostedMessage): Promise<Outcome<Response>>;
  listen(caller: Caller, message: HeadedMessage): Promise<Outcome<Response>>;
  end(caller: Caller, message: HeadedMessage): Promise<Outcome<Response>>;
}
const mcpOperation = operationsOver<McpDoor>();

export const mcpOperations = operationGroup("MCP", "The Model Context Protocol over Streamable HTTP", {
  sendMcpMessage: mcpOperation(
    {
      method: "POST",
      path: MCP_RESOURCE,
      scope: "mcp",
      summary: "Send an MCP message",
      description:
        "For MCP clients, with sessions (revisions 2025-03-26 to 2025-11-25) or without (2026-07-28). The bearer token is an OAuth access token (`/.well-known/oauth-authorization-server`) or another token with the scope `mcp`; each tool needs its own scope too. A notification gets 202 without a body. Protocol errors are JSON-RPC errors.",
      ...POSTED,
      answers: { 200: media({ "application/json": McpMessages, [EVENT_STREAM_TYPE]: McpMessage }), 202: null },
      errors: ["forbidden"],
      isRead: true,
    },
    (endpoint, caller, message) => endpoint.take(caller, message),
  ),

  openMcpStream: mcpOperation(
    {
      method: "GET",
      path: MCP_RESOURCE,
      scope: "mcp",
      summary: "Listen to an MCP session, or resume one of its streams",
      description: "Sends the session's messages as they arrive; `Last-Event-ID` resumes an interrupted stream.",
      ...HEADED,
      answers: { 200: media({ [EVENT_STREAM_TYPE]: McpMessage }) },
      errors: ["forbidden"],
    },
    (endpoint, caller, message) => endpoint.listen(caller, message),
  ),

  endMcpSession: mcpOperation(
    {
      method: "DELETE",
      path: MCP_RESOURCE,
      scope: "mcp",
      summary: "End an MCP session",
      ...HEADED,
      answers: { 200: null },
      errors: ["forbidden"],
      isRead: true,
    },
    (endpoint, caller, message) => endpoint.end(caller, message),
  ),
});
