/** The tools of the service, and those of one agent and its MCP servers (RUN-11, RUN-12, RUN-21). */
import { ok, type Outcome } from "../../../actors/fault.ts";
import { isoTime } from "../../../actors/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import type { ServerTools } from "../../operations/mcp-catalogue.ts";
import type { Services } from "../../operations/services.ts";
import { infoOf } from "../usable-tools.ts";
import type { toolOperations } from "./operations.ts";

export const toolHandlers: Handlers<typeof toolOperations.operations, Services> = {
  async listTools(services, { principal }, { query }) {
    const own = query.agent_id === undefined ? ok(NOTHING) : await connected(services, principal, query.agent_id);
    if (!own.ok) return own;
    const { tools = [], mcpServers } = own.value;
    const found = await services.mcpCatalogue.toolsOf(principal.organizationId, mcpServers);
    const all = [...services.tools, ...tools.map(infoOf), ...found.flatMap((server) => server.tools)];
    return ok({
      tools: all
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, description, inputSchema, availability, isReadOnly }) => ({
          name,
          description,
          input_schema: inputSchema,
          availability,
          read_only: isReadOnly,
        })),
      mcp_servers: found.map(serverView),
    });
  },
};

const serverView = ({ server, tools, leftOut, problem, askedAt }: ServerTools) => ({
  name: server,
  status: problem === null ? ("listed" as const) : ("unavailable" as const),
  tools: tools.length,
  left_out: leftOut,
  message: problem,
  asked_at: isoTime(askedAt),
});

type Connections = Pick<Agent, "tools" | "mcpServers">;
const NOTHING: Connections = { mcpServers: [] };

/** Readers of other organizations do not see the agent's connections (V1-5). */
async function connected({ agents }: Services, by: Principal, agentId: string): Promise<Outcome<Connections>> {
  const agent = await agents.find(by, agentId);
  if (!agent.ok) return agent;
  return ok(agent.value.organizationId === by.organizationId ? agent.value : NOTHING);
}
