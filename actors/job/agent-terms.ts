/** What an agent and the copy of it that a job keeps (AGT-3) have alike. */
import { NullableText, OneOf, Type } from "../schema.ts";
import { ApprovalRule } from "./approval-rule.ts";
import { AgentTool, McpServer } from "./connections.ts";
import { CallSettingsField } from "./model-settings.ts";
import { ApprovalExpiry, ApprovalReach, OutputSchema, PROMPT_CACHES } from "./terms.ts";

export const AGENT_TERMS = {
  name: Type.String(),
  systemPrompt: Type.String(),
  model: NullableText,
  allowedTools: Type.Array(Type.String()),
  /** It gets no tool of the service at all: an empty list was given. Absent: it gets the safe ones. */
  hasNoTools: Type.Optional(Type.Boolean()),
  /** Tools whose calls wait for a person (JOB-8). */
  approvalTools: Type.Array(Type.String()),
  /** Rules that decide about calls before `approvalTools` do (APR-1); absent: none. */
  approvalRules: Type.Optional(Type.Array(ApprovalRule)),
  /** Absent: the default. */
  approvalExpiry: Type.Optional(ApprovalExpiry),
  /** Absent: the default. */
  approvalReach: Type.Optional(ApprovalReach),
  mcpServers: Type.Array(McpServer),
  /** Tools that only this agent has (RUN-12); absent: none. */
  tools: Type.Optional(Type.Array(AgentTool)),
  maxSteps: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** JSON Schema of its answers (JOB-16); absent or null: answers are text. */
  outputSchema: OutputSchema,
  /** Absent: `auto`. */
  cache: Type.Optional(OneOf(PROMPT_CACHES)),
  /** Settings of its model (RUN-32); absent or null: none. */
  modelSettings: CallSettingsField,
  /** The model for which the provider options in them were chosen. Absent or null: its own. */
  settingsModel: Type.Optional(NullableText),
};
