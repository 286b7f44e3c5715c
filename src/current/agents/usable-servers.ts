/** Validates the MCP servers that a caller gives an agent. */
import { invalid, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isReservedHeader } from "../../../actors/header-name.ts";
import { type McpServer, usesOrganizationAccess } from "../../../actors/job/connections.ts";
import { type Principal, secretsRefusal } from "../../../actors/organization/principal.ts";
import { authErrors, knownSecrets, namedClientSecret } from "./tool-server-auth.ts";
import type { Services } from "../../operations/services.ts";

/** Headers that an MCP client sets itself. */
const OF_THE_PROTOCOL = /^(?:content-type|content-encoding|accept|last-event-id|mcp-.*)$/i;

/** Refuses invalid servers, forbidden addresses (HOOK-11), and unknown secrets. */
export async function usableServers(
  { system, webhookTools }: Pick<Services, "system" | "webhookTools">,
  servers: readonly McpServer[] | undefined,
  principal: Principal,
): Promise<Outcome<null>> {
  if (servers === undefined) return ok(null);
  const allowed = allowedServers(servers, principal);
  const named = servers.flatMap(({ headers = [], auth }, i) => [
    ...headers.map(({ secret }, n) => ({ secret, path: `/mcp_servers/${i}/headers/${n}/secret` })),
    ...namedClientSecret(auth, `/mcp_servers/${i}/auth`),
  ]);
  if (!allowed.ok) return allowed;
  for (const [i, { url }] of servers.entries()) {
    const message = await webhookTools.refusalOf(url);
    if (message !== null) return invalid(`/mcp_servers/${i}/url`, message);
  }
  return knownSecrets({ system }, principal.organizationId, named);
}

function allowedServers(servers: readonly McpServer[], by: Principal): Outcome<null> {
  if (new Set(servers.map(({ name }) => name)).size < servers.length)
    return invalid("/mcp_servers", "MCP servers must have different names");
  const urls = servers.map(({ url }) => URL.parse(url));
  if (urls.includes(null)) return invalid("/mcp_servers", "The url of an MCP server must be a complete URL");
  // Everybody who may read the agent sees the record.
  if (urls.some((url) => url !== null && (url.username !== "" || url.password !== "")))
    return invalid(
      "/mcp_servers",
      "The url of an MCP server must not have a user name or password; use a header with a secret",
    );
  for (const [i, { headers = [], auth }] of servers.entries()) {
    if (auth !== undefined && headers.some(({ name }) => name.toLowerCase() === "authorization"))
      return invalid(
        `/mcp_servers/${i}/auth`,
        "A server with auth cannot have the header Authorization: the service sends the access token in it",
      );
    const errors = auth === undefined ? [] : authErrors(auth, `/mcp_servers/${i}/auth`);
    if (errors.length > 0) return refuse({ kind: "invalid_request", errors });
    const taken = headers.findIndex(({ name }) => isReservedHeader(name) || OF_THE_PROTOCOL.test(name));
    if (taken !== -1)
      return invalid(`/mcp_servers/${i}/headers/${taken}/name`, "The connection sets a header of this name itself");
  }
  const hasSecrets = servers.some(({ headers = [], auth }) => headers.length > 0 || usesOrganizationAccess(auth));
  const refused = hasSecrets ? secretsRefusal(by) : null;
  return refused === null ? ok(null) : refuse(refused);
}
