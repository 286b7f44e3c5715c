/**
 * Validates the tool names of an agent or a chat (RUN-11). An unknown name would silently have no effect, so it is
 * refused when it is set, with a similar name. The tools of an MCP server are listed by each run, not here: similar
 * names come from a recent list, if there is one.
 */
import { type InputError, invalid, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { AgentTool, McpServer } from "../../actors/job/connections.ts";
import { namesTool } from "../../actors/job/terms.ts";
import { didYouMean, didYouMeanWord } from "../../actors/near-name.ts";
import type { ToolInfo } from "../operations/tool-catalogue.ts";
import type { Services } from "../operations/services.ts";

type ToolServices = Pick<Services, "tools" | "mcpCatalogue">;
const SEPARATOR = "__";

/** The agent's lists after the update; only what is in `given` is checked. */
export interface AgentTools {
  readonly organizationId: string;
  readonly allowedTools: readonly string[];
  readonly mcpServers: readonly McpServer[];
  readonly tools?: readonly AgentTool[];
  readonly given: {
    readonly allowedTools?: readonly string[] | undefined;
    readonly approvalTools?: readonly string[] | undefined;
  };
}

export function findUsableTools(
  { tools, mcpCatalogue }: ToolServices,
  { organizationId, allowedTools, mcpServers, tools: own = [], given }: AgentTools,
): Outcome<null> {
  const services = { tools: [...tools, ...own.map(infoOf)], mcpCatalogue };
  const connected = { organizationId, mcpServers };
  const { allowedTools: allowed = [], approvalTools: approval = [] } = given;
  const unknown = [
    ...unknownNames(services, connected, { names: allowed, path: "/allowed_tools" }),
    ...unknownNames(services, connected, { names: approval, path: "/approval_tools" }),
  ];
  const errors = unknown.length > 0 ? unknown : neverCalled(services, allowedTools, approval);
  return errors.length === 0 ? ok(null) : refuse({ kind: "invalid_request", errors });
}

/** An agent's own tool, in the form of a built-in one. */
export const infoOf = ({ name, description, inputSchema }: AgentTool): ToolInfo => ({
  name,
  description,
  inputSchema,
  availability: "agent",
  isReadOnly: false,
});

/** Checks the `tools` of a chat whose agent has these servers and own tools. */
export function usableChatTools(
  { tools, mcpCatalogue }: ToolServices,
  { tools: own = [], ...connected }: Connected & { readonly tools?: readonly AgentTool[] },
  list: { readonly names: readonly string[]; readonly path: string },
): Outcome<null> {
  const errors = unknownNames({ tools: [...tools, ...own.map(infoOf)], mcpCatalogue }, connected, list);
  return errors.length === 0 ? ok(null) : refuse({ kind: "invalid_request", errors });
}

/** The owner of the servers. */
interface Connected {
  readonly organizationId: string;
  readonly mcpServers: readonly McpServer[];
}

function unknownNames(
  { tools, mcpCatalogue }: ToolServices,
  { organizationId, mcpServers: servers }: Connected,
  { names, path }: { readonly names: readonly string[]; readonly path: string },
): InputError[] {
  const known = tools.map(({ name }) => name);
  const serverNames = servers.map(({ name }) => name);
  return names.flatMap((name, i) => {
    if (known.includes(name)) return [];
    const at = name.indexOf(SEPARATOR);
    const server = servers.find((one) => name.startsWith(one.name + SEPARATOR));
    if (server !== undefined) {
      const near = nearOf(name, mcpCatalogue.namesOf({ organizationId, userId: null }, server));
      const message = `The MCP server \`${server.name}\` has no tool \`${name}\`${near}`;
      return near === "" ? [] : [{ path: `${path}/${i}`, message }];
    }
    const message =
      at > 0
        ? `The agent has no MCP server \`${name.slice(0, at)}\`${didYouMean(name.slice(0, at), serverNames)}`
        : `Unknown tool \`${name}\`${didYouMeanWord(name, known)}`;
    return [{ path: `${path}/${i}`, message }];
  });
}

/** A name without a similar one may be a tool that the server will have later. */
const nearOf = (name: string, known: readonly string[] | null): string =>
  known === null || name.endsWith(`${SEPARATOR}*`) || known.includes(name) ? "" : didYouMean(name, known);

/** Tools listed for approval that the agent may not use at all: their calls would never be made. */
function neverCalled(
  { tools }: Pick<ToolServices, "tools">,
  allowed: readonly string[],
  approval: readonly string[],
): InputError[] {
  const isAlways = (name: string): boolean =>
    tools.some((tool) => tool.name === name && tool.availability !== "granted");
  return approval.flatMap((name, i) => {
    const isAllowed = isAlways(name) || namesTool(allowed, name) || allowed.some((one) => namesTool([name], one));
    if (isAllowed) return [];
    const message = `The agent may not use \`${name}\`: add it to allowed_tools too`;
    return [{ path: `/approval_tools/${i}`, message }];
  });
}

/**
 * Refuses a model that the operator does not allow when it is set, not when it is used (RUN-4). `path` names the
 * field; null and undefined mean the default model.
 */
export function usableModel(
  { models }: Pick<Services, "models">,
  model: string | null | undefined,
  path: string,
): Outcome<null> {
  if (model === undefined || model === null) return ok(null);
  const known = models.describe(model);
  if (known.ok) return ok(null);
  return invalid(path, known.fault.kind === "provider_error" ? known.fault.message : "This model cannot be used");
}
