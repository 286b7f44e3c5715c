/** Agents as models. A model's id is the agent's name where no other agent has it, and its id works everywhere. */
import { notFound, ok } from "../../../actors/fault.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import { FreeObject, Type } from "../../../actors/schema.ts";
import { agentOfName, visibleAgents } from "../runs/named-agent.ts";
import { protocolOperation } from "../runs/protocol.ts";

const openAiModelView = ({ id, name, description, createdAt, organizationId }: Agent, shownId: string) => ({
  id: shownId,
  object: "model",
  created: Math.floor(Date.parse(createdAt) / 1_000),
  owned_by: organizationId,
  name,
  agent_id: id,
  ...(description === null || description === undefined ? {} : { description }),
});

/** The id that the list shows: names are what people choose by. */
const shownIdOf = ({ id, name }: Agent, all: readonly Agent[]): string =>
  name !== "" && all.filter((other) => other.name === name).length === 1 ? name : id;

export const modelsOperations = {
  openAiListModels: protocolOperation(
    {
      method: "GET",
      path: "/openai/v1/models",
      scope: "agents:read",
      summary: "List models",
      answers: { 200: FreeObject },
    },
    async (services, { principal }) => {
      const agents = await visibleAgents(services, principal);
      if (!agents.ok) return agents;
      return ok({
        object: "list",
        data: agents.value.map((agent) => openAiModelView(agent, shownIdOf(agent, agents.value))),
      });
    },
  ),

  openAiGetModel: protocolOperation(
    {
      method: "GET",
      path: "/openai/v1/models/{id}",
      scope: "agents:read",
      summary: "Read a model",
      params: { id: Type.String() },
      answers: { 200: FreeObject },
    },
    async (services, { principal }, { params: { id } }) => {
      const agent = await agentOfName(services, principal, id, "id");
      if (!agent.ok) return agent.fault.kind === "not_found" ? notFound("agent") : agent;
      return ok(openAiModelView(agent.value, id));
    },
  ),
};
