/**
 * One answer of a model while it arrives: it collects what a source reports into blocks, counts it against the limits,
 * and hands out text.
 *
 * Guarantees: the pieces handed out, joined, equal the text blocks with a blank line between them; no piece is empty;
 * nothing contains a NUL or a lone surrogate; anything after the end is ignored. Throws `AnswerRefused` beyond a limit,
 * and rethrows what its receiver throws.
 */
import { cutText } from "../../actors/cut-text.ts";
import { type AnswerBlock, type CallUsage, TEXT_SEPARATOR } from "../../actors/job/schema.ts";
import type { StopReason } from "../../actors/job/stop-reason.ts";
import { AnswerCalls, type CallMade } from "./answer-calls.ts";
import { AnswerState } from "./answer-state.ts";
import { AnswerCitations, type CitationMade } from "./answer-citations.ts";
import { MAX_CALL_TOKENS } from "./answer-limits.ts";
import { cleanText, TextPieces } from "../../actors/clean-text.ts";
import { GrowingText } from "../../actors/growing-text.ts";
import { visibleText } from "../../actors/visible-text.ts";

/** Characters of one reasoning block that are kept. */
export const MAX_REASONING_CHARS = 64 * 1024;

export type EndReason = StopReason;

/** Tokens as a provider reports them: any number, or undefined. */
export interface CountedTokens {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** Parts of the input: tokens that the provider read from its cache, and tokens that it wrote to it. */
  readonly cachedInputTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  /** Written tokens that the cache keeps for an hour. */
  readonly hourWriteTokens?: number | undefined;
  /** The service tier of the call. */
  readonly serviceTier?: unknown;
}

/** What a source reports, in the order in which the provider sends it. All calls are synchronous. */
export interface AnswerSink {
  text(piece: string): void;
  /** A part of the text begins: offsets of citations count from here. */
  beginText(): void;
  /** The part cites a source. */
  cite(made: CitationMade): void;
  reasoning(piece: string): void;
  /**
   * A complete part of the output that goes back to the provider unchanged; it belongs before the next text or call.
   */
  part(part: unknown): void;
  /** Fields of the text that the provider wants back with it. */
  textFields(fields: object): void;
  /** More fields of the whole message that the provider wants back with it. */
  messageFields(fields: object): void;
  /** The same for a field whose text grows. */
  messageText(name: string, piece: string): void;
  /** A tool call begins. */
  beginCall(): void;
  /** A piece of the arguments of the call with this key; for the limits only. */
  callInput(key: string, piece: string): void;
  /** A tool call is complete. */
  call(made: CallMade): void;
  usage(counted: CountedTokens): void;
  /** Nothing of the answer is missing; `end` ends it if nothing follows, or only a fault. */
  whole(end: () => void): void;
  /** The answer is complete. Without it the call has failed. */
  end(reason: EndReason): void;
}

export interface AnswerReceiver {
  onText(text: string): void;
  /** Characters of text, reasoning or tool input have arrived. */
  onChars(chars: number): void;
  /** The provider reports an impossible number of tokens. */
  onImpossibleUsage(): void;
  /** The provider state of the answer is too long and is not kept. */
  onLongState(): void;
  /** Nothing of the answer is missing. */
  onWhole(): void;
}

export class CollectedAnswer implements AnswerSink {
  counted: CallUsage = { inputTokens: 0, outputTokens: 0 };
  /** Undefined while the answer is not complete. */
  endReason: EndReason | undefined;
  /** All blocks, once the answer is complete. */
  readonly blocks: AnswerBlock[] = [];
  readonly #receiver: AnswerReceiver;
  readonly #text = new GrowingText();
  readonly #pieces = new TextPieces();
  readonly #calls = new AnswerCalls();
  readonly #citations = new AnswerCitations();
  readonly #state = new AnswerState();
  readonly #model: string;
  /** Fields of the open text. */
  #textFields: object | undefined;
  /** Reasoning since the last text or call. */
  #reasoning = "";
  /** Offset in the text at which the current block begins. */
  #textFrom = 0;
  /** Ends the answer of which nothing is missing. */
  #end: (() => void) | undefined;

  /** `model`: the model that answers, as `provider:name`. */
  constructor(receiver: AnswerReceiver, model: string) {
    this.#receiver = receiver;
    this.#model = model;
  }

  /** All text that was handed out. */
  get partialText(): string {
    return this.#text.toString();
  }

  get hasCalls(): boolean {
    return this.#calls.hasBegun;
  }

  text(piece: string): void {
    if (this.endReason !== undefined) return;
    this.#receiver.onChars(piece.length);
    if (this.#reasoning !== "") this.#endReasoning();
    this.#citations.text(piece);
    this.#hand(this.#pieces.take(piece));
  }

  beginText(): void {
    if (this.endReason === undefined) this.#citations.begin(this.#text.length - this.#textFrom);
  }

  cite(made: CitationMade): void {
    if (this.endReason === undefined) this.#citations.cite(made);
  }

  reasoning(piece: string): void {
    if (this.endReason !== undefined) return;
    this.#receiver.onChars(piece.length);
    this.#endText();
    if (this.#reasoning.length < MAX_REASONING_CHARS) this.#reasoning += piece;
  }

  part(part: unknown): void {
    if (this.endReason !== undefined) return;
    this.#endReasoning();
    this.#endText();
    this.#state.part(part);
  }

  textFields(fields: object): void {
    if (Object.keys(fields).length > 0) this.#textFields = { ...this.#textFields, ...fields };
  }

  messageFields(fields: object): void {
    if (this.endReason === undefined) this.#state.fieldsOfMessage(fields);
  }

  messageText(name: string, piece: string): void {
    if (this.endReason === undefined) this.#state.textOfMessage(name, piece);
  }

  beginCall(): void {
    this.#calls.start();
  }

  callInput(key: string, piece: string): void {
    this.#receiver.onChars(piece.length);
    this.#calls.delta(key, piece);
  }

  call(made: CallMade): void {
    if (this.endReason !== undefined) return;
    this.#endReasoning();
    this.#endText();
    this.#state.block(this.blocks.length, made.fields);
    this.blocks.push(this.#calls.block(made));
  }

  usage(counted: CountedTokens): void {
    if (this.endReason !== undefined) return;
    if (Object.values(counted).some((count: number | undefined = 0) => count > MAX_CALL_TOKENS))
      this.#receiver.onImpossibleUsage();
    this.counted = plausibleUsage(counted);
  }

  whole(end: () => void): void {
    if (this.#end === undefined) this.#receiver.onWhole();
    this.#end = end;
  }

  /** Ends the answer if it is complete. Throws what the source reports as missing. */
  settle(): void {
    if (this.endReason === undefined) this.#end?.();
  }

  end(reason: EndReason): void {
    if (this.endReason !== undefined) return;
    this.#endReasoning();
    this.#endText();
    this.#state.attachTo(this.blocks, this.#model);
    if (this.#state.isTooLong) this.#receiver.onLongState();
    this.endReason = reason;
  }

  #hand(text: string): void {
    if (text === "") return;
    const isFirst = this.#text.length === this.#textFrom;
    const piece = isFirst && this.#text.length > 0 ? TEXT_SEPARATOR + text : text;
    this.#textFrom += piece.length - text.length;
    this.#text.add(piece);
    this.#receiver.onText(piece);
  }

  #endReasoning(): void {
    const text = visibleText(cleanText(cutText(this.#reasoning, MAX_REASONING_CHARS))).trim();
    if (text !== "") this.blocks.push({ type: "reasoning", text });
    this.#reasoning = "";
  }

  #endText(): void {
    this.#hand(this.#pieces.end());
    const text = this.#text.after(this.#textFrom);
    const citations = this.#citations.take(text.length);
    if (text !== "") {
      this.#state.block(this.blocks.length, this.#textFields);
      this.blocks.push({ type: "text", text, ...(citations.length === 0 ? {} : { citations }) });
    }
    this.#textFields = undefined;
    this.#textFrom = this.#text.length;
  }
}

/** Limited to plausible values: the parts of the input are together at most the input. */
function plausibleUsage(counted: CountedTokens): CallUsage {
  const inputTokens = tokens(counted.inputTokens);
  const cachedInputTokens = Math.min(tokens(counted.cachedInputTokens), inputTokens);
  const cacheWriteTokens = Math.min(tokens(counted.cacheWriteTokens), inputTokens - cachedInputTokens);
  const hourWriteTokens = Math.min(tokens(counted.hourWriteTokens), cacheWriteTokens);
  return {
    inputTokens,
    outputTokens: tokens(counted.outputTokens),
    ...(cachedInputTokens === 0 ? {} : { cachedInputTokens }),
    ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
    ...(hourWriteTokens === 0 ? {} : { hourWriteTokens }),
    ...(isTier(counted.serviceTier) ? { serviceTier: counted.serviceTier } : {}),
  };
}

/** `auto` is what a call asks for, and not yet the tier that it got. */
const isTier = (name: unknown): name is string => typeof name === "string" && name !== "auto" && name.length <= 64;

/** A provider's count, limited to plausible values. */
const tokens = (counted: number | undefined): number =>
  counted !== undefined && counted > 0 ? Math.min(Math.trunc(counted), MAX_CALL_TOKENS) : 0;
