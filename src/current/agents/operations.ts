/** Changing agents: create, update, delete, and install those of the library (AGT-1 to AGT-3). */
import { definedFields } from "../../../actors/changes.ts";
import { invalid, mapOutcome, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { AgentInput } from "../../../actors/organization/protocol.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { created, done } from "../../http/commit/commit.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { agentSettingsOfBody } from "../../operations/model-settings.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { settingsModelOf, usableModelSettings } from "../../operations/usable-model-settings.ts";
import { usableSchema } from "../../operations/usable-schema.ts";
import { unlessNotInstalled } from "../library-visibility.ts";
import { agentParams } from "../path-ids.ts";
import { updateRecord } from "../updating.ts";
import { usableOwnTools } from "../../operations/usable-own-tools.ts";
import { usableModel, findUsableTools } from "../usable-settings.ts";
import { ruleOfBody } from "./rule-schema.ts";
import { CreateAgentBody, InstallStateBody, UpdateAgentBody } from "./schema.ts";
import { agentToolOf } from "./tool-schema.ts";
import { toolKindErrors, usableHttpTools } from "./usable-http-tools.ts";
import { ruledAfter, touchesRules, usableRules } from "./usable-rules.ts";
import { usableServers } from "./usable-servers.ts";
import { AgentView, agentView } from "./view.ts";
import { recordNamed } from "../../http/contract/noun.ts";

export const agentOperations = {
  createAgent: operation(
    {
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
    async (services, change, { body }) => {
      const kinds = toolKindErrors(body.tools ?? []);
      if (kinds.length > 0) return refuse({ kind: "invalid_request", errors: kinds });
      const { name, role = "Assistant", visibility = "private", system_prompt: systemPrompt, ...settings } = body;
      const given: AgentInput = { name, role, systemPrompt, visibility, ...settingsOf(settings) };
      const model = usableModel(services, given.model, "/model");
      if (!model.ok) return model;
      const settled = usableModelSettings(services, { model: given.model ?? null, ofAgent: given.modelSettings });
      if (!settled.ok) return settled;
      const input = withOptionsModel(services, given, given);
      const { principal } = change;
      const servers = await usableServers(services, input.mcpServers, principal);
      if (!servers.ok) return servers;
      const schemas = await usableSchemas(services, principal, input);
      if (!schemas.ok) return schemas;
      const { organizationId } = principal;
      const { allowedTools = [], mcpServers = [], tools: own = [] } = input;
      const tools = findUsableTools(services, { organizationId, allowedTools, mcpServers, tools: own, given: input });
      if (!tools.ok) return tools;
      const rules = await usableRules(services, principal, input, input);
      if (!rules.ok) return rules;
      const command = { kind: "create_agent", by: principal, input } as const;
      return change.commit([ask(organizationRef(principal.organizationId), command)], ({ agent }) =>
        created(agentView(agent, principal)),
      );
    },
  ),

  updateAgent: operation(
    {
      method: "PATCH",
      path: "/api/agents/{id}",
      scope: "agents:write",
      summary: "Update an agent",
      description: "Omitted fields are unchanged. Jobs that have started keep the agent as it was.",
      params: agentParams,
      headers: IF_MATCH,
      body: UpdateAgentBody,
      answers: { 200: AgentView },
      errors: ["invalid_state", "forbidden", "owner_required"],
      emits: "agent.updated",
    },
    async (services, change, { params: { id: agentId }, headers, body }) => {
      const { principal } = change;
      const kinds = toolKindErrors(body.tools ?? []);
      if (kinds.length > 0) return refuse({ kind: "invalid_request", errors: kinds });
      const { name, visibility, system_prompt: systemPrompt, ...settings } = body;
      const given = { ...definedFields({ name, visibility, systemPrompt }), ...settingsOf(settings) };
      const model = usableModel(services, given.model, "/model");
      if (!model.ok) return model;
      const settled = await withUsableSettings(services, principal, agentId, given);
      if (!settled.ok) return unlessNotInstalled(services, principal, agentId, settled);
      const { value: changes } = settled;
      const servers = await usableServers(services, changes.mcpServers, principal);
      if (!servers.ok) return servers;
      const schemas = await usableSchemas(services, principal, changes);
      if (!schemas.ok) return schemas;
      const tools = await usableToolsOf(services, principal, agentId, changes);
      if (!tools.ok) return unlessNotInstalled(services, principal, agentId, tools);
      const rules = await usableRulesOf(services, principal, agentId, changes);
      if (!rules.ok) return unlessNotInstalled(services, principal, agentId, rules);
      const version = headers["if-match"] ?? rules.value;
      const command = { kind: "update_agent", by: principal, agentId, changes, version } as const;
      const ref = organizationRef(principal.organizationId);
      const steps = [ask(ref, { kind: "read_agent", by: principal, agentId }), ask(ref, command)] as const;
      const result = await updateRecord(change, steps, (agent) => agentView(agent, principal));
      return unlessNotInstalled(services, principal, agentId, result);
    },
  ),

  deleteAgent: operation(
    {
      method: "DELETE",
      path: "/api/agents/{id}",
      scope: "agents:write",
      summary: "Delete a private agent",
      description: "The agent is archived: it can no longer be found, listed or executed. Its history is kept.",
      params: agentParams,
      answers: { 200: AgentView },
      errors: ["invalid_state"],
      emits: "agent.deleted",
    },
    async (services, change, { params: { id: agentId } }) => {
      const { principal } = change;
      const command = { kind: "archive_agent", by: principal, agentId } as const;
      const archived = await change.commit([ask(organizationRef(principal.organizationId), command)], (agent) =>
        done(agentView(agent, principal)),
      );
      return unlessNotInstalled(services, principal, agentId, archived);
    },
  ),

  setAgentInstallState: operation(
    {
      method: "PATCH",
      path: "/api/agents/{id}/install-state",
      scope: "agents:write",
      summary: "Install, uninstall or restore a library agent",
      description:
        "Send either `install_state` or `action`. `install` applies the library's settings; `restore` brings back the settings from before the agent was uninstalled.",
      params: agentParams,
      body: InstallStateBody,
      answers: { 200: AgentView },
      errors: ["not_a_library_agent", "invalid_state"],
      emits: "agent.install_state_changed",
    },
    async (services, change, { params: { id: agentId }, body }) => {
      const { principal } = change;
      const { install_state: state } = body;
      const action = body.action ?? (state === undefined ? null : ACTION[state]);
      if (action === null) return invalid("/action", "Missing required field: install_state, or action");
      if (state !== undefined && STATE[action] !== state)
        return invalid("/action", `Field action must fit install_state: \`${action}\` ends in \`${STATE[action]}\``);
      const definition = services.library.find(principal.organizationId, agentId)?.definition ?? null;
      // An uninstalled agent keeps its settings; if its model has become unusable since, its executions refuse it.
      const model = usableModel(services, action === "install" ? definition?.model : null, "/model");
      if (!model.ok) return model;
      const command = { kind: "set_install_state", by: principal, agentId, action, definition } as const;
      const ref = organizationRef(principal.organizationId);
      const steps = [ask(ref, { kind: "read_library_agent", agentId }), ask(ref, command)] as const;
      return updateRecord(change, steps, (agent) => agentView(agent, principal));
    },
  ),
};

const ACTION = { installed: "install", uninstalled: "uninstall" } as const;

const STATE = { install: "installed", restore: "installed", uninstall: "uninstalled" } as const;

/**
 * Whether the tools that an update names exist for the agent after the update. If there is no agent, the update
 * itself says so.
 */
async function usableToolsOf(
  services: Services,
  by: Principal,
  agentId: string,
  changes: Partial<AgentInput>,
): Promise<Outcome<null>> {
  if (changes.allowedTools === undefined && changes.approvalTools === undefined) return ok(null);
  const agent = await services.agents.find(by, agentId);
  if (!agent.ok) return agent;
  const { allowedTools, mcpServers, tools = [] } = { ...agent.value, ...changes };
  const { organizationId } = by;
  return findUsableTools(services, { organizationId, allowedTools, mcpServers, tools, given: changes });
}

/**
 * Whether the rules and the tools of the agent fit each other after the update. The version of the agent that was
 * checked, if it has rules: a change meanwhile could leave one of them behind.
 */
async function usableRulesOf(
  services: Services,
  by: Principal,
  agentId: string,
  changes: Partial<AgentInput>,
): Promise<Outcome<number | null>> {
  if (!touchesRules(changes)) return ok(null);
  const agent = await services.agents.find(by, agentId);
  if (!agent.ok) return agent;
  const after = ruledAfter(agent.value, changes);
  const checked = await usableRules(services, by, after, changes);
  return mapOutcome(checked, () => ((after.approvalRules ?? []).length === 0 ? null : agent.value.version));
}

/** Checks that the agent's model takes its settings after the update. */
async function withUsableSettings<T extends Partial<AgentInput>>(
  services: Services,
  by: Principal,
  agentId: string,
  changes: T,
): Promise<Outcome<T>> {
  if (changes.model === undefined && changes.modelSettings === undefined) return ok(changes);
  const agent = await services.agents.find(by, agentId);
  if (!agent.ok) return agent;
  const after = { ...agent.value, ...changes };
  const { model, modelSettings: ofAgent } = after;
  const given = { model, ofAgent, ...(changes.modelSettings === undefined ? { changed: "/model" as const } : {}) };
  return mapOutcome(usableModelSettings(services, given), () => withOptionsModel(services, changes, after));
}

/** Notes for which model the agent's provider options are, if it has any. */
const withOptionsModel = <T extends object>(
  services: Services,
  changes: T,
  { model = null, modelSettings }: Partial<AgentInput>,
): T =>
  (modelSettings?.providerOptions ?? null) === null
    ? changes
    : { ...changes, settingsModel: settingsModelOf(services, model) };

/** Validates the answer schema, and the agent's own tools: their schemas, their names, and the requests they make. */
async function usableSchemas(
  services: Services,
  principal: Principal,
  { outputSchema, tools = [] }: Partial<AgentInput>,
): Promise<Outcome<null>> {
  const { organizationId } = principal;
  const answers = await usableSchema(services, organizationId, { schema: outputSchema, path: "/output_schema" });
  const own = answers.ok ? await usableOwnTools(services, organizationId, tools) : answers;
  return own.ok ? usableHttpTools(services, principal, tools) : own;
}

function settingsOf({
  allowed_tools: allowed,
  approval_rules: rules,
  approval_expiry: expiry,
  approval_reach: reach,
  model_settings: settings,
  tools,
  ...body
}: Omit<UpdateAgentBody, "name" | "visibility" | "system_prompt">) {
  return definedFields({
    ...recordNamed(body),
    allowedTools: allowed === null ? [] : allowed,
    hasNoTools: allowed === undefined ? undefined : allowed?.length === 0,
    approvalRules: rules?.map(ruleOfBody),
    approvalExpiry: expiry && recordNamed(expiry),
    approvalReach: reach && recordNamed(reach),
    modelSettings: agentSettingsOfBody(settings),
    tools: tools?.map(agentToolOf),
  });
}
