/**
 * What a client's message has already. A client sends its answers (approvals, results of its tools) with the message
 * that asked for them, and the stream that follows continues this message: it must not repeat parts of it.
 *
 *   steps before the last one ─▶ left out
 *   the last one ─┬─ has the answers ─▶ left out up to what follows from them
 *                 └─ has none (the same request again, after a cut) ─▶ `reset-step`, and the step again
 */
import type { RunItem } from "../runs/run-item.ts";
import type { UiChunk, UiChunks } from "./message-parts.ts";

/** The client's message, as far as it was sent back. */
export interface KnownMessage {
  /** How many steps it has. */
  readonly steps: number;
  /** Ids of the approvals and of the calls that its last step answers. */
  readonly answered: readonly string[];
}

export class MessageContinuation {
  private readonly known: number;
  private readonly answered: ReadonlySet<string>;
  private steps = 0;
  private isThrough: boolean;

  constructor({ steps, answered }: KnownMessage) {
    this.known = steps;
    this.answered = new Set(answered);
    this.isThrough = steps === 0;
  }

  /** The item's chunks that are new to the client. */
  newChunks(item: RunItem, chunks: UiChunks): UiChunks {
    if (item.kind === "end" || (this.steps === this.known && this.isOutcome(item))) this.isThrough = true;
    return this.isThrough ? chunks : chunks.flatMap((chunk) => this.newChunk(chunk));
  }

  private newChunk(chunk: UiChunk): UiChunks {
    if (this.isThrough) return [chunk];
    if (chunk.type !== "start-step") return [];
    this.steps++;
    if (this.steps < this.known || (this.steps === this.known && this.answered.size > 0)) return [];
    this.isThrough = true;
    return this.steps === this.known ? [{ type: "reset-step" }] : [chunk];
  }

  /** Whether it follows from an answer of the client. */
  private isOutcome(item: RunItem): boolean {
    if (item.kind === "approval_resolved") return this.answered.has(item.approvalId);
    return item.kind === "tool_result" && this.answered.has(item.callId);
  }
}
