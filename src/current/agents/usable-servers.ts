/** The MCP servers that a caller may give an agent. */
import { invalid, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { McpServer } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";

/** Only an owner names secrets here: whoever chooses the server as well could have them sent to himself. */
export function usableServers(servers: readonly McpServer[] | undefined, { role }: Principal): Outcome<null> {
  if (servers === undefined) return ok(null);
  if (new Set(servers.map(({ name }) => name)).size < servers.length)
    return invalid("/mcp_servers", "Each MCP server needs a name of its own");
  const urls = servers.map(({ url }) => URL.parse(url));
  if (urls.includes(null)) return invalid("/mcp_servers", "The url of an MCP server must be a complete URL");
  // The record is shown to all who may read the agent.
  if (urls.some((url) => url !== null && (url.username !== "" || url.password !== "")))
    return invalid("/mcp_servers", "The url of an MCP server has no user name or password; a header names a secret");
  const hasSecrets = servers.some(({ headers = [] }) => headers.length > 0);
  return hasSecrets && role !== "owner" ? refuse({ kind: "owner_required" }) : ok(null);
}
