/** The job, one execution of an agent's turn, and the shapes of its transcript (JOB-5, V1-3). */
import { refTo, table } from "../runtime/actor.ts";
import { costFields } from "../money.ts";
import { Citations } from "./citation.ts";
import { AGENT_TERMS } from "./agent-terms.ts";
import { CallSettingsField, type CallSettings, mergedSettings, type SetSettings } from "./model-settings.ts";
import {
  Approval,
  type Budget,
  Budgeting,
  JOB_PRIORITIES,
  JobInput,
  JobNotes,
  type JobPriority,
  Lineage,
  NO_BUDGET,
  StepCalls,
  StructuredOutput,
  OutputError,
  JobProgress,
  Review,
  ROOT_LINEAGE,
  type RunnerInfo,
  type Stop,
  RunWaiting,
} from "./terms.ts";
import { ProviderStateField } from "./provider-state.ts";
import { Provenance } from "./approval-rule.ts";
import { StopReasonField } from "./stop-reason.ts";
import { AttachmentBlock } from "../upload/terms.ts";
import {
  CacheFields,
  CostFields,
  type JsonObject,
  OneOf,
  RecordBase,
  type Static,
  Timestamp,
  Type,
} from "../schema.ts";

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

export const BLOCKED_REASONS = [
  "approval_required",
  "input_required",
  "auth_required",
  "tool_result_required",
  "budget_reached",
  "interrupted",
] as const;
export type BlockedReason = (typeof BLOCKED_REASONS)[number];

export const TextBlock = Type.Object({
  type: Type.Literal("text"),
  text: Type.String(),
  citations: Citations,
  ...ProviderStateField,
});
/** It is not sent back to the model, except as state of the next block. */
export const ReasoningBlock = Type.Object(
  { type: Type.Literal("reasoning"), text: Type.String() },
  { $id: "ReasoningBlock", description: "The model's reasoning, if its provider shows it" },
);
export const ToolUseBlock = Type.Object({
  type: Type.Literal("tool_use"),
  id: Type.String(),
  name: Type.String(),
  input: Type.Unsafe<JsonObject>({ type: "object" }),
  ...ProviderStateField,
});
export const ToolResultBlock = Type.Object({
  type: Type.Literal("tool_result"),
  tool_use_id: Type.String(),
  content: Type.String(),
  is_error: Type.Boolean(),
  /** Images and files beside the text, in order. */
  attachments: Type.Optional(Type.Array(AttachmentBlock)),
});
export const Block = Type.Union([TextBlock, ReasoningBlock, ToolUseBlock, ToolResultBlock]);
export type TextBlock = Static<typeof TextBlock>;
export type ReasoningBlock = Static<typeof ReasoningBlock>;
export type ToolUseBlock = Static<typeof ToolUseBlock>;
export type ToolResultBlock = Static<typeof ToolResultBlock>;
export type Block = Static<typeof Block>;
/** A block of a model's answer. */
export type AnswerBlock = TextBlock | ReasoningBlock | ToolUseBlock;

export const JobTokens = Type.Object(
  {
    inputTokens: Type.Integer(),
    outputTokens: Type.Integer(),
    ...CacheFields,
    cost: Type.Optional(
      Type.String({ description: "Exact cost of those that have a price, in the `currency` of `GET /api/models`" }),
    ),
  },
  { $id: "TokenCounts", description: "Tokens that model calls have used" },
);
export type JobTokens = Static<typeof JobTokens>;
export const Usage = Type.Object({ ...JobTokens.properties, ...CostFields });
export type Usage = Static<typeof Usage>;
/** The usage of one call; its price needs more than is stored. */
export interface CallUsage extends Usage {
  /** Tokens written to a cache that keeps them for an hour, a part of `cacheWriteTokens`. */
  readonly hourWriteTokens?: number;
  /** The provider's service tier in which it was made, if that is known. */
  readonly serviceTier?: string;
}
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/** The tokens as events report them. */
export const jobTokens = ({
  inputTokens,
  outputTokens,
  cachedInputTokens,
  cacheWriteTokens,
  cost,
}: Usage): JobTokens => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: cachedInputTokens ?? 0,
  cacheWriteTokens: cacheWriteTokens ?? 0,
  ...(cost === undefined ? {} : { cost }),
});
/** The usage in the metrics of a job. */
export const metricsUsage = ({ inputTokens, outputTokens, ...metrics }: Usage): Usage => ({
  inputTokens,
  outputTokens,
  ...costFields(metrics),
});

/** Why a run failed, in words for the user: no stack, no host, no key. */
export const RUN_ERROR_CODES = [
  /** The provider could not be reached, or the connection broke. */
  "provider_unreachable",
  /** The provider refused the credentials (401, 403): the operator's, or the organization's own key (RUN-5). */
  "provider_unauthorized",
  "provider_key_rejected",
  /** The provider's own limit (429); `retryAfterMs` if it named one. */
  "provider_rate_limited",
  /** The provider answered 5xx, or something that is not model output. */
  "provider_error",
  /** The stream was silent for longer than the limit. */
  "provider_stalled",
  /** The provider refused the request itself (400, 404). */
  "provider_rejected",
  "context_length_exceeded",
  "model_unavailable",
  /** A limit of the job: steps, wall clock. */
  "step_limit",
  "timeout",
  /** The job was interrupted by crashes more often than its attempts allow. */
  "attempts_exhausted",
  /** Required tools stayed unavailable: an MCP server that is not optional. */
  "tools_unavailable",
  /** A connection that the run needs was denied, or not given in time. */
  "authorization_required",
  /** The repository of the job could not be cloned. */
  "clone_failed",
  /** The answer does not fit the output schema, after its repairs (JOB-16). */
  "output_invalid",
  /** The model's answer was cut, filtered or refused before it had any text. */
  "no_answer",
  /** A bug; the log has the cause. */
  "internal_error",
] as const;
export const RunError = Type.Object({
  code: OneOf(RUN_ERROR_CODES),
  message: Type.String(),
  retryAfterMs: Type.Optional(Type.Integer()),
  /** For `output_invalid`: the errors of the last answer. */
  errors: Type.Optional(Type.Array(OutputError)),
});
export type RunError = Static<typeof RunError>;
export type RunErrorCode = RunError["code"];

/** The agent as it was when the job began; a job keeps this copy (AGT-3, V1-5). */
export const AgentSnapshot = Type.Object({
  ...AGENT_TERMS,
  id: Type.String(),
  version: Type.Integer(),
  createdBy: Type.Optional(Type.String()),
  /** The agent's own model, if the chat has another one. Absent: `model` is its own. */
  ownModel: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /**
   * For a foreign agent: the tools for reading the organization that the chat lends it. Absent: the agent is not
   * foreign.
   */
  lentTools: Type.Optional(Type.Array(Type.String())),
});
export type AgentSnapshot = Static<typeof AgentSnapshot>;

export const Metrics = Type.Object({
  ...Usage.properties,
  toolCalls: Type.Integer(),
  durationMs: Type.Union([Type.Integer(), Type.Null()]),
  timeToFirstTokenMs: Type.Union([Type.Number(), Type.Null()]),
  /** Retried model calls; absent in jobs of earlier versions. */
  modelRetries: Type.Optional(Type.Integer()),
});
export type Metrics = Static<typeof Metrics>;

/** The fields of every job, whatever its status. */
const JobBase = Type.Object({
  ...RecordBase,
  title: Type.String(),
  agent: AgentSnapshot,
  chatId: Type.String(),
  workspaceId: Type.Union([Type.String(), Type.Null()]),
  /** The user's message that the job answers, and the assistant's message that it writes. */
  inputMessageId: Type.String(),
  outputMessageId: Type.String(),
  ...JobInput.properties,
  /** The v1 surface's name of this execution. */
  executionId: Type.String(),
  /** The user for whom the job acts (AUTH-7). */
  createdBy: Type.String(),
  ...Lineage.properties,
  provenance: Type.Optional(Provenance),
  priority: OneOf(JOB_PRIORITIES),
  missionId: Type.Union([Type.String(), Type.Null()]),
  missionTaskId: Type.Union([Type.String(), Type.Null()]),
  attempt: Type.Integer(),
  /** Attempts that do not count towards `JOB_ATTEMPTS`: steps that began again, and restarts of a waiting job. */
  excusedAttempts: Type.Optional(Type.Integer()),
  /** What a running job waits for; null or absent while it works. */
  waiting: Type.Optional(Type.Union([RunWaiting, Type.Null()])),
  ...JobNotes.properties,
  ...StructuredOutput.properties,
  /** The settings of its message, which replace the agent's one by one. */
  modelSettings: CallSettingsField,
  /** The model for which these were chosen. Absent: the one with which the job began. */
  settingsModel: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  progress: JobProgress,
  /** The runner's last sign of life. */
  heartbeatAt: Type.Union([Timestamp, Type.Null()]),
  /** Committed model steps. */
  step: Type.Integer(),
  /** Why the model stopped in the last of them. */
  stopReason: StopReasonField,
  ...StepCalls.properties,
  /** How many jobs it has delegated to other agents. */
  delegations: Type.Integer(),
  approvals: Type.Array(Approval),
  review: Review,
  ...Budgeting.properties,
  /** The effect that runs it, if one does. */
  runEffectId: Type.Union([Type.String(), Type.Null()]),
  metrics: Metrics,
  metadata: Type.Unsafe<JsonObject>({ type: "object" }),
  /** The HTTP request that created it. */
  requestId: Type.Union([Type.String(), Type.Null()]),
  lastSeq: Type.Integer(),
  /** Whether its client has named addresses that get each state of the job (`webhook/pushes.ts`). */
  isPushed: Type.Optional(Type.Boolean()),
  /** The longest run of it, in ms, as the operator had set it when the job began. */
  runMs: Type.Optional(Type.Integer()),
});

/** A job has a runner, a start and a deadline from its first `run_started` on. */
type NotStarted = { readonly runner: null; readonly startedAt: null; readonly deadlineAt: null };
type Started = { readonly runner: RunnerInfo; readonly startedAt: string; readonly deadlineAt: string };
/** The values of fields that only some statuses have, for the statuses that do not have them. */
interface AbsentFields {
  readonly blockedReason: null;
  /** All text of the run so far; for a completed job, the answer. */
  readonly result: string | null;
  readonly error: null;
  /** How a cancelled job stopped. */
  readonly stop: null;
  readonly completedAt: null;
}
type JobStateOf<
  S extends JobStatus,
  Run extends NotStarted | Started,
  Has extends Partial<Record<keyof AbsentFields, unknown>>,
> = {
  readonly status: S;
} & Run &
  Omit<AbsentFields, keyof Has> &
  Has;
/** A job that waits for its first runner. */
export type QueuedState = JobStateOf<"queued", NotStarted, { readonly result: null }>;
/** The status, with the fields that go with it: a queued job has no runner, a blocked one has a reason. */
export type JobState =
  | QueuedState
  | JobStateOf<"running", Started, object>
  | JobStateOf<"blocked", Started, { readonly blockedReason: BlockedReason; readonly result: string }>
  | JobStateOf<"needs_review", Started, { readonly result: string }>
  | JobStateOf<"cancelling", Started, object>
  | JobStateOf<"completed", Started, { readonly result: string; readonly completedAt: string }>
  | JobStateOf<"failed", NotStarted | Started, { readonly error: RunError; readonly completedAt: string }>
  | JobStateOf<"cancelled", NotStarted | Started, { readonly stop: Static<typeof Stop>; readonly completedAt: string }>;

/**
 * The record of a job. Its transcript is in its event stream (`transcript.event`) instead, so the record stays small
 * however long the run is.
 */
export type Job = Static<typeof JobBase> & JobState;
/** A job in one of these statuses. */
export type JobIn<S extends JobStatus> = Extract<Job, { readonly status: S }>;

/** The terms of a new job. */
export interface JobTerms {
  readonly lineage: Lineage;
  /** Where the job comes from; absent: from a job of an earlier version. */
  readonly provenance?: Provenance;
  readonly priority: JobPriority;
  readonly reviewRequired: boolean;
  readonly budget: Budget;
  readonly metadata: JsonObject;
  /** The mission, and its task, that the work is for. */
  readonly missionId: string | null;
  readonly missionTaskId: string | null;
  /** The HTTP request that creates it, so that the log can correlate them; null if none does. */
  readonly requestId: string | null;
  /** JSON Schema of this job's answer, in place of its agent's; absent or null: the agent's. */
  readonly outputSchema?: JsonObject | null;
  /** Settings of the model for this job, over its agent's; absent or null: the agent's. */
  readonly modelSettings?: CallSettings | null;
  /** The model for which they were chosen; absent: the job's own. */
  readonly settingsModel?: string | null;
  /** Whether its client has named addresses that get each state of the job. */
  readonly isPushed?: true;
}
export const PLAIN_TERMS: JobTerms = {
  lineage: ROOT_LINEAGE,
  priority: "medium",
  reviewRequired: false,
  budget: NO_BUDGET,
  metadata: {},
  missionId: null,
  missionTaskId: null,
  requestId: null,
};

/** JSON Schema that the job's answer must fit: its own, or its agent's; null: the answer is text. */
export const outputSchemaOf = ({ outputSchema, agent }: Pick<Job, "outputSchema" | "agent">): JsonObject | null =>
  outputSchema ?? agent.outputSchema ?? null;

/** The settings of the job's model calls. */
export const modelSettingsOf = ({ modelSettings, agent }: Pick<Job, "modelSettings" | "agent">): SetSettings =>
  mergedSettings(agent.modelSettings, modelSettings);

/** The model for which the provider options of the job were chosen: by its message, else by its agent. */
export function optionsModelOf({
  modelSettings,
  settingsModel,
  agent,
}: Pick<Job, "modelSettings" | "settingsModel" | "agent">): string | null {
  const isOfMessage = Object.hasOwn(modelSettings ?? {}, "providerOptions");
  const { model, ownModel = model } = agent;
  return isOfMessage ? (settingsModel === undefined ? model : settingsModel) : (agent.settingsModel ?? ownModel);
}

/** The separator of text blocks: a blank line, so that texts of different steps do not run together. */
export const TEXT_SEPARATOR = "\n\n";
/** The content of a message: its text blocks, joined. `position` counts in it (SSE-3). */
export const contentText = (blocks: readonly (Block | AttachmentBlock)[]): string =>
  blocks.flatMap((block) => (block.type === "text" && block.text !== "" ? [block.text] : [])).join(TEXT_SEPARATOR);

export const jobTable = table<Job>("job");
export const jobRef = refTo("job");
