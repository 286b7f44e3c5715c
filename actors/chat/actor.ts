/**
 * The chat's actor: one conversation with one agent. It gives every message its place, lets one turn
 * of the agent run at a time, and queues what comes meanwhile. The turn itself is a job; what the job
 * reports comes here in the same commit, so chat and job never disagree.
 */
import { invalid, notFound, ok, refuse } from "../fault.ts";
import { jobRef } from "../job/schema.ts";
import type { ActorDefinition, RecordKey, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { appendChatEvent } from "./events.ts";
import type { ChatCommand, ChatProtocol } from "./protocol.ts";
import { type Chat, chatTable, messageTable, newChat } from "./schema.ts";
import { sendMessage, sendOnce } from "./sending.ts";
import { turnHandlers } from "./turn.ts";

export const chatActor: ActorDefinition<ChatProtocol> = {
  kind: "chat",
  stream: chatTable,
  needs: (ref, command) => needs(ref.id, command),
  handlers: {
    open_chat(tx, { agent, workspaceId, title, userId, options, metadata }) {
      if (tx.read(chatTable, tx.self.id) !== null) return invalid("/id", "This chat exists already");
      const chat = newChat({ id: tx.self.id, agent, workspaceId, title, createdBy: userId, options, metadata });
      return ok(tx.create(chatTable, chat));
    },

    send_message: sendMessage,
    send_once: sendOnce,

    read_chat(tx) {
      const chat = visible(tx);
      return chat === null ? notFound("chat") : ok(chat);
    },

    update_chat(tx, { options, version }) {
      const chat = visible(tx);
      if (chat === null) return notFound("chat");
      if (version !== null && version !== chat.version)
        return refuse({ kind: "version_conflict", version: chat.version });
      // A change of nothing leaves no trace: neither a version nor an event.
      if (Object.keys(options).length === 0) return ok(chat);
      appendChatEvent(tx, "chat.updated", { options });
      if (options.model !== undefined && options.model !== chat.options.model)
        appendChatEvent(tx, "routing.updated", { model: options.model });
      return ok(tx.update(chatTable, { ...chat, options: { ...chat.options, ...options } }));
    },

    delete_chat(tx) {
      const chat = visible(tx);
      if (chat === null) return notFound("chat");
      for (const jobId of [chat.activeJobId, ...chat.queue]) {
        if (jobId !== null) tx.send(jobRef(tx.self.organizationId, jobId), { kind: "cancel" });
      }
      appendChatEvent(tx, "chat.updated", { deleted: true });
      tx.update(chatTable, { ...chat, deletedAt: isoTime(tx.now) });
      return ok(null);
    },

    ...turnHandlers,
  },
};

function visible(tx: Tx): Chat | null {
  const chat = tx.read(chatTable, tx.self.id);
  return chat === null || chat.deletedAt !== null ? null : chat;
}

function needs(id: string, command: ChatCommand): readonly RecordKey[] {
  const chat = { table: chatTable.name, id };
  switch (command.kind) {
    case "turn_ended":
      return [chat, { table: messageTable.name, id: command.messageId }];
    case "turn_started":
      return [chat, { table: messageTable.name, id: command.inputMessageId }];
    default:
      return [chat];
  }
}
