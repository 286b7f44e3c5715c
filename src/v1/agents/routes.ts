/** Agents on v1: list, create, read, update, soft-delete. */
import { mapped, notFound, ok } from "../../../actors/fault.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { done } from "../../http/commit.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Handlers } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import { soon } from "../../http/soon.ts";
import type { Surface } from "../../http/surface.ts";
import { Body } from "../../http/validation.ts";
import type { V1Parts } from "../parts.ts";
import { isAgentId } from "../../http/agent-finder.ts";
import { agentOperations } from "./operations.ts";
import { agentView, CreateAgentBody, UpdateAgentBody } from "./schema.ts";

/** Agents of one answer; lists have no pages (V1-1). */
export const LISTED_AGENTS = 1_000;

const createBody = new Body(CreateAgentBody);
const updateBody = new Body(UpdateAgentBody);
/** Where an agent's first chat has its page (V1-6). */
const chatUrl = (workspaceId: string, chatId: string): string => `/org/spaces/${workspaceId}/chats/${chatId}`;

/** A blank role is the default one (AGT-4). */
const roleOf = (role: string): string => (role.trim() === "" ? "Assistant" : role);

export const agentRoutes = (v1: Surface, parts: V1Parts) => operationRoutes(v1, agentOperations, handlers(parts));

const handlers = ({ system, directory, agents, log }: V1Parts): Handlers<typeof agentOperations.operations> => ({
  async v1ListAgents({ principal: { organizationId } }) {
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const found = await lookUp(log, directory.listAgents(organizationId, LISTED_AGENTS));
    if (!found.ok) return found;
    const { agents: listed, total } = found.value;
    return ok({ success: true, agents: listed.map((agent) => agentView(agent, organizationId)), total });
  },

  async v1CreateAgent(call) {
    const { principal } = call;
    const body = await call.body.as(createBody);
    if (!body.ok) return body;
    const { name, systemPrompt, role = "", visibility = "organization" } = body.value;
    const input = { name, systemPrompt, role: roleOf(role), visibility };
    const command = { kind: "create_agent", by: principal, input } as const;
    return call.commit(
      [ask(organizationRef(principal.organizationId), command)],
      ({ agent: { id, name: given }, chatId, workspaceId }) =>
        done({ success: true, id, name: given, status: "active", chatUrl: chatUrl(workspaceId, chatId) }),
    );
  },

  v1GetAgent: ({ params, principal }) =>
    soon(agents.find(principal, params["id"] ?? ""), (found) =>
      mapped(found, (agent) => ({ success: true, agent: agentView(agent, principal.organizationId) })),
    ),

  async v1UpdateAgent(call) {
    const { params, principal } = call;
    const changes = await call.body.as(updateBody);
    if (!changes.ok) return changes;
    const agentId = params["id"] ?? "";
    if (!isAgentId(agentId)) return notFound("agent");
    const { role, ...others } = changes.value;
    const given = role === undefined ? others : { ...others, role: roleOf(role) };
    const command = { kind: "update_agent", by: principal, agentId, changes: given } as const;
    return call.commit([ask(organizationRef(principal.organizationId), command)], () =>
      done({ success: true, message: "Agent updated successfully" }),
    );
  },

  async v1DeleteAgent(call) {
    const { params, principal } = call;
    const agentId = params["id"] ?? "";
    if (!isAgentId(agentId)) return notFound("agent");
    const command = { kind: "archive_agent", by: principal, agentId } as const;
    return call.commit([ask(organizationRef(principal.organizationId), command)], () =>
      done({ success: true, message: "Agent deleted successfully" }),
    );
  },
});
