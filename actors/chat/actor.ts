/**
 * The chat's actor: one conversation with one agent. It gives every message its place, lets one turn
 * of the agent run at a time, and queues what comes meanwhile. The turn itself is a job; what the job
 * reports comes here in the same commit, so chat and job never disagree.
 */
import { notFound, ok } from "../fault.ts";
import type { ActorDefinition, RecordKey } from "../runtime/actor.ts";
import type { ChatCommand, ChatProtocol } from "./protocol.ts";
import { chatTable, messageTable } from "./schema.ts";
import { sendMessage } from "./sending.ts";
import { turnHandlers } from "./turn.ts";

export const chatActor: ActorDefinition<ChatProtocol> = {
  kind: "chat",
  stream: chatTable,
  needs: (ref, command) => needs(ref.id, command),
  handlers: {
    send_message: sendMessage,
    read_chat(tx) {
      const chat = tx.read(chatTable, tx.self.id);
      return chat === null ? notFound("chat") : ok(chat);
    },
    ...turnHandlers,
  },
};

function needs(id: string, command: ChatCommand): readonly RecordKey[] {
  const chat = { table: chatTable.name, id };
  return command.kind === "turn_ended" ? [chat, { table: messageTable.name, id: command.messageId }] : [chat];
}
