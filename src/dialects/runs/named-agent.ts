/** Agents by the names that people choose them by. */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isIdOf } from "../../../actors/ids.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import type { Services } from "../../operations/services.ts";

/** Agents that a list shows. */
const SHOWN_AGENTS = 1_000;

type NamingServices = Pick<Services, "directory" | "agents" | "readCommitted">;

/** The agent that a client calls by this name: an id, or a name that only one agent has. `field` is its place in the input. */
export async function agentOfName(
  services: NamingServices,
  by: Principal,
  name: string,
  field: string,
): Promise<Outcome<Agent>> {
  if (isIdOf("agt", name)) return services.agents.find(by, name);
  const named = await visibleAgents(services, by, name);
  if (!named.ok) return named;
  const [agent, another] = named.value.filter((one) => one.name === name);
  if (another !== undefined) {
    const message = `Several agents are called ${name}: use the id of one of them`;
    return refuse({ kind: "invalid_request", errors: [{ path: `/${field}`, message }] });
  }
  // Agents of other services may have ids of other forms.
  return agent === undefined ? services.agents.find(by, name) : ok(agent);
}

/** The agents that this person sees, optionally only those with words of this name. */
export async function visibleAgents(
  { directory, readCommitted }: NamingServices,
  by: Principal,
  name?: string,
): Promise<Outcome<readonly Agent[]>> {
  const page = await readCommitted(by.organizationId, () =>
    directory.pageAgents(by, { name }, { limit: SHOWN_AGENTS, after: null }),
  );
  return page.ok ? ok(page.value.records) : page;
}
