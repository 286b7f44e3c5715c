/** Bodies and the view of agents on v1. */
import { type Agent, VISIBILITIES } from "../../../actors/organization/schema.ts";
import { OneOf, type Static, Type } from "../../../actors/schema.ts";
import { NOT_BLANK } from "../../http/validation.ts";

/** Characters; the interface recommends fewer than 50. */
export const AGENT_NAME_CHARACTERS = 512;
/** Characters; the interface recommends fewer than 2000. */
export const SYSTEM_PROMPT_CHARACTERS = 65_536;

const fields = {
  name: Type.String({ pattern: NOT_BLANK, maxLength: AGENT_NAME_CHARACTERS, description: "Display name" }),
  systemPrompt: Type.String({ pattern: NOT_BLANK, maxLength: SYSTEM_PROMPT_CHARACTERS, description: "System instructions" }),
  role: Type.String({ maxLength: AGENT_NAME_CHARACTERS, description: "What the agent is", default: "Assistant" }),
  visibility: OneOf(VISIBILITIES, {
    default: "organization",
    errorMessage: "Invalid visibility value. Must be: private, organization, public, or unlisted",
  }),
};

/** `POST /agents`. */
export const CreateAgentBody = Type.Object({
  name: fields.name,
  systemPrompt: fields.systemPrompt,
  role: Type.Optional(fields.role),
  visibility: Type.Optional(fields.visibility),
});

/** `PATCH /agents/{id}`: an omitted field is unchanged. */
export const UpdateAgentBody = Type.Partial(Type.Object(fields));
export type UpdateAgentBody = Static<typeof UpdateAgentBody>;

/** An agent as v1 shows it. */
export interface AgentView {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** Absent for readers of other organizations (V1-5). */
  readonly systemPrompt?: string;
  readonly visibility: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archived?: true;
}

/** The view for a reader of `organizationId`. */
export function agentView(agent: Agent, organizationId: string): AgentView {
  return {
    id: agent.id,
    name: agent.name,
    role: agent.role,
    ...(agent.organizationId === organizationId ? { systemPrompt: agent.systemPrompt } : {}),
    visibility: agent.visibility,
    organizationId: agent.organizationId,
    userId: agent.createdBy,
    createdAt: agent.createdAt,
    updatedAt: agent.updatedAt,
    ...(agent.status === "archived" ? { archived: true } : {}),
  };
}
