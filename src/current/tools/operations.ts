/** What there is to know of tools (RUN-11). */
import { OneOf, Type } from "../../../actors/schema.ts";
import { idFilter } from "../../http/contract/field.ts";
import { Id, noun, OpenObject, Text } from "../../http/contract/noun.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { AVAILABILITIES } from "../../operations/tool-catalogue.ts";

export const ToolView = noun("Tool", "Something that an agent can do besides answering", {
  name: Text("Its name, as `allowed_tools` and `approval_tools` have it", "web_fetch"),
  description: Text("What it does, as models are told", "What an address on the web says, as text."),
  input_schema: OpenObject("JSON Schema of its arguments"),
  availability: OneOf(AVAILABILITIES, {
    description:
      "`always`: every agent has it; `granted`: those whose `allowed_tools` name it; `missions`: every agent, in the jobs of missions; `agent`: the agent that is asked for, and no other",
  }),
  read_only: Type.Boolean({ description: "Whether it changes nothing" }),
});

export const toolOperations = operationGroup("Tools", "What agents can be given", {
  listTools: {
    method: "GET",
    path: "/api/tools",
    scope: "agents:read",
    summary: "List the tools that agents can be given",
    description:
      "The service's own tools, by name. Those of an agent's MCP servers are `<server>__<tool>`, and `<server>__*` names all of one server.",
    query: { agent_id: idFilter(Id("agt", "An agent whose own tools are listed too")) },
    answers: {
      200: noun("ToolList", "All tools of the service", { tools: Type.Array(ToolView, { description: "By name" }) }),
    },
    errors: ["invalid_request", "not_found"],
  },
});
