/** Each kind of item of a run as events of a response. */
import { protocolFrames, type RunItem, type RunItemOf, type RunTable } from "../runs/run-item.ts";
import type { RunPart } from "../runs/run-translation.ts";
import { blockedError, endError, RESTARTED } from "./run-errors.ts";
import { errorEvent, type ResponseEvent, type ResponseState } from "./response-state.ts";

/** A response, with the events of the last item. */
export class ResponseWriter {
  readonly state: ResponseState;
  events: readonly ResponseEvent[] = [];
  /** Whether text that was sent is not true any more. */
  isRestarted = false;

  /** Calls of the agent's tools that may have to be decided first: they are shown with their results. Null: none may. */
  private readonly held: Map<string, RunItemOf<"tool_call">> | null;

  constructor(state: ResponseState, { endsAtApprovals = false }: Pick<RunPart, "endsAtApprovals"> = {}) {
    this.state = state;
    this.held = endsAtApprovals ? new Map() : null;
  }

  agentCall(item: RunItemOf<"tool_call">): string {
    if (this.held === null) return this.send(this.state.agentCall(item));
    this.held.set(item.id, item);
    return "";
  }

  heldCall(callId: string): readonly ResponseEvent[] {
    const item = this.held?.get(callId);
    return item === undefined ? [] : this.state.agentCall(item);
  }

  take(item: RunItem): readonly ResponseEvent[] {
    this.events = [];
    protocolFrames(RESPONSE_TABLE, this, item);
    return this.events;
  }

  send(events: readonly ResponseEvent[]): string {
    this.events = events;
    return "";
  }
}

/** Kinds without events cannot be carried, or come with others. */
const RESPONSE_TABLE: RunTable<ResponseWriter> = {
  started: () => "",
  attempt: () => "",
  text: (writer, item) => writer.send(writer.state.text(item)),
  restarted(writer, { kept }) {
    writer.state.cut(kept);
    writer.isRestarted = true;
    return writer.send([errorEvent(RESTARTED)]);
  },
  text_done: (writer, { text }) => writer.send(writer.state.textDone(text)),
  reasoning: (writer, { text }) => writer.send(writer.state.reasoning(text)),
  tool_call: (writer, item) => (item.by === "client" ? "" : writer.agentCall(item)),
  tool_result: (writer, item) => writer.send([...writer.heldCall(item.callId), ...writer.state.agentResult(item)]),
  client_calls(writer, { calls, approvals = [], usage }) {
    const { state } = writer;
    state.usage = usage;
    const asked = [...state.approvalRequests(approvals), ...calls.flatMap((call) => state.clientCall(call))];
    return writer.send([...asked, ...state.over("completed")]);
  },
  approval: () => "",
  approval_resolved: () => "",
  // The stream stays open while a person decides.
  blocked(writer, item) {
    if (item.reason === "approval_required") return "";
    writer.state.error = blockedError(item);
    return writer.send(writer.state.over("failed"));
  },
  resumed: () => "",
  usage(writer, { usage }) {
    writer.state.usage = usage;
    return "";
  },
  file: () => "",
  input: () => "",
  status: () => "",
  notice: () => "",
  end(writer, { status, stopReason, usage, error }) {
    const { state } = writer;
    state.usage = usage;
    if (status !== "completed") {
      state.error = status === "failed" ? endError(error) : null;
      return writer.send(state.over(status));
    }
    if (stopReason === "length") state.incompleteFor = "max_output_tokens";
    else if (stopReason === "content_filter") state.incompleteFor = "content_filter";
    return writer.send(state.over(state.incompleteFor === null ? "completed" : "incomplete"));
  },
};
