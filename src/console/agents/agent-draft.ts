/** The fields of an agent that a person edits, as `PATCH /api/agents/{id}` takes them. */
import type { Agent, UpdateAgentRequest } from "../../../sdk/typescript/troupe.ts";
import { fieldsLike } from "../pieces/edited-fields.ts";

export type AgentDraft = Required<UpdateAgentRequest>;

export const NEW_AGENT: AgentDraft = {
  name: "",
  role: "Assistant",
  description: null,
  system_prompt: "",
  model: null,
  model_settings: null,
  max_steps: null,
  allowed_tools: null,
  approval_tools: [],
  approval_rules: [],
  approval_expiry: { after_seconds: 86_400, on_expiry: "deny" },
  approval_reach: { links: "signed_in", remind_after_seconds: null },
  tools: [],
  mcp_servers: [],
  output_schema: null,
  cache: "auto",
  visibility: "private",
  tags: [],
};

export const agentDraftOf = (agent: Agent): AgentDraft =>
  fieldsLike<AgentDraft>(NEW_AGENT, {
    ...agent,
    system_prompt: agent.system_prompt ?? "",
    // Null stands for the tools that every agent has, an empty list for no tools.
    allowed_tools: agent.allowed_tools.length === 0 && !agent.has_no_tools ? null : agent.allowed_tools,
  });
