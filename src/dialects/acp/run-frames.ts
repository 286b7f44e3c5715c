/**
 * What the stream of a prompt has of each item of its run. Most are updates for the editor; the others are for the
 * connection (`socket/`), which asks the editor, and answers the prompt.
 *
 * Updates follow from what is stored, so a stream that begins again has the same ones in the same order. Text has the
 * id of its message: a message whose text differs after a restart gets another id.
 */
import type { JobTokens } from "../../../actors/job/schema.ts";
import type { StopReason } from "../../../actors/job/stop-reason.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { visibleJson, visibleText } from "../../../actors/visible-text.ts";
import type { Interruption } from "../../http/stream/event-source.ts";
import type { Visitor } from "../../http/request/caller.ts";
import { sseComment, sseData } from "../../http/stream/sse.ts";
import { endingOf, type RunEnding, type RunFrames } from "../runs/followed-run.ts";
import { linksOfWait, protocolFrames, type RunClientCall, type RunItem, type RunTable } from "../runs/run-item.ts";
import { callKind, callLocations, callTitle } from "./editor-tools.ts";

/** A call of a tool that waits for a person's decision. */
export interface AcpApproval {
  readonly approvalId: string;
  readonly callId: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly message: string;
}

export type AcpFrame =
  | { readonly kind: "begun"; readonly jobId: string }
  | { readonly kind: "update"; readonly update: JsonObject }
  | { readonly kind: "approvals"; readonly approvals: readonly AcpApproval[] }
  | { readonly kind: "decided"; readonly approvalId: string }
  | { readonly kind: "calls"; readonly calls: readonly RunClientCall[] }
  | { readonly kind: "stopped"; readonly stopReason: string; readonly meta: JsonObject }
  | { readonly kind: "failed"; readonly message: string; readonly code: string }
  | { readonly kind: "interrupted"; readonly reason: Interruption };

export interface AcpRun {
  readonly jobId: string;
  readonly workspaceId: string | null;
  readonly appUrl: string;
  /** Whether the editor shows notices. */
  readonly hasNotices: boolean;
  /** Whether the caller may decide approvals; otherwise nobody is asked here. */
  readonly mayDecide: boolean;
}

export class AcpRunState {
  readonly run: AcpRun;
  readonly approvals = new Map<string, AcpApproval>();
  /** The message of each block, and how often it was begun anew. */
  private readonly messages = new Map<number, { readonly id: string; readonly times: number }>();

  constructor(run: AcpRun) {
    this.run = run;
  }

  callId(id: string): string {
    return acpCallId(this.run.jobId, id);
  }

  text(block: number, text: string): AcpFrame {
    const { id: messageId } = this.messages.get(block) ?? this.begin(block, 0);
    return updateFrame({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
  }

  restart(block: number): void {
    this.begin(block, (this.messages.get(block)?.times ?? 0) + 1);
  }

  private begin(block: number, times: number) {
    const message = { id: `${this.run.jobId}.${block}${times === 0 ? "" : `~${times}`}`, times };
    this.messages.set(block, message);
    return message;
  }

  notice(severity: string, title: string): readonly AcpFrame[] {
    return this.run.hasNotices ? [updateFrame({ sessionUpdate: "notice", severity, title })] : NO_FRAMES;
  }

  update(callId: string, fields: JsonObject): AcpFrame {
    return updateFrame({ sessionUpdate: "tool_call_update", toolCallId: this.callId(callId), ...fields });
  }
}

/** Ids of calls are unique in a session, which has many runs. */
export const acpCallId = (jobId: string, id: string): string => `${jobId}/${id}`;

const NO_FRAMES: readonly AcpFrame[] = [];
const updateFrame = (update: JsonObject): AcpFrame => ({ kind: "update", update });
export const textContent = (text: string): JsonObject => ({ type: "content", content: { type: "text", text } });

export const RUN_UPDATES: RunTable<AcpRunState, readonly AcpFrame[]> = {
  started: () => NO_FRAMES,
  attempt: () => NO_FRAMES,
  text: (state, { block, text }) => [state.text(block, text)],
  restarted(state, { block, kept }) {
    state.restart(block);
    return kept === "" ? NO_FRAMES : [state.text(block, kept)];
  },
  text_done: () => NO_FRAMES,
  reasoning: (_, { text }) => [updateFrame({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } })],
  tool_call: (state, { id, name, input }) => [
    updateFrame({
      sessionUpdate: "tool_call",
      toolCallId: state.callId(id),
      title: callTitle(name, input),
      kind: callKind(name),
      status: "in_progress",
      locations: callLocations(input),
      rawInput: visibleJson(input),
    }),
  ],
  tool_result(state, { callId, content, isError, attachments }) {
    const files = attachments.map(({ name, media_type: mimeType }) => textContent(`${name ?? "file"} (${mimeType})`));
    const status = isError ? "failed" : "completed";
    return [state.update(callId, { status, content: [textContent(visibleText(content)), ...files] })];
  },
  client_calls: (_, { calls }) => [{ kind: "calls", calls }],
  approval(state, { approvalId, callId, name, arguments: given, message }) {
    state.approvals.set(approvalId, { approvalId, callId, name, arguments: given, message });
    return [state.update(callId, { status: "pending" })];
  },
  approval_resolved(state, { approvalId, callId, isApproved }) {
    state.approvals.delete(approvalId);
    const decided: AcpFrame = { kind: "decided", approvalId };
    return isApproved ? [decided, state.update(callId, { status: "in_progress" })] : [decided];
  },
  blocked(state, { reason, ...wait }) {
    if (reason === "approval_required")
      return state.run.mayDecide ? [{ kind: "approvals", approvals: [...state.approvals.values()] }] : NO_FRAMES;
    // The answer is complete; somebody else reviews it.
    if (reason === "review") return [{ kind: "stopped", stopReason: "end_turn", meta: { blocked_reason: reason } }];
    const message = `The run waits: ${reason.replaceAll("_", " ")}. A person can continue it in the console.${linksOfWait(wait)}`;
    return [{ kind: "failed", message, code: reason }];
  },
  resumed: () => NO_FRAMES,
  usage: () => NO_FRAMES,
  file: ({ run: { appUrl, workspaceId } }, { name, path, mime: mimeType, size }) => [
    updateFrame({
      sessionUpdate: "agent_message_chunk",
      content: {
        type: "resource_link",
        name,
        mimeType,
        size,
        uri: `${appUrl}/api/workspaces/${workspaceId ?? ""}/files/content?path=${encodeURIComponent(path)}`,
      },
    }),
  ],
  // The editor has shown its own message; another one of the user comes from elsewhere.
  input: () => NO_FRAMES,
  status: () => NO_FRAMES,
  notice: (state, { level, text }) => state.notice(level === "warn" ? "warning" : "info", text),
  end(state, { status, stopReason, usage, error }) {
    if (status === "failed")
      return [{ kind: "failed", message: error?.message ?? "The run has failed", code: error?.code ?? "failed" }];
    const reason = status === "cancelled" ? "cancelled" : ACP_STOP_REASONS[stopReason ?? "stop"];
    const meta = { job_id: state.run.jobId, usage: acpUsage(usage), stop_reason: stopReason };
    return [{ kind: "stopped", stopReason: reason, meta }];
  },
};

const ACP_STOP_REASONS: Readonly<Record<StopReason, string>> = {
  stop: "end_turn",
  tool_use: "end_turn",
  other: "end_turn",
  length: "max_tokens",
  content_filter: "refusal",
  refusal: "refusal",
};

const acpUsage = ({ inputTokens, outputTokens, cachedInputTokens = 0 }: JobTokens): JsonObject => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  cachedReadTokens: cachedInputTokens,
});

/** The frames of the item. */
export const acpFrames = (state: AcpRunState, item: RunItem): readonly AcpFrame[] =>
  protocolFrames(RUN_UPDATES, state, item);

/** The stream of a prompt, for the connection. */
export class AcpFrames implements RunFrames {
  private readonly state: AcpRunState;
  private readonly toClient: AcpFrameWriter;
  private readonly onShown: () => void;

  /** `onShown` runs whenever the run has something for the connection. */
  constructor(run: AcpRun, toClient: AcpFrameWriter = acpFrameText, onShown: () => void = () => {}) {
    this.state = new AcpRunState(run);
    this.toClient = toClient;
    this.onShown = onShown;
  }

  opening(): string {
    return this.toClient({ kind: "begun", jobId: this.state.run.jobId });
  }

  frames(item: RunItem): string {
    const frames = acpFrames(this.state, item);
    if (frames.length > 0) this.onShown();
    let text = "";
    for (const frame of frames) text += this.toClient(frame);
    return text;
  }

  ending(item: RunItem): RunEnding {
    const isAsked = item.kind === "client_calls" || (item.kind === "blocked" && item.reason === "approval_required");
    return isAsked ? "asks" : endingOf(item);
  }

  interrupted(reason: Interruption): string {
    return this.toClient({ kind: "interrupted", reason });
  }
}

/** What a stream has of a frame. */
export interface AcpFrameWriter {
  (frame: AcpFrame): string;
}

/** One frame is one event. */
export const acpFrameText: AcpFrameWriter = (frame) => sseData(frame);

/** A connection in this process gets the frame itself, and its stream only says so. */
export function acpFrameWriter({ connection }: Pick<Visitor, "connection">): AcpFrameWriter {
  const inbox = connection?.reader?.inbox;
  if (inbox === undefined) return acpFrameText;
  return (frame) => {
    inbox.push(frame);
    return HANDED_OVER;
  };
}

const HANDED_OVER = sseComment("frame");
