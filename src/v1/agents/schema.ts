/** Bodies and the view of agents on v1. */
import { type Agent, VISIBILITIES } from "../../../actors/organization/schema.ts";
import { OneOf, type Static, Timestamp, Type } from "../../../actors/schema.ts";
import { NOT_BLANK } from "../../http/contract/body-schema.ts";
import { pathId } from "../../http/contract/field.ts";
import { Count, fieldsFrom, Id, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";

/** The field that every success of v1 has. */
export const Success = Type.Literal(true);

/** The id in paths: entries of the library and imported agents have ids of their own. */
export const V1AgentId = pathId("agent", /^[A-Za-z0-9_-]{1,64}$/, Id("agt", "The agent's id"));

/** Characters; the interface recommends fewer than 50. */
export const AGENT_NAME_CHARACTERS = 512;
/** Characters; the interface recommends fewer than 2000. */
export const SYSTEM_PROMPT_CHARACTERS = 65_536;

const fields = {
  name: Type.String({ pattern: NOT_BLANK, maxLength: AGENT_NAME_CHARACTERS, description: "Display name" }),
  systemPrompt: Type.String({
    pattern: NOT_BLANK,
    maxLength: SYSTEM_PROMPT_CHARACTERS,
    description: "System instructions",
  }),
  role: Type.String({
    maxLength: AGENT_NAME_CHARACTERS,
    description: "The agent's role in a few words",
    default: "Assistant",
  }),
  visibility: OneOf(VISIBILITIES, {
    default: "organization",
    errorMessage: "Invalid visibility value. Must be: private, organization, public, or unlisted",
  }),
};

/** `POST /agents`. */
export const V1CreateAgentBody = Type.Object(
  {
    name: fields.name,
    systemPrompt: fields.systemPrompt,
    role: Type.Optional(fields.role),
    visibility: Type.Optional(fields.visibility),
  },
  { examples: [{ name: "Ada", systemPrompt: "You edit texts. Be brief." }] },
);

/** `PATCH /agents/{id}`: an omitted field is unchanged. */
export const V1UpdateAgentBody = Type.Partial(Type.Object(fields), {
  examples: [{ systemPrompt: "You edit texts. Be friendly." }],
});
export type V1UpdateAgentBody = Static<typeof V1UpdateAgentBody>;

export const V1AgentView = noun("V1Agent", "An AI assistant with a name, a role and system instructions", {
  id: Id("agt", "The agent's id"),
  name: Text("Display name", "Ada"),
  role: Text("The agent's role in a few words", "Assistant"),
  systemPrompt: Type.Optional(Text("System instructions; absent for readers of other organizations", "Be brief.")),
  visibility: OneOf(VISIBILITIES),
  organizationId: Id("org", "The organization that owns it"),
  userId: Id("usr", "The user who created it"),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  archived: Type.Optional(Type.Literal(true, { description: "Present if the agent is deleted" })),
});
type V1AgentView = Shown<typeof V1AgentView>;

export const AgentListAnswer = noun("V1AgentList", "The organization's agents, newest first", {
  success: Success,
  agents: Type.Array(V1AgentView),
  total: Count("Total number, including those that are not listed"),
});
export const AgentAnswer = noun("V1AgentAnswer", "An agent", { success: Success, agent: V1AgentView });
export const CreatedAgent = noun("V1CreatedAgent", "A new agent", {
  success: Success,
  id: Id("agt", "The agent's id"),
  name: Text("Display name", "Ada"),
  status: Type.Literal("active"),
  chatUrl: Text(
    "URL of the page of its first chat",
    "/org/spaces/wsp_V1StGXR8_Z5jdHi6B-myT/chats/cht_V1StGXR8_Z5jdHi6B-myT",
  ),
});
export const Done = noun("V1Done", "What has been done", {
  success: Success,
  message: Text("In words", "Agent updated successfully"),
});
export const Deleted = noun("V1Deleted", "Confirmation of a deletion", {
  success: Success,
  message: Text("In words", "Agent deleted successfully"),
});

const v1AgentFields = fieldsFrom(V1AgentView);

/** The view for a reader in `organizationId`. */
export function v1AgentView(agent: Agent, organizationId: string): V1AgentView {
  const { systemPrompt, ...fields } = v1AgentFields(agent);
  return {
    ...fields,
    ...(agent.organizationId === organizationId ? { systemPrompt } : {}),
    userId: agent.createdBy,
    ...(agent.status === "archived" ? { archived: true } : {}),
  };
}
