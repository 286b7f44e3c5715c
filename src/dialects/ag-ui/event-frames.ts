/** The frames of an AG-UI run: events as server-sent events. A run that the client has a part of begins with a snapshot without it. */
import { sseData } from "../../http/stream/sse.ts";
import type { RunEnding, RunFrames } from "../runs/followed-run.ts";
import type { RunItem } from "../runs/run-item.ts";
import { agUiEvents, type AgUiRun, AgUiState } from "./run-events.ts";
import type { AgUiMessage } from "./schema.ts";

const PROTOCOL_VERSION = "1.0";
const AG_UI_RUN_GOES_ON = "The stream was interrupted, and the run continues: connect again";

export class AgUiFrames implements RunFrames {
  private readonly state: AgUiState;
  private readonly chatId: string;
  private readonly hasSnapshot: boolean;

  constructor(
    run: { readonly jobId: string; readonly chatId: string; readonly threadId: string; readonly runId: string },
    messages: readonly AgUiMessage[],
  ) {
    const { before, reasoning } = withoutRun(run.jobId, messages);
    this.chatId = run.chatId;
    this.hasSnapshot = before.length < messages.length;
    this.state = new AgUiState({ ...run, before, reasoning } satisfies AgUiRun & { chatId: string });
  }

  opening(): string {
    const { threadId, runId, jobId } = this.state.run;
    const ids = { job_id: jobId, chat_id: this.chatId };
    const started = { type: "RUN_STARTED", threadId, runId, protocolVersion: PROTOCOL_VERSION, metadata: ids };
    return sseData(started) + (this.hasSnapshot ? sseData(this.state.snapshot()) : "");
  }

  frames(item: RunItem): string {
    return agUiEvents(this.state, item).map(sseData).join("");
  }

  ending({ kind }: RunItem): RunEnding {
    if (kind === "end") return "now";
    return kind === "client_calls" || kind === "blocked" ? "caught_up" : "no";
  }

  interrupted(): string {
    return sseData({ type: "RUN_ERROR", message: AG_UI_RUN_GOES_ON, code: "interrupted" });
  }
}

/** The client's messages without those of the run: their ids begin with its id, and results answer its calls. */
function withoutRun(jobId: string, messages: readonly AgUiMessage[]) {
  const isOfRun = ({ id }: AgUiMessage): boolean => id.startsWith(`${jobId}-`);
  const calls = new Set(messages.filter(isOfRun).flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
  const isAnswer = ({ toolCallId }: AgUiMessage): boolean => toolCallId !== undefined && calls.has(toolCallId);
  const before = messages.filter((message) => !isOfRun(message) && !isAnswer(message));
  const reasoning = new Set(messages.filter(({ role }) => role === "reasoning").map(({ id }) => id));
  return { before, reasoning };
}
