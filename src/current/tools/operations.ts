/** The tools of the service, and those of one agent and its MCP servers (RUN-11, RUN-12, RUN-21). */
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import { isoTime, Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { idFilter, naming } from "../../http/contract/field.ts";
import { Count, fieldsFrom, Id, noun, OpenObject, Text } from "../../http/contract/noun.ts";
import { AVAILABILITIES, type ServerTools } from "../../operations/tool-catalogue.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { infoOf } from "../usable-settings.ts";

export const ToolView = noun("Tool", "A tool that agents can call", {
  name: Text("Name, as used in `allowed_tools` and `approval_tools`", "web_fetch"),
  description: Text("What it does; models read this", "What an address on the web says, as text."),
  input_schema: OpenObject("JSON Schema of its arguments"),
  availability: OneOf(AVAILABILITIES, {
    description:
      "`always`: every agent has it, unless its `allowed_tools` was set to an empty list; `granted`: agents whose `allowed_tools` name it; `missions`: every agent, in the jobs of missions; `agent`: only the requested agent",
  }),
  read_only: Type.Boolean({ description: "Whether it is read-only" }),
});

const McpServerToolsView = noun("McpServerTools", "Result of listing the tools of an MCP server", {
  name: Text("The name of the server", "crm"),
  status: OneOf(["listed", "unavailable"] as const, {
    description: "`listed`: its tools are in the list; `unavailable`: it could not be used, `message` says why",
  }),
  tools: Count("Number of its tools in the list"),
  left_out: Count("Number of its tools that were left out: beyond 256, or with too large a schema"),
  message: Nullable(
    Text("Why it cannot be used", "The MCP server crm cannot be used: it does not accept connections."),
  ),
  asked_at: Timestamp,
});

const toolFields = fieldsFrom(ToolView);

export const toolOperations = {
  listTools: operation(
    {
      method: "GET",
      path: "/api/tools",
      scope: "agents:read",
      summary: "List the tools that agents can be given",
      description:
        "The service's own tools, sorted by name; with `agent_id` also the agent's own tools and those of its MCP servers. A tool of an MCP server is called `<server>__<tool>`, and `<server>__*` stands for all tools of the server. Each server is queried at most every 5 minutes; a server that is unavailable is reported in `mcp_servers`.",
      query: { agent_id: naming("agent", idFilter(Id("agt", "An agent whose own tools are listed too"))) },
      answers: {
        200: noun("ToolList", "All tools of the service", {
          tools: Type.Array(ToolView, { description: "Sorted by name" }),
          mcp_servers: Type.Array(McpServerToolsView, {
            description: "MCP servers of the agent, and whether their tools could be listed",
            examples: [[]],
          }),
        }),
      },
    },
    async (services, { principal }, { query }) => {
      const own =
        query.agent_id === undefined ? ok(NO_CONNECTIONS) : await agentConnections(services, principal, query.agent_id);
      if (!own.ok) return own;
      const { tools = [], mcpServers } = own.value;
      const found = await services.mcpCatalogue.toolsOf(
        { ...readerOf(principal), agentId: query.agent_id },
        mcpServers,
      );
      const all = [...services.tools, ...tools.map(infoOf), ...found.flatMap((server) => server.tools)];
      return ok({
        tools: all
          .toSorted((a, b) => (a.name < b.name ? -1 : 1))
          .map((tool) => ({ ...toolFields(tool), read_only: tool.isReadOnly })),
        mcp_servers: found.map(serverView),
      });
    },
  ),
};

const readerOf = ({ organizationId, userId }: Principal) => ({ organizationId, userId });

const serverView = ({ server, tools, leftOut, problem, askedAt }: ServerTools) => ({
  name: server,
  status: problem === null ? ("listed" as const) : ("unavailable" as const),
  tools: tools.length,
  left_out: leftOut,
  message: problem,
  asked_at: isoTime(askedAt),
});

type AgentConnections = Pick<Agent, "tools" | "mcpServers">;

const NO_CONNECTIONS: AgentConnections = { mcpServers: [] };

/** Readers of other organizations do not see the agent's connections (V1-5). */
async function agentConnections(
  { agents }: Services,
  by: Principal,
  agentId: string,
): Promise<Outcome<AgentConnections>> {
  const agent = await agents.find(by, agentId);
  if (!agent.ok) return agent;
  return ok(agent.value.organizationId === by.organizationId ? agent.value : NO_CONNECTIONS);
}
