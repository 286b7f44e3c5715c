/** The tools of the service, and those of one agent (RUN-11, RUN-12). */
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { AgentTool } from "../../../actors/job/connections.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import type { Services } from "../../operations/services.ts";
import { infoOf } from "../usable-tools.ts";
import type { toolOperations } from "./operations.ts";

export const toolHandlers: Handlers<typeof toolOperations.operations, Services> = {
  async listTools(services, { principal }, { query }) {
    const own = query.agent_id === undefined ? ok([]) : await ownTools(services, principal, query.agent_id);
    if (!own.ok) return own;
    const all = [...services.tools, ...own.value.map(infoOf)].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return ok({
      tools: all.map(({ name, description, inputSchema, availability, isReadOnly }) => ({
        name,
        description,
        input_schema: inputSchema,
        availability,
        read_only: isReadOnly,
      })),
    });
  },
};

/** Readers of other organizations do not see what its owner has connected to an agent (V1-5). */
async function ownTools({ agents }: Services, by: Principal, agentId: string): Promise<Outcome<readonly AgentTool[]>> {
  const agent = await agents.find(by, agentId);
  if (!agent.ok) return agent;
  return ok(agent.value.organizationId === by.organizationId ? (agent.value.tools ?? []) : []);
}
