/**
 * A user's message (CHAT-4, CHAT-5, V1-2): the message, the job that answers it and, in an idle chat,
 * the job's start are one commit. While a turn runs, the policy decides:
 *
 *   queue      the job waits behind the others
 *   interrupt  the job is the next; the running one is cancelled in the same group
 *   steer      no job: the running one gets the message in the same group
 *   reject     refused, nothing is made
 */
import { mapOutcome, ok, type Outcome, refuse } from "../fault.ts";
import { newExecutionId } from "../ids.ts";
import { oneLine } from "../cut-text.ts";
import { announceJob, firstEvents } from "../job/events.ts";
import { newJob, runIntent } from "../job/new-job.ts";
import { type AgentSnapshot, type Job, jobRef, jobTable } from "../job/schema.ts";
import { namesTool } from "../job/terms.ts";
import type { NewRecord, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { attach } from "../upload/schema.ts";
import { type InputBlock, isAttachment } from "../upload/terms.ts";
import { appendChatEvent } from "./events.ts";
import { allowedChatActions, movedChatStatus } from "./machine.ts";
import type { ChatCommand, PastMessage, SentMessage } from "./protocol.ts";
import {
  blocksFields,
  type Chat,
  CHAT_QUEUE,
  chatTable,
  inputBlocks,
  type Message,
  type MessageBlock,
  messageBlocks,
  messageTable,
  newChat,
  type OnBusy,
  preview,
} from "./schema.ts";

/** Characters of a message that become the title of its job. */
const JOB_TITLE_CHARACTERS = 80;

type SendMessage = Extract<ChatCommand, { readonly kind: "send_message" }>;
type SendOnce = Extract<ChatCommand, { readonly kind: "send_once" }>;
/** A message, its sender and the terms of its job. */
interface NewMessage extends Pick<SendMessage, "agent" | "content" | "blocks" | "userId" | "terms" | "metadata"> {
  readonly sender: Message["sender"];
  /** Null: any new one. */
  readonly jobId: string | null;
  readonly messageId: string | null;
}
const newMessageOf = (command: SendMessage): NewMessage => ({
  ...command,
  sender: { type: "user", id: command.userId },
  jobId: command.keyed?.jobId ?? null,
  messageId: command.keyed?.messageId ?? null,
});
/** What the message does, given the current state of the chat. */
type Effect = "start" | "queue" | "steer" | "interrupt";

export function sendChatMessage(tx: Tx, command: SendMessage): Outcome<SentMessage> {
  const known = tx.read(chatTable, tx.self.id);
  const chat = known ?? openChatFor(tx, command);
  if (chat === null || chat.deletedAt !== null) return refuse({ kind: "not_found", noun: "chat" });
  if (known !== null && command.open !== null) return refuse({ kind: "version_conflict", version: known.version });
  const { keyed } = command;
  const isEmpty = known === null || known.messageCount === 0;
  const sent = isEmpty || keyed === undefined ? null : tx.read(messageTable, keyed.messageId);
  if (sent !== null) return ok({ chat, message: sent, job: null, queuedPosition: 0, also: null });
  if (chat.agentId !== command.agent.id) return chatConflict(chat, "This chat belongs to another agent");
  const policy = command.onBusy ?? chat.options.onBusy;
  if (chat.activeJobId !== null && policy === "reject") return busy(chat, chat.activeJobId);
  const effect = effectOf(chat, policy);
  // A message that steers does not wait.
  if (effect !== "steer" && chat.queue.length >= CHAT_QUEUE) return chatConflict(chat, FULL_QUEUE);
  return effect === "steer"
    ? steer(tx, chat, newMessageOf(command))
    : beginMessageJob(tx, chat, newMessageOf(command), effect);
}

/** Opens the chat with its first message, unless an earlier command did so. */
export function sendOnce(tx: Tx, command: SendOnce): Outcome<Job | null> {
  if (tx.read(chatTable, tx.self.id) !== null) return ok(null);
  const { open: opening, agent, userId } = command;
  const chat = tx.create(chatTable, newChat({ id: tx.self.id, agent, ...opening, createdBy: userId }));
  return mapOutcome(
    beginMessageJob(tx, chat, { ...command, metadata: {}, messageId: null }, "start"),
    ({ job }) => job,
  );
}

const effectOf = (chat: Chat, policy: Exclude<OnBusy, "reject"> | "reject"): Effect =>
  chat.activeJobId === null || policy === "reject" ? "start" : policy;

function openChatFor(tx: Tx, { open: opening, agent, userId }: SendMessage): Chat | null {
  if (opening === null) return null;
  const { history = [], ...place } = opening;
  const chat = tx.create(chatTable, newChat({ id: tx.self.id, agent, ...place, createdBy: userId }));
  for (const past of history) addPastMessage(tx, chat, past, past.role === "user" ? userId : agent.id);
  return history.length === 0 ? chat : tx.update(chatTable, { ...chat, messageCount: history.length });
}

/** Adds a message that no job of this service has answered or written. */
function addPastMessage(tx: Tx, { id: chatId }: Chat, { role, content, blocks }: PastMessage, senderId: string): void {
  createMessage(tx, {
    id: tx.id("msg"),
    chatId,
    role,
    status: "completed",
    content,
    blocks,
    jobId: null,
    sender: { type: role === "user" ? "user" : "agent", id: senderId },
    completedAt: isoTime(tx.now),
  });
}

/** The refusal of a message for which the queue has no room. */
export const FULL_QUEUE = `This chat already has ${CHAT_QUEUE} queued messages, which is the limit`;

export const chatConflict = (chat: Chat, message: string): Outcome<never> =>
  refuse({ kind: "invalid_state", status: chat.status, allowedActions: allowedChatActions(chat), message });

const busy = (chat: Chat, jobId: string): Outcome<never> =>
  refuse({ kind: "chat_busy", status: chat.status, allowedActions: allowedChatActions(chat), jobId });

/** The running job gets the message before its next model call. */
function steer(tx: Tx, chat: Chat, command: NewMessage): Outcome<SentMessage> {
  const jobId = chat.activeJobId;
  const message = addUserMessage(tx, chat, command, { jobId, status: "completed" });
  const changed = tx.update(chatTable, withMessage(chat, message));
  const also = jobId === null ? null : ({ kind: "steer", jobId } as const);
  return ok({ chat: changed, message, job: null, queuedPosition: 0, also });
}

/** Creates the job that answers the message: it starts now, next, or at the end of the queue. */
function beginMessageJob(
  tx: Tx,
  chat: Chat,
  command: NewMessage,
  effect: Exclude<Effect, "steer">,
): Outcome<SentMessage> {
  const jobId = command.jobId ?? tx.id("job");
  const isIdle = effect === "start";
  const message = addUserMessage(tx, chat, command, { jobId, status: isIdle ? "completed" : "queued" });
  const job = createJob(tx, chat, command, { jobId, isIdle, message });
  appendChatEvent(tx, "job.linked", { jobId, messageId: message.id });
  const queue = isIdle ? chat.queue : effect === "interrupt" ? [jobId, ...chat.queue] : [...chat.queue, jobId];
  const queuedPosition = isIdle ? 0 : queue.indexOf(jobId) + 1;
  if (!isIdle) appendChatEvent(tx, "message.queued", { messageId: message.id, jobId, position: queuedPosition });
  const status = movedChatStatus(chat, "send_message");
  const changed = tx.update(chatTable, {
    ...withMessage(chat, message),
    status,
    activeJobId: chat.activeJobId ?? jobId,
    queue,
  });
  const also =
    effect === "interrupt" && chat.activeJobId !== null
      ? ({ kind: "interrupt", jobId: chat.activeJobId } as const)
      : null;
  return ok({ chat: changed, message, job, queuedPosition, also });
}

const withMessage = (chat: Chat, message: Message): Chat => ({
  ...chat,
  messageCount: chat.messageCount + 1,
  lastMessagePreview: preview(messageTitle(message)),
});

/** The message's text, or the names of its attachments if it has none. */
const messageTitle = (message: Pick<Message, "content" | "blocks">): string =>
  message.content === ""
    ? messageBlocks(message)
        .filter(isAttachment)
        .map(({ name, media_type: mediaType }) => name ?? mediaType)
        .join(", ")
    : message.content;

function addUserMessage(
  tx: Tx,
  chat: Chat,
  { content, blocks, sender, metadata, messageId }: NewMessage,
  { jobId, status }: { readonly jobId: string | null; readonly status: "queued" | "completed" },
): Message {
  return createMessage(tx, {
    id: messageId ?? tx.id("msg"),
    chatId: chat.id,
    role: "user",
    status,
    content,
    blocks: blocks ?? [{ type: "text", text: content }],
    shown: blocks,
    jobId,
    sender,
    metadata,
    completedAt: status === "completed" ? isoTime(tx.now) : null,
  });
}

function createJob(
  tx: Tx,
  chat: Chat,
  { agent, blocks, userId, terms }: NewMessage,
  { jobId, isIdle, message }: { readonly jobId: string; readonly isIdle: boolean; readonly message: Message },
): Job {
  const title = preview(oneLine(messageTitle(message), JOB_TITLE_CHARACTERS), JOB_TITLE_CHARACTERS);
  const record = newJob(
    {
      id: jobId,
      title,
      input: message.content,
      ...(blocks === undefined ? {} : { inputBlocks: [...blocks] }),
      agent: withOptions(agent, chat),
      chatId: chat.id,
      workspaceId: chat.workspaceId,
      inputMessageId: message.id,
      outputMessageId: tx.id("msg"),
      executionId: newExecutionId(tx.now, tx.random),
      createdBy: userId,
    },
    terms,
    tx.carrier,
  );
  return beginJob(tx, record, isIdle);
}

/** Adds the job to the chat of this turn: it starts now, or waits. */
export function beginJob(tx: Tx, record: ReturnType<typeof newJob>, isNow: boolean): Job {
  const ref = jobRef(tx.self.organizationId, record.id);
  const runEffectId = isNow ? tx.effect(ref, "run", runIntent(record, isoTime(tx.now))) : null;
  const events = firstEvents({ chatId: record.chatId, agentId: record.agent.id, title: record.title });
  return announceJob(tx, tx.birth(ref, jobTable, { ...record, runEffectId, lastSeq: events.length }, events));
}

/** The tools that both lists name. */
const inBoth = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([...one.filter((name) => namesTool(other, name)), ...other.filter((name) => namesTool(one, name))]),
];

/** The agent with this chat's options. */
export function withOptions(agent: AgentSnapshot, { options }: Chat): AgentSnapshot {
  const { model, tools, autoApprove } = options;
  return {
    ...agent,
    model: model ?? agent.model,
    ...(model === null || model === agent.model ? {} : { ownModel: agent.model }),
    allowedTools: tools === null ? agent.allowedTools : inBoth(agent.allowedTools, tools),
    approvalTools: autoApprove ? [] : agent.approvalTools,
    ...(agent.lentTools === undefined ? {} : { lentTools: tools ?? [] }),
    // An empty list means no tools, not even the agent's own.
    ...(tools?.length === 0 ? { hasNoTools: true, tools: [] } : {}),
  };
}

type CreatedMessage = Pick<
  Message,
  "id" | "chatId" | "role" | "status" | "content" | "jobId" | "sender" | "completedAt"
> &
  Pick<Partial<Message>, "usage" | "interjections" | "compaction" | "metadata"> & {
    readonly blocks: readonly MessageBlock[];
    /** The blocks in its event; absent: those of a message with attachments. */
    readonly shown?: readonly InputBlock[] | undefined;
  };

/** Adds a message to the chat of this turn, with the event that shows it. */
export function createMessage(tx: Tx, { content, blocks, shown, ...of }: CreatedMessage): Message {
  const { id: messageId, role, jobId } = of;
  const shownBlocks = shown ?? (blocks.some(isAttachment) ? inputBlocks(blocks) : undefined);
  const inEvent = shownBlocks === undefined ? {} : { blocks: [...shownBlocks] };
  const seq = appendChatEvent(tx, "message.created", { messageId, role, content, jobId, ...inEvent });
  return addMessage(tx, { usage: null, metadata: {}, ...of, ...blocksFields(content, blocks), seq });
}

/** Adds the message and attaches its content. */
function addMessage(tx: Tx, message: NewRecord<Message>): Message {
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
