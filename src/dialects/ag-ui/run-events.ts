/**
 * A run as events of AG-UI: one pure table, with an entry for every kind of item. It keeps the messages that the client
 * has by now, so that a snapshot can take back a text that differs after a restart.
 */
import { GrowingText } from "../../../actors/growing-text.ts";
import type { JobTokens } from "../../../actors/job/schema.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { linksOfWait, protocolFrames, type RunItem, type RunTable } from "../runs/run-item.ts";

interface AgUiEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}
type AgUiEvents = readonly AgUiEvent[];

interface BuiltMessage {
  readonly id: string;
  readonly role: "assistant" | "tool";
  readonly content: GrowingText;
  toolCalls?: object[];
  readonly toolCallId?: string;
}

export interface AgUiRun {
  readonly threadId: string;
  readonly runId: string;
  readonly jobId: string;
  /** The client's messages without those of this run. */
  readonly before: readonly JsonObject[];
  /** Ids of reasoning that the client has: a snapshot does not take it back. */
  readonly reasoning: ReadonlySet<string>;
}

/** What the stream of one run remembers. */
export class AgUiState {
  readonly run: AgUiRun;
  readonly built: BuiltMessage[] = [];
  /** Interrupts that wait for an answer, by their approvals. */
  readonly interrupts = new Map<string, object>();
  /** The message that grows. */
  text: { readonly message: BuiltMessage; readonly block: number } | null = null;
  /** The message of this step, which has its calls; null: it has none yet. */
  step: BuiltMessage | null = null;
  private thoughts = 0;

  constructor(run: AgUiRun) {
    this.run = run;
  }

  /** Ids follow from what is stored: every stream of the run gives the same ones, also after a restart. */
  messageId(of: string): string {
    return `${this.run.jobId}-${of}`;
  }

  nextThoughtId(): string {
    this.thoughts++;
    return this.messageId(`reasoning-${this.thoughts}`);
  }

  add(message: BuiltMessage): BuiltMessage {
    this.built.push(message);
    return message;
  }

  snapshot(): AgUiEvent {
    return { type: "MESSAGES_SNAPSHOT", messages: [...this.run.before, ...this.built.map(builtMessage)] };
  }

  beginText(block: number, content: string): AgUiEvents {
    const message = this.add({ id: this.messageId(`text-${block}`), role: "assistant", content: new GrowingText() });
    this.text = { message, block };
    this.step = message;
    return [{ type: "TEXT_MESSAGE_START", messageId: message.id, role: "assistant" }, ...this.growText(content)];
  }

  growText(delta: string): AgUiEvents {
    if (this.text === null || delta === "") return [];
    const { message } = this.text;
    message.content.add(delta);
    return [{ type: "TEXT_MESSAGE_CONTENT", messageId: message.id, delta }];
  }

  endText(): AgUiEvents {
    const { text } = this;
    this.text = null;
    return text === null ? [] : [{ type: "TEXT_MESSAGE_END", messageId: text.message.id }];
  }

  finished(outcome: object, usage?: JobTokens): AgUiEvent {
    const { threadId, runId } = this.run;
    return {
      type: "RUN_FINISHED",
      threadId,
      runId,
      outcome,
      ...(usage === undefined ? {} : { usage: [agUiUsage(usage)] }),
    };
  }
}

const builtMessage = ({ content, ...message }: BuiltMessage) => ({ ...message, content: content.toString() });

const NO_EVENTS: AgUiEvents = [];

export const RUN_EVENTS: RunTable<AgUiState, AgUiEvents> = {
  started: () => NO_EVENTS,
  attempt: () => NO_EVENTS,
  text(state, { block, text }) {
    if (state.text?.block === block) return state.growText(text);
    return [...state.endText(), ...state.beginText(block, text)];
  },
  restarted(state, { block, kept }) {
    if (state.text?.block !== block) return NO_EVENTS;
    state.built.splice(state.built.indexOf(state.text.message), 1);
    return [...state.endText(), state.snapshot(), ...state.beginText(block, kept)];
  },
  text_done: (state) => state.endText(),
  reasoning(state, { text: delta }) {
    const messageId = state.nextThoughtId();
    if (state.run.reasoning.has(messageId)) return NO_EVENTS;
    return [
      { type: "REASONING_START", messageId },
      { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
      { type: "REASONING_MESSAGE_CONTENT", messageId, delta },
      { type: "REASONING_MESSAGE_END", messageId },
      { type: "REASONING_END", messageId },
    ];
  },
  tool_call(state, { id: toolCallId, name: toolCallName, input }) {
    const delta = JSON.stringify(input);
    state.step ??= state.add({
      id: state.messageId(`call-${toolCallId}`),
      role: "assistant",
      content: new GrowingText(),
    });
    const call = { id: toolCallId, type: "function", function: { name: toolCallName, arguments: delta } };
    state.step.toolCalls = [...(state.step.toolCalls ?? []), call];
    return [
      ...state.endText(),
      { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId: state.step.id },
      { type: "TOOL_CALL_ARGS", toolCallId, delta },
      { type: "TOOL_CALL_END", toolCallId },
    ];
  },
  tool_result(state, { callId: toolCallId, content }) {
    state.step = null;
    const { id: messageId } = state.add({
      id: state.messageId(`result-${toolCallId}`),
      role: "tool",
      content: new GrowingText(content),
      toolCallId,
    });
    return [{ type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" }];
  },
  client_calls: (state, { calls }) => [
    ...state.endText(),
    state.finished({ type: "success", pendingToolCallIds: calls.map(({ id }) => id) }),
  ],
  approval(state, { approvalId: id, callId: toolCallId, name, arguments: given, message, expiresAt }) {
    const metadata = { tool_name: name, arguments: given };
    state.interrupts.set(id, {
      id,
      reason: "approval_required",
      message,
      toolCallId,
      expiresAt,
      responseSchema: ANSWER,
      metadata,
    });
    return NO_EVENTS;
  },
  approval_resolved(state, { approvalId }) {
    state.interrupts.delete(approvalId);
    return NO_EVENTS;
  },
  blocked(state, { reason, ...wait }) {
    const interrupts = [...state.interrupts.values()];
    const ended = state.endText();
    if (interrupts.length > 0) return [...ended, state.finished({ type: "interrupt", interrupts })];
    if (reason === "review") return [...ended, state.finished({ type: "success" })];
    const message = `The run waits: ${reason.replaceAll("_", " ")}. A person can continue it in the console.${linksOfWait(wait)}`;
    return [...ended, { type: "RUN_ERROR", message, code: reason }];
  },
  resumed: () => NO_EVENTS,
  usage: () => NO_EVENTS,
  file: (_, { id, name, path, mime, size }) => [
    { type: "CUSTOM", name: "file", value: { id, name, path, mime, size } },
  ],
  input: () => NO_EVENTS,
  status: (_, { state, reason, retryAt: retry_at }) => [
    { type: "CUSTOM", name: "status", value: { state, reason, retry_at } },
  ],
  notice: (_, { level, text }) => [{ type: "CUSTOM", name: "notice", value: { level, text } }],
  end(state, { status, stopReason, usage, error }) {
    const ended = state.endText();
    if (status === "failed")
      return [...ended, { type: "RUN_ERROR", message: error?.message ?? "The run has failed", code: error?.code }];
    if (status === "cancelled") return [...ended, state.finished({ type: "cancelled" }, usage)];
    const reason = { type: "CUSTOM", name: "stop_reason", value: stopReason };
    return [...ended, reason, state.finished({ type: "success" }, usage)];
  },
};

/** The item's events. */
export const agUiEvents = (state: AgUiState, item: RunItem): AgUiEvents => protocolFrames(RUN_EVENTS, state, item);

/** The payload that answers an interrupt. */
const ANSWER = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    arguments: { type: "object", description: "Replace the arguments of the call" },
    comment: { type: "string" },
  },
  required: ["approved"],
};

const agUiUsage = ({ inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 }: JobTokens) => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  cachedInputTokens,
  cacheWriteInputTokens: cacheWriteTokens,
});
