/** What a fork takes of its chat (CHAT-13): reading only; the actor of the new chat makes it. */
import type { ChatDirectory } from "../../actors/chat/directory.ts";
import type { ForkedSummary } from "../../actors/chat/protocol.ts";
import { type Chat, chatRef, type Message } from "../../actors/chat/schema.ts";
import { invalid, ok, type Outcome } from "../../actors/fault.ts";
import { jobRef } from "../../actors/job/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";

/** Messages of a fork: the newest ones before its place. They are one commit. */
export const FORK_MESSAGES = 1_000;
/** And their bytes as JSON; the last one may pass it. */
export const FORK_BYTES = 4 * 1024 * 1024;
/** Messages of one read. */
const PAGE = 100;

interface ForkServices {
  readonly system: TroupeSystem;
  readonly chats: Pick<ChatDirectory, "listMessages">;
}

/** The messages up to the place, and the summary where it replaces nothing behind it. */
export interface ForkedPart {
  readonly messages: readonly Message[];
  readonly summary: ForkedSummary | null;
}

/**
 * The conversation up to this message, that message included; with `isEdit` without it, and then it must be a
 * user's. Reads what is committed; throws where the database cannot be reached.
 */
export async function forkedPart(
  services: ForkServices,
  chat: Chat,
  { messageId, isEdit }: { readonly messageId: string; readonly isEdit: boolean },
): Promise<Outcome<ForkedPart>> {
  const { system } = services;
  const ref = chatRef(chat.organizationId, chat.id);
  const found = await system.dispatch(ref, { kind: "read_message", messageId });
  if (!found.ok) return found;
  const from = found.value;
  if (from.role === "system")
    return invalid("/from_message_id", "A fork begins at a message of a user or of the agent");
  if (isEdit && from.role !== "user")
    return invalid("/from_message_id", "With content, from_message_id must be a user's message, which it replaces");
  if (from.role === "assistant" && from.status === "streaming")
    return invalid("/from_message_id", "This message is still being written");
  const turn = await turnOf(services, from);
  const before = await messagesBefore(services, chat, from.role === "assistant" ? turn + 1 : turn);
  const messages = [
    ...before.filter(({ id }) => id !== from.id),
    ...(isEdit || from.role === "assistant" ? [] : [{ ...from, status: "completed" as const }]),
    ...(from.role === "assistant" ? [from] : []),
  ];
  return ok({ messages, summary: await summaryBefore(services, chat, turn) });
}

/** The number of the message's turn: that of its answer, where it has one. */
async function turnOf(
  { system }: ForkServices,
  { role, seq, jobId, organizationId, chatId }: Message,
): Promise<number> {
  if (role !== "user" || jobId === null) return seq;
  const job = await system.dispatch(jobRef(organizationId, jobId), { kind: "read_job" });
  if (!job.ok) return seq;
  const messageId = job.value.outputMessageId;
  const answer = await system.dispatch(chatRef(organizationId, chatId), { kind: "read_message", messageId });
  return answer.ok ? answer.value.seq : seq;
}

/** The ended messages of earlier turns: a message whose answer comes later had waited in the queue. */
async function messagesBefore({ chats }: ForkServices, chat: Chat, seq: number): Promise<Message[]> {
  const read: Message[] = [];
  let bytes = 0;
  for (let beforeSeq = seq; read.length < FORK_MESSAGES && bytes < FORK_BYTES;) {
    const page = await chats.listMessages(chat.organizationId, chat.id, { limit: PAGE, beforeSeq });
    for (const message of page.records) {
      bytes += JSON.stringify(message).length;
      if (read.length < FORK_MESSAGES && (read.length === 0 || bytes <= FORK_BYTES)) read.push(message);
    }
    beforeSeq = page.records.at(-1)?.seq ?? 0;
    if (!page.hasMore) break;
  }
  const answered = new Set(read.flatMap(({ role, jobId }) => (role === "assistant" && jobId !== null ? [jobId] : [])));
  const isEnded = ({ status }: Message): boolean => status !== "queued" && status !== "streaming";
  return read
    .filter(({ role }) => role !== "system")
    .filter(
      (message) =>
        isEnded(message) && (message.role !== "user" || message.jobId === null || answered.has(message.jobId)),
    );
}

async function summaryBefore({ system }: ForkServices, chat: Chat, turn: number): Promise<ForkedSummary | null> {
  const { summary } = chat;
  if (summary === undefined || summary.throughTurn >= turn) return null;
  const ref = chatRef(chat.organizationId, chat.id);
  const message = await system.dispatch(ref, { kind: "read_message", messageId: summary.messageId });
  if (!message.ok) return null;
  return { message: message.value, throughTurn: summary.throughTurn, messages: summary.messages };
}
