/** The MCP servers that a caller may give an agent. */
import { invalid, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isReservedHeader } from "../../../actors/header-name.ts";
import type { McpServer } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";

/** What an MCP client says in headers itself. */
const OF_THE_PROTOCOL = /^(?:content-type|content-encoding|accept|last-event-id|mcp-.*)$/i;

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
  for (const [i, { headers = [] }] of servers.entries()) {
    const taken = headers.findIndex(({ name }) => isReservedHeader(name) || OF_THE_PROTOCOL.test(name));
    if (taken !== -1)
      return invalid(`/mcp_servers/${i}/headers/${taken}/name`, "The connection sets a header of this name itself");
  }
  const hasSecrets = servers.some(({ headers = [] }) => headers.length > 0);
  return hasSecrets && role !== "owner" ? refuse({ kind: "owner_required" }) : ok(null);
}
