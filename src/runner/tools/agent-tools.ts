/** The tools that an agent has of its own (RUN-12): on for it without being named, and there for no other. */
import type { AgentTool } from "../../../actors/job/connections.ts";
import { failure, type Tool, type ToolSource } from "./tool.ts";

export const agentTools: ToolSource = {
  find: ({ tools = [] }) =>
    Promise.resolve({
      tools: tools.map(toolOf),
      missing: { required: [], optional: [] },
      notes: [],
      whyMissing: () => null,
    }),
};

const toolOf = ({ name, description, inputSchema }: AgentTool): Tool => ({
  name,
  description,
  inputSchema,
  access: "safe",
  reads: "own_work",
  // It is the client that runs it, once for each result: nothing here runs, or is lost.
  safeToRepeat: true,
  isClient: true,
  call: () => Promise.resolve(failure("The client runs this tool, and this call did not reach it.")),
});
