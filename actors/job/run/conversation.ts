/**
 * The model's view of a chat, oldest first (CHAT-8, CHAT-11):
 *
 *   the summary ─▶ pinned messages that it replaces ─▶ turns after it ─▶ the user's message ─▶ the run so far
 *
 * A cut removes turns from the beginning and then, if the run alone is too long, finished rounds of its calls. The next
 * summary covers what was cut, and replaces everything before it.
 */
import { characterStart, cutText, isLonger } from "../../cut-text.ts";
import { attachmentWords, type InputBlock, isAttachment } from "../../upload/terms.ts";
import type { TranscriptEntry } from "../ports.ts";
import type { ChatHistory, HistoryEntry } from "../protocol.ts";
import { type Block, contentText } from "../schema.ts";
import { bytesOfEntries } from "./context-window.ts";
import type { Transcript } from "./transcript.ts";

/**
 * The head of the summary. The summary goes as a user's message, because its quotes must not have the operator's
 * authority.
 */
const SUMMARY_HEAD =
  "The older part of this conversation was compacted. This summary stands for it, and for the work on the next message as far as it tells of it:";
/** Longest arguments of a call, and longest result of a tool, in the material of a summary, in characters. */
const ARGUMENTS_CHARACTERS = 1_000;
const SHOWN_RESULT_CHARACTERS = 4_000;

type UserEntry = Extract<TranscriptEntry, { readonly role: "user" }>;

interface ConversationTurn {
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
  private turns: readonly ConversationTurn[];
  /** How many messages the summary replaces. */
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
    // The run's summary replaces the turns too, and a part of the run that the chat's own summary does not cover.
    if (ofRun !== null) this.take({ turns: this.turns.length, parts: ofRun.covers }, ofRun.text);
  }

  /** The current summary, if any. */
  get told(): string | null {
    return this.summary;
  }

  /** How many messages of turns no summary replaces. */
  get messages(): number {
    return this.turns.reduce((sum, { messages }) => sum + messages.length, 0);
  }

  get entries(): TranscriptEntry[] {
    return [
      ...this.before,
      ...this.turns.flatMap(({ messages }) => messages.flatMap(historyEntries)),
      this.input,
      ...this.transcript.entries,
    ];
  }

  /** The user's message and the whole run, if a summary replaces a part of the run. */
  get uncut(): { readonly uncut?: readonly TranscriptEntry[] } {
    const { transcript, input } = this;
    return transcript.summary === null ? {} : { uncut: [input, ...transcript.uncut] };
  }

  /**
   * The cut after which the conversation has at most `bytes`, and its turns at most `messages`, or as few as possible.
   * Null if nothing can be cut.
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
      room -= bytesOfEntries(turn.flatMap(historyEntries));
      if (room < 0 || kept > messages) break;
    }
    return turns === 0 ? null : { turns, parts: 0 };
  }

  /** Everything except pinned messages; null if no turn is left. */
  get allTurns(): Cut | null {
    return this.turns.length === 0 ? null : { turns: this.turns.length, parts: 0 };
  }

  /** The material for a summary of this cut, in pieces, without the current summary. */
  piecesOf({ turns, parts }: Cut): string[] {
    const ofTurns = this.turns
      .slice(0, turns)
      .flatMap(({ messages }) =>
        messages
          .flatMap(historyEntries)
          .flatMap((entry) =>
            entry.role === "user" ? [userWords(entry.text, entry.blocks)] : blockWords(entry.blocks),
          ),
      );
    if (parts === 0) return ofTurns;
    return [
      ...ofTurns,
      userWords(this.input.text, this.input.blocks),
      ...this.transcript.before(parts).flatMap((part) => {
        if (part.type === "user_text") return [userWords(part.text, part.blocks)];
        if (part.type === "repair") return [`User: ${part.text}`];
        return part.type === "summary" ? [] : blockWords([part]);
      }),
    ];
  }

  /**
   * The last turn that a summary of this cut replaces, and how many messages it replaces, including those of the
   * current one.
   */
  standsFor({ turns }: Cut): { readonly throughTurn: number; readonly messages: number } {
    const cut = this.turns.slice(0, turns);
    const messages = cut.reduce((sum, turn) => sum + turn.messages.length, this.summarized);
    return { throughTurn: cut.at(-1)?.number ?? 0, messages };
  }

  /** Applies the cut: the summary now covers it. */
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

function turnsIn(entries: readonly HistoryEntry[]): ConversationTurn[] {
  const turns: { number: number; messages: HistoryEntry[] }[] = [];
  for (const entry of entries) {
    const last = turns.at(-1);
    if (last?.number === entry.turn) last.messages.push(entry);
    else turns.push({ number: entry.turn, messages: [entry] });
  }
  return turns;
}

const userEntry = ({ content: text, blocks }: Pick<HistoryEntry, "content" | "blocks">): UserEntry =>
  blocks.some(isAttachment) ? { role: "user", text, blocks: userInputBlocks(blocks) } : { role: "user", text };

const userInputBlocks = (blocks: HistoryEntry["blocks"]): InputBlock[] =>
  blocks.filter((block): block is InputBlock => block.type === "text" || isAttachment(block));
const answerBlocks = (blocks: HistoryEntry["blocks"]): Block[] =>
  blocks.filter((block): block is Block => !isAttachment(block));

/**
 * The entries of a message, as the calls of its turn had them: an answer is divided where the model got something from
 * outside.
 * Earlier reasoning is not sent back: it would only fill the context.
 */
function historyEntries({ role, content, blocks, told = [], isAmid }: HistoryEntry): TranscriptEntry[] {
  if (role === "user") return isAmid === true ? [] : [userEntry({ content, blocks })];
  const answer = answerBlocks(blocks);
  const part = (from: number, to?: number): TranscriptEntry => ({
    role,
    blocks: answer.slice(from, to).filter((block) => block.type !== "reasoning"),
  });
  return [
    ...told.flatMap((words, i) => [part(told[i - 1]?.at ?? 0, words.at), userEntry(words)]),
    part(told.at(-1)?.at ?? 0),
  ];
}

/** Only the text of a pinned answer: its calls are in the summary. */
const pinnedEntry = (entry: HistoryEntry): TranscriptEntry =>
  entry.role === "user"
    ? userEntry(entry)
    : { role: entry.role, blocks: [{ type: "text", text: contentText(entry.blocks) }] };

/** A summary consists of words: it gets the names of attachments, and the answers about them. */
const userWords = (text: string, blocks: readonly { readonly type: string }[] = []): string =>
  [`User: ${text}`, ...blocks.filter(isAttachment).map((block) => `[${attachmentWords(block)}]`)].join("\n");

const blockWords = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => {
    switch (block.type) {
      case "text":
        return [`Assistant: ${block.text}`];
      case "reasoning":
        return [];
      case "tool_use":
        return [`Assistant calls ${block.name}: ${shortenMiddle(JSON.stringify(block.input), ARGUMENTS_CHARACTERS)}`];
      case "tool_result":
        return [`${block.is_error ? "Error" : "Result"}: ${shortenMiddle(block.content, SHOWN_RESULT_CHARACTERS)}`];
    }
  });

/** The beginning and the end of a long text. */
export function shortenMiddle(text: string, characters: number): string {
  if (!isLonger(text, characters)) return text;
  const head = Math.floor(characters * 0.75);
  const tail = characterStart(text, text.length - (characters - head));
  return `${cutText(text, head)} […] ${text.slice(tail)}`.toWellFormed();
}
