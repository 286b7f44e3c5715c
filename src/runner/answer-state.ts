/**
 * Collects the provider state of one answer (`provider-state.ts`) while the answer arrives. If it is too long, none of
 * it is kept, because providers refuse a partial state.
 */
import type { Json, JsonObject } from "../../actors/schema.ts";
import { cleanJson, cleanText } from "../../actors/clean-text.ts";
import { GrowingText } from "../../actors/growing-text.ts";
import type { AnswerBlock } from "../../actors/job/schema.ts";
import { MAX_STATE_CHARS } from "./answer-limits.ts";
import { mergedFields } from "./merged-fields.ts";

interface StateOfBlock {
  readonly before: readonly Json[];
  readonly fields: JsonObject | undefined;
}

export class AnswerState {
  private before: Json[] = [];
  private message: JsonObject = {};
  /** Fields of the message whose text grows, such as its reasoning. */
  private readonly texts = new Map<string, GrowingText>();
  private readonly ofBlocks = new Map<number, StateOfBlock>();
  private chars = 0;

  /** Whether there was more than is kept. */
  get isTooLong(): boolean {
    return this.chars > MAX_STATE_CHARS;
  }

  /** A complete part of the output, which belongs before the next block. */
  part(part: unknown): void {
    const clean = this.taken(part);
    if (clean !== undefined) this.before.push(clean);
  }

  /** More of the message's own fields. */
  fieldsOfMessage(fields: object): void {
    const clean = this.taken(fields);
    if (clean !== undefined) this.message = mergedFields(this.message, clean as JsonObject);
  }

  /** The next piece of a field of the message whose text grows. */
  textOfMessage(name: string, piece: string): void {
    this.chars += piece.length;
    if (this.isTooLong) return;
    const text = this.texts.get(name) ?? new GrowingText();
    text.add(piece);
    this.texts.set(name, text);
  }

  /** The next block begins: the parts collected since the last one belong before it. */
  block(index: number, fields: object | undefined): void {
    const hasFields = fields !== undefined && Object.keys(fields).length > 0;
    const clean = hasFields ? (this.taken(fields) as JsonObject | undefined) : undefined;
    if (this.before.length === 0 && clean === undefined) return;
    this.ofBlocks.set(index, { before: this.before, fields: clean });
    this.before = [];
  }

  /** Puts the state of this model's answer into its blocks. */
  attachTo(blocks: AnswerBlock[], model: string): void {
    if (this.isTooLong) return;
    const texts = [...this.texts].map(([name, text]) => [name, cleanText(text.toString())] as const);
    const message: JsonObject = { ...this.message, ...Object.fromEntries(texts) };
    let isFirst = Object.keys(message).length > 0;
    for (const [index, block] of blocks.entries()) {
      if (block.type === "reasoning") continue;
      const { before = [], fields } = this.ofBlocks.get(index) ?? {};
      const state = {
        ...(before.length === 0 ? {} : { before: [...before] }),
        ...(fields === undefined ? {} : { fields }),
        ...(isFirst ? { message } : {}),
      };
      isFirst = false;
      if (Object.keys(state).length > 0) blocks[index] = { ...block, provider_state: { model, ...state } };
    }
  }

  /** Counts the value; undefined if there is no room for it, or if it cannot be stored. */
  private taken(value: unknown): Json | undefined {
    if (this.isTooLong) return undefined;
    const clean = cleanJson(value);
    this.chars += clean === undefined ? Infinity : JSON.stringify(clean).length;
    return this.isTooLong ? undefined : clean;
  }
}
