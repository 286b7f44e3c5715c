/** The snapshot of an agent that a job keeps (AGT-3, V1-5). */
import { lentSettings } from "../../actors/job/model-settings.ts";
import type { AgentSnapshot } from "../../actors/job/schema.ts";
import type { Agent } from "../../actors/organization/schema.ts";

/**
 * The committed version for a job of `organizationId`. A foreign agent comes without the tools and MCP servers that its
 * owner configured, and without tools that read the organization.
 */
export function agentSnapshot(agent: Agent, organizationId: string): AgentSnapshot {
  const { id, name, version, systemPrompt, model, maxSteps } = agent;
  const isOwn = agent.organizationId === organizationId;
  const { allowedTools, approvalTools, mcpServers } = isOwn
    ? agent
    : { allowedTools: [], approvalTools: [], mcpServers: [] };
  // Rules of another organization name its users and the tools that it does not lend.
  const rules =
    isOwn && agent.approvalRules !== undefined
      ? { approvalRules: agent.approvalRules, createdBy: agent.createdBy }
      : {};
  const expiry = agent.approvalExpiry === undefined ? {} : { approvalExpiry: agent.approvalExpiry };
  const reach = agent.approvalReach === undefined ? {} : { approvalReach: agent.approvalReach };
  const answer = agent.outputSchema === undefined ? {} : { outputSchema: agent.outputSchema };
  const cache = agent.cache === undefined ? {} : { cache: agent.cache };
  const { modelSettings: given } = agent;
  const settings = {
    ...(given === undefined ? {} : { modelSettings: isOwn ? given : lentSettings(given) }),
    ...(agent.settingsModel === undefined ? {} : { settingsModel: agent.settingsModel }),
  };
  const tools = isOwn && agent.tools !== undefined ? { tools: agent.tools } : {};
  const none = isOwn && agent.hasNoTools === true ? { hasNoTools: true } : {};
  const lent = isOwn ? {} : { lentTools: [] };
  return {
    id,
    name,
    version,
    systemPrompt,
    model,
    maxSteps,
    allowedTools,
    approvalTools,
    mcpServers,
    ...rules,
    ...expiry,
    ...reach,
    ...answer,
    ...cache,
    ...settings,
    ...tools,
    ...none,
    ...lent,
  };
}
