/**
 * Summaries that replace older turns (CHAT-11), and pinned messages that stay beside them (CHAT-12). Nothing is
 * deleted: compacted turns stay in the chat, and only model calls get the summary instead.
 */
import { notFound, ok, type Outcome } from "../fault.ts";
import { newExecutionId } from "../ids.ts";
import { newJob } from "../job/new-job.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { appendChatEvent } from "./events.ts";
import { chatStatusAfter } from "./machine.ts";
import type { ChatCommand, ChatReplies, StartedCompaction } from "./protocol.ts";
import { type Chat, CHAT_PINS, CHAT_QUEUE, chatTable, messageTable } from "./schema.ts";
import { beginJob, FULL_QUEUE, chatConflict, createMessage, withOptions } from "./sending.ts";

type ChatCommandOf<K extends ChatCommand["kind"]> = Extract<ChatCommand, { readonly kind: K }>;

const COMPACTION_TITLE = "Compact the conversation";

/** A job like the one for a message, but its turn ends with a summary. */
export function beginCompaction(
  tx: Tx,
  chat: Chat,
  { agent, instructions, userId, terms }: ChatCommandOf<"compact_chat">,
): Outcome<StartedCompaction> {
  const status = chatStatusAfter(chat.status, "compact");
  if (status === null) return chatConflict(chat, "There is nothing to compact in this chat yet");
  if (chat.agentId !== agent.id) return chatConflict(chat, "This chat belongs to another agent");
  if (chat.queue.length >= CHAT_QUEUE) return chatConflict(chat, FULL_QUEUE);
  const jobId = tx.id("job");
  const messageId = tx.id("msg");
  const record = newJob(
    {
      id: jobId,
      title: COMPACTION_TITLE,
      input: instructions,
      isCompaction: true,
      agent: withOptions(agent, chat),
      chatId: chat.id,
      workspaceId: chat.workspaceId,
      // No user's message is answered.
      inputMessageId: messageId,
      outputMessageId: messageId,
      executionId: newExecutionId(tx.now, tx.random),
      createdBy: userId,
    },
    terms,
    tx.carrier,
  );
  const isIdle = chat.activeJobId === null;
  const job = beginJob(tx, record, isIdle);
  const queue = isIdle ? chat.queue : [...chat.queue, jobId];
  appendChatEvent(tx, "job.linked", { jobId, messageId });
  const changed = tx.update(chatTable, { ...chat, status, activeJobId: chat.activeJobId ?? jobId, queue });
  return ok({ chat: changed, job });
}

/** The summary is a message. From now on it replaces the messages that it summarizes. */
export function turnsCompacted(
  tx: Tx,
  chat: Chat,
  { jobId, messageId, text, throughTurn, messages, usage }: ChatCommandOf<"turns_compacted">,
): Outcome<null> {
  const compaction = { throughTurn, messages };
  const begun = messageId === null ? null : tx.read(messageTable, messageId);
  const id = begun?.id ?? tx.id("msg");
  if (begun !== null) tx.update(messageTable, { ...begun, compaction });
  else
    createMessage(tx, {
      id,
      chatId: chat.id,
      role: "system",
      status: "completed",
      content: text,
      blocks: [{ type: "text", text }],
      jobId,
      usage,
      compaction,
      sender: { type: "agent", id: chat.agentId },
      completedAt: isoTime(tx.now),
    });
  appendChatEvent(tx, "chat.compacted", { messageId: id, jobId, messages });
  const messageCount = chat.messageCount + (begun === null ? 1 : 0);
  const summary = { messageId: id, throughTurn, messages, at: isoTime(tx.now) };
  tx.update(chatTable, { ...chat, messageCount, summary });
  return ok(null);
}

/** Pinning a pinned message changes nothing. */
export function pinMessage(
  tx: Tx,
  chat: Chat,
  { messageId, isPinned }: ChatCommandOf<"pin_message">,
): Outcome<ChatReplies["pin_message"]> {
  const message = tx.read(messageTable, messageId);
  if (message === null || message.chatId !== chat.id) return notFound("message");
  if (message.role !== "user" && message.role !== "assistant")
    return chatConflict(chat, "Only messages of users and of the agent can be pinned");
  const { pins = [] } = chat;
  if (pins.includes(messageId) === isPinned) return ok({ chat, message });
  if (isPinned && pins.length >= CHAT_PINS)
    return chatConflict(chat, `This chat has ${CHAT_PINS} pinned messages, which is the limit; unpin one first`);
  appendChatEvent(tx, "message.updated", { messageId, pinned: isPinned });
  const changed = isPinned ? [...pins, messageId] : pins.filter((id) => id !== messageId);
  return ok({ chat: tx.update(chatTable, { ...chat, pins: changed }), message });
}
