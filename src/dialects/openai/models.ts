/** Agents as models. A model's id is the agent's name where no other agent has it, and its id works everywhere. */
import { notFound, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import { isIdOf } from "../../../actors/ids.ts";
import { FreeObject, Type } from "../../../actors/schema.ts";
import type { Services } from "../../operations/services.ts";
import { lookUp } from "../../log/look-up.ts";
import { protocolOperation } from "../runs/protocol.ts";

/** Agents that the list shows. */
const SHOWN_AGENTS = 1_000;

type NamingServices = Pick<Services, "system" | "directory" | "agents" | "log">;

/** The agent that a client calls by this model: an id, or a name that only one agent has. */
export async function agentOfModel(services: NamingServices, by: Principal, model: string): Promise<Outcome<Agent>> {
  if (isIdOf("agt", model)) return services.agents.find(by, model);
  const named = await visibleAgents(services, by, model);
  if (!named.ok) return named;
  const [agent, another] = named.value.filter(({ name }) => name === model);
  if (another !== undefined) {
    const message = `Several agents are called ${model}: use the id of one of them`;
    return refuse({ kind: "invalid_request", errors: [{ path: "/model", message }] });
  }
  // Agents of other services may have ids of other forms.
  return agent === undefined ? services.agents.find(by, model) : ok(agent);
}

/** The agents that this person sees, optionally only those with words of this name. */
async function visibleAgents(
  { system, directory, log }: NamingServices,
  by: Principal,
  name?: string,
): Promise<Outcome<readonly Agent[]>> {
  const settled = await system.settled(by.organizationId);
  if (!settled.ok) return settled;
  const page = await lookUp(log, directory.pageAgents(by, { name }, { limit: SHOWN_AGENTS, after: null }));
  return page.ok ? ok(page.value.records) : page;
}

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
      const agent = await agentOfModel(services, principal, id);
      if (!agent.ok) return agent.fault.kind === "not_found" ? notFound("agent") : agent;
      return ok(openAiModelView(agent.value, id));
    },
  ),
};
