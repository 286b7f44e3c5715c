/** The images and files of a conversation's entries: those of users' messages, and those of results. */
import { type AttachmentBlock, isAttachment } from "../upload/terms.ts";
import type { TranscriptEntry } from "./ports.ts";

/** Oldest first. */
export const attachmentsIn = (entry: TranscriptEntry): readonly AttachmentBlock[] =>
  entry.role === "user"
    ? (entry.blocks ?? []).filter(isAttachment)
    : entry.blocks.flatMap((block) => (block.type === "tool_result" ? (block.attachments ?? []) : []));
