/**
 * A job's transcript: converts each part to the data of a `transcript.event` of its stream (SSE-8), and back. Parts are
 * the blocks of the assistant's content, messages that steered the run, requests to repair the answer, and summaries.
 */
import type { AttachmentBlock, InputBlock } from "../upload/terms.ts";
import { type Json, type JsonObject, textOrEmpty } from "../schema.ts";
import type { Citation } from "./citation.ts";
import type { TranscriptData } from "./events.ts";
import type { ProviderState } from "./provider-state.ts";
import type { Block } from "./schema.ts";

/**
 * A part of a job's transcript: the assistant's content, a message that steered the run, a request of the service to
 * repair the answer, or a summary of what came before.
 */
export type TranscriptPart =
  | Block
  | {
      readonly type: "user_text";
      readonly text: string;
      readonly blocks?: readonly InputBlock[] | undefined;
      /** The message that steered the run, or the one that it answers. */
      readonly messageId?: string | undefined;
    }
  | { readonly type: "repair"; readonly text: string }
  | SummaryPart;

/** In model calls, replaces the turns before the run and the first `covers` parts of the run itself (CHAT-11). */
export interface SummaryPart {
  readonly type: "summary";
  readonly text: string;
  readonly covers: number;
}

export function transcriptEventOf(block: TranscriptPart): TranscriptData {
  switch (block.type) {
    case "user_text":
      return {
        kind: "user_text",
        text: block.text,
        ...(block.messageId === undefined ? {} : { messageId: block.messageId }),
        ...blocksField(block.blocks),
      };
    case "repair":
      return { kind: "repair", text: block.text };
    case "summary":
      return { kind: "summary", text: block.text, covers: block.covers };
    case "text":
      return {
        kind: "assistant_text",
        text: block.text,
        ...citationsField(block.citations),
        ...stateField(block.provider_state),
      };
    case "reasoning":
      return { kind: "reasoning", text: block.text };
    case "tool_use":
      return {
        kind: "tool_use",
        id: block.id,
        name: block.name,
        input: block.input,
        ...stateField(block.provider_state),
      };
    case "tool_result":
      return {
        kind: "tool_result",
        toolUseId: block.tool_use_id,
        content: block.content,
        isError: block.is_error,
        ...attachmentsField(block.attachments),
      };
  }
}

/** The part in an event's data; null if there is none. */
export function transcriptPart(data: JsonObject): TranscriptPart | null {
  const { kind } = data;
  if (kind === "summary") return { type: kind, text: textOrEmpty(data["text"]), covers: Number(data["covers"]) || 0 };
  if (kind === "user_text") {
    const { messageId } = data;
    return {
      type: kind,
      text: textOrEmpty(data["text"]),
      ...(typeof messageId === "string" ? { messageId } : {}),
      ...blocksField(data["blocks"] as InputBlock[] | undefined),
    };
  }
  return kind === "repair" ? { type: kind, text: textOrEmpty(data["text"]) } : transcriptBlock(data);
}

/** The block in an event's data; null if there is none. */
export function transcriptBlock(data: JsonObject): Block | null {
  const { kind } = data;
  const state = data["providerState"] as ProviderState | undefined;
  const more = state === undefined ? {} : { provider_state: state };
  if (kind === "assistant_text")
    return { type: "text", text: textOrEmpty(data["text"]), ...citationsField(data["citations"]), ...more };
  if (kind === "reasoning") return { type: "reasoning", text: textOrEmpty(data["text"]) };
  if (kind === "tool_use") {
    const [id, name] = [textOrEmpty(data["id"]), textOrEmpty(data["name"])];
    return { type: "tool_use", id, name, input: data["input"] as JsonObject, ...more };
  }
  if (kind !== "tool_result") return null;
  const [id, content] = [textOrEmpty(data["toolUseId"]), textOrEmpty(data["content"])];
  const attachments = data["attachments"] as AttachmentBlock[] | undefined;
  return {
    type: "tool_result",
    tool_use_id: id,
    content,
    is_error: data["isError"] === true,
    ...attachmentsField(attachments),
  };
}

const attachmentsField = (attachments: readonly AttachmentBlock[] = []) =>
  attachments.length === 0 ? {} : { attachments: [...attachments] };

export const blocksField = (blocks: readonly InputBlock[] | undefined) =>
  blocks === undefined ? {} : { blocks: [...blocks] };

const stateField = (state: ProviderState | undefined) => (state === undefined ? {} : { providerState: state });

/** The record has the citations as they were stored. */
const citationsField = (citations: Json | readonly Citation[] | undefined): { citations?: Citation[] } =>
  Array.isArray(citations) && citations.length > 0 ? { citations: [...(citations as readonly Citation[])] } : {};
