/** Messages with what they have of stored content. */
import type { NewRecord, Tx } from "../runtime/actor.ts";
import { attach } from "../upload/schema.ts";
import { type InputBlock, isAttachment } from "../upload/terms.ts";
import { type Message, type MessageBlock, messageTable } from "./schema.ts";

/** Adds the message with its attachments. */
export function addMessage(tx: Tx, message: NewRecord<Message>): Message {
  const { id: messageId, chatId } = message;
  for (const [number, block] of message.blocks.entries())
    if (isAttachment(block)) attach(tx, { id: `${messageId}/${number}`, chatId, messageId }, block);
  return tx.create(messageTable, message);
}

/** What a user's message is made of. */
export const inputBlocks = (blocks: readonly MessageBlock[]): InputBlock[] =>
  blocks.filter((block): block is InputBlock => block.type === "text" || isAttachment(block));
