/** The frames of a UI message stream: chunks as server-sent events, with `[DONE]` at the end (DIA-6). */
import { sseData } from "../../http/stream/sse.ts";
import type { RunEnding, RunFrames } from "../runs/followed-run.ts";
import type { RunItem } from "../runs/run-item.ts";
import { type KnownMessage, MessageContinuation } from "./continuation.ts";
import type { UiChunk } from "./message-parts.ts";
import { UiMessage } from "./run-chunks.ts";

export const UI_STREAM_HEADERS = { "x-vercel-ai-ui-message-stream": "v1" };

const UI_STREAM_DONE = "data: [DONE]\n\n";
const UI_RUN_GOES_ON = "The stream was interrupted, and the run continues: resume the stream";

/** Items after which the response ends: the client's next request continues the run. */
const WAITS: ReadonlySet<string> = new Set<RunItem["kind"]>(["client_calls", "blocked"]);

export class UiStream implements RunFrames {
  private readonly message = new UiMessage();
  private readonly continuation: MessageContinuation;
  private readonly start: UiChunk;

  /** `known`: what the client's message has already; null: nothing. The message has the id of its run. */
  constructor({ jobId, chatId }: { readonly jobId: string; readonly chatId: string }, known: KnownMessage | null) {
    this.continuation = new MessageContinuation(known ?? { steps: 0, answered: [] });
    this.start = { type: "start", messageId: jobId, messageMetadata: { job_id: jobId, chat_id: chatId } };
  }

  opening(): string {
    return sseData(this.start);
  }

  frames(item: RunItem): string {
    const chunks = this.continuation.newChunks(item, this.message.chunksOf(item));
    const frames = chunks.map(sseData).join("");
    return item.kind === "end" || WAITS.has(item.kind) ? frames + UI_STREAM_DONE : frames;
  }

  ending(item: RunItem): RunEnding {
    if (item.kind === "end") return "now";
    return WAITS.has(item.kind) ? "caught_up" : "no";
  }

  interrupted(): string {
    return sseData({ type: "error", errorText: UI_RUN_GOES_ON }) + UI_STREAM_DONE;
  }
}
