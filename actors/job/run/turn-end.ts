/** What the chat is told at the end of a turn, in the commit of the report that ends it. */
import type { ChatCommand } from "../../chat/protocol.ts";
import { updatesOf } from "../chat-updates.ts";
import type { Block, Job } from "../schema.ts";
import { turnEnd } from "../transitions.ts";

/** The end of the chat's turn with the content of its message, where the job is settled; nothing while it runs. */
export function turnEndOf(job: Job, blocks: readonly Block[]): readonly ChatCommand[] {
  const end = turnEnd(job);
  if (end === null) return [];
  const { id: jobId, inputMessageId, outputMessageId: messageId, metrics } = job;
  const usage = { inputTokens: metrics.inputTokens, outputTokens: metrics.outputTokens };
  return [{ kind: "turn_ended", jobId, inputMessageId, messageId, end, blocks, usage, updates: updatesOf(job) }];
}
