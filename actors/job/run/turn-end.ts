/** The commands to the chat at the start and the end of a turn, in the commit of the report that starts or ends it. */
import type { ChatCommand } from "../../chat/protocol.ts";
import { updatesOf } from "../chat-updates.ts";
import type { ContextMeasure } from "../../chat/schema.ts";
import { type Block, type Job, metricsUsage } from "../schema.ts";
import type { Interjection } from "../terms.ts";
import { jobTurnEnd } from "../transitions.ts";

/** The content of the turn's message, and what the model got while it wrote it. */
interface TurnContent {
  readonly blocks: readonly Block[];
  readonly interjections?: readonly Interjection[];
}

/** The end of the chat's turn, with the content of its message, if the job is settled; nothing while it runs. */
export function turnEndOf(
  job: Job,
  content: TurnContent,
  measured: ContextMeasure | null = null,
): readonly ChatCommand[] {
  const end = jobTurnEnd(job);
  if (end === null) return [];
  const { id: jobId, inputMessageId, outputMessageId: messageId, metrics } = job;
  const usage = metricsUsage(metrics);
  const updates = updatesOf(job);
  const { stopReason = null } = job;
  const ended = { jobId, inputMessageId, messageId, end, usage, stopReason, updates, measured };
  return [{ kind: "turn_ended", ...ended, ...content }];
}

/** The beginning of the chat's turn, in the commit that starts the job. */
export const turnStartOf = ({ id: jobId, inputMessageId, outputMessageId: messageId, attempt, isCompaction }: Job) =>
  ({
    kind: "turn_started",
    jobId,
    inputMessageId,
    messageId,
    attempt,
    ...(isCompaction === true ? { isSummary: true } : {}),
  }) as const satisfies ChatCommand;
