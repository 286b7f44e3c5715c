/** Jobs as the current surface shows them (JOB-3, JOB-5, JOB-6). */
import { allowedActions } from "../../../actors/job/machine.ts";
import type { Job, Metrics } from "../../../actors/job/schema.ts";
import type { Approval, Budget, Review } from "../../../actors/job/terms.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { permitted, recordView } from "../record.ts";

/** `appStream` is a fresh signed address of its stream (SSE-9); an answer that is kept has none. */
export const jobView = (job: Job, by: Principal, appStream: string | null = null) => ({
  id: job.id,
  title: job.title,
  status: job.status,
  blocked_reason: job.blockedReason,
  agent_id: job.agent.id,
  chat_id: job.chatId,
  workspace_id: job.workspaceId,
  mission_id: job.missionId,
  mission_task_id: job.missionTaskId,
  parent_job_id: job.parentJobId,
  root_job_id: job.rootJobId ?? job.id,
  relation: job.relation,
  iteration: job.iteration,
  attempt: job.attempt,
  priority: job.priority,
  input: job.input,
  result: job.result,
  error: job.error === null ? null : { code: job.error.code, message: job.error.message },
  progress: { percent: job.progress.percent, label: job.progress.label },
  review: reviewView(job.review),
  approvals: job.approvals.map(approvalView),
  artifacts: [],
  metrics: metricsView(job.metrics),
  budget: budgetView(job.budget, job.deadlineAt),
  runner: runnerView(job),
  metadata: job.metadata,
  last_seq: job.lastSeq,
  created_by: job.createdBy,
  started_at: job.startedAt,
  completed_at: job.completedAt,
  ...recordView(job, linksOf(job, appStream), permitted(by, "jobs:write", allowedActions(job))),
});

const reviewView = (review: Review) => ({
  state: review.state,
  required: review.required,
  requested_at: review.requestedAt,
  expires_at: review.expiresAt,
  decided_by: review.decidedBy,
  decided_at: review.decidedAt,
  comment: review.comment,
});

const approvalView = (approval: Approval) => ({
  id: approval.id,
  tool_name: approval.toolName,
  tool_call_id: approval.toolCallId,
  arguments: approval.arguments,
  message: approval.message,
  expires_at: approval.expiresAt,
  on_expiry: approval.onExpiry,
});

const metricsView = (metrics: Metrics) => ({
  input_tokens: metrics.inputTokens,
  output_tokens: metrics.outputTokens,
  tool_calls: metrics.toolCalls,
  duration_ms: metrics.durationMs,
  time_to_first_token_ms: metrics.timeToFirstTokenMs,
});

/** The deadline is the limit of the present run, once there is one. */
const budgetView = ({ maxTokens, maxSteps, deadlineAt }: Budget, ofRun: string | null) => ({
  max_tokens: maxTokens,
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

function linksOf({ id, chatId, agent, parentJobId }: Job, appStream: string | null): Record<string, string> {
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

/** What a cancel has come to so far; the seq is known when the job has really stopped (JOB-3). */
export function receiptView(job: Job, by: Principal) {
  const hasPartial = job.startedAt !== null && (job.result ?? "") !== "";
  return {
    job: jobView(job, by),
    stopped_at_seq: job.stop?.seq ?? null,
    ...(job.stop !== null && hasPartial ? { partial_message_id: job.outputMessageId } : {}),
    tool_calls_finished: job.metrics.toolCalls,
    tool_calls_aborted: job.stop?.toolCallsAborted ?? job.openCalls.length,
  };
}

/** A job as a node of its lineage. */
export const nodeView = ({ id, parentJobId, relation, status, title, createdAt }: Job) => ({
  id,
  parent_job_id: parentJobId,
  relation,
  status,
  title,
  created_at: createdAt,
});
