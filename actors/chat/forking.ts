/**
 * A chat that goes on from a place in another one (CHAT-13): its messages up to there are copied, and the other
 * chat stays as it is. The copies are messages of their own, with the ids of the jobs that had written them.
 */
import { invalid, ok, type Outcome } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { isAttachment } from "../upload/terms.ts";
import { addMessage, inputBlocks } from "./attachments.ts";
import { appendChatEvent } from "./events.ts";
import type { ChatCommand } from "./protocol.ts";
import { type Chat, chatTable, type Message, messageTable, newChat, preview } from "./schema.ts";
import { inTurnOrder, turnsOf } from "./turn-order.ts";

type ForkChat = Extract<ChatCommand, { readonly kind: "fork_chat" }>;

/** The new chat. It is idle: what is still queued or written in the other one is not copied. */
export function forkChat(tx: Tx, { source, from, agent, title, userId, messages, summary }: ForkChat): Outcome<Chat> {
  if (tx.read(chatTable, tx.self.id) !== null) return invalid("/id", "This chat exists already");
  const opened = tx.create(
    chatTable,
    newChat({
      id: tx.self.id,
      agent,
      workspaceId: source.workspaceId,
      createdBy: userId,
      title,
      options: { ...source.options, title, autoApprove: false, pinned: false },
      metadata: source.metadata,
    }),
  );
  const ids = new Map<string, string>();
  const turnOf = turnsOf(messages);
  const copied: Message[] = [];
  let through = 0;
  const add = (message: Message): Message => {
    const { id: oldId, role, content, jobId } = message;
    const id = tx.id("msg");
    ids.set(oldId, id);
    const told = message.blocks.some(isAttachment) ? { blocks: inputBlocks(message.blocks) } : {};
    const seq = appendChatEvent(tx, "message.created", { messageId: id, role, content, jobId, ...told });
    const { status, blocks, usage, sender, metadata, completedAt } = message;
    return addMessage(tx, {
      id,
      chatId: opened.id,
      role,
      status,
      content,
      blocks,
      jobId,
      usage,
      sender,
      metadata,
      seq,
      completedAt,
    });
  };
  for (const message of inTurnOrder(messages)) {
    const copy = add(message);
    copied.push(copy);
    if (summary !== null && turnOf(message) <= summary.throughTurn) through = copy.seq;
  }
  const told = summary === null ? null : add(summary.message);
  if (told !== null && summary !== null) {
    const { messages: standsFor } = summary;
    tx.update(messageTable, { ...told, compaction: { throughTurn: through, messages: standsFor } });
  }
  const pins = (source.pins ?? []).flatMap((id) => ids.get(id) ?? []);
  const last = copied.at(-1);
  return ok(
    tx.update(chatTable, {
      ...opened,
      status: copied.length === 0 ? "standby" : "done",
      messageCount: copied.length + (told === null ? 0 : 1),
      lastMessagePreview: last === undefined ? null : preview(last.content),
      forkedFrom: { chatId: source.id, messageId: from },
      pins,
      ...(source.measured === undefined ? {} : { measured: source.measured }),
      ...(told === null || summary === null
        ? {}
        : { summary: { messageId: told.id, throughTurn: through, messages: summary.messages, at: isoTime(tx.now) } }),
    }),
  );
}
