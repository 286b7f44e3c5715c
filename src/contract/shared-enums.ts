/**
 * The names of the words that several schemas of the contract choose from. In the code they are lists (`OneOf`); the
 * contract and the SDKs have a type of each.
 */
import { CHAT_STATUSES, MESSAGE_ROLES, ON_BUSY } from "../../actors/chat/schema.ts";
import { ARGUMENT_PLACES, HTTP_METHODS } from "../../actors/job/connections.ts";
import { JOB_ORIGINS, NAMED_DECIDERS, ON_EXPIRY, RULE_OUTCOMES } from "../../actors/job/approval-rule.ts";
import { EFFORTS, THINKING_TYPES } from "../../actors/job/model-settings.ts";
import { BLOCKED_REASONS, JOB_STATUSES, RUN_ERROR_CODES } from "../../actors/job/schema.ts";
import { STOP_REASONS } from "../../actors/job/stop-reason.ts";
import {
  AGENT_ON_EXPIRY,
  APPROVAL_DECISIONS,
  JOB_PRIORITIES,
  PROMPT_CACHES,
  RELATIONS,
  REVIEW_STATES,
  WAIT_REASONS,
} from "../../actors/job/terms.ts";
import {
  FAILED_REASONS,
  MISSION_STATUSES,
  MISSION_VISIBILITIES,
  OVERLAPS,
  RUN_OUTCOMES,
  RUN_TRIGGERS,
  SCHEDULE_TYPES,
} from "../../actors/mission/schema.ts";
import { SCOPES } from "../../actors/organization/principal.ts";
import { AUDIT_ACTIONS, ROLES, TASK_STATUSES, TOKEN_KINDS, VISIBILITIES } from "../../actors/organization/schema.ts";
import { MESSENGER_FORMATS } from "../../actors/reach/schema.ts";
import { USAGE_GROUPS } from "../../actors/usage/directory.ts";
import { EVENT_SOURCES, EVENT_TYPES } from "../../actors/webhook/events.ts";
import { RETRY_PROFILES } from "../../actors/delivery-retries.ts";
import { ATTEMPT_STATUSES } from "../../actors/webhook/schema.ts";
import { ERROR_CODES } from "../current/error-codes.ts";
import { BULK_ACTIONS } from "../current/jobs/bulk-schema.ts";
import { INVITATION_STATUSES } from "../current/people/schema.ts";
import { TOKEN_STATUSES } from "../current/tokens/schema.ts";
import { TOOLSET_NAMES } from "../mcp/toolsets.ts";
import { SDK_LANGUAGES } from "../public/sdk-schema.ts";

interface SharedEnum {
  readonly values: readonly string[];
  readonly about: string;
}

export const SHARED_ENUMS: Readonly<Record<string, SharedEnum>> = {
  ApprovalDecision: { values: APPROVAL_DECISIONS, about: "How the wait for an approval ended" },
  ApprovalExpiryAction: { values: ON_EXPIRY, about: "What happens if nobody decides on an approval in time" },
  ApprovalDeciders: { values: NAMED_DECIDERS, about: "Who decides about a call that waits" },
  AgentExpiryAction: {
    values: AGENT_ON_EXPIRY,
    about: "What happens if nobody decides on an approval of the agent in time",
  },
  AuditAction: { values: AUDIT_ACTIONS, about: "What an entry of the audit records" },
  BlockedReason: { values: BLOCKED_REASONS, about: "What a blocked job waits for" },
  BulkAction: { values: BULK_ACTIONS, about: "What is done to many jobs at once" },
  BusyPolicy: { values: ON_BUSY, about: "What happens to a message while a chat turn runs" },
  ChatStatus: { values: CHAT_STATUSES, about: "Status of a chat" },
  DeliveryStatus: { values: ATTEMPT_STATUSES, about: "Status of an attempt to deliver an event" },
  ErrorCode: { values: Object.keys(ERROR_CODES), about: "Code of an error" },
  EventSource: { values: EVENT_SOURCES, about: "Origin of an event" },
  EventType: { values: EVENT_TYPES, about: "Type of an event" },
  HttpMethod: { values: HTTP_METHODS, about: "Method of the request of a tool" },
  InvitationStatus: { values: INVITATION_STATUSES, about: "Status of an invitation" },
  JobOrigin: { values: JOB_ORIGINS, about: "How work began" },
  JobRelation: { values: RELATIONS, about: "How a job derives from its parent" },
  JobStatus: { values: JOB_STATUSES, about: "Status of a job" },
  JobWaitReason: { values: WAIT_REASONS, about: "Why a running job waits" },
  McpToolset: { values: TOOLSET_NAMES, about: "A group of MCP tools" },
  MessageRole: { values: MESSAGE_ROLES, about: "Role of the author of a message" },
  MessengerFormat: { values: MESSENGER_FORMATS, about: "The shape of the messages of a messenger" },
  MissionFailedReason: { values: FAILED_REASONS, about: "Why a mission has failed" },
  MissionOverlap: { values: OVERLAPS, about: "What happens when a run is due while another one is open" },
  MissionRunOutcome: { values: RUN_OUTCOMES, about: "Outcome of a run" },
  MissionRunTrigger: { values: RUN_TRIGGERS, about: "What started a run" },
  MissionStatus: { values: MISSION_STATUSES, about: "Status of a mission" },
  MissionVisibility: { values: MISSION_VISIBILITIES, about: "Who may see a mission" },
  ModelEffort: { values: EFFORTS, about: "How hard a model works, from the least" },
  ModelThinkingType: { values: THINKING_TYPES, about: "How a model thinks before it answers" },
  Priority: { values: JOB_PRIORITIES, about: "From the lowest to the highest" },
  PromptCache: { values: PROMPT_CACHES, about: "How providers are asked to cache the calls of an agent" },
  RetryProfile: { values: RETRY_PROFILES, about: "How long a failed delivery is retried" },
  ReviewState: { values: REVIEW_STATES, about: "State of a review" },
  Role: { values: ROLES, about: "Role of a person in an organization" },
  RunErrorCode: { values: RUN_ERROR_CODES, about: "Why a run has failed" },
  ScheduleType: { values: SCHEDULE_TYPES, about: "Kind of schedule" },
  Scope: { values: SCOPES, about: "Scope of a token" },
  RuleOutcome: { values: RULE_OUTCOMES, about: "What an approval rule does with a call" },
  SdkLanguage: { values: SDK_LANGUAGES, about: "Language of an SDK" },
  StopReason: { values: STOP_REASONS, about: "Why a model stopped" },
  TaskStatus: { values: TASK_STATUSES, about: "Status of a task" },
  TokenKind: { values: TOKEN_KINDS, about: "Kind of token" },
  TokenStatus: { values: TOKEN_STATUSES, about: "Status of a token or a session" },
  ToolArgumentPlace: { values: ARGUMENT_PLACES, about: "Where an argument goes in a request" },
  UsageGrouping: { values: USAGE_GROUPS, about: "What usage is grouped by" },
  Visibility: { values: VISIBILITIES, about: "Who may see an agent" },
};

const ENUM_NAMES = new Map(Object.entries(SHARED_ENUMS).map(([name, { values }]) => [JSON.stringify(values), name]));

/** The name of a list of words that has one. */
export const enumName = (values: unknown): string | undefined => ENUM_NAMES.get(JSON.stringify(values));
