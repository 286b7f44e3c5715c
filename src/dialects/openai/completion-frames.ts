/** A run as chunks of a chat completion, and as a whole one. */
import { type JobTokens, TEXT_SEPARATOR } from "../../../actors/job/schema.ts";
import type { StopReason } from "../../../actors/job/stop-reason.ts";
import type { Interruption } from "../../http/stream/event-source.ts";
import { sseData, sseEvent, sseJson } from "../../http/stream/sse.ts";
import type { RunFrames } from "../runs/followed-run.ts";
import { type RunClientCall, protocolFrames, type RunItem, type RunItemOf, type RunTable } from "../runs/run-item.ts";
import { openAiCallId } from "./call-id.ts";
import { blockedError, endError, STREAM_ERRORS, RESTARTED } from "./run-errors.ts";

/** Facts of the completion that each chunk repeats. */
export interface CompletionFacts {
  readonly jobId: string;
  readonly model: string;
  /** Unix time in seconds. */
  readonly created: number;
}

export const completionId = (jobId: string): string => `chatcmpl-${jobId.slice("job_".length)}`;

export const completionUsage = ({ inputTokens, outputTokens, cachedInputTokens = 0 }: JobTokens) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cachedInputTokens },
  completion_tokens_details: { reasoning_tokens: 0 },
});

export type FinishReason = "stop" | "length" | "content_filter" | "tool_calls";

export const completionReason = (reason: StopReason | null): FinishReason =>
  reason === "length" ? "length" : reason === "content_filter" || reason === "refusal" ? "content_filter" : "stop";

export const toolCallView = (jobId: string, { id, name, arguments: given }: RunClientCall) => ({
  id: openAiCallId(jobId, id),
  type: "function",
  function: { name, arguments: JSON.stringify(given) },
});

const DONE = sseEvent({ data: "[DONE]" });

export class CompletionFrames implements RunFrames {
  hasEnded = false;
  /** Whether this part of the run has sent text. */
  private hasText = false;
  private readonly facts: CompletionFacts;
  private readonly hasUsage: boolean;
  /** The parts of a chunk around its delta: there may be thousands of chunks a second. */
  private readonly head: string;
  private readonly tail: string;

  constructor(facts: CompletionFacts, { hasUsage }: { readonly hasUsage: boolean }) {
    this.facts = facts;
    this.hasUsage = hasUsage;
    const [head = "", tail = ""] = sseData(this.chunk("\0", null)).split('"\\u0000"');
    this.head = head;
    this.tail = tail;
  }

  opening(): string {
    return this.delta({ role: "assistant", content: "" });
  }

  frames(item: RunItem): string {
    return protocolFrames(COMPLETION_TABLE, this, item);
  }

  interrupted(reason: Interruption): string {
    return this.failed(STREAM_ERRORS[reason]);
  }

  delta(delta: object): string {
    return this.head + sseJson(delta) + this.tail;
  }

  /** A completion has one text, so there is a blank line between its blocks. */
  text({ at, text }: RunItemOf<"text">): string {
    const content = this.hasText && at === 0 ? TEXT_SEPARATOR + text : text;
    this.hasText = true;
    return this.delta({ content });
  }

  callFrames(calls: readonly RunClientCall[]): string {
    const views = calls.map((call, index) => ({ index, ...toolCallView(this.facts.jobId, call) }));
    return this.delta({ tool_calls: views });
  }

  finished(reason: FinishReason, usage: JobTokens): string {
    const last = sseData(this.chunk({}, reason));
    const { id, object, created, model } = this.chunk({}, null);
    const counted = { id, object, created, model, choices: [], usage: completionUsage(usage) };
    return last + (this.hasUsage ? sseData(counted) : "") + DONE;
  }

  /** Ends the stream before its run. */
  ended(error: object): string {
    this.hasEnded = true;
    return this.failed(error);
  }

  failed(error: object): string {
    return sseData({ error }) + DONE;
  }

  /** What no field of the protocol has, for clients that know Troupe; others ignore it. */
  extra(troupe: object): string {
    return sseData({ ...this.chunk({}, null), troupe });
  }

  private chunk(delta: object | string, reason: FinishReason | null) {
    const { jobId, model, created } = this.facts;
    return {
      id: completionId(jobId),
      object: "chat.completion.chunk",
      created,
      model,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
      ...(this.hasUsage ? { usage: null } : {}),
    };
  }
}

/** Each kind of item as chunks. Items without chunks cannot be carried, or come with others. */
const COMPLETION_TABLE: RunTable<CompletionFrames> = {
  started: () => "",
  attempt: () => "",
  text: (frames, item) => frames.text(item),
  // Text that was sent cannot be taken back, so the wrong text is not completed. A retry joins the run.
  restarted: (frames) => frames.ended(RESTARTED),
  text_done: () => "",
  reasoning: (frames, { text }) => frames.delta({ reasoning_content: text, reasoning: text }),
  tool_call: (frames, { by, id, name, input }) =>
    by === "client" ? "" : frames.extra({ tool_call: { id, name, arguments: input } }),
  tool_result: (frames, { callId, content, isError }) =>
    frames.extra({ tool_result: { id: callId, content, is_error: isError } }),
  client_calls: (frames, { calls, usage }) => frames.callFrames(calls) + frames.finished("tool_calls", usage),
  approval: (frames, { approvalId, name, message, expiresAt }) =>
    frames.extra({ approval: { id: approvalId, name, message, expires_at: expiresAt } }),
  approval_resolved: (frames, { approvalId, isApproved }) =>
    frames.extra({ approval: { id: approvalId, is_approved: isApproved } }),
  // The stream stays open while a person decides.
  blocked: (frames, item) => (item.reason === "approval_required" ? "" : frames.failed(blockedError(item))),
  resumed: () => "",
  usage: () => "",
  file: (frames, { id, name, path, mime, size }) => frames.extra({ file: { id, name, path, mime, size } }),
  input: () => "",
  status: () => "",
  notice: () => "",
  end: (frames, { status, stopReason, usage, error }) =>
    status === "completed" ? frames.finished(completionReason(stopReason), usage) : frames.failed(endError(error)),
};
