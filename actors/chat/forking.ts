/**
 * Forks a chat at a message (CHAT-13): the messages up to there are copied, and the source chat does not change. The
 * copies are new messages; they keep the ids of the jobs that wrote the originals.
 */
import { invalid, ok, type Outcome } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import type { ChatCommand } from "./protocol.ts";
import { createMessage } from "./sending.ts";
import { type Chat, chatTable, type Message, messageBlocks, messageTable, newChat, preview } from "./schema.ts";
import { inTurnOrder, turnsOf } from "./history.ts";

type ForkChat = Extract<ChatCommand, { readonly kind: "fork_chat" }>;

/** The new chat. It is idle: queued and unfinished messages of the source are not copied. */
export function createFork(tx: Tx, { source, from, agent, title, userId, messages, summary }: ForkChat): Outcome<Chat> {
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
    const { role, status, content, jobId, usage, sender, metadata, completedAt, interjections } = message;
    const id = tx.id("msg");
    ids.set(message.id, id);
    // What an answer refers to is copied before it.
    const told = interjections?.map(({ messageId, ...words }) =>
      messageId === undefined ? words : { ...words, messageId: ids.get(messageId) ?? messageId },
    );
    return createMessage(tx, {
      id,
      chatId: opened.id,
      role,
      status,
      content,
      blocks: messageBlocks(message),
      ...(told === undefined ? {} : { interjections: told }),
      jobId,
      usage,
      sender,
      metadata,
      completedAt,
    });
  };
  for (const message of inTurnOrder(messages)) {
    const copy = add(message);
    copied.push(copy);
    if (summary !== null && turnOf(message) <= summary.throughTurn) through = copy.seq;
  }
  const copiedSummary = summary === null ? null : add(summary.message);
  if (copiedSummary !== null && summary !== null) {
    const { messages: standsFor } = summary;
    tx.update(messageTable, { ...copiedSummary, compaction: { throughTurn: through, messages: standsFor } });
  }
  const pins = (source.pins ?? []).flatMap((id) => ids.get(id) ?? []);
  const last = copied.at(-1);
  return ok(
    tx.update(chatTable, {
      ...opened,
      status: copied.length === 0 ? "standby" : "done",
      messageCount: copied.length + (copiedSummary === null ? 0 : 1),
      lastMessagePreview: last === undefined ? null : preview(last.content),
      forkedFrom: { chatId: source.id, messageId: from },
      pins,
      ...(source.measured === undefined ? {} : { measured: source.measured }),
      ...(copiedSummary === null || summary === null
        ? {}
        : {
            summary: {
              messageId: copiedSummary.id,
              throughTurn: through,
              messages: summary.messages,
              at: isoTime(tx.now),
            },
          }),
    }),
  );
}
