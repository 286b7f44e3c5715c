/** The bodies of agents on the current surface (AGT-1, AGT-2). */
import { MOST_STEPS } from "../../../actors/job/limits.ts";
import { McpServer } from "../../../actors/job/connections.ts";
import { APPROVAL_LINKS, ApprovalExpiry, PROMPT_CACHES, REMINDER_SECONDS } from "../../../actors/job/terms.ts";
import { VISIBILITIES } from "../../../actors/organization/schema.ts";
import { FreeObject, type JsonObject, Nullable, OneOf, type Static, Type } from "../../../actors/schema.ts";
import { noun } from "../../http/contract/noun.ts";
import { ModelSettingsShape } from "../../operations/model-settings.ts";
import { ApprovalRulesBody } from "./rule-schema.ts";
import { AgentToolBody } from "./tool-schema.ts";

/** Characters; the same limits as on v1. */
const AGENT_NAME_LIMIT = 512;
const PROMPT = 65_536;
/** Names of tools; `<server>__*` means all tools of one MCP server. */
const Names = Type.Array(
  Type.String({
    pattern: "^[A-Za-z0-9_-]{1,64}(?:__\\*)?$",
    form: "the name of a tool, or `server__*` for all tools of an MCP server",
  }),
  { maxItems: 64 },
);
/** A model, as `GET /api/models` names it. */
export const ModelName = Type.String({ pattern: "^\\S{1,200}$", form: "1 to 200 characters without spaces" });

/** How long calls wait for an approval, as bodies and views have it. */
export const ApprovalExpiryView = noun(
  "ApprovalExpiry",
  "How long a call waits for approval, and what happens then; by default 24 hours and `deny`",
  { after_seconds: ApprovalExpiry.properties.afterSeconds, on_expiry: ApprovalExpiry.properties.onExpiry },
);

export const ApprovalReachView = noun(
  "ApprovalReach",
  "How an agent's approvals reach people: `links` says whether the link in a mail or message needs a sign-in, and " +
    "`remind_after_seconds` when those who were asked are reminded; null means never",
  {
    links: OneOf(APPROVAL_LINKS, { description: "Whether the link in a mail or message needs a sign-in" }),
    remind_after_seconds: Type.Union([REMINDER_SECONDS, Type.Null()], {
      description: "When those who were asked are reminded, in seconds; null: never",
    }),
  },
);

const agentSettings = {
  role: Type.Optional(Type.String({ pattern: "\\S", maxLength: AGENT_NAME_LIMIT })),
  description: Type.Optional(Type.Union([Type.String({ maxLength: PROMPT }), Type.Null()])),
  model: Type.Optional(Type.Union([ModelName, Type.Null()])),
  allowed_tools: Type.Optional(
    Type.Union([Names, Type.Null()], {
      description:
        "Tools that the agent may call in addition to the read-only ones. null: only the read-only ones; empty list: none of the service's tools",
    }),
  ),
  approval_tools: Type.Optional(Names),
  approval_rules: Type.Optional(ApprovalRulesBody),
  approval_expiry: Type.Optional(ApprovalExpiryView),
  approval_reach: Type.Optional(ApprovalReachView),
  mcp_servers: Type.Optional(Type.Array(McpServer, { maxItems: 16 })),
  max_steps: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: MOST_STEPS }), Type.Null()])),
  tools: Type.Optional(Type.Array(AgentToolBody, { maxItems: 32 })),
  output_schema: Type.Optional(Type.Union([Type.Unsafe<JsonObject>(FreeObject), Type.Null()])),
  cache: Type.Optional(OneOf(PROMPT_CACHES)),
  model_settings: Type.Optional(Nullable(ModelSettingsShape)),
  tags: Type.Optional(Type.Array(Type.String({ pattern: "\\S", maxLength: 64 }), { maxItems: 32 })),
};

/** `POST /api/agents`: creates an agent; its visibility defaults to private. */
export const CreateAgentBody = Type.Object(
  {
    name: Type.String({ pattern: "\\S", maxLength: AGENT_NAME_LIMIT }),
    system_prompt: Type.String({ pattern: "\\S", maxLength: PROMPT }),
    visibility: Type.Optional(OneOf(VISIBILITIES, { default: "private" })),
    ...agentSettings,
  },
  { examples: [{ name: "Ada", role: "Editor", system_prompt: "You edit texts. Be brief.", tags: ["texts"] }] },
);

/** `PATCH /api/agents/{id}`: absent fields stay unchanged. */
export const UpdateAgentBody = Type.Object(
  {
    name: Type.Optional(Type.String({ pattern: "\\S", maxLength: AGENT_NAME_LIMIT })),
    system_prompt: Type.Optional(Type.String({ pattern: "\\S", maxLength: PROMPT })),
    visibility: Type.Optional(OneOf(VISIBILITIES)),
    ...agentSettings,
  },
  { examples: [{ visibility: "organization", max_steps: 8 }] },
);
export type UpdateAgentBody = Static<typeof UpdateAgentBody>;

/** `PATCH /api/agents/{id}/install-state`: exactly one of the two. */
export const InstallStateBody = Type.Object(
  {
    install_state: Type.Optional(OneOf(["installed", "uninstalled"] as const)),
    action: Type.Optional(OneOf(["install", "uninstall", "restore"] as const)),
  },
  { examples: [{ install_state: "installed" }] },
);
