/** The job: one execution of an agent's turn, and the words of its transcript (JOB-5, V1-3). */
import { type ActorRef, table } from "../runtime/actor.ts";
import {
  Approval,
  ApprovalExpiry,
  Budget,
  JOB_PRIORITIES,
  type JobPriority,
  Lineage,
  OpenCall,
  Progress,
  Review,
  ROOT,
  Stop,
} from "./terms.ts";
import { OneOf, RecordBase, type Static, Timestamp, Type, type JsonObject } from "../schema.ts";

export const JOB_STATUSES = [
  "queued",
  "running",
  "blocked",
  "needs_review",
  "cancelling",
  "completed",
  "failed",
  "cancelled",
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Messages that may wait for one model call. */
export const JOB_STEERS = 20;

const OptionalTime = Type.Union([Timestamp, Type.Null()]);

export const BLOCKED_REASONS = [
  "approval_required",
  "input_required",
  "auth_required",
  "budget_reached",
  "interrupted",
] as const;
export type BlockedReason = (typeof BLOCKED_REASONS)[number];

export const TextBlock = Type.Object({ type: Type.Literal("text"), text: Type.String() });
/** What the model thought before it spoke, where its provider tells it. No part of the answer, and not sent back to a model. */
export const ReasoningBlock = Type.Object({ type: Type.Literal("reasoning"), text: Type.String() });
export const ToolUseBlock = Type.Object({
  type: Type.Literal("tool_use"),
  id: Type.String(),
  name: Type.String(),
  input: Type.Unsafe<JsonObject>({ type: "object" }),
});
export const ToolResultBlock = Type.Object({
  type: Type.Literal("tool_result"),
  tool_use_id: Type.String(),
  content: Type.String(),
  is_error: Type.Boolean(),
});
export const Block = Type.Union([TextBlock, ReasoningBlock, ToolUseBlock, ToolResultBlock]);
export type TextBlock = Static<typeof TextBlock>;
export type ReasoningBlock = Static<typeof ReasoningBlock>;
export type ToolUseBlock = Static<typeof ToolUseBlock>;
export type ToolResultBlock = Static<typeof ToolResultBlock>;
export type Block = Static<typeof Block>;
/** What one answer of a model is made of. */
export type AnswerBlock = TextBlock | ReasoningBlock | ToolUseBlock;

export const Usage = Type.Object({ inputTokens: Type.Integer(), outputTokens: Type.Integer() });
export type Usage = Static<typeof Usage>;

/** Why a run failed, in words for the user: no stack, no host, no key. */
export const RUN_ERROR_CODES = [
  /** The provider could not be reached, or the connection broke. */
  "provider_unreachable",
  /** The provider refused the credentials (401, 403). */
  "provider_unauthorized",
  /** The provider's own limit (429); `retryAfterMs` where it named one. */
  "provider_rate_limited",
  /** The provider answered 5xx or something that is no model output. */
  "provider_error",
  /** The stream was silent for longer than the limit. */
  "provider_stalled",
  /** The provider refused the request itself (400, 404, context too long). */
  "provider_rejected",
  /** No usable model is configured. */
  "model_unavailable",
  /** A limit of the job: steps, wall clock. */
  "step_limit",
  "timeout",
  /** The job was interrupted by crashes more often than its attempts allow. */
  "attempts_exhausted",
  /** A bug; the log has the cause. */
  "internal_error",
] as const;
export const RunError = Type.Object({
  code: OneOf(RUN_ERROR_CODES),
  message: Type.String(),
  retryAfterMs: Type.Optional(Type.Integer()),
});
export type RunError = Static<typeof RunError>;
export type RunErrorCode = RunError["code"];

/** A header that an MCP server is sent: a secret of the organization, after a fixed prefix such as `Bearer `. */
export const McpHeader = Type.Object({
  name: Type.String({ pattern: "^[A-Za-z0-9-]{1,64}$", examples: ["Authorization"] }),
  /** The name of the secret (RUN-5); the value is looked up for each request and kept nowhere. */
  secret: Type.String({ pattern: "^[A-Za-z0-9_.-]{1,64}$", examples: ["MCP_TOKEN"] }),
  prefix: Type.Optional(Type.String({ pattern: "^[\\x20-\\x7e]{0,64}$", examples: ["Bearer "] })),
});
export type McpHeader = Static<typeof McpHeader>;

/** An MCP server of an agent, over HTTP. Its tools are `<name>__<tool>`, so the name neither has `__` nor ends in `_`. */
export const McpServer = Type.Object({
  name: Type.String({ pattern: "^(?=.{1,32}$)[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$", examples: ["files"] }),
  url: Type.String({ pattern: "^https?://", maxLength: 2_048, examples: ["https://mcp.example/mcp"] }),
  headers: Type.Optional(Type.Array(McpHeader, { maxItems: 8 })),
});
export type McpServer = Static<typeof McpServer>;

/** The agent as it was when the job began: a running job keeps it (AGT-3, V1-5). */
export const AgentSnapshot = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  systemPrompt: Type.String(),
  model: Type.Union([Type.String(), Type.Null()]),
  allowedTools: Type.Array(Type.String()),
  /** Tools whose calls wait for a person (JOB-8). */
  approvalTools: Type.Array(Type.String()),
  /** Absent: as is usual. */
  approvalExpiry: Type.Optional(ApprovalExpiry),
  mcpServers: Type.Array(McpServer),
  maxSteps: Type.Union([Type.Integer(), Type.Null()]),
});
export type AgentSnapshot = Static<typeof AgentSnapshot>;

export const Metrics = Type.Object({
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  toolCalls: Type.Integer(),
  durationMs: Type.Union([Type.Integer(), Type.Null()]),
  timeToFirstTokenMs: Type.Union([Type.Number(), Type.Null()]),
});
export type Metrics = Static<typeof Metrics>;

/** Which model runs it; known when it starts. */
export const RunnerInfo = Type.Object({ provider: Type.String(), name: Type.String(), demo: Type.Boolean() });

/**
 * The record of a job. Its transcript is not in it but in its event stream (`transcript.event`), so
 * that the record stays small however long the run is.
 */
export const Job = Type.Object({
  ...RecordBase,
  title: Type.String(),
  status: OneOf(JOB_STATUSES),
  blockedReason: Type.Union([OneOf(BLOCKED_REASONS), Type.Null()]),
  agent: AgentSnapshot,
  chatId: Type.String(),
  workspaceId: Type.Union([Type.String(), Type.Null()]),
  /** The user's message that it answers, and the assistant's message that it writes. */
  inputMessageId: Type.String(),
  outputMessageId: Type.String(),
  /** What the user said. */
  input: Type.String(),
  /** The v1 surface's name of this execution. */
  executionId: Type.String(),
  /** Who it acts for (AUTH-7). */
  createdBy: Type.String(),
  ...Lineage.properties,
  priority: OneOf(JOB_PRIORITIES),
  missionId: Type.Union([Type.String(), Type.Null()]),
  missionTaskId: Type.Union([Type.String(), Type.Null()]),
  attempt: Type.Integer(),
  progress: Progress,
  /** The runner's last sign of life. */
  heartbeatAt: OptionalTime,
  /** Model steps that are committed. */
  step: Type.Integer(),
  openCalls: Type.Array(OpenCall),
  /** Jobs that it has started for other agents. */
  delegations: Type.Integer(),
  approvals: Type.Array(Approval),
  review: Review,
  budget: Budget,
  /** Tokens that had been used when the present budget began: a resume grants it once more. */
  budgetFrom: Type.Integer(),
  /** Messages that the model gets before its next call (CHAT-5). */
  steers: Type.Array(Type.Object({ messageId: Type.String(), content: Type.String() }), { maxItems: JOB_STEERS }),
  /** The effect that runs it, while one does. */
  runEffectId: Type.Union([Type.String(), Type.Null()]),
  runner: Type.Union([RunnerInfo, Type.Null()]),
  result: Type.Union([Type.String(), Type.Null()]),
  error: Type.Union([RunError, Type.Null()]),
  stop: Type.Union([Stop, Type.Null()]),
  metrics: Metrics,
  metadata: Type.Unsafe<JsonObject>({ type: "object" }),
  /** The HTTP request that asked for it. */
  requestId: Type.Union([Type.String(), Type.Null()]),
  lastSeq: Type.Integer(),
  startedAt: OptionalTime,
  /** How long a run of it may take, in ms, as the operator had set it when it began. */
  runMs: Type.Optional(Type.Integer()),
  deadlineAt: OptionalTime,
  completedAt: OptionalTime,
});
export type Job = Static<typeof Job>;

/** What somebody may say about a job when it is made. */
export interface JobTerms {
  readonly lineage: Lineage;
  readonly priority: JobPriority;
  readonly reviewRequired: boolean;
  readonly budget: Budget;
  readonly metadata: JsonObject;
  /** The HTTP request that asks for it, so that the log tells them as one story; null where none does. */
  readonly requestId: string | null;
}
export const PLAIN_TERMS: JobTerms = {
  lineage: ROOT,
  priority: "medium",
  reviewRequired: false,
  budget: { maxTokens: null, maxSteps: null, deadlineAt: null },
  metadata: {},
  requestId: null,
};

/** Whose work its tools do. */
export const contextOf = ({ organizationId, createdBy: userId, agent, id: jobId }: Job) => ({
  organizationId,
  userId,
  agentId: agent.id,
  jobId,
});

/** Whose work its model calls are, for the log. */
export const originOf = ({ organizationId, id: jobId, requestId }: Job) => ({ organizationId, jobId, requestId });

/** Whether the job has used up its own budget of tokens. */
export function hasSpentBudget({ metrics, budget: { maxTokens }, budgetFrom }: Job): boolean {
  return maxTokens !== null && metrics.inputTokens + metrics.outputTokens - budgetFrom >= maxTokens;
}

/** The text blocks joined: the content of the message, in which `position` counts (SSE-3). */
export const textOf = (blocks: readonly Block[]): string =>
  blocks.reduce((text, block) => (block.type === "text" ? text + block.text : text), "");

export const jobTable = table<Job>("job");
export const jobRef = (organizationId: string, id: string): ActorRef<"job"> => ({ kind: "job", organizationId, id });

/** How long a review waits for a person, and an approval unless its agent says otherwise (JOB-8). */
export const DECISION_MS = 24 * 60 * 60_000;
/** Times that a job is begun before it is given up (JOB-9). */
export const JOB_ATTEMPTS = 3;
