/** An agent as the current surface shows it (AGT-1). */
import { McpServer } from "../../../actors/job/connections.ts";
import { DEFAULT_EXPIRY, DEFAULT_REACH, PROMPT_CACHES } from "../../../actors/job/terms.ts";
import { lentSettings } from "../../../actors/job/model-settings.ts";
import type { LibraryAgent } from "../../../actors/organization/directory.ts";
import { canChange, type Principal, settingRefusal } from "../../../actors/organization/principal.ts";
import { type Agent, INSTALL_STATES, VISIBILITIES } from "../../../actors/organization/schema.ts";
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { fieldsFrom, Id, listOf, noun, OpenObject, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { ModelSettingsShape, settingsView } from "../../operations/model-settings.ts";
import { WHILE_NOT_INSTALLED } from "../library-visibility.ts";
import { isDisabled } from "../../work/prepared-work.ts";
import { ApprovalRuleView, ruleView } from "./rule-schema.ts";
import { ApprovalExpiryView, ApprovalReachView } from "./schema.ts";
import { AgentToolView, agentToolView } from "./tool-schema.ts";
import { permittedActions, RECORD, recordView } from "../record.ts";
import { type LibraryDefinition } from "../../../actors/organization/protocol.ts";

export const AgentView = noun("Agent", "An AI assistant with a name, a role and instructions", {
  id: Id("agt", "The agent's id; entries of the library have ids of their own"),
  name: Text("Display name", "Ada"),
  role: Text("The agent's role in a few words", "Assistant"),
  description: Nullable(Text("What the agent is for", "Answers questions about our product")),
  system_prompt: Nullable(Text("The agent's instructions; null for readers of other organizations", "Be brief.")),
  model: Nullable(Text("`provider:name`; null for the service's default", "demo:echo")),
  visibility: OneOf(VISIBILITIES),
  source: OneOf(["private", "library"] as const),
  status: OneOf(["active", "archived"] as const),
  install_state: OneOf(INSTALL_STATES),
  allowed_tools: Type.Array(Type.String(), { examples: [["web_fetch"]] }),
  has_no_tools: Type.Boolean({
    description: "Whether the agent has none of the service's tools, because `allowed_tools` was set to an empty list",
  }),
  approval_tools: Type.Array(Type.String(), {
    description: "Tools whose calls wait for a person's approval",
    examples: [[]],
  }),
  approval_rules: Type.Array(ApprovalRuleView, {
    description: "Rules that decide about tool calls before `approval_tools` do",
    examples: [[]],
  }),
  approval_expiry: ApprovalExpiryView,
  approval_reach: ApprovalReachView,
  mcp_servers: Type.Array(McpServer, { examples: [[]] }),
  max_steps: Nullable(Type.Integer({ minimum: 1, description: "Maximum number of model calls per job" })),
  tools: Type.Array(AgentToolView, { examples: [[]] }),
  output_schema: Nullable(OpenObject("JSON Schema that answers must match; null: answers are text")),
  cache: OneOf(PROMPT_CACHES, { default: "auto" }),
  model_settings: Nullable(ModelSettingsShape),
  tags: Type.Array(Type.String(), { examples: [["texts"]] }),
  created_by: Nullable(Id("usr", "The user who created it; null for a library entry that is not installed")),
  ...RECORD,
  created_at: Nullable(Timestamp),
  updated_at: Nullable(Timestamp),
});
export const AgentList = listOf("AgentList", "agents", AgentView);
type AgentView = Shown<typeof AgentView>;

const agentFields = fieldsFrom(AgentView);
const agentExpiryFields = fieldsFrom(ApprovalExpiryView);
const reachFields = fieldsFrom(ApprovalReachView);

/** Settings that may be absent, of an agent and of an entry of the library. */
const settingsShown = (of: LibraryDefinition) => ({
  approval_rules: (of.approvalRules ?? []).map(ruleView),
  approval_expiry: agentExpiryFields(of.approvalExpiry ?? DEFAULT_EXPIRY),
  approval_reach: reachFields(of.approvalReach ?? DEFAULT_REACH),
  tools: (of.tools ?? []).map(agentToolView),
  output_schema: of.outputSchema ?? null,
  cache: of.cache ?? "auto",
  model_settings: settingsView(of.modelSettings),
});

/** Readers of other organizations see neither the prompt nor the connections of the agent (V1-5). */
const lentSettingsOf = ({ modelSettings }: Agent) => ({
  system_prompt: null,
  approval_rules: [],
  mcp_servers: [],
  tools: [],
  model_settings: settingsView(lentSettings(modelSettings)),
});

export const agentView = (agent: Agent, by: Principal): AgentView => ({
  ...agentFields(agent),
  has_no_tools: agent.hasNoTools ?? false,
  ...settingsShown(agent),
  ...(agent.organizationId === by.organizationId ? {} : lentSettingsOf(agent)),
  ...recordView(
    agent,
    { self: `/api/agents/${agent.id}` },
    permittedActions(by, "agents:write", agentVerbs(agent, by), ACTION_SCOPES),
  ),
});

/** Executing an agent starts a chat. */
const ACTION_SCOPES = { execute: "chats:write" };

/** The verbs that this caller may use on the agent now. */
const agentVerbs = (agent: Agent, by: Principal): readonly string[] =>
  actionsOf(agent, by).filter((action) => {
    if (action === "update") return settingRefusal(agent, by) === null;
    return action !== "execute" || !isDisabled(agent);
  });

/** The verbs that the agent's state and visibility allow. */
function actionsOf(agent: Agent, by: Principal): readonly string[] {
  if (agent.organizationId !== by.organizationId) return ["execute"];
  if (agent.source === "library") {
    if (agent.installState === "installed") return ["update", "uninstall", "execute"];
    return WHILE_NOT_INSTALLED[agent.installState];
  }
  if (agent.status === "archived") return [];
  return canChange(agent, by) ? ["update", "delete", "execute"] : ["execute"];
}

/** A library entry that this organization has not installed: it has no record and no version yet. */
export const availableView = ({ id, definition }: LibraryAgent, by: Principal): AgentView => ({
  id,
  name: definition.name,
  role: definition.role,
  description: definition.description ?? null,
  system_prompt: definition.systemPrompt,
  model: definition.model ?? null,
  visibility: "organization",
  source: "library",
  status: "active",
  install_state: "available",
  allowed_tools: definition.allowedTools ?? [],
  has_no_tools: false,
  approval_tools: definition.approvalTools ?? [],
  ...settingsShown(definition),
  mcp_servers: [],
  max_steps: definition.maxSteps ?? null,
  tags: definition.tags ?? [],
  created_by: null,
  organization_id: by.organizationId,
  version: 0,
  created_at: null,
  updated_at: null,
  links: { self: `/api/agents/${id}` },
  allowed_actions: permittedActions(by, "agents:write", WHILE_NOT_INSTALLED.available),
});
