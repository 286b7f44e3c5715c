/** The snapshot of an agent that a job keeps (AGT-3, V1-5). */
import { definedFields } from "../../actors/changes.ts";
import { lentSettings } from "../../actors/job/model-settings.ts";
import type { AgentSnapshot } from "../../actors/job/schema.ts";
import type { Agent } from "../../actors/organization/schema.ts";

/**
 * The committed version for a job of `organizationId`. A foreign agent comes without the tools and MCP servers that its
 * owner configured, and without tools that read the organization.
 */
export function agentSnapshot(agent: Agent, organizationId: string): AgentSnapshot {
  const { id, name, version, systemPrompt, model, maxSteps, approvalExpiry, approvalReach, outputSchema } = agent;
  const { cache, modelSettings, settingsModel, approvalRules, createdBy, tools, hasNoTools } = agent;
  const shared = { approvalExpiry, approvalReach, outputSchema, cache, settingsModel };
  const own = { id, name, version, systemPrompt, model, maxSteps, ...definedFields(shared) };
  if (agent.organizationId !== organizationId)
    return {
      ...own,
      ...definedFields({ modelSettings: modelSettings === undefined ? undefined : lentSettings(modelSettings) }),
      allowedTools: [],
      approvalTools: [],
      mcpServers: [],
      lentTools: [],
    };
  const { allowedTools, approvalTools, mcpServers } = agent;
  return {
    ...own,
    allowedTools,
    approvalTools,
    mcpServers,
    ...definedFields({ modelSettings, tools, hasNoTools: hasNoTools === true ? true : undefined }),
    // Rules of another organization name its users and the tools that it does not lend.
    ...(approvalRules === undefined ? {} : { approvalRules, createdBy }),
  };
}
