/**
 * A user's message (CHAT-4, CHAT-5, V1-2): the message, the job that answers it and, in an idle chat,
 * the job's start are one commit. In a busy chat the job waits in the queue.
 */
import { ok, type Outcome, refuse } from "../fault.ts";
import { newExecutionId } from "../ids.ts";
import { type AgentSnapshot, type Job, jobRef, jobTable, newJob } from "../job/schema.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import type { ChatCommand, ChatReplies } from "./protocol.ts";
import { CHAT_QUEUE, type Chat, chatTable, type Message, messageTable, newChat, preview } from "./schema.ts";

/** Characters of a message that become the title of its job. */
const TITLE_CHARACTERS = 80;

type SendMessage = Extract<ChatCommand, { readonly kind: "send_message" }>;

export function sendMessage(tx: Tx, command: SendMessage): Outcome<ChatReplies["send_message"]> {
  const chat = tx.read(chatTable, tx.self.id) ?? open(tx, command);
  if (chat === null) return refuse({ kind: "not_found", noun: "chat" });
  if (chat.agentId !== command.agent.id) return conflict(chat, "This chat belongs to another agent");
  if (chat.queue.length >= CHAT_QUEUE) return conflict(chat, `More than ${CHAT_QUEUE} messages wait in this chat`);
  const isIdle = chat.activeJobId === null;
  const jobId = tx.id("job");
  const message = addUserMessage(tx, chat, { ...command, jobId, isIdle });
  const job = bearJob(tx, chat, { ...command, jobId, isIdle, messageId: message.id });
  tx.append("job.linked", { jobId, messageId: message.id });
  const queue = isIdle ? chat.queue : [...chat.queue, jobId];
  if (!isIdle) tx.append("message.queued", { messageId: message.id, jobId, position: queue.length });
  const changed = tx.update(chatTable, {
    ...chat,
    status: "working",
    messageCount: chat.messageCount + 1,
    activeJobId: chat.activeJobId ?? jobId,
    queue,
    lastMessagePreview: preview(message.content),
  });
  return ok({ chat: changed, message, job, queuedPosition: queue.length });
}

function open(tx: Tx, { open: opening, agent, userId }: SendMessage): Chat | null {
  if (opening === null) return null;
  return tx.create(chatTable, newChat({ id: tx.self.id, agent, ...opening, createdBy: userId }));
}

const conflict = (chat: Chat, message: string): Outcome<never> =>
  refuse({ kind: "invalid_state", status: chat.status, allowedActions: ["send_message"], message });

interface Turn {
  readonly content: string;
  readonly userId: string;
  readonly jobId: string;
  readonly isIdle: boolean;
}

function addUserMessage(tx: Tx, chat: Chat, turn: Turn): Message {
  const id = tx.id("msg");
  const { content, jobId, isIdle } = turn;
  const seq = tx.append("message.created", { messageId: id, role: "user", content, jobId });
  return tx.create(messageTable, {
    id,
    chatId: chat.id,
    role: "user",
    status: isIdle ? "completed" : "queued",
    content,
    blocks: [{ type: "text", text: content }],
    jobId,
    usage: null,
    sender: { type: "user", id: turn.userId },
    seq,
    completedAt: isIdle ? isoTime(tx.now) : null,
  });
}

function bearJob(tx: Tx, chat: Chat, turn: Turn & { readonly agent: AgentSnapshot; readonly messageId: string }): Job {
  const ref = jobRef(tx.self.organizationId, turn.jobId);
  const title = preview(turn.content.trim().replace(/\s+/g, " "), TITLE_CHARACTERS);
  const record = newJob({
    id: turn.jobId,
    title,
    input: turn.content,
    agent: turn.agent,
    chatId: chat.id,
    workspaceId: chat.workspaceId,
    inputMessageId: turn.messageId,
    outputMessageId: tx.id("msg"),
    executionId: newExecutionId(tx.now, tx.random),
    createdBy: turn.userId,
  });
  const job = tx.birth(ref, jobTable, record, [
    { type: "job.created", data: { chatId: chat.id, agentId: turn.agent.id, title } },
  ]);
  if (turn.isIdle) tx.effect(ref, "run", { attempt: 1 });
  return job;
}
