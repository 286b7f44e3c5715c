/** A job as it is born: by the chat that it answers in. */
import type { NewRecord } from "../runtime/actor.ts";
import type { Job, JobTerms } from "./schema.ts";
import { NO_PROGRESS, type Review } from "./terms.ts";

/** A job that has not begun. */
export function newJob(
  of: Pick<
    Job,
    | "id"
    | "title"
    | "input"
    | "agent"
    | "chatId"
    | "workspaceId"
    | "inputMessageId"
    | "outputMessageId"
    | "executionId"
    | "createdBy"
  >,
  { lineage, priority, reviewRequired, budget, metadata, requestId }: JobTerms,
): NewRecord<Job> {
  return {
    ...of,
    ...lineage,
    priority,
    missionId: null,
    missionTaskId: null,
    status: "queued",
    blockedReason: null,
    attempt: 1,
    progress: NO_PROGRESS,
    heartbeatAt: null,
    step: 0,
    openCalls: [],
    delegations: 0,
    approvals: [],
    review: { ...NO_REVIEW, required: reviewRequired },
    budget,
    budgetFrom: 0,
    steers: [],
    runEffectId: null,
    runner: null,
    result: null,
    error: null,
    stop: null,
    metrics: { inputTokens: 0, outputTokens: 0, toolCalls: 0, durationMs: null, timeToFirstTokenMs: null },
    metadata,
    requestId,
    lastSeq: 0,
    startedAt: null,
    deadlineAt: null,
    completedAt: null,
  };
}

const NO_REVIEW: Review = {
  state: "none",
  required: false,
  requestedAt: null,
  expiresAt: null,
  decidedBy: null,
  decidedAt: null,
  comment: null,
};
