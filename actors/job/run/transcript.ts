/**
 * The transcript of a run in memory: its committed content, as the model sees it and as the message shows it. Messages
 * that steer the run, and requests to repair the answer, are entries for the model but not part of the assistant's
 * message. A summary replaces everything before it.
 */
import type { InputBlock } from "../../upload/terms.ts";
import type { TranscriptEntry } from "../ports.ts";
import type { Interjection } from "../terms.ts";
import { blocksField, type SummaryPart, type TranscriptPart } from "../transcript.ts";
import type { Citation } from "../citation.ts";
import { bytesOfEntries } from "./context-window.ts";
import { type Block, TEXT_SEPARATOR, contentText, type ToolUseBlock } from "../schema.ts";

export class Transcript {
  private readonly parts: TranscriptPart[];

  constructor(parts: readonly TranscriptPart[] = []) {
    this.parts = [...parts];
  }

  add(...parts: readonly TranscriptPart[]): void {
    this.parts.push(...parts);
  }

  /** The content of the message. */
  get blocks(): Block[] {
    return this.parts.filter((part) => part.type !== "user_text" && part.type !== "repair" && part.type !== "summary");
  }

  /** What the model got between these blocks. `inputMessageId` is the message that the run answers. */
  interjections(inputMessageId: string): Interjection[] {
    const told: Interjection[] = [];
    let at = 0;
    for (const part of this.parts) {
      if (part.type === "summary") continue;
      if (part.type === "repair") told.push({ at, text: part.text });
      else if (part.type !== "user_text") at += 1;
      else if (part.messageId !== undefined && part.messageId !== inputMessageId)
        told.push({ at, messageId: part.messageId });
      else told.push({ at, text: part.text, ...blocksField(part.blocks) });
    }
    return told;
  }

  get text(): string {
    return contentText(this.blocks);
  }

  /** The citations of its text, as parts of `text`. */
  get citations(): Citation[] {
    let at = 0;
    return this.blocks.flatMap((block) => {
      if (block.type !== "text" || block.text === "") return [];
      const from = at;
      at += block.text.length + TEXT_SEPARATOR.length;
      return (block.citations ?? []).map((one) => ({ ...one, start: from + one.start, end: from + one.end }));
    });
  }

  /** The newest summary that replaces a part of the run; null: the model sees the whole run. */
  get summary(): SummaryPart | null {
    return this.parts.findLast((part): part is SummaryPart => part.type === "summary" && part.covers > 0) ?? null;
  }

  /** The material for a summary of this many parts: those that no summary replaces yet. */
  before(parts: number): readonly TranscriptPart[] {
    return this.parts.slice(this.summary?.covers ?? 0, parts);
  }

  /** The run's conversation so far, oldest first, without what its summary replaces. */
  get entries(): TranscriptEntry[] {
    return this.entriesFrom(this.summary?.covers ?? 0);
  }

  /** The whole run, as if there were no summary. */
  get uncut(): TranscriptEntry[] {
    return this.entriesFrom(0);
  }

  /**
   * How many parts the next summary must cover so that the others have at most `bytes`. Null if they already fit, or if
   * no round of calls but the last one has ended.
   */
  cutFor(bytes: number): number | null {
    if (bytesOfEntries(this.entries) <= bytes) return null;
    const ends = this.roundEnds;
    return ends.find((end) => bytesOfEntries(this.entriesFrom(end)) <= bytes) ?? ends.at(-1) ?? null;
  }

  /** Where rounds of calls have ended and something follows them. */
  private get roundEnds(): number[] {
    const { parts } = this;
    const from = this.summary?.covers ?? 0;
    return parts.flatMap(({ type }, index) =>
      index >= from && type === "tool_result" && parts[index + 1] !== undefined && !isOfRound(parts[index + 1]!)
        ? [index + 1]
        : [],
    );
  }

  private entriesFrom(covered: number): TranscriptEntry[] {
    const entries: TranscriptEntry[] = [];
    let open: Block[] | null = null;
    for (const part of this.parts.slice(covered)) {
      if (part.type === "summary") continue;
      if (part.type === "user_text" || part.type === "repair") {
        open = null;
        entries.push({ role: "user", text: part.text, ...(part.type === "repair" ? {} : saidBlocks(part.blocks)) });
      } else if (open === null) {
        open = [part];
        entries.push({ role: "assistant", blocks: open });
      } else open.push(part);
    }
    return entries;
  }

  /** The call with this id. */
  call(id: string): ToolUseBlock | null {
    const found = this.parts.find((part) => part.type === "tool_use" && part.id === id);
    return found?.type === "tool_use" ? found : null;
  }
}

/** Whether the part still belongs to the round of calls before it. */
const isOfRound = ({ type }: TranscriptPart): boolean => type === "tool_result";

const saidBlocks = (blocks: readonly InputBlock[] | undefined) => (blocks === undefined ? {} : { blocks });
