/**
 * What a running job tells its chat, in the commit in which the job changes too: the turn begins,
 * uses tools, begins again after a crash, ends. The end of a turn starts the next one of the queue.
 */
import { notFound, ok } from "../fault.ts";
import { type Block, jobRef, textOf } from "../job/schema.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import type { ChatCommand, ChatProtocol, TurnEnd } from "./protocol.ts";
import { chatTable, type Message, messageTable, preview } from "./schema.ts";

type TurnCommand = "turn_started" | "turn_text" | "tool_started" | "tool_ended" | "turn_restarted" | "turn_ended";

export const turnHandlers: Pick<Handlers<ChatProtocol>, TurnCommand> = {
  turn_started(tx, { jobId, inputMessageId, messageId, attempt }) {
    const chat = tx.read(chatTable, tx.self.id);
    if (chat === null) return notFound("chat");
    takeFromQueue(tx, inputMessageId);
    const seq = tx.append("message.started", { messageId, jobId, attempt });
    tx.create(messageTable, {
      id: messageId,
      chatId: chat.id,
      role: "assistant",
      status: "streaming",
      content: "",
      blocks: [],
      jobId,
      usage: null,
      sender: { type: "agent", id: chat.agentId },
      seq,
      completedAt: null,
    });
    tx.beginText(messageId, attempt, "");
    tx.update(chatTable, { ...chat, status: "working", messageCount: chat.messageCount + 1 });
    return ok({ isFirstTurn: chat.messageCount === 1 });
  },

  turn_text(tx, { messageId, text }) {
    tx.addText(messageId, text);
    return ok(null);
  },

  tool_started(tx, { jobId, callId, name }) {
    tx.append("tool.started", { jobId, callId, name });
    return ok(null);
  },

  tool_ended(tx, { jobId, callId, isError }) {
    tx.append(isError ? "tool.failed" : "tool.completed", { jobId, callId });
    return ok(null);
  },

  turn_restarted(tx, { jobId, messageId, attempt, text }) {
    tx.append("message.restarted", { messageId, jobId, attempt });
    tx.beginText(messageId, attempt, text);
    return ok(null);
  },

  turn_ended(tx, command) {
    const chat = tx.read(chatTable, tx.self.id);
    if (chat === null) return notFound("chat");
    endMessage(tx, command);
    if (command.end.status === "blocked") {
      tx.update(chatTable, { ...chat, status: "needs_attention" });
      return ok(null);
    }
    const [next = null, ...queue] = chat.queue;
    if (next !== null) tx.send(jobRef(tx.self.organizationId, next), { kind: "start" });
    const status = next !== null ? "working" : command.end.status === "failed" ? "error" : "done";
    const text = textOf(command.blocks);
    const lastMessagePreview = text === "" ? chat.lastMessagePreview : preview(text);
    tx.append("chat.updated", { status });
    tx.update(chatTable, { ...chat, status, activeJobId: next, queue, lastMessagePreview });
    return ok(null);
  },
};

/** The user's message waits no longer: its turn has come. */
function takeFromQueue(tx: Tx, inputMessageId: string): void {
  const input = tx.read(messageTable, inputMessageId);
  if (input === null || input.status !== "queued") return;
  tx.update(messageTable, { ...input, status: "completed", completedAt: isoTime(tx.now) });
}

/** Completes the assistant's message; a turn that never started has none. */
function endMessage(tx: Tx, command: Extract<ChatCommand, { readonly kind: "turn_ended" }>): void {
  const { messageId, jobId, end, usage } = command;
  if (end.status === "failed") tx.append("error", { jobId, code: end.error.code, message: end.error.message });
  const message = tx.read(messageTable, messageId);
  if (message === null) return takeFromQueue(tx, command.inputMessageId);
  const status = statusOf(end);
  const content = textOf(command.blocks);
  const blocks: Block[] = [...command.blocks];
  tx.update(messageTable, { ...message, status, content, blocks, usage, completedAt: isoTime(tx.now) });
  tx.append("message.completed", { messageId, jobId, status, content });
  tx.endText(messageId);
}

function statusOf(end: TurnEnd): Message["status"] {
  if (end.status === "completed") return "completed";
  // A blocked turn goes on later: what there is of its message stands, unfinished.
  return end.status === "blocked" ? "streaming" : "failed";
}
