/** Operations on tools (RUN-11). */
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { idFilter, naming } from "../../http/contract/field.ts";
import { Count, Id, noun, OpenObject, Text } from "../../http/contract/noun.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { AVAILABILITIES } from "../../operations/tool-catalogue.ts";

export const ToolView = noun("Tool", "Something that an agent can do besides answering", {
  name: Text("Its name, as `allowed_tools` and `approval_tools` have it", "web_fetch"),
  description: Text("What it does; models read this", "What an address on the web says, as text."),
  input_schema: OpenObject("JSON Schema of its arguments"),
  availability: OneOf(AVAILABILITIES, {
    description:
      "`always`: every agent has it; `granted`: those whose `allowed_tools` name it; `missions`: every agent, in the jobs of missions; `agent`: the agent that is asked for, and no other",
  }),
  read_only: Type.Boolean({ description: "Whether it changes nothing" }),
});

const McpServerToolsView = noun("McpServerTools", "What an MCP server was found to have", {
  name: Text("The name of the server", "crm"),
  status: OneOf(["listed", "unavailable"] as const, {
    description: "`listed`: its tools are in the list; `unavailable`: it could not be used, `message` says why",
  }),
  tools: Count("Tools of it in the list"),
  left_out: Count("Tools that are not in the list: past 256, or with too large a schema"),
  message: Nullable(
    Text("Why it cannot be used", "The MCP server crm cannot be used: it does not accept connections."),
  ),
  asked_at: Timestamp,
});

export const toolOperations = operationGroup("Tools", "What agents can be given", {
  listTools: {
    method: "GET",
    path: "/api/tools",
    scope: "agents:read",
    summary: "List the tools that agents can be given",
    description:
      "The service's own tools, by name, and with `agent_id` those of the agent and of its MCP servers. The latter are called `<server>__<tool>`, and `<server>__*` names all of one server. A server is asked at most every 5 minutes, and one that cannot be used is reported in `mcp_servers`.",
    query: { agent_id: naming("agent", idFilter(Id("agt", "An agent whose own tools are listed too"))) },
    answers: {
      200: noun("ToolList", "All tools of the service", {
        tools: Type.Array(ToolView, { description: "By name" }),
        mcp_servers: Type.Array(McpServerToolsView, {
          description: "The MCP servers of the agent, with what came of asking them",
          examples: [[]],
        }),
      }),
    },
    errors: ["invalid_request", "not_found"],
  },
});
