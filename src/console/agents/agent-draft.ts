/** The fields of an agent that a person edits, as `PATCH /api/agents/{id}` takes them. */
import type { Agent, UpdateAgentRequest } from "../../../sdk/typescript/troupe.ts";

export type AgentDraft = Required<UpdateAgentRequest>;

export const agentDraftOf = (agent: Agent): AgentDraft => ({
  name: agent.name,
  role: agent.role,
  description: agent.description,
  system_prompt: agent.system_prompt ?? "",
  model: agent.model,
  model_settings: agent.model_settings,
  max_steps: agent.max_steps,
  // Null stands for the tools that every agent has, an empty list for no tools.
  allowed_tools: agent.allowed_tools.length === 0 && !agent.has_no_tools ? null : agent.allowed_tools,
  approval_tools: agent.approval_tools,
  approval_rules: agent.approval_rules,
  approval_expiry: agent.approval_expiry,
  approval_reach: agent.approval_reach,
  tools: agent.tools,
  mcp_servers: agent.mcp_servers,
  output_schema: agent.output_schema,
  cache: agent.cache,
  visibility: agent.visibility,
  tags: agent.tags,
});

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
