/** Agents: create, read, update and soft-delete, with the visibility rules of V1-1. */
import { chatRef, chatTable, newChat } from "../chat/schema.ts";
import { notFound, ok, type Outcome } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { assert } from "../assert.ts";
import { canChange, canUse } from "./principal.ts";
import type { Actor, OrganizationProtocol } from "./protocol.ts";
import { type Agent, agentTable, organizationTable } from "./schema.ts";

/** What an agent has unless somebody says otherwise. */
const AGENT_DEFAULTS = {
  description: null, model: null, allowedTools: [], approvalTools: [], mcpServers: [], maxSteps: null, tags: [],
} satisfies Partial<Agent>;

type AgentCommand = "create_agent" | "read_agent" | "update_agent" | "archive_agent";

export const agentHandlers: Pick<Handlers<OrganizationProtocol>, AgentCommand> = {
  /** Also opens the agent's first chat in the default workspace (V1-6). */
  create_agent(tx, { by, input }) {
    const organization = tx.read(organizationTable, tx.self.id);
    assert(organization !== null, "a principal's organization exists");
    const agent = tx.create(agentTable, {
      ...AGENT_DEFAULTS, ...input, id: tx.id("agt"), status: "active", source: "private", installState: "installed", createdBy: by.userId,
    });
    const chatId = tx.id("cht");
    const workspaceId = organization.defaultWorkspaceId;
    const chat = newChat({ id: chatId, agent, workspaceId, createdBy: by.userId, title: agent.name });
    tx.birth(chatRef(tx.self.id, chatId), chatTable, chat);
    return ok({ agent, chatId, workspaceId });
  },

  read_agent(tx, { by, agentId }) {
    return usable(tx, by, agentId);
  },

  update_agent(tx, { by, agentId, changes }) {
    const agent = tx.read(agentTable, agentId);
    if (agent === null || !canChange(agent, by)) return notFound("agent");
    // A change of nothing leaves no trace: neither a version nor a time.
    return ok(Object.keys(changes).length === 0 ? agent : tx.update(agentTable, { ...agent, ...changes }));
  },

  archive_agent(tx, { by, agentId }) {
    const agent = tx.read(agentTable, agentId);
    if (agent === null || !canChange(agent, by)) return notFound("agent");
    return ok(tx.update(agentTable, { ...agent, status: "archived" }));
  },
};

function usable(tx: Tx, by: Actor, agentId: string): Outcome<Agent> {
  const agent = tx.read(agentTable, agentId);
  return agent !== null && canUse(agent, by) ? ok(agent) : notFound("agent");
}
