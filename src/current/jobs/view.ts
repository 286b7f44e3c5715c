/** Jobs as the current surface shows them (JOB-3, JOB-5, JOB-6). */
import { Citation } from "../../../actors/job/citation.ts";
import { CONNECTION_OWNERS } from "../../../actors/connection/schema.ts";
import { expiryOf, waitingCalls } from "../../../actors/job/client-call.ts";
import type { JobHead } from "../../../actors/job/directory.ts";
import {
  BLOCKED_REASONS,
  type Job,
  JOB_STATUSES,
  type Metrics,
  modelSettingsOf,
  outputSchemaOf,
  RUN_ERROR_CODES,
  type RunError,
} from "../../../actors/job/schema.ts";
import { callsLeft } from "../../../actors/job/open-calls.ts";
import { STOP_REASONS } from "../../../actors/job/stop-reason.ts";
import {
  type Authorization,
  AUTHORIZATION_OUTCOMES,
  type Budget,
  JOB_PRIORITIES,
  JobProgress,
  RELATIONS,
  type Review,
  REVIEW_STATES,
  WAIT_REASONS,
  type RunWaiting,
  WARNING_CODES,
} from "../../../actors/job/terms.ts";
import { hasScope, type Principal } from "../../../actors/organization/principal.ts";
import { Nullable, NullableTime, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { visibleJson, visibleText } from "../../../actors/visible-text.ts";
import { signedAddress, type SigningParts } from "../../http/admission/signed-address.ts";
import { Count, fieldsFrom, Id, listOf, noun, OpenObject, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { ModelSettingsShape, settingsView } from "../../operations/model-settings.ts";
import { CostLimitField, USAGE_FIELDS, usageView } from "../cost.ts";
import { RECORD, recordView } from "../record.ts";
import { jobVerbs, type Standing, STANDS } from "../standing.ts";
import { type ApprovalReader, ApprovalView, approvalView, NO_READER } from "./approval-view.ts";
import { ArtifactView, artifactViews } from "./artifact-view.ts";

export const ShownJobId = Id("job", "A job's id");

const ReviewView = noun("Review", "The review of a job's result by a person", {
  state: OneOf(REVIEW_STATES),
  required: Type.Boolean(),
  requested_at: NullableTime,
  expires_at: NullableTime,
  decided_by: Nullable(Type.String({ description: "The user who decided" })),
  decided_at: NullableTime,
  comment: Nullable(Type.String()),
});

export const MetricsView = noun("JobMetrics", "What a job has used", {
  ...USAGE_FIELDS,
  tool_calls: Count("Number of tool calls"),
  model_retries: Count("Number of retried model calls"),
  duration_ms: Nullable(Type.Integer({ minimum: 0 })),
  time_to_first_token_ms: Nullable(Type.Number({ minimum: 0 })),
});

const AuthorizationView = noun("Authorization", "A connection that a job needs, and how the wait for it ended", {
  connection_id: Id("con", "The connection"),
  name: Text("The MCP server or the tool that needs it", "crm"),
  url: Text("The address of the tool server", "https://mcp.example/mcp"),
  owner: OneOf(CONNECTION_OWNERS, { description: "Who can give it: the person for whom the job acts, or an owner" }),
  scopes: Type.Array(Type.String(), {
    description: "Scopes that are asked for; empty: those that the server names",
    examples: [["files:read"]],
  }),
  link: Text("The page where the person grants or denies the connection", "https://troupe.example/connections/con_1"),
  requested_at: Timestamp,
  outcome: Type.Union([OneOf(AUTHORIZATION_OUTCOMES), Type.Null()], {
    description: "How the wait ended; null while the job waits",
  }),
  message: Nullable(Text("Why there is no connection", "The connection was denied")),
});

const JOB_FIELDS = {
  id: ShownJobId,
  title: Text("The title", "The release notes"),
  status: OneOf(JOB_STATUSES),
  blocked_reason: Nullable(OneOf(BLOCKED_REASONS, { description: "What a blocked job waits for" })),
  agent_id: Id("agt", "The agent that does the work"),
  chat_id: Id("cht", "The chat that it answers in"),
  workspace_id: Nullable(Id("wsp", "The workspace of the job")),
  mission_id: Nullable(Type.String({ description: "The mission that the job belongs to" })),
  mission_task_id: Nullable(Type.String({ description: "The mission task that the job works on" })),
  parent_job_id: Nullable(Type.String({ description: "Parent of the job" })),
  root_job_id: ShownJobId,
  relation: OneOf(RELATIONS, { description: "How the job derives from its parent" }),
  iteration: Count("Number of feedback rounds before this job"),
  attempt: Count("Number of the current attempt, from 1"),
  priority: OneOf(JOB_PRIORITIES),
  input: Text("The message that the job answers", "Write the release notes"),
  result: Nullable(Type.String({ description: "The result, as text; null until there is one" })),
  stop_reason: Nullable(OneOf(STOP_REASONS)),
  output_schema: Nullable(
    OpenObject("JSON Schema that the answer must match, from the message or the agent; null for none"),
  ),
  model_settings: Nullable(ModelSettingsShape),
  output: Nullable(
    OpenObject("The answer as a value that matches `output_schema`, once the job is completed; null for none"),
  ),
  citations: Type.Array(Citation, { description: "Citations in `result`", examples: [[]] }),
  error: Nullable(
    noun("RunError", "Why a job has failed", {
      code: OneOf(RUN_ERROR_CODES),
      message: Text("In words", "Timed out"),
      errors: Type.Array(
        noun("OutputError", "An error in an answer", {
          path: Text("Its place in the answer, as a JSON pointer", "/lines/0/price"),
          message: Text("In words", "Field output.lines.0.price must be number"),
        }),
        {
          description: "With the code `output_invalid`: what is wrong with the last answer. Otherwise empty",
          examples: [[]],
        },
      ),
    }),
  ),
  progress: JobProgress,
  waiting: Nullable(
    noun("JobWaiting", "What a running job waits for before it continues on its own", {
      reason: OneOf(WAIT_REASONS),
      retry_at: NullableTime,
      retries: Count("Retries of this call, including the next one"),
    }),
  ),
  warnings: Type.Array(
    noun("JobWarning", "Something that a job had to leave out or do differently", {
      code: OneOf(WARNING_CODES),
      message: Text("In words", "The MCP server files cannot be used: it does not accept connections."),
      field: Type.Optional(Text("The field of the agent or the message that it is about", "model_settings.effort")),
      at: Timestamp,
    }),
    { examples: [[]] },
  ),
  review: ReviewView,
  approvals: Type.Array(ApprovalView, { examples: [[]] }),
  authorizations: Type.Array(AuthorizationView, {
    description: "Connections for which the job waits, or has waited",
    examples: [[]],
  }),
  requested_tool_calls: Type.Array(
    noun("RequestedToolCall", "A call of a tool that the client runs; the client sends the result", {
      id: Text("The call", "call_1"),
      name: Text("The tool", "lookup"),
      arguments: OpenObject("The arguments; they match the tool's `input_schema`"),
      expires_at: Timestamp,
    }),
    {
      description: "Calls that wait for a result from the client; see `POST /api/jobs/{id}/tool-results`",
      examples: [[]],
    },
  ),
  artifacts: Type.Array(ArtifactView, { examples: [[]] }),
  metrics: MetricsView,
  budget: noun("JobBudget", "What a job may use; null is the service's own limit", {
    max_tokens: Nullable(Type.Integer({ minimum: 1 })),
    max_cost: CostLimitField,
    max_steps: Nullable(Type.Integer({ minimum: 1 })),
    deadline_at: NullableTime,
  }),
  runner: Nullable(
    noun("JobRunner", "What runs a job; null before it has started", {
      kind: Text("The provider of the model", "demo"),
      model: Text("`provider:name`", "demo:echo"),
      started_at: NullableTime,
      heartbeat_at: NullableTime,
    }),
  ),
  metadata: OpenObject("Any JSON object, as the creator gave it"),
  last_seq: Count("Number of the newest event"),
  created_by: Id("usr", "The user that it acts for"),
  started_at: NullableTime,
  completed_at: NullableTime,
};
export const JobView = noun("Job", "A long-running work record: one chat turn of an agent", {
  ...JOB_FIELDS,
  ...RECORD,
});
export const JobList = listOf("JobList", "jobs", JobView);

export const ReceiptView = noun("CancelReceipt", "How a job was stopped", {
  job: JobView,
  stopped_at_seq: Nullable(Type.Integer({ description: "The seq of its last event; null until it has stopped" })),
  partial_message_id: Type.Optional(Id("msg", "Message with the partial answer; absent if there is none")),
  tool_calls_finished: Count("Tool calls that finished"),
  tool_calls_aborted: Count("Tool calls that were aborted"),
});

const NodeView = noun("JobNode", "A job in a lineage", {
  id: ShownJobId,
  parent_job_id: Nullable(Type.String({ description: "Parent of the job" })),
  relation: OneOf(RELATIONS),
  status: OneOf(JOB_STATUSES),
  title: Text("The title", "The release notes"),
  created_at: Timestamp,
});

export const LineageView = noun("JobLineage", "All jobs that derive from one root, oldest first", {
  root_id: ShownJobId,
  nodes: Type.Array(NodeView),
});

interface JobFacts {
  /** A fresh signed address of the job's stream (SSE-9); absent from answers that are stored. */
  readonly appStream?: string | null;
  readonly standing?: Standing;
}

export const jobView = (
  job: Job,
  by: Principal,
  { appStream = null, standing = STANDS }: JobFacts = {},
): Shown<typeof JobView> => ({
  ...jobFields(job, { by, voters: standing.voters }),
  ...recordView(job, jobLinks(job, appStream), jobVerbs(job, by, standing)),
});

const ownFields = fieldsFrom(Type.Object(JOB_FIELDS));

/** The job as everybody who may know of it sees it, with what its reader may decide. */
export const jobFields = (job: Job, reader: ApprovalReader = NO_READER) => ({
  ...ownFields(job),
  agent_id: job.agent.id,
  root_job_id: job.rootJobId ?? job.id,
  stop_reason: job.stopReason ?? null,
  output_schema: outputSchemaOf(job),
  model_settings: settingsView(modelSettingsOf(job)),
  output: job.output === undefined ? null : visibleJson(job.output),
  citations: [...(job.citations ?? [])],
  error: job.error === null ? null : errorView(job.error),
  waiting: waitingView(job.waiting ?? null),
  warnings: [...(job.warnings ?? [])],
  review: reviewView(job.review),
  approvals: job.approvals.map((approval) => approvalView(job, approval, reader)),
  authorizations: (job.authorizations ?? []).map(authorizationView),
  requested_tool_calls: waitingCalls(job).map((call) => ({
    id: call.id,
    name: call.name,
    arguments: call.arguments ?? {},
    expires_at: expiryOf(job, call),
  })),
  artifacts: artifactViews(job.workspaceId, job.artifacts),
  metrics: metricsView(job.metrics),
  budget: budgetView(job.budget, job.deadlineAt),
  runner: runnerView(job),
});

const authorizationFields = fieldsFrom(AuthorizationView);

const authorizationView = (one: Authorization): Shown<typeof AuthorizationView> => ({
  ...authorizationFields(one),
  url: one.resource,
});

const errorView = ({ code, message, errors = [] }: RunError) => ({
  code,
  message,
  errors: errors.map((error) => ({ path: error.path, message: visibleText(error.message) })),
});

const reviewView: (review: Review) => Shown<typeof ReviewView> = fieldsFrom(ReviewView);

const waitingView = (waiting: RunWaiting | null) =>
  waiting === null ? null : { reason: waiting.reason, retry_at: waiting.retryAt, retries: waiting.retries };

const metricFields = fieldsFrom(MetricsView);

export const metricsView = (metrics: Metrics) => ({
  ...metricFields(metrics),
  ...usageView(metrics),
  model_retries: metrics.modelRetries ?? 0,
});

/** Once there is a run, the deadline is that of the current run. */
const budgetView = ({ maxTokens, maxCost = null, maxSteps, deadlineAt }: Budget, ofRun: string | null) => ({
  max_tokens: maxTokens,
  max_cost: maxCost,
  max_steps: maxSteps,
  deadline_at: ofRun ?? deadlineAt,
});

/** Null before the job has started. */
const runnerView = ({ runner, startedAt, heartbeatAt }: Job) =>
  runner === null
    ? null
    : {
        kind: runner.provider,
        model: `${runner.provider}:${runner.name}`,
        started_at: startedAt,
        heartbeat_at: heartbeatAt,
      };

function jobLinks({ id, chatId, agent, parentJobId }: Job, appStream: string | null): Record<string, string> {
  const self = `/api/jobs/${id}`;
  const links = {
    self,
    events: `${self}/events`,
    lineage: `${self}/lineage`,
    transcript_events: `${self}/transcript-events`,
    chat: `/api/chats/${chatId}`,
    agent: `/api/agents/${agent.id}`,
  };
  return {
    ...links,
    ...(parentJobId === null ? {} : { parent: `/api/jobs/${parentJobId}` }),
    ...(appStream === null ? {} : { app_stream: appStream }),
  };
}

/** The progress of a cancellation; it has a seq once the job has actually stopped (JOB-3). */
export function receiptView(job: Job, by: Principal, standing: Standing): Shown<typeof ReceiptView> {
  const hasPartial = job.startedAt !== null && (job.result ?? "") !== "";
  return {
    job: jobView(job, by, { standing }),
    stopped_at_seq: job.stop?.seq ?? null,
    ...(job.stop !== null && hasPartial ? { partial_message_id: job.outputMessageId } : {}),
    tool_calls_finished: job.metrics.toolCalls,
    tool_calls_aborted: job.stop?.toolCallsAborted ?? callsLeft(job).length,
  };
}

/** A job as a node of its lineage. */
export const nodeView: (job: JobHead) => Shown<typeof NodeView> = fieldsFrom(NodeView);

/** The signed address of a job's stream (SSE-9); null for callers who may not read jobs. */
export const appLink = (parts: SigningParts, jobId: string, by: Principal): string | null =>
  hasScope(by.scopes, "jobs:read") ? signedAddress(parts, `/mcp-app/jobs/${jobId}/events`, by) : null;
