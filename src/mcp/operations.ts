/**
 * The endpoint as an operation: it runs through the same stages as every request (Host, token, rate, scope, turn,
 * limits of bodies), and its handler hands the message to the protocol. It is in no contract: its messages are those
 * of MCP.
 */
import { Type } from "../../actors/schema.ts";
import { binary } from "../http/contract/body-schema.ts";
import { media, operationGroup } from "../http/contract/operation.ts";
import { MCP_RESOURCE } from "../http/contract/oauth-paths.ts";

/** Bytes of one message: a file of 3 MiB as Base64 fits in. */
export const MESSAGE_BYTES = 4 * 1024 * 1024;

/** Headers that the protocol reads. */
const HEADERS = {
  host: Type.String(),
  origin: Type.String(),
  accept: Type.String(),
  "mcp-protocol-version": Type.String(),
  "mcp-method": Type.String(),
  "mcp-name": Type.String(),
  "mcp-session-id": Type.String(),
  "last-event-id": Type.String(),
} as const;

const ANSWER = media({ "application/json": Type.Object({}), "text/event-stream": Type.Object({}) });

export const mcpOperations = operationGroup("MCP", "The Model Context Protocol over Streamable HTTP", {
  sendMcpMessage: {
    method: "POST",
    path: MCP_RESOURCE,
    scope: "mcp",
    summary: "Send a message of MCP",
    headers: HEADERS,
    body: binary(MESSAGE_BYTES, ["application/json"]),
    answers: { 200: ANSWER },
    errors: ["forbidden"],
    isRead: true,
  },
  openMcpStream: {
    method: "GET",
    path: MCP_RESOURCE,
    scope: "mcp",
    summary: "Listen to a session of MCP, or go on with a stream of it",
    headers: HEADERS,
    answers: { 200: ANSWER },
    errors: ["forbidden"],
  },
  endMcpSession: {
    method: "DELETE",
    path: MCP_RESOURCE,
    scope: "mcp",
    summary: "End a session of MCP",
    headers: HEADERS,
    answers: { 200: ANSWER },
    errors: ["forbidden"],
    isRead: true,
  },
});
export type McpOperations = typeof mcpOperations.operations;
