/**
 * The transcript of a run in memory: what is committed of it, as the model sees it and as the
 * message shows it. Messages that steer the run, and requests to repair the answer, are entries for the
 * model, and no part of the assistant's message.
 */
import type { TranscriptEntry } from "../ports.ts";
import type { TranscriptPart } from "../transcript.ts";
import { type Block, textOf, type ToolUseBlock } from "../schema.ts";

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
    return this.parts.filter((part) => part.type !== "user_text" && part.type !== "repair");
  }

  get text(): string {
    return textOf(this.blocks);
  }

  /** The run's conversation so far, oldest first. */
  get entries(): TranscriptEntry[] {
    const entries: TranscriptEntry[] = [];
    let open: Block[] | null = null;
    for (const part of this.parts) {
      if (part.type === "user_text" || part.type === "repair") {
        open = null;
        entries.push({ role: "user", text: part.text });
      } else if (open === null) {
        open = [part];
        entries.push({ role: "assistant", blocks: open });
      } else open.push(part);
    }
    return entries;
  }

  /** The call of this id. */
  call(id: string): ToolUseBlock | null {
    const found = this.parts.find((part) => part.type === "tool_use" && part.id === id);
    return found?.type === "tool_use" ? found : null;
  }
}
