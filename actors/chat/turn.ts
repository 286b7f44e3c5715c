/**
 * Reports of a running job to its chat, in the same commit as the job's change: the turn starts, uses
 * tools, waits, restarts after a crash, ends. The end of a turn starts the next one of the queue.
 */
import { assert } from "../assert.ts";
import { notFound, ok, type Outcome } from "../fault.ts";
import { jobRef, contentText } from "../job/schema.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { appendChatEvent } from "./events.ts";
import { movedChatStatus } from "./machine.ts";
import type { ChatCommand, ChatProtocol, JobUpdate, TurnEnd } from "./protocol.ts";
import { blocksFields, type Chat, chatTable, type Message, messageBlocks, messageTable, preview } from "./schema.ts";

type TurnEnded = Extract<ChatCommand, { readonly kind: "turn_ended" }>;

export const turnHandlers = {
  turn_started: (tx, { jobId, inputMessageId, messageId, attempt, isSummary }) =>
    withChat(tx, (chat) => {
      assert(chat.activeJobId === jobId, "the active turn starts");
      takeFromQueue(tx, inputMessageId, "completed");
      const seq = appendChatEvent(tx, "message.started", { messageId, jobId, attempt });
      const role = isSummary === true ? "system" : "assistant";
      tx.create(messageTable, agentMessage(chat, { id: messageId, role, jobId, seq }));
      appendChatEvent(tx, "job.updated", { jobId, status: "running", blockedReason: null });
      tx.beginText(messageId, attempt, "");
      tx.update(chatTable, { ...chat, status: movedChatStatus(chat, "begin"), messageCount: chat.messageCount + 1 });
      return ok({ isFirstTurn: chat.messageCount === 1 });
    }),

  turn_resumed: (tx, { jobId, messageId, attempt, text }) =>
    withChat(tx, (chat) => {
      tx.beginText(messageId, attempt, text, text.length);
      if (chat.status !== "working") {
        const status = movedChatStatus(chat, "begin");
        appendChatEvent(tx, "job.updated", { jobId, status: "running", blockedReason: null });
        appendChatEvent(tx, "chat.updated", { status });
        tx.update(chatTable, { ...chat, status });
      }
      return ok(null);
    }),

  turn_text(tx, { messageId, text }) {
    tx.addText(messageId, text);
    return ok(null);
  },

  tools_started(tx, { jobId, calls }) {
    for (const { id: callId, name, arguments: given } of calls)
      appendChatEvent(tx, "tool.started", { jobId, callId, name, ...(given === null ? {} : { arguments: given }) });
    return ok(null);
  },

  tool_ended(tx, { jobId, callId, isError, result, isTruncated, artifacts = [], attachments = [] }) {
    for (const artifact of artifacts) appendChatEvent(tx, "artifact.created", { jobId, ...artifact });
    const shown = { jobId, callId, result, isTruncated };
    const files = attachments.length === 0 ? {} : { attachments: [...attachments] };
    appendChatEvent(tx, isError ? "tool.failed" : "tool.completed", { ...shown, ...files });
    return ok(null);
  },

  turn_restarted(tx, { jobId, messageId, attempt }) {
    appendChatEvent(tx, "message.restarted", { messageId, jobId, attempt });
    // No reader has seen text of this attempt yet.
    tx.beginText(messageId, attempt, "");
    return ok(null);
  },

  turn_ended: (tx, command) =>
    withChat(tx, (chat) => {
      // This may arrive twice: from the group of a decision, and from a retry.
      if (chat.activeJobId !== command.jobId && !chat.queue.includes(command.jobId)) return ok(null);
      endMessage(tx, command);
      announce(tx, command.updates);
      const { measured = null } = command;
      tx.update(chatTable, { ...afterTurn(tx, chat, command), ...(measured === null ? {} : { measured }) });
      return ok(null);
    }),

  job_updates(tx, { updates }) {
    announce(tx, updates);
    return ok(null);
  },
} satisfies Partial<Handlers<ChatProtocol>>;

function announce(tx: Tx, updates: readonly JobUpdate[]): void {
  for (const { type, data } of updates) appendChatEvent(tx, type, data);
}

/** Includes deleted chats: their running turns still end. */
function withChat<T>(tx: Tx, run: (chat: Chat) => Outcome<T>): Outcome<T> {
  const chat = tx.read(chatTable, tx.self.id);
  return chat === null ? notFound("chat") : run(chat);
}

const agentMessage = (
  chat: Chat,
  {
    id,
    role,
    jobId,
    seq,
  }: Pick<Message, "id" | "seq"> & { readonly role: "assistant" | "system"; readonly jobId: string },
) =>
  ({
    id,
    chatId: chat.id,
    role,
    status: "streaming",
    content: "",
    jobId,
    usage: null,
    sender: { type: "agent", id: chat.agentId },
    metadata: {},
    seq,
    completedAt: null,
  }) as const satisfies Partial<Message>;

/** The chat after a turn: it waits with it, or continues with the next of the queue. */
function afterTurn(tx: Tx, chat: Chat, { jobId, messageId, end, blocks }: TurnEnded): Chat {
  if (end.status === "blocked" || end.status === "in_review") {
    assert(chat.activeJobId === jobId, "the active turn waits");
    const status = movedChatStatus(chat, "wait");
    appendChatEvent(tx, "chat.updated", { status });
    return { ...chat, status };
  }
  const queue = chat.queue.filter((id) => id !== jobId);
  if (chat.activeJobId !== jobId) return { ...chat, queue };
  const [next = null, ...rest] = queue;
  if (next !== null) tx.send(jobRef(tx.self.organizationId, next), { kind: "start" });
  const status = movedChatStatus(chat, next !== null ? "next" : end.status === "failed" ? "fail" : "finish");
  // A summary is not part of the conversation, so it is no preview.
  const text = blocks === null || chat.summary?.messageId === messageId ? "" : contentText(blocks);
  appendChatEvent(tx, "chat.updated", { status });
  return {
    ...chat,
    status,
    activeJobId: next,
    queue: rest,
    lastMessagePreview: text === "" ? chat.lastMessagePreview : preview(text),
  };
}

/** Ends the assistant's message; a turn that never started has none. */
function endMessage(tx: Tx, command: TurnEnded): void {
  const { messageId, jobId, end, usage, stopReason = null, interjections = [] } = command;
  if (end.status === "failed")
    appendChatEvent(tx, "error", { jobId, code: end.error.code, message: end.error.message });
  const message = tx.read(messageTable, messageId);
  if (message === null) return endInput(tx, command);
  if (message.completedAt !== null) return;
  const status = STATUS[end.status];
  const said = command.blocks ?? messageBlocks(message);
  const content = contentText(said);
  const completedAt = status === "streaming" ? null : isoTime(tx.now);
  const told = interjections.length === 0 ? {} : { interjections: [...interjections] };
  const { blocks: _before, ...others } = message;
  const ended = { ...others, status, ...blocksFields(content, said) };
  tx.update(messageTable, { ...ended, ...told, usage, stopReason, completedAt });
  if (status !== "streaming")
    appendChatEvent(tx, "message.completed", { messageId, jobId, status, content, stopReason });
  tx.endText(messageId);
}

/** A turn that never started has no answer; its user message leaves the queue. */
function endInput(tx: Tx, { inputMessageId, jobId, end }: TurnEnded): void {
  const status = end.status === "cancelled" ? "cancelled" : "completed";
  const input = takeFromQueue(tx, inputMessageId, status);
  if (input === null || status !== "cancelled") return;
  appendChatEvent(tx, "message.completed", { messageId: input.id, jobId, status, content: input.content });
}

function takeFromQueue(tx: Tx, inputMessageId: string, status: "completed" | "cancelled"): Message | null {
  const input = tx.read(messageTable, inputMessageId);
  if (input === null || input.status !== "queued") return null;
  return tx.update(messageTable, { ...input, status, completedAt: isoTime(tx.now) });
}

/** A blocked turn continues later, so its message stays unfinished. */
const STATUS = {
  completed: "completed",
  in_review: "completed",
  cancelled: "cancelled",
  failed: "failed",
  blocked: "streaming",
} as const satisfies Record<TurnEnd["status"], Message["status"]>;
