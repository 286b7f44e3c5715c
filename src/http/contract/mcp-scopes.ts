/** What a program needs that is to use all of the MCP endpoint (MCP-2). */

/**
 * The scopes of every tool and resource, and that of the endpoint. The endpoint's 401 and its metadata name them all:
 * clients ask for what these name, and the one of the older era asks for no more later. The person may leave some out.
 */
export const MCP_SCOPES: readonly string[] = [
  "agents:write",
  "chats:write",
  "jobs:write",
  "missions:write",
  "workspaces:write",
  "mcp",
];
