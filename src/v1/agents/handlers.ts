/** Agents on v1: list, create, read, update, soft-delete. */
import { mapped, ok } from "../../../actors/fault.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { done } from "../../http/commit/commit.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import { whenReady } from "../../../actors/maybe-promise.ts";
import type { Services } from "../../operations/services.ts";
import type { agentOperations } from "./operations.ts";
import { agentView } from "./schema.ts";

/** Agents of one answer; lists have no pages (V1-1). */
export const LISTED_AGENTS = 1_000;

/** Where an agent's first chat has its page (V1-6). */
const chatUrl = (workspaceId: string, chatId: string): string => `/org/spaces/${workspaceId}/chats/${chatId}`;

/** A blank role is the default one (AGT-4). */
const roleOf = (role: string): string => (role.trim() === "" ? "Assistant" : role);

export const agentHandlers: Handlers<typeof agentOperations.operations, Services> = {
  async v1ListAgents({ system, directory, log }, { principal: { organizationId } }) {
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const found = await lookUp(log, directory.listAgents(organizationId, LISTED_AGENTS));
    if (!found.ok) return found;
    const { agents: listed, total } = found.value;
    return ok({ success: true, agents: listed.map((agent) => agentView(agent, organizationId)), total });
  },

  async v1CreateAgent(_, change, { body }) {
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

  v1GetAgent: ({ agents }, { principal }, { params }) =>
    whenReady(agents.find(principal, params.id), (found) =>
      mapped(found, (agent) => ({ success: true, agent: agentView(agent, principal.organizationId) })),
    ),

  async v1UpdateAgent(_, change, { params: { id: agentId }, body }) {
    const { principal } = change;
    const { role, ...others } = body;
    const changes = role === undefined ? others : { ...others, role: roleOf(role) };
    const command = { kind: "update_agent", by: principal, agentId, changes } as const;
    return change.commit([ask(organizationRef(principal.organizationId), command)], () =>
      done({ success: true, message: "Agent updated successfully" }),
    );
  },

  async v1DeleteAgent(_, change, { params: { id: agentId } }) {
    const { principal } = change;
    const command = { kind: "archive_agent", by: principal, agentId } as const;
    return change.commit([ask(organizationRef(principal.organizationId), command)], () =>
      done({ success: true, message: "Agent deleted successfully" }),
    );
  },
};
