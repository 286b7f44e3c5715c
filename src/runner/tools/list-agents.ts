/** `list_agents`: the agents that work can be assigned to. */
import { Type } from "../../../actors/schema.ts";
import { untilServiceDecides } from "./patience.ts";
import type { TaskService } from "./service.ts";
import { defineTool, outcomeResult, type Tool } from "./tool.ts";

export const listAgentsTool = (service: TaskService): Tool =>
  defineTool({
    name: "list_agents",
    description: "The agents of this organization, with their ids, names and roles.",
    input: Type.Object({}),
    access: "safe",
    safeToRepeat: true,
    readOnly: true,
    async run(_input, { context, pauses, signal }) {
      return outcomeResult(
        await untilServiceDecides({ pauses, signal }, () => service.listAgents(context)),
        (agents) => ({
          agents: agents.map(({ id, name, role }) => ({ id, name, role })),
        }),
      );
    },
  });
