/**
 * The chat's actor: one conversation with one agent. It orders the messages, runs one chat turn at a
 * time, and queues messages that arrive meanwhile. The turn itself is a job; the job's reports are
 * committed together with the chat's changes, so chat and job never disagree.
 */
import { hasAll, isSameJson } from "../changes.ts";
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import { jobRef } from "../job/schema.ts";
import type { ActorDefinition, RecordKey, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { beginCompaction, pinMessage, turnsCompacted } from "./compacting.ts";
import { appendChatEvent } from "./events.ts";
import { createFork } from "./forking.ts";
import type { ChatCommand, ChatProtocol } from "./protocol.ts";
import { type Chat, chatTable, messageTable, newChat } from "./schema.ts";
import { sendChatMessage, sendOnce } from "./sending.ts";
import { turnHandlers } from "./turn.ts";

export const chatActor: ActorDefinition<ChatProtocol> = {
  kind: "chat",
  stream: chatTable,
  needs: (ref, command) => chatNeeds(ref.id, command),
  handlers: {
    open_chat(tx, { agent, workspaceId, title, userId, options, metadata }) {
      if (tx.read(chatTable, tx.self.id) !== null) return invalid("/id", "This chat exists already");
      const chat = newChat({ id: tx.self.id, agent, workspaceId, title, createdBy: userId, options, metadata });
      return ok(tx.create(chatTable, chat));
    },

    send_message: sendChatMessage,
    send_once: sendOnce,

    compact_chat: (tx, command) => onVisible(tx, (chat) => beginCompaction(tx, chat, command)),
    pin_message: (tx, command) => onVisible(tx, (chat) => pinMessage(tx, chat, command)),
    /** A deleted chat accepts this too: its running turns still end. */
    turns_compacted(tx, command) {
      const chat = tx.read(chatTable, tx.self.id);
      return chat === null ? notFound("chat") : turnsCompacted(tx, chat, command);
    },

    read_message: (tx, { messageId }) =>
      onVisible(tx, () => {
        const message = tx.read(messageTable, messageId);
        return message === null || message.chatId !== tx.self.id ? notFound("message") : ok(message);
      }),
    find_message: (tx, { messageId }) =>
      ok({ chat: readVisibleChat(tx), isSent: tx.read(messageTable, messageId) !== null }),
    fork_chat: createFork,

    read_chat(tx) {
      const chat = readVisibleChat(tx);
      return chat === null ? notFound("chat") : ok(chat);
    },

    update_chat(tx, { options, metadata, version }) {
      const chat = readVisibleChat(tx);
      if (chat === null) return notFound("chat");
      if (version !== null && version !== chat.version)
        return refuse({ kind: "version_conflict", version: chat.version });
      // An update without a change makes no version and no event.
      const isSameMetadata = metadata === undefined || isSameJson(metadata, chat.metadata);
      if (hasAll(chat.options, options) && isSameMetadata) return ok(chat);
      appendChatEvent(tx, "chat.updated", { options, ...(isSameMetadata ? {} : { metadata }) });
      if (options.model !== undefined && options.model !== chat.options.model)
        appendChatEvent(tx, "routing.updated", { model: options.model });
      const changed = { ...chat, options: { ...chat.options, ...options }, metadata: metadata ?? chat.metadata };
      return ok(tx.update(chatTable, changed));
    },

    delete_chat(tx) {
      const chat = readVisibleChat(tx);
      if (chat === null) return notFound("chat");
      for (const jobId of [chat.activeJobId, ...chat.queue]) {
        if (jobId !== null) tx.send(jobRef(tx.self.organizationId, jobId), { kind: "cancel" });
      }
      appendChatEvent(tx, "chat.updated", { deleted: true });
      return ok(tx.update(chatTable, { ...chat, deletedAt: isoTime(tx.now) }));
    },

    ...turnHandlers,
  },
};

function readVisibleChat(tx: Tx): Chat | null {
  const chat = tx.read(chatTable, tx.self.id);
  return chat === null || chat.deletedAt !== null ? null : chat;
}

function onVisible<T>(tx: Tx, run: (chat: Chat) => Outcome<T>): Outcome<T> {
  const chat = readVisibleChat(tx);
  return chat === null ? notFound("chat") : run(chat);
}

function chatNeeds(id: string, command: ChatCommand): readonly RecordKey[] {
  const chat = { table: chatTable.name, id };
  switch (command.kind) {
    case "turn_ended":
    case "pin_message":
    case "find_message":
    case "read_message":
      return [chat, { table: messageTable.name, id: command.messageId }];
    case "turn_started":
      return [chat, { table: messageTable.name, id: command.inputMessageId }];
    default:
      return [chat];
  }
}
