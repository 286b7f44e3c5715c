/**
 * The transcript in a form that every provider accepts. Guarantees what they require: each result directly follows the
 * message with its call, each call has a result, ids are unique, and ids and names have only characters that every
 * provider accepts (so that a chat can change its model).
 */
import type { TranscriptEntry } from "../../actors/job/ports.ts";
import type { Block, ToolResultBlock, ToolUseBlock } from "../../actors/job/schema.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { checkData, type UserContent } from "./content.ts";

const LOST_RESULT = "There is no result: the call was not finished.";
/** Longest tool name that every provider accepts. */
const MAX_NAME_CHARS = 64;

export interface SpokenText {
  readonly kind: "text";
  readonly text: string;
}
export interface SpokenCall {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}
/** The result of the call with this id and name. */
export interface SpokenResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

export type Message =
  | { readonly role: "user"; readonly content: UserContent }
  | { readonly role: "assistant"; readonly parts: readonly (SpokenText | SpokenCall)[] }
  | { readonly role: "tool"; readonly results: readonly SpokenResult[] };

/** The messages of a call, oldest first. An assistant entry without content is skipped. Throws `TooMuchData`. */
export function conversation(entries: readonly TranscriptEntry[]): Message[] {
  checkData(entries);
  const writer = new ConversationWriter();
  for (const entry of entries) {
    if (entry.role === "user") writer.messages.push({ role: "user", content: entry.parts ?? entry.text });
    else writer.assistant(entry.blocks);
  }
  return writer.messages;
}

class ConversationWriter {
  readonly messages: Message[] = [];
  #calls = 0;

  assistant(blocks: readonly Block[]): void {
    const results = resultsById(blocks);
    let parts: (SpokenText | SpokenCall)[] = [];
    let answers: SpokenResult[] = [];
    const flush = (): void => {
      if (parts.length > 0) this.messages.push({ role: "assistant", parts });
      if (answers.length > 0) this.messages.push({ role: "tool", results: answers });
      parts = [];
      answers = [];
    };
    for (const block of blocks) {
      if (block.type === "tool_result") {
        // A result ends the message with its call; a result without an earlier call is dropped.
        if (answers.length > 0) flush();
      } else if (block.type === "reasoning") {
        // Providers accept only reasoning that they have signed themselves, and do not need it.
        continue;
      } else if (block.type === "text") {
        // Providers refuse blank text.
        if (block.text.trim() !== "") parts.push({ kind: "text", text: block.text });
      } else {
        const pair = this.#pair(block, results.get(block.id)?.shift());
        parts.push(pair.call);
        answers.push(pair.answer);
      }
    }
    flush();
  }

  /** Ids are assigned by position: some servers repeat their own, and some refuse those of others. */
  #pair(block: ToolUseBlock, result: ToolResultBlock | undefined): { call: SpokenCall; answer: SpokenResult } {
    this.#calls += 1;
    const id = `call_${this.#calls}`;
    const name = block.name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_NAME_CHARS) || "unnamed";
    return {
      call: { kind: "call", id, name, input: block.input },
      answer: { id, name, text: result?.content ?? LOST_RESULT, isError: result?.is_error ?? true },
    };
  }
}

function resultsById(blocks: readonly Block[]): Map<string, ToolResultBlock[]> {
  const results = new Map<string, ToolResultBlock[]>();
  for (const block of blocks) {
    if (block.type !== "tool_result") continue;
    const known = results.get(block.tool_use_id);
    if (known === undefined) results.set(block.tool_use_id, [block]);
    else known.push(block);
  }
  return results;
}
