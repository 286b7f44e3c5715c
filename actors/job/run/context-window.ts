/**
 * How much of its model's context window a call takes (CHAT-8). Nothing is guessed where a provider has counted:
 *
 *   the newest call of the chat took T tokens and B bytes ─▶ a call of B' bytes takes T + (B' - B) / (B / T)
 *   no call was counted yet                               ─▶ B' / 2
 *
 * Images and documents count besides, as tokens on the safe side, until a provider has counted them. Two bytes a
 * token is on the safe side for text of every script in the tokenizers that are in use (three to five for English,
 * some three for code and for Chinese). A call fits while it leaves the answer its part, and a tenth as a margin.
 * Where a provider refuses one nevertheless, the limit is lowered for the rest of the run.
 */
import type { ContextMeasure } from "../../chat/schema.ts";
import { type AttachmentBlock, inputNeeded, isAttachment } from "../../upload/terms.ts";
import type { ModelWindow, ToolDescription, TranscriptEntry } from "../ports.ts";
import type { Block, Usage } from "../schema.ts";
import type { Prompt } from "./model-calls.ts";

/** Bytes of a token before anybody has counted. */
export const UNCOUNTED_BYTES = 2;
/** Calls with fewer tokens say little of the rate: instructions of the provider's own are a large part of them. */
const TELLING_TOKENS = 1_000;
/** Bytes of a token, as a counted call may say. */
const RATES = { least: 1, most: 4 };
/** Part of the window that is used, without that of the answer. */
const USED = 0.9;
/** What of a call that was refused as too long the next one may take. */
const AFTER_REFUSAL = 0.6;
/** What a message costs beside its content, in bytes. */
const ENTRY_BYTES = 16;

export class ContextWindow {
  private limit: number;
  private newest: ContextMeasure | null;

  constructor({ contextTokens, answerTokens }: ModelWindow, measured: ContextMeasure | null) {
    this.limit = Math.max(1, Math.floor((contextTokens - answerTokens) * USED));
    this.newest = measured;
  }

  /** Tokens that a call may take. */
  get limitTokens(): number {
    return this.limit;
  }

  /** What the newest counted call took. */
  get measured(): ContextMeasure | null {
    return this.newest;
  }

  fits(prompt: Prompt): boolean {
    return this.tokensOf(lengthOf(prompt)) <= this.limit;
  }

  /** Bytes that so many tokens have. */
  bytesFor(tokens: number): number {
    return Math.floor(tokens * this.rate());
  }

  /** A provider has counted this call. */
  note(prompt: Prompt, { inputTokens }: Usage): void {
    if (inputTokens > 0) this.newest = { tokens: inputTokens, ...lengthOf(prompt) };
  }

  /** A provider has refused this call as too long. */
  wasTooLong(prompt: Prompt): void {
    this.limit = Math.max(1, Math.floor(Math.min(this.limit, this.tokensOf(lengthOf(prompt))) * AFTER_REFUSAL));
  }

  private tokensOf({ bytes, attached = 0 }: Length): number {
    const { newest } = this;
    const isMore = newest !== null && bytes >= newest.bytes && attached >= (newest.attached ?? 0);
    const from = isMore ? newest : { tokens: 0, bytes: 0 };
    return Math.ceil(from.tokens + (bytes - from.bytes) / this.rate() + attached - (from.attached ?? 0));
  }

  private rate(): number {
    if (this.newest === null || this.newest.tokens < TELLING_TOKENS) return UNCOUNTED_BYTES;
    return Math.min(RATES.most, Math.max(RATES.least, this.newest.bytes / this.newest.tokens));
  }
}

/** How long a call is: bytes of text, and tokens that its images and documents may take. */
type Length = Omit<ContextMeasure, "tokens">;

function lengthOf({ system, entries, tools }: Prompt): Length {
  const attached = entries.reduce((sum, entry) => sum + attachedTokens(entry), 0);
  const bytes = Buffer.byteLength(system) + toolBytes(tools) + bytesOfEntries(entries) - attached * RATES.most;
  return attached === 0 ? { bytes } : { bytes, attached };
}

/**
 * What an image and a PDF take has little to do with their bytes: an image at most 2,500 tokens with the providers
 * that we know, a page of a PDF up to 3,000, and a page has rarely less than 16 KiB.
 */
const IMAGE_TOKENS = 2_500;
const PDF_PAGE = { bytes: 16 * 1024, tokens: 3_000, most: 100 };

function attachedTokens(entry: TranscriptEntry): number {
  if (entry.role !== "user") return 0;
  return (entry.blocks ?? []).filter(isAttachment).reduce((sum, block) => sum + tokensOfAttachment(block), 0);
}

function tokensOfAttachment(block: AttachmentBlock): number {
  const needed = inputNeeded(block);
  if (needed === "text") return Math.ceil(block.size / UNCOUNTED_BYTES);
  if (needed === "image") return IMAGE_TOKENS;
  return Math.min(PDF_PAGE.most, Math.ceil(block.size / PDF_PAGE.bytes)) * PDF_PAGE.tokens;
}

/** What entries take of the room for a conversation, in bytes: attachments as much as text of as many tokens at most. */
export const bytesOfEntries = (entries: readonly TranscriptEntry[]): number =>
  entries.reduce((sum, entry) => sum + bytesOfEntry(entry), 0);

const bytesOfEntry = (entry: TranscriptEntry): number =>
  ENTRY_BYTES +
  attachedTokens(entry) * RATES.most +
  (entry.role === "user"
    ? Buffer.byteLength(entry.text)
    : entry.blocks.reduce((sum, block) => sum + blockBytes(block), 0));

const ofTools = new WeakMap<readonly ToolDescription[], number>();
function toolBytes(tools: readonly ToolDescription[]): number {
  const known = ofTools.get(tools) ?? Buffer.byteLength(JSON.stringify(tools));
  ofTools.set(tools, known);
  return known;
}

const ofBlocks = new WeakMap<Block, number>();
function blockBytes(block: Block): number {
  const known = ofBlocks.get(block) ?? toldBytes(block);
  ofBlocks.set(block, known);
  return known;
}

/** Neither reasoning nor citations are sent back. */
function toldBytes(block: Block): number {
  if (block.type === "reasoning") return 0;
  const told = block.type === "text" ? { type: block.type, text: block.text } : block;
  return Buffer.byteLength(JSON.stringify(told));
}
