/**
 * What the model sees of a chat, oldest first (CHAT-8, CHAT-11):
 *
 *   the summary ─▶ pinned messages that it replaces ─▶ turns after it ─▶ the user's message ─▶ the run so far
 *
 * A cut takes turns away from the beginning, and then, where the run alone is too long, finished rounds of its
 * calls. What is cut goes into the next summary, which replaces everything before it.
 */
import { attachmentWords, type InputBlock, isAttachment } from "../../upload/terms.ts";
import type { TranscriptEntry } from "../ports.ts";
import type { ChatHistory, HistoryEntry } from "../protocol.ts";
import { type Block, textOf } from "../schema.ts";
import { bytesOfEntries } from "./context-window.ts";
import type { Transcript } from "./transcript.ts";

/** Heads the summary: it goes as a user's message, because what it quotes has no authority of the operator's. */
const SUMMARY_HEAD =
  "The older part of this conversation was compacted. This summary stands for it, and for the work on the next message as far as it tells of it:";
/** Characters of a call's arguments, and of a tool's result, that a summary is made of. */
const TOLD_ARGUMENTS = 1_000;
const TOLD_RESULT = 4_000;

type UserEntry = Extract<TranscriptEntry, { readonly role: "user" }>;

interface Turn {
  readonly number: number;
  readonly messages: readonly HistoryEntry[];
}

/** The turns and the parts of the run that the next summary replaces. */
export interface Cut {
  readonly turns: number;
  readonly parts: number;
}

export class RunConversation {
  private summary: string | null;
  private pinned: readonly HistoryEntry[];
  private turns: readonly Turn[];
  /** Messages that the summary replaces. */
  private summarized: number;
  private readonly input: UserEntry;
  private readonly transcript: Transcript;

  constructor({ summary, entries }: ChatHistory, input: Pick<UserEntry, "text" | "blocks">, transcript: Transcript) {
    this.input = { role: "user", ...input };
    this.transcript = transcript;
    this.summary = summary?.text ?? null;
    this.pinned = summary?.pinned ?? [];
    this.summarized = summary?.messages ?? 0;
    this.turns = turnsIn(entries);
    const ofRun = transcript.summary;
    // It replaces the turns too, and for the part of the run that the chat's own does not know.
    if (ofRun !== null) this.take({ turns: this.turns.length, parts: ofRun.covers }, ofRun.text);
  }

  /** The present summary; null: there is none. */
  get told(): string | null {
    return this.summary;
  }

  /** Messages of turns that no summary replaces. */
  get messages(): number {
    return this.turns.reduce((sum, { messages }) => sum + messages.length, 0);
  }

  get entries(): TranscriptEntry[] {
    return [
      ...this.before,
      ...this.turns.flatMap(({ messages }) => messages.map(entryOf)),
      this.input,
      ...this.transcript.entries,
    ];
  }

  /** The user's message and the whole run, where its summary replaces a part of the run. */
  get uncut(): { readonly uncut?: readonly TranscriptEntry[] } {
    const { transcript, input } = this;
    return transcript.summary === null ? {} : { uncut: [input, ...transcript.uncut] };
  }

  /**
   * The cut after which the conversation has at most `bytes`, and the turns before it at most `messages`, or comes
   * as near to that as can be; null: nothing can be cut.
   */
  cut(bytes: number, messages: number): Cut | null {
    let room = bytes - bytesOfEntries([...this.before, this.input]);
    const parts = this.transcript.cutFor(room);
    if (parts !== null) return { turns: this.turns.length, parts };
    room -= bytesOfEntries(this.transcript.entries);
    let turns = this.turns.length;
    for (let kept = 0; turns > 0; turns--) {
      const turn = this.turns[turns - 1]!.messages;
      kept += turn.length;
      room -= bytesOfEntries(turn.map(entryOf));
      if (room < 0 || kept > messages) break;
    }
    return turns === 0 ? null : { turns, parts: 0 };
  }

  /** Everything but what is pinned; null where no turn is left. */
  get allTurns(): Cut | null {
    return this.turns.length === 0 ? null : { turns: this.turns.length, parts: 0 };
  }

  /** What a summary of this cut is made of, in pieces; the present summary is not among them. */
  piecesOf({ turns, parts }: Cut): string[] {
    const told = this.turns
      .slice(0, turns)
      .flatMap(({ messages }) =>
        messages.flatMap(({ role, content, blocks }) =>
          role === "user" ? [toldUser(content, blocks)] : toldBlocks(answerOf(blocks)),
        ),
      );
    if (parts === 0) return told;
    return [
      ...told,
      toldUser(this.input.text, this.input.blocks),
      ...this.transcript.before(parts).flatMap((part) => {
        if (part.type === "user_text") return [toldUser(part.text, part.blocks)];
        if (part.type === "repair") return [`User: ${part.text}`];
        return part.type === "summary" ? [] : toldBlocks([part]);
      }),
    ];
  }

  /** The last turn that a summary of this cut replaces, and all its messages, those of the present one included. */
  standsFor({ turns }: Cut): { readonly throughTurn: number; readonly messages: number } {
    const cut = this.turns.slice(0, turns);
    const messages = cut.reduce((sum, turn) => sum + turn.messages.length, this.summarized);
    return { throughTurn: cut.at(-1)?.number ?? 0, messages };
  }

  /** The summary tells what was cut. */
  take(cut: Cut, summary: string): void {
    this.summarized = this.standsFor(cut).messages;
    const pinned = this.turns.slice(0, cut.turns).flatMap(({ messages }) => messages.filter((one) => one.isPinned));
    this.pinned = [...this.pinned, ...pinned];
    this.turns = this.turns.slice(cut.turns);
    this.summary = summary;
  }

  private get before(): TranscriptEntry[] {
    if (this.summary === null) return [];
    return [{ role: "user", text: `${SUMMARY_HEAD}\n\n${this.summary}` }, ...this.pinned.map(pinnedEntry)];
  }
}

function turnsIn(entries: readonly HistoryEntry[]): Turn[] {
  const turns: { number: number; messages: HistoryEntry[] }[] = [];
  for (const entry of entries) {
    const last = turns.at(-1);
    if (last?.number === entry.turn) last.messages.push(entry);
    else turns.push({ number: entry.turn, messages: [entry] });
  }
  return turns;
}

const userEntry = ({ content: text, blocks }: Pick<HistoryEntry, "content" | "blocks">): UserEntry =>
  blocks.some(isAttachment) ? { role: "user", text, blocks: inputOf(blocks) } : { role: "user", text };

const inputOf = (blocks: HistoryEntry["blocks"]): InputBlock[] =>
  blocks.filter((block): block is InputBlock => block.type === "text" || isAttachment(block));
const answerOf = (blocks: HistoryEntry["blocks"]): Block[] =>
  blocks.filter((block): block is Block => !isAttachment(block));

/** Earlier reasoning is not sent back: it would only fill the context. */
const entryOf = (entry: HistoryEntry): TranscriptEntry =>
  entry.role === "user"
    ? userEntry(entry)
    : { role: entry.role, blocks: answerOf(entry.blocks).filter((block) => block.type !== "reasoning") };

/** Of a pinned answer its text: its calls are in the summary. */
const pinnedEntry = (entry: HistoryEntry): TranscriptEntry =>
  entry.role === "user"
    ? userEntry(entry)
    : { role: entry.role, blocks: [{ type: "text", text: textOf(entry.blocks) }] };

/** A summary is made of words: of attachments it learns what they are called, and what was answered about them. */
const toldUser = (text: string, blocks: readonly { readonly type: string }[] = []): string =>
  [`User: ${text}`, ...blocks.filter(isAttachment).map((block) => `[${attachmentWords(block)}]`)].join("\n");

const toldBlocks = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => {
    switch (block.type) {
      case "text":
        return [`Assistant: ${block.text}`];
      case "reasoning":
        return [];
      case "tool_use":
        return [`Assistant calls ${block.name}: ${shortened(JSON.stringify(block.input), TOLD_ARGUMENTS)}`];
      case "tool_result":
        return [`${block.is_error ? "Error" : "Result"}: ${shortened(block.content, TOLD_RESULT)}`];
    }
  });

/** The beginning and the end of a long text. */
export function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const head = Math.floor(characters * 0.75);
  return `${text.slice(0, head)} […] ${text.slice(text.length - (characters - head))}`.toWellFormed();
}
