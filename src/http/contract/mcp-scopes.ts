/** The scopes that a program needs to use all of the MCP endpoint (MCP-2). */

/**
 * The scopes of every tool and resource, and of the endpoint. The endpoint's 401 and its metadata name them all:
 * clients request the scopes named there, and those of the older era request no more later. The person may grant
 * fewer.
 */
export const MCP_SCOPES: readonly string[] = [
  "agents:write",
  "chats:write",
  "jobs:write",
  "missions:write",
  "workspaces:write",
  "mcp",
];
