/** Messages with what they have of stored content: each attachment is a row, which the sweep of contents looks at. */
import type { NewRecord, Tx } from "../runtime/actor.ts";
import { attachmentTable } from "../upload/schema.ts";
import { type InputBlock, isAttachment } from "../upload/terms.ts";
import { type Message, type MessageBlock, messageTable } from "./schema.ts";

/** Adds the message with its attachments. */
export function addMessage(tx: Tx, message: NewRecord<Message>): Message {
  const { id: messageId, chatId } = message;
  for (const [number, block] of message.blocks.entries()) {
    if (!isAttachment(block)) continue;
    const { sha256, size, media_type: mime } = block;
    tx.create(attachmentTable, { id: `${messageId}/${number}`, chatId, messageId, sha256, size, mime });
  }
  return tx.create(messageTable, message);
}

/** What a user's message is made of. */
export const inputBlocks = (blocks: readonly MessageBlock[]): InputBlock[] =>
  blocks.filter((block): block is InputBlock => block.type === "text" || isAttachment(block));
