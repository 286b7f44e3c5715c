/** Operations on agents on the current surface (AGT-1 to AGT-3, GEN-8). */
import { VISIBILITIES } from "../../../actors/organization/schema.ts";
import { OneOf } from "../../../actors/schema.ts";
import { searched, someOf } from "../../http/contract/field.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { pageQuery } from "../paging.ts";
import { AgentId } from "../path-ids.ts";
import { ImportToolsBody, ToolImportView } from "./import-schema.ts";
import { CreateAgentBody, InstallStateBody, UpdateAgentBody } from "./schema.ts";
import { AgentList, AgentView } from "./view.ts";

const params = { id: AgentId };

export const agentOperations = operationGroup("Agents", "AI assistants: your own, and those of the library", {
  listAgents: {
    method: "GET",
    path: "/api/agents",
    scope: "agents:read",
    summary: "List agents",
    description:
      "The organization's agents and the caller's own private ones, newest first. Library entries that are not installed follow at the end. Filters are combined with AND.",
    query: {
      name: searched("Agents with a word in their name that begins with this text"),
      tag: searched("Agents with this tag"),
      source: OneOf(["private", "library"] as const, { description: "Where they come from" }),
      visibility: someOf(VISIBILITIES, { description: "Agents with one of these visibilities" }),
      ...pageQuery("agents"),
    },
    answers: { 200: AgentList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  createAgent: {
    method: "POST",
    path: "/api/agents",
    scope: "agents:write",
    summary: "Create a private agent",
    description: "Only its creator sees it, unless another `visibility` is given.",
    body: CreateAgentBody,
    answers: { 201: AgentView },
    errors: ["owner_required"],
    emits: "agent.created",
  },
  getAgent: {
    method: "GET",
    path: "/api/agents/{id}",
    scope: "agents:read",
    summary: "Read an agent",
    params,
    answers: { 200: AgentView },
    errors: ["not_found"],
  },
  updateAgent: {
    method: "PATCH",
    path: "/api/agents/{id}",
    scope: "agents:write",
    summary: "Update an agent",
    description: "Omitted fields are unchanged. Jobs that have started keep the agent as it was.",
    params,
    headers: IF_MATCH,
    body: UpdateAgentBody,
    answers: { 200: AgentView },
    errors: ["not_found", "invalid_state", "version_conflict", "forbidden", "owner_required"],
    emits: "agent.updated",
  },
  importAgentTools: {
    method: "POST",
    path: "/api/agents/{id}/tools/import",
    scope: "agents:write",
    summary: "Make tools from an OpenAPI document",
    description:
      "Each chosen operation becomes a tool of the kind `http`: its parameters and the fields of its JSON body are the arguments. A tool of this kind with the same name is replaced, the others stay. A `dry_run` stores nothing, and without `operations` shows which there are.",
    params,
    headers: IF_MATCH,
    body: ImportToolsBody,
    answers: { 200: ToolImportView },
    errors: ["not_found", "invalid_state", "version_conflict", "forbidden", "owner_required"],
    emits: "agent.updated",
  },
  deleteAgent: {
    method: "DELETE",
    path: "/api/agents/{id}",
    scope: "agents:write",
    summary: "Delete a private agent",
    description: "It is archived: no longer found, listed or executed. Its history is kept.",
    params,
    answers: { 200: AgentView },
    errors: ["not_found", "invalid_state"],
    emits: "agent.deleted",
  },
  setAgentInstallState: {
    method: "PATCH",
    path: "/api/agents/{id}/install-state",
    scope: "agents:write",
    summary: "Install, uninstall or restore a library agent",
    description:
      "Give `install_state`, or the `action`. `install` applies the library's settings; `restore` brings back those from before the agent was uninstalled.",
    params,
    body: InstallStateBody,
    answers: { 200: AgentView },
    errors: ["not_found", "not_a_library_agent", "invalid_state"],
    emits: "agent.install_state_changed",
  },
});
