/** A job as the chat that it answers in creates it. */
import type { NewRecord } from "../runtime/actor.ts";
import { carrying } from "../runtime/tracing.ts";
import type { JsonObject } from "../schema.ts";
import type { Job, JobIn, JobTerms } from "./schema.ts";
import { NO_PROGRESS, type Review } from "./terms.ts";

/** A job that has not begun. `carrier`: the trace to which it belongs. */
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
  > &
    Pick<Partial<Job>, "isCompaction" | "inputBlocks">,
  { lineage, reviewRequired, ...terms }: JobTerms,
  carrier: string | null = null,
): NewRecord<JobIn<"queued">> {
  return {
    ...carrying(of, carrier),
    ...lineage,
    ...terms,
    status: "queued",
    blockedReason: null,
    attempt: 1,
    progress: NO_PROGRESS,
    heartbeatAt: null,
    step: 0,
    openCalls: [],
    endedCalls: [],
    delegations: 0,
    approvals: [],
    review: { ...NO_REVIEW, required: reviewRequired },
    budgetFrom: 0,
    steers: [],
    runEffectId: null,
    runner: null,
    result: null,
    error: null,
    stop: null,
    metrics: { inputTokens: 0, outputTokens: 0, toolCalls: 0, durationMs: null, timeToFirstTokenMs: null },
    lastSeq: 0,
    startedAt: null,
    deadlineAt: null,
    completedAt: null,
  };
}

/** What the intent of a run's effect contains about its job. The effect starts a job that has not begun. */
export const runIntent = (
  {
    attempt,
    priority,
    status,
    agent,
    trace,
    chatId,
  }: Pick<Job, "attempt" | "priority" | "status" | "agent" | "trace" | "chatId">,
  since: string,
): JsonObject => ({
  attempt,
  priority,
  since,
  ...(status === "queued" ? { begins: agent.model } : {}),
  ...(trace === undefined ? {} : { begun: { trace, agentId: agent.id, chatId } }),
});

const NO_REVIEW: Review = {
  state: "none",
  required: false,
  requestedAt: null,
  expiresAt: null,
  decidedBy: null,
  decidedAt: null,
  comment: null,
};
