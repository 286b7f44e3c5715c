/** Scopes as sentences for the documents, and those that programs of the MCP endpoint ask for. */

/** What a token with this scope may do, in words for documents; write access includes read access. */
export function scopeSentence(scope: string): string {
  const [noun, verb] = scope.split(":");
  if (scope === "*") return "Everything that its maker may do";
  if (verb === "use") return "Name the organization's secrets in agents";
  if (verb === undefined) return "The MCP endpoint";
  return verb === "read" ? `Read ${noun}` : `Read and change ${noun}`;
}

/**
 * The scopes of every tool and resource of MCP, and of its endpoint (MCP-2). The endpoint's 401 and its metadata name them all:
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
