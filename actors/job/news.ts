/** What a job tells the readers of its chat besides the turn itself (SSE-7). Pure: from the record as it is. */
import type { ChatCommand, JobNews } from "../chat/protocol.ts";
import { chatRef } from "../chat/schema.ts";
import type { Tx } from "../runtime/actor.ts";
import type { Job } from "./schema.ts";

/** The news of a job that has come to a stand or an end: to go with the end of its turn. */
export function newsOf(job: Job): readonly JobNews[] {
  const { id: jobId, review, metrics } = job;
  const { inputTokens, outputTokens } = metrics;
  const news: JobNews[] = [];
  if (inputTokens + outputTokens > 0) news.push({ type: "usage.updated", data: { jobId, inputTokens, outputTokens } });
  for (const { id: approvalId, ...approval } of job.approvals)
    news.push({ type: "approval.requested", data: { jobId, approvalId, ...approval } });
  if (review.state !== "none") news.push(reviewNews(job));
  return [...news, statusNews(job)];
}

export const statusNews = ({ id: jobId, status, blockedReason }: Job): JobNews => ({
  type: "job.updated",
  data: { jobId, status, blockedReason },
});

export const reviewNews = ({ id: jobId, review: { state, decidedBy, comment } }: Job): JobNews => ({
  type: "review.updated",
  data: { jobId, state, decidedBy, comment },
});

/** For what changes while no turn begins or ends: a message to the chat, in the commit of the change. */
export function tellReaders(tx: Tx, { organizationId, chatId }: Job, news: readonly JobNews[]): void {
  const command: ChatCommand = { kind: "job_news", news };
  if (news.length > 0) tx.send(chatRef(organizationId, chatId), command);
}
