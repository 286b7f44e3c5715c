/** `list_agents`: who there is to assign work to. */
import { Type } from "../../../actors/schema.ts";
import { patiently } from "./patience.ts";
import type { TaskService } from "./service.ts";
import { defineTool, resultOf, type Tool } from "./tool.ts";

export const listAgents = (service: TaskService): Tool =>
  defineTool({
    name: "list_agents",
    description: "The agents of this organization, with their ids, names and roles.",
    input: Type.Object({}),
    access: "safe",
    safeToRepeat: true,
    async run(_input, { context, signal }) {
      return resultOf(await patiently(signal, () => service.listAgents(context)), (agents) => ({
        agents: agents.map(({ id, name, role }) => ({ id, name, role })),
      }));
    },
  });
