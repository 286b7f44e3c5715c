/** The operations on agents of v1. */
import { operationGroup } from "../../http/contract/operation.ts";
import { AgentId } from "../path-ids.ts";
import {
  AgentAnswer,
  AgentListAnswer,
  CreateAgentBody,
  CreatedAgent,
  Deleted,
  Done,
  UpdateAgentBody,
} from "./schema.ts";

const params = { id: AgentId };

export const agentOperations = operationGroup("V1 agents", "Agents on the v1 surface", {
  v1ListAgents: {
    method: "GET",
    path: "/api/v1/agents",
    scope: "agents:read",
    summary: "List agents",
    description: "The organization's agents, newest first, at most 1,000. Archived and private agents are not listed.",
    answers: { 200: AgentListAnswer },
  },
  v1CreateAgent: {
    method: "POST",
    path: "/api/v1/agents",
    scope: "agents:write",
    summary: "Create agent",
    body: CreateAgentBody,
    answers: { 200: CreatedAgent },
  },
  v1GetAgent: {
    method: "GET",
    path: "/api/v1/agents/{id}",
    scope: "agents:read",
    summary: "Get agent",
    params,
    answers: { 200: AgentAnswer },
    errors: ["not_found"],
  },
  v1UpdateAgent: {
    method: "PATCH",
    path: "/api/v1/agents/{id}",
    scope: "agents:write",
    summary: "Update agent",
    description: "Omitted fields are unchanged. A changed prompt takes effect on the next execution.",
    params,
    body: UpdateAgentBody,
    answers: { 200: Done },
    errors: ["not_found", "forbidden"],
  },
  v1DeleteAgent: {
    method: "DELETE",
    path: "/api/v1/agents/{id}",
    scope: "agents:write",
    summary: "Soft-delete agent",
    description: "It is archived: no longer found, listed, changed or executed. Its history is kept.",
    params,
    answers: { 200: Deleted },
    errors: ["not_found", "invalid_state"],
  },
});
