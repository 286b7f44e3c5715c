/**
 * The message that a stream builds at its client, as far as later chunks depend on it. A step is one call of the model
 * with its tool calls; content after the results of a step begins the next one.
 *
 *   text ─▶ text-start, text-delta… ─┬─▶ text-end
 *                                    └─ said differently ─▶ reset-step, the step's other parts again, the text kept
 */
import { GrowingText } from "../../../actors/growing-text.ts";

/** A chunk of the stream. */
export interface UiChunk {
  readonly type: string;
  readonly [field: string]: unknown;
}
export type UiChunks = readonly UiChunk[];

/** A text part that grows. */
interface OpenText {
  readonly id: string;
  /** Its block in the run. */
  readonly block: number;
  readonly shown: GrowingText;
}

export class MessageParts {
  private isInStep = false;
  /** Whether results have come: what follows them is another step. */
  private hasResults = false;
  private text: OpenText | null = null;
  /** The chunks of this step's other parts. */
  private settled: UiChunk[] = [];
  private ids = 0;

  /** A part that is complete. */
  add(...chunks: UiChunks): UiChunks {
    const begun = this.beginStep();
    return [...begun, ...this.change(...chunks)];
  }

  /** Changes parts of this step. */
  change(...chunks: UiChunks): UiChunks {
    this.settled.push(...chunks);
    return chunks;
  }

  /** A call of this step has its result. */
  addResult(...chunks: UiChunks): UiChunks {
    this.hasResults = true;
    return this.change(...chunks);
  }

  /** More text of a block. */
  addText(block: number, text: string): UiChunks {
    if (this.text?.block === block) return this.grow(this.text, text);
    return [...this.endText(), ...this.beginStep(), ...this.openText(block, text)];
  }

  /** Only this text of the block is still true. */
  cutText(block: number, kept: string): UiChunks {
    if (this.text?.block !== block) return [];
    return [{ type: "reset-step" }, ...this.settled, ...this.openText(block, kept)];
  }

  endText(): UiChunks {
    if (this.text === null) return [];
    const { id, shown } = this.text;
    this.text = null;
    const end = { type: "text-end", id };
    this.settled.push({ type: "text-start", id }, { type: "text-delta", id, delta: shown.toString() }, end);
    return [end];
  }

  beginStep(): UiChunks {
    if (this.isInStep && !this.hasResults) return [];
    const ended = this.endStep();
    this.isInStep = true;
    return [...ended, { type: "start-step" }];
  }

  endStep(): UiChunks {
    if (!this.isInStep) return [];
    const ended = this.endText();
    this.isInStep = false;
    this.hasResults = false;
    this.settled = [];
    return [...ended, { type: "finish-step" }];
  }

  nextPartId(kind: "text" | "reasoning"): string {
    this.ids++;
    return `${kind}-${this.ids}`;
  }

  private openText(block: number, text: string): UiChunks {
    const opened = { id: this.nextPartId("text"), block, shown: new GrowingText() };
    this.text = opened;
    return [{ type: "text-start", id: opened.id }, ...this.grow(opened, text)];
  }

  private grow(open: OpenText, text: string): UiChunks {
    if (text === "") return [];
    open.shown.add(text);
    return [{ type: "text-delta", id: open.id, delta: text }];
  }
}
