/** Agents on v1: list, create, read, update, soft-delete. */
import { mapOutcome, ok } from "../../../actors/fault.ts";
import { whenReady } from "../../../actors/maybe-promise.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { done } from "../../http/commit/commit.ts";
import { operation } from "../../operations/operation.ts";
import {
  AgentAnswer,
  V1AgentId,
  AgentListAnswer,
  v1AgentView,
  V1CreateAgentBody,
  CreatedAgent,
  Deleted,
  Done,
  V1UpdateAgentBody,
} from "./schema.ts";

const v1AgentParams = { id: V1AgentId };

export const v1AgentOperations = {
  v1ListAgents: operation(
    {
      method: "GET",
      path: "/api/v1/agents",
      scope: "agents:read",
      summary: "List agents",
      description:
        "The organization's agents, newest first, at most 1,000. Archived and private agents are not listed.",
      answers: { 200: AgentListAnswer },
    },
    async ({ directory, readCommitted }, { principal: { organizationId } }) => {
      const found = await readCommitted(organizationId, () => directory.listAgents(organizationId, LISTED_AGENTS));
      if (!found.ok) return found;
      const { agents: listed, total } = found.value;
      return ok({ success: true, agents: listed.map((agent) => v1AgentView(agent, organizationId)), total });
    },
  ),

  v1CreateAgent: operation(
    {
      method: "POST",
      path: "/api/v1/agents",
      scope: "agents:write",
      summary: "Create agent",
      body: V1CreateAgentBody,
      answers: { 200: CreatedAgent },
    },
    async (_, change, { body }) => {
      const { principal } = change;
      const { name, systemPrompt, role = "", visibility = "organization" } = body;
      const input = { name, systemPrompt, role: roleOf(role), visibility };
      const command = { kind: "create_agent", by: principal, input } as const;
      return change.commit(
        [ask(organizationRef(principal.organizationId), command)],
        ({ agent: { id, name: given }, chatId, workspaceId }) =>
          done({ success: true, id, name: given, status: "active", chatUrl: chatUrl(workspaceId, chatId) }),
      );
    },
  ),

  v1GetAgent: operation(
    {
      method: "GET",
      path: "/api/v1/agents/{id}",
      scope: "agents:read",
      summary: "Get agent",
      params: v1AgentParams,
      answers: { 200: AgentAnswer },
    },
    ({ agents }, { principal }, { params }) =>
      whenReady(agents.find(principal, params.id), (found) =>
        mapOutcome(found, (agent) => ({ success: true, agent: v1AgentView(agent, principal.organizationId) })),
      ),
  ),

  v1UpdateAgent: operation(
    {
      method: "PATCH",
      path: "/api/v1/agents/{id}",
      scope: "agents:write",
      summary: "Update agent",
      description: "Omitted fields are unchanged. A changed prompt takes effect on the next execution.",
      params: v1AgentParams,
      body: V1UpdateAgentBody,
      answers: { 200: Done },
      errors: ["forbidden"],
    },
    async (_, change, { params: { id: agentId }, body }) => {
      const { principal } = change;
      const { role, ...others } = body;
      const changes = role === undefined ? others : { ...others, role: roleOf(role) };
      const command = { kind: "update_agent", by: principal, agentId, changes } as const;
      return change.commit([ask(organizationRef(principal.organizationId), command)], () =>
        done({ success: true, message: "Agent updated successfully" }),
      );
    },
  ),

  v1DeleteAgent: operation(
    {
      method: "DELETE",
      path: "/api/v1/agents/{id}",
      scope: "agents:write",
      summary: "Soft-delete agent",
      description:
        "The agent is archived: it can no longer be found, listed, changed or executed. Its history is kept.",
      params: v1AgentParams,
      answers: { 200: Deleted },
      errors: ["invalid_state"],
    },
    async (_, change, { params: { id: agentId } }) => {
      const { principal } = change;
      const command = { kind: "archive_agent", by: principal, agentId } as const;
      return change.commit([ask(organizationRef(principal.organizationId), command)], () =>
        done({ success: true, message: "Agent deleted successfully" }),
      );
    },
  ),
};

/** Agents of one answer; lists have no pages (V1-1). */
export const LISTED_AGENTS = 1_000;

/** Where an agent's first chat has its page (V1-6). */
const chatUrl = (workspaceId: string, chatId: string): string => `/org/spaces/${workspaceId}/chats/${chatId}`;

/** A blank role is the default one (AGT-4). */
const roleOf = (role: string): string => (role.trim() === "" ? "Assistant" : role);
