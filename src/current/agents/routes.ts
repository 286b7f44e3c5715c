/** Agents on the current surface: the organization's own, the caller's private ones, and the library (AGT-1 to AGT-3). */
import { invalid, mapped, notFound, type Outcome } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { AgentInput } from "../../../actors/organization/protocol.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { isAgentId } from "../../http/agent-finder.ts";
import { created, done } from "../../http/commit.ts";
import { queryOf } from "../../http/exchange.ts";
import type { Handlers, Shown } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import { type Soon, soon } from "../../http/soon.ts";
import type { Surface } from "../../http/surface.ts";
import { Body } from "../../http/validation.ts";
import { unlessNotInstalled } from "../library-sight.ts";
import type { CurrentParts } from "../parts.ts";
import { ifMatch } from "../record.ts";
import { usableModel } from "../usable-model.ts";
import { agentOperations } from "./operations.ts";
import { CreateAgentBody, InstallStateBody, UpdateAgentBody } from "./schema.ts";
import { libraryView, listAgents } from "./list.ts";
import { usableServers } from "./usable-servers.ts";
import { type AgentView, agentView } from "./view.ts";

const createBody = new Body(CreateAgentBody);
const updateBody = new Body(UpdateAgentBody);
const installBody = new Body(InstallStateBody);

export const agentRoutes = (current: Surface, parts: CurrentParts) =>
  operationRoutes(current, agentOperations, handlers(parts));

const handlers = (parts: CurrentParts): Handlers<typeof agentOperations.operations> => ({
  listAgents: ({ request, principal }) => listAgents(parts, principal, queryOf(request.url)),

  async createAgent(call) {
    const body = await call.body.as(createBody);
    if (!body.ok) return body;
    const { name, role = "Assistant", system_prompt: systemPrompt, ...settings } = body.value;
    const input: AgentInput = { name, role, systemPrompt, visibility: "private", ...settingsOf(settings) };
    const model = usableModel(parts, input.model, "/model");
    if (!model.ok) return model;
    const { principal } = call;
    const servers = usableServers(input.mcpServers, principal);
    if (!servers.ok) return servers;
    const command = { kind: "create_agent", by: principal, input } as const;
    return call.commit([ask(organizationRef(principal.organizationId), command)], ({ agent }) =>
      created(agentView(agent, principal)),
    );
  },

  getAgent: ({ principal, params }) => readAgent(parts, principal, params["id"] ?? ""),

  async updateAgent(call) {
    const { request, principal, params } = call;
    const agentId = params["id"] ?? "";
    if (!isAgentId(agentId)) return notFound("agent");
    const version = ifMatch(request);
    if (!version.ok) return version;
    const body = await call.body.as(updateBody);
    if (!body.ok) return body;
    const { name, visibility, system_prompt: systemPrompt, ...settings } = body.value;
    const changes = { ...defined({ name, visibility, systemPrompt }), ...settingsOf(settings) };
    const model = usableModel(parts, changes.model, "/model");
    if (!model.ok) return model;
    const servers = usableServers(changes.mcpServers, principal);
    if (!servers.ok) return servers;
    const command = { kind: "update_agent", by: principal, agentId, changes, version: version.value } as const;
    const updated = await call.commit([ask(organizationRef(principal.organizationId), command)], (agent) =>
      done(agentView(agent, principal)),
    );
    return unlessNotInstalled(parts, principal, agentId, updated);
  },

  async deleteAgent(call) {
    const { principal, params } = call;
    const agentId = params["id"] ?? "";
    if (!isAgentId(agentId)) return notFound("agent");
    const command = { kind: "archive_agent", by: principal, agentId } as const;
    const archived = await call.commit([ask(organizationRef(principal.organizationId), command)], (agent) =>
      done(agentView(agent, principal)),
    );
    return unlessNotInstalled(parts, principal, agentId, archived);
  },

  async setAgentInstallState(call) {
    const { principal, params } = call;
    const agentId = params["id"] ?? "";
    if (!isAgentId(agentId)) return notFound("agent");
    const body = await call.body.as(installBody);
    if (!body.ok) return body;
    const action =
      body.value.action ?? (body.value.install_state === undefined ? null : ACTION[body.value.install_state]);
    if (action === null) return invalid("/action", "Missing required field: install_state, or action");
    const definition = parts.library.find(principal.organizationId, agentId)?.definition ?? null;
    // An uninstalled one keeps its settings; what has become unusable since is told by its executions.
    const model = usableModel(parts, action === "install" ? definition?.model : null, "/model");
    if (!model.ok) return model;
    const command = { kind: "set_install_state", by: principal, agentId, action, definition } as const;
    return call.commit([ask(organizationRef(principal.organizationId), command)], (agent) =>
      done(agentView(agent, principal)),
    );
  },
});

const ACTION = { installed: "install", uninstalled: "uninstall" } as const;

/** An agent that the caller may use, or an entry of the library as this organization has it. */
function readAgent(
  { system, agents, library }: CurrentParts,
  by: Principal,
  id: string,
): Soon<Outcome<Shown<typeof AgentView>>> {
  const entry = library.find(by.organizationId, id);
  if (entry === null) return soon(agents.find(by, id), (found) => mapped(found, (agent) => agentView(agent, by)));
  const read = system.dispatch(organizationRef(by.organizationId), { kind: "read_library_agent", agentId: id });
  return soon(read, (record) => mapped(record, (agent) => libraryView(entry, agent, by)));
}

/** Only the fields that were given. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function settingsOf(body: Omit<UpdateAgentBody, "name" | "visibility" | "system_prompt">) {
  const { role, description, model, tags } = body;
  const [allowedTools, approvalTools, mcpServers, maxSteps] = [
    body.allowed_tools,
    body.approval_tools,
    body.mcp_servers,
    body.max_steps,
  ];
  const { after_seconds: afterSeconds, on_expiry: onExpiry } = body.approval_expiry ?? {};
  const approvalExpiry = afterSeconds === undefined || onExpiry === undefined ? undefined : { afterSeconds, onExpiry };
  return defined({ role, description, model, tags, allowedTools, approvalTools, approvalExpiry, mcpServers, maxSteps });
}
