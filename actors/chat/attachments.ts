/** Messages and the stored content that they refer to. */
import type { NewRecord, Tx } from "../runtime/actor.ts";
import { attach } from "../upload/schema.ts";
import { type InputBlock, isAttachment } from "../upload/terms.ts";
import { type Message, type MessageBlock, messageBlocks, messageTable } from "./schema.ts";

/** Adds the message and attaches its content. */
export function addMessage(tx: Tx, message: NewRecord<Message>): Message {
  const { id: messageId, chatId } = message;
  for (const [number, block] of messageBlocks(message).entries()) {
    if (isAttachment(block)) attach(tx, { id: `${messageId}/${number}`, chatId, messageId }, block);
    // A fork takes over the results of calls.
    if (block.type !== "tool_result") continue;
    for (const [at, file] of (block.attachments ?? []).entries())
      attach(tx, { id: `${messageId}/${number}.${at}`, chatId, messageId }, file);
  }
  for (const [number, { blocks = [] }] of (message.interjections ?? []).entries())
    for (const [at, block] of blocks.entries())
      if (isAttachment(block)) attach(tx, { id: `${messageId}/i${number}.${at}`, chatId, messageId }, block);
  return tx.create(messageTable, message);
}

/** The blocks of a user's message. */
export const inputBlocks = (blocks: readonly MessageBlock[]): InputBlock[] =>
  blocks.filter((block): block is InputBlock => block.type === "text" || isAttachment(block));
