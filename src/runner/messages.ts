/**
 * The transcript in the words of the AI SDK. Guarantees what providers insist on: each result
 * follows directly the message with its call, each call has a result, ids are unique and both ids
 * and names have the characters that every provider takes (so that a chat can change its model).
 */
import type { ModelMessage, ToolCallPart, ToolResultPart } from "ai";
import type { TranscriptEntry } from "../../actors/job/ports.ts";
import type { Block, ToolResultBlock, ToolUseBlock } from "../../actors/job/schema.ts";

const LOST_RESULT = "There is no result: the call was not finished.";
/** Longest tool name that every provider takes. */
const MAX_NAME_CHARS = 64;

/** The messages of a call, oldest first. An assistant entry without content gives none. */
export function modelMessages(entries: readonly TranscriptEntry[]): ModelMessage[] {
  const writer = new MessageWriter();
  for (const entry of entries) {
    if (entry.role === "user") writer.messages.push({ role: "user", content: entry.text });
    else writer.assistant(entry.blocks);
  }
  return writer.messages;
}

class MessageWriter {
  readonly messages: ModelMessage[] = [];
  #calls = 0;

  assistant(blocks: readonly Block[]): void {
    const results = resultsById(blocks);
    let parts: ({ type: "text"; text: string } | ToolCallPart)[] = [];
    let answers: ToolResultPart[] = [];
    const flush = (): void => {
      if (parts.length > 0) this.messages.push({ role: "assistant", content: parts });
      if (answers.length > 0) this.messages.push({ role: "tool", content: answers });
      parts = [];
      answers = [];
    };
    for (const block of blocks) {
      if (block.type === "tool_result") {
        // A result ends the message with its call; one without a call before it is dropped.
        if (answers.length > 0) flush();
      } else if (block.type === "reasoning") {
        // Providers take back only what they have signed themselves, and no more of it is needed.
        continue;
      } else if (block.type === "text") {
        // Providers refuse blank text.
        if (block.text.trim() !== "") parts.push({ type: "text", text: block.text });
      } else {
        const pair = this.#pair(block, results.get(block.id)?.shift());
        parts.push(pair.call);
        answers.push(pair.answer);
      }
    }
    flush();
  }

  /** Ids are given by position: some servers repeat theirs, and some refuse those of others. */
  #pair(block: ToolUseBlock, result: ToolResultBlock | undefined): { call: ToolCallPart; answer: ToolResultPart } {
    this.#calls += 1;
    const toolCallId = `call_${this.#calls}`;
    const toolName = block.name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_NAME_CHARS) || "unnamed";
    const value = result?.content ?? LOST_RESULT;
    const isError = result?.is_error ?? true;
    return {
      call: { type: "tool-call", toolCallId, toolName, input: block.input },
      answer: { type: "tool-result", toolCallId, toolName, output: { type: isError ? "error-text" : "text", value } },
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
