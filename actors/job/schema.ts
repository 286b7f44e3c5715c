/** The job: one execution of an agent's turn, and the words of its transcript (JOB-5, V1-3). */
import { type ActorRef, type NewRecord, table } from "../runtime/actor.ts";
import { OneOf, RecordBase, type Static, Timestamp, Type, type JsonObject } from "../schema.ts";

export const JOB_STATUSES = [
  "queued", "running", "blocked", "needs_review", "cancelling", "completed", "failed", "cancelled",
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const BLOCKED_REASONS = [
  "approval_required", "input_required", "auth_required", "budget_reached", "interrupted",
] as const;
export type BlockedReason = (typeof BLOCKED_REASONS)[number];

export const TextBlock = Type.Object({ type: Type.Literal("text"), text: Type.String() });
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
export const Block = Type.Union([TextBlock, ToolUseBlock, ToolResultBlock]);
export type TextBlock = Static<typeof TextBlock>;
export type ToolUseBlock = Static<typeof ToolUseBlock>;
export type ToolResultBlock = Static<typeof ToolResultBlock>;
export type Block = Static<typeof Block>;

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

/** The agent as it was when the job began: a running job keeps it (AGT-3, V1-5). */
export const AgentSnapshot = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  systemPrompt: Type.String(),
  model: Type.Union([Type.String(), Type.Null()]),
  allowedTools: Type.Array(Type.String()),
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

/** A tool call of the present step whose result is not committed yet. */
export const OpenCall = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** Whether it may simply be made again after a crash. */
  safe: Type.Boolean(),
});
export type OpenCall = Static<typeof OpenCall>;

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
  attempt: Type.Integer(),
  /** Model steps that are committed. */
  step: Type.Integer(),
  openCalls: Type.Array(OpenCall),
  runner: Type.Union([RunnerInfo, Type.Null()]),
  result: Type.Union([Type.String(), Type.Null()]),
  error: Type.Union([RunError, Type.Null()]),
  metrics: Metrics,
  lastSeq: Type.Integer(),
  startedAt: Type.Union([Timestamp, Type.Null()]),
  deadlineAt: Type.Union([Timestamp, Type.Null()]),
  completedAt: Type.Union([Timestamp, Type.Null()]),
});
export type Job = Static<typeof Job>;

/** A job that has not begun. */
export function newJob(
  of: Pick<
    Job,
    "id" | "title" | "input" | "agent" | "chatId" | "workspaceId" | "inputMessageId" | "outputMessageId" | "executionId" | "createdBy"
  >,
): NewRecord<Job> {
  return {
    ...of,
    status: "queued",
    blockedReason: null,
    attempt: 1,
    step: 0,
    openCalls: [],
    runner: null,
    result: null,
    error: null,
    metrics: { inputTokens: 0, outputTokens: 0, toolCalls: 0, durationMs: null, timeToFirstTokenMs: null },
    lastSeq: 1,
    startedAt: null,
    deadlineAt: null,
    completedAt: null,
  };
}

/** The text blocks joined: the content of the message, in which `position` counts (SSE-3). */
export const textOf = (blocks: readonly Block[]): string =>
  blocks.reduce((text, block) => (block.type === "text" ? text + block.text : text), "");

export const jobTable = table<Job>("job");
export const jobRef = (organizationId: string, id: string): ActorRef<"job"> => ({ kind: "job", organizationId, id });

/** Model calls of one job (RUN-3). */
export const JOB_STEPS = 32;
/** Wall clock of one job from its start (RUN-3). */
export const JOB_DEADLINE_MS = 30 * 60_000;
/** Times that a job is begun before it is given up (JOB-9). */
export const JOB_ATTEMPTS = 3;
