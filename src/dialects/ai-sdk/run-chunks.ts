/**
 * A run as chunks of AI SDK's UI message stream (DIA-6): one pure table, with an entry for every kind of item. Tools of
 * the agent are `dynamic` and `providerExecuted`: the client neither makes their calls nor waits for itself. Those that
 * the client runs are static ones.
 */
import type { JobTokens } from "../../../actors/job/schema.ts";
import type { StopReason } from "../../../actors/job/stop-reason.ts";
import { protocolFrames, type RunItem, type RunItemOf, type RunTable } from "../runs/run-item.ts";
import { MessageParts, type UiChunks } from "./message-parts.ts";

/** What the stream of one message remembers. */
export class UiMessage {
  readonly parts = new MessageParts();
  /** Calls that were denied: that is their result. */
  readonly denied = new Set<string>();
  /** Calls of the client's tools without a result. */
  readonly clientCalls = new Set<string>();

  /** The item's chunks. */
  chunksOf(item: RunItem): UiChunks {
    return protocolFrames(RUN_CHUNKS, this, item);
  }
}

const NO_CHUNKS: UiChunks = [];

export const RUN_CHUNKS: RunTable<UiMessage, UiChunks> = {
  started: () => NO_CHUNKS,
  attempt: () => NO_CHUNKS,
  text: ({ parts }, { block, text }) => parts.addText(block, text),
  restarted: ({ parts }, { block, kept }) => parts.cutText(block, kept),
  text_done: ({ parts }) => parts.endText(),
  reasoning({ parts }, { text: delta }) {
    const id = parts.nextPartId("reasoning");
    return parts.add(
      { type: "reasoning-start", id },
      { type: "reasoning-delta", id, delta },
      { type: "reasoning-end", id },
    );
  },
  tool_call({ parts, clientCalls }, { id: toolCallId, name: toolName, input, by }) {
    const call = { toolCallId, toolName };
    if (by === "agent")
      return parts.add({ type: "tool-input-available", ...call, input, dynamic: true, providerExecuted: true });
    // A client runs its tool at `tool-input-available`: so that is sent only while the result is missing.
    clientCalls.add(toolCallId);
    const inputTextDelta = JSON.stringify(input);
    return parts.add({ type: "tool-input-start", ...call }, { type: "tool-input-delta", toolCallId, inputTextDelta });
  },
  tool_result({ parts, denied, clientCalls }, { callId: toolCallId, content, isError }) {
    const isOfClient = clientCalls.delete(toolCallId);
    if (denied.delete(toolCallId)) return parts.addResult({ type: "tool-output-denied", toolCallId });
    const by = isOfClient ? {} : { dynamic: true, providerExecuted: true };
    return parts.addResult(
      isError
        ? { type: "tool-output-error", toolCallId, errorText: content, ...by }
        : { type: "tool-output-available", toolCallId, output: isOfClient ? outputIn(content) : content, ...by },
    );
  },
  client_calls({ parts, clientCalls }, { calls }) {
    const inputs = calls.map(({ id: toolCallId, name: toolName, arguments: input }) => {
      clientCalls.add(toolCallId);
      return { type: "tool-input-available", toolCallId, toolName, input };
    });
    return [...parts.change(...inputs), ...parts.endStep(), { type: "finish", finishReason: "tool-calls" }];
  },
  approval: ({ parts }, { approvalId, callId: toolCallId, message: reason, name: tool_name, expiresAt: expires_at }) =>
    parts.change({
      type: "tool-approval-request",
      approvalId,
      toolCallId,
      reason,
      approvalDescriptor: { tool_name, expires_at },
    }),
  approval_resolved({ parts, denied }, { approvalId, callId, isApproved: approved }) {
    if (!approved) denied.add(callId);
    return parts.change({ type: "tool-approval-response", approvalId, approved });
  },
  blocked: ({ parts }, { reason, authorizations }) => [
    ...parts.endStep(),
    {
      type: "finish",
      finishReason: UI_WAIT_ENDS[reason],
      messageMetadata: { blocked_reason: reason, ...(authorizations === undefined ? {} : { authorizations }) },
    },
  ],
  resumed: () => NO_CHUNKS,
  usage: (_, { usage }) => [{ type: "message-metadata", messageMetadata: { usage: usageMetadata(usage) } }],
  file: ({ parts }, { id, name, path, mime, size }) =>
    parts.add({ type: "data-file", id, data: { id, name, path, mime, size } }),
  input({ parts }, { messageId, text }) {
    const id = messageId ?? parts.nextPartId("text");
    return [...parts.endStep(), ...parts.add({ type: "steering-message", id, parts: [{ type: "text", text }] })];
  },
  status: (_, { state, reason, retryAt: retry_at }) => [
    { type: "data-status", data: { state, reason, retry_at }, transient: true },
  ],
  notice: (_, { level, text }) => [{ type: "data-notice", data: { level, text }, transient: true }],
  end({ parts }, { status, stopReason, usage, error }) {
    const ended = parts.endStep();
    if (status === "failed") return [...ended, { type: "error", errorText: error?.message ?? "The run has failed" }];
    if (status === "cancelled") return [...ended, { type: "abort", reason: "The run was cancelled" }];
    const finishReason = stopReason === null ? "stop" : UI_FINISH_REASONS[stopReason];
    const messageMetadata = { usage: usageMetadata(usage), stop_reason: stopReason, blocked_reason: null };
    return [...ended, { type: "finish", finishReason, messageMetadata }];
  },
};

/** A client goes on by itself after answers, but not after `interrupted`. */
const UI_WAIT_ENDS: Readonly<Record<RunItemOf<"blocked">["reason"], string>> = {
  approval_required: "tool-calls",
  tool_result_required: "tool-calls",
  input_required: "interrupted",
  auth_required: "interrupted",
  budget_reached: "interrupted",
  interrupted: "interrupted",
  review: "stop",
};

const UI_FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  stop: "stop",
  tool_use: "tool-calls",
  length: "length",
  content_filter: "content-filter",
  refusal: "content-filter",
  other: "other",
};

const usageMetadata = ({ inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 }: JobTokens) => ({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  cached_input_tokens: cachedInputTokens,
  cache_write_tokens: cacheWriteTokens,
});

/** The output of a client's tool as the client has sent it. */
function outputIn(content: string): unknown {
  if (!/^\s*[{[]/.test(content)) return content;
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return content;
  }
}
