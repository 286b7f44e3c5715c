/**
 * How much of its model's context window a call takes (CHAT-8). Once a provider has counted a call, its count is the
 * base:
 *
 *   the newest call of the chat took T tokens and B bytes ─▶ a call of B' bytes takes T + (B' - B) / (B / T)
 *   no call was counted yet                               ─▶ B' / 2
 *
 * Until a provider has counted them, images and documents are estimated separately, in tokens on the safe side. Two
 * bytes per token is on the safe side for text of every script in today's tokenizers (three to five for English, about
 * three for code and for Chinese). A call fits if it leaves room for the answer, and a tenth of the window as a margin.
 * If a provider still refuses one as too long, the limit is lowered for the rest of the run.
 */
import type { ContextMeasure } from "../../chat/schema.ts";
import { type AttachmentBlock, inputNeeded } from "../../upload/terms.ts";
import type { SetSettings } from "../model-settings.ts";
import { attachmentsIn, type ModelWindow, type ToolDescription, type TranscriptEntry } from "../ports.ts";
import type { Block, Usage } from "../schema.ts";
import type { ModelPrompt } from "./model-calls.ts";

/** Bytes per token before any call was counted. */
export const UNCOUNTED_BYTES = 2;
/** Calls with fewer tokens do not show the rate: the provider's own instructions are a large part of them. */
const RELIABLE_TOKENS = 1_000;
/** Bounds of the bytes per token that a counted call can show. */
const RATES = { least: 1, most: 4 };
/** The share of the window that is used, apart from the answer's part. */
const USED = 0.9;
/** The size of the next call, relative to one that was refused as too long. */
const AFTER_REFUSAL = 0.6;
/** The overhead of a message besides its content, in bytes. */
const MESSAGE_OVERHEAD_BYTES = 16;

/** The most of the window that `max_output_tokens` can reserve for the answer. */
const LONGEST_ANSWER_PART = 1 / 2;

/** The window with room for the answer that the settings allow. */
export function windowWithAnswer(window: ModelWindow, { maxOutputTokens }: SetSettings): ModelWindow {
  if (maxOutputTokens === undefined) return window;
  const { contextTokens } = window;
  return { contextTokens, answerTokens: Math.min(maxOutputTokens, Math.floor(contextTokens * LONGEST_ANSWER_PART)) };
}

export class ContextWindow {
  private limit: number;
  private newest: ContextMeasure | null;

  constructor({ contextTokens, answerTokens }: ModelWindow, measured: ContextMeasure | null) {
    this.limit = Math.max(1, Math.floor((contextTokens - answerTokens) * USED));
    this.newest = measured;
  }

  /** The most tokens that a call may take. */
  get limitTokens(): number {
    return this.limit;
  }

  /** The measure of the newest counted call. */
  get measured(): ContextMeasure | null {
    return this.newest;
  }

  fits(prompt: ModelPrompt): boolean {
    return this.tokensOf(promptLength(prompt)) <= this.limit;
  }

  /** The bytes of this many tokens. */
  bytesFor(tokens: number): number {
    return Math.floor(tokens * this.rate());
  }

  /** Records a provider's count of this call. */
  note(prompt: ModelPrompt, { inputTokens, estimatedTokens = 0 }: Usage): void {
    if (inputTokens > 0 && estimatedTokens === 0) this.newest = { tokens: inputTokens, ...promptLength(prompt) };
  }

  /** Lowers the limit after a provider has refused this call as too long. */
  wasTooLong(prompt: ModelPrompt): void {
    this.limit = Math.max(1, Math.floor(Math.min(this.limit, this.tokensOf(promptLength(prompt))) * AFTER_REFUSAL));
  }

  private tokensOf({ bytes, attached = 0 }: Length): number {
    const { newest } = this;
    const isMore = newest !== null && bytes >= newest.bytes && attached >= (newest.attached ?? 0);
    const from = isMore ? newest : { tokens: 0, bytes: 0 };
    return Math.ceil(from.tokens + (bytes - from.bytes) / this.rate() + attached - (from.attached ?? 0));
  }

  private rate(): number {
    if (this.newest === null || this.newest.tokens < RELIABLE_TOKENS) return UNCOUNTED_BYTES;
    return Math.min(RATES.most, Math.max(RATES.least, this.newest.bytes / this.newest.tokens));
  }
}

/** The length of a call: bytes of text, and an estimate in tokens of its images and documents. */
type Length = Omit<ContextMeasure, "tokens">;

export function promptLength({ system, entries, tools }: Pick<ModelPrompt, "system" | "entries" | "tools">): Length {
  const attached = entries.reduce((sum, entry) => sum + attachedTokens(entry), 0);
  const bytes = Buffer.byteLength(system) + toolBytes(tools) + bytesOfEntries(entries) - attached * RATES.most;
  return attached === 0 ? { bytes } : { bytes, attached };
}

/**
 * The tokens of an image or a PDF hardly depend on its bytes. With the providers that we know, an image takes at most
 * 2,500 tokens and a page of a PDF up to 3,000; a page rarely has less than 16 KiB.
 */
const IMAGE_TOKENS = 2_500;
const PDF_PAGE = { bytes: 16 * 1024, tokens: 3_000, most: 100 };

function attachedTokens(entry: TranscriptEntry): number {
  return attachmentsIn(entry).reduce((sum, block) => sum + tokensOfAttachment(block), 0);
}

function tokensOfAttachment(block: AttachmentBlock): number {
  const needed = inputNeeded(block);
  if (needed === "text") return Math.ceil(block.size / UNCOUNTED_BYTES);
  if (needed === "image") return IMAGE_TOKENS;
  return Math.min(PDF_PAGE.most, Math.ceil(block.size / PDF_PAGE.bytes)) * PDF_PAGE.tokens;
}

/** The size of entries in a conversation, in bytes; an attachment counts as the longest text with as many tokens. */
export const bytesOfEntries = (entries: readonly TranscriptEntry[]): number =>
  entries.reduce((sum, entry) => sum + bytesOfEntry(entry), 0);

const bytesOfEntry = (entry: TranscriptEntry): number =>
  MESSAGE_OVERHEAD_BYTES +
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
  const known = ofBlocks.get(block) ?? sentBytes(block);
  ofBlocks.set(block, known);
  return known;
}

/** Reasoning and citations are not sent back; provider state is. Attachments are estimated separately. */
function sentBytes(block: Block): number {
  if (block.type === "reasoning") return 0;
  const sentBlock =
    block.type === "text"
      ? { type: block.type, text: block.text, provider_state: block.provider_state }
      : block.type === "tool_result"
        ? { ...block, attachments: undefined }
        : block;
  return Buffer.byteLength(JSON.stringify(sentBlock));
}
