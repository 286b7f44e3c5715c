/** Reads the part of a chat that a fork takes over (CHAT-13); the new chat's actor creates the fork. */
import type { ChatDirectory } from "../../actors/chat/directory.ts";
import type { ForkedSummary } from "../../actors/chat/protocol.ts";
import { type Chat, chatRef, type Message } from "../../actors/chat/schema.ts";
import { invalid, ok, type Outcome } from "../../actors/fault.ts";
import { jobRef } from "../../actors/job/schema.ts";
import type { Agent } from "../../actors/organization/schema.ts";
import type { Ask } from "../../actors/runtime/turns/members.ts";
import { ask, type TroupeSystem } from "../../actors/troupe.ts";
import type { ReadCommitted } from "../log/look-up.ts";

/** Messages of a fork: the newest ones up to its place. They are one commit. */
export const FORK_MESSAGES = 1_000;
/** Their bytes as JSON; the newest message is kept even if it alone exceeds this. */
export const FORK_BYTES = 4 * 1024 * 1024;
/** Messages of one read. */
const FORK_PAGE_MESSAGES = 100;

interface ForkServices {
  readonly system: TroupeSystem;
  readonly chats: Pick<ChatDirectory, "listMessages">;
  readonly readCommitted: ReadCommitted;
}

/** The messages up to the place, and the summary if it covers nothing after it. */
interface ForkedPart {
  readonly messages: readonly Message[];
  readonly summary: ForkedSummary | null;
}

interface NewFork {
  readonly source: Chat;
  /** The id of the new chat. */
  readonly chatId: string;
  readonly from: string;
  /** Whether the fork ends before the message. */
  readonly isEdit: boolean;
  readonly agent: Pick<Agent, "id" | "name">;
  readonly title: string;
  readonly userId: string;
}

/** The member that makes the fork. */
export async function forkStep(
  services: ForkServices,
  { source, chatId, isEdit, agent: { id, name }, ...fork }: NewFork,
): Promise<Outcome<Ask<Chat>>> {
  const read = await services.readCommitted(source.organizationId, () =>
    forkedPart(services, source, { messageId: fork.from, isEdit }),
  );
  if (!read.ok) return read;
  if (!read.value.ok) return read.value;
  const command = { kind: "fork_chat", source, agent: { id, name }, ...fork, ...read.value.value } as const;
  return ok(ask(chatRef(source.organizationId, chatId), command));
}

/**
 * The conversation up to and including this message; with `isEdit` without it, and then it must be a user's. Reads
 * committed state; throws if the database cannot be reached.
 */
async function forkedPart(
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
    return invalid("/from_message_id", "A chat can be forked only at a message of a user or of the agent");
  if (isEdit && from.role !== "user")
    return invalid("/from_message_id", "With content, from_message_id must be a user's message, which it replaces");
  if (from.role === "assistant" && from.status === "streaming")
    return invalid("/from_message_id", "This message is still being written");
  const turn = await turnOf(services, from);
  const before = await messagesBefore(services, chat, from.role === "assistant" ? turn + 1 : turn);
  const messages = [
    ...before.filter(({ id }) => id !== from.id),
    ...(isEdit || from.role === "assistant" ? [] : [{ ...from, status: "completed" as const }]),
    ...(from.role === "assistant" ? [...(await steeringOf(services, from)), from] : []),
  ];
  return ok({ messages, summary: await summaryBefore(services, chat, turn) });
}

/** The messages that were given to the answer while it was written: they have later numbers than it. */
async function steeringOf({ system }: ForkServices, answer: Message): Promise<Message[]> {
  const ref = chatRef(answer.organizationId, answer.chatId);
  const ids = (answer.interjections ?? []).flatMap(({ messageId }) => messageId ?? []);
  const found = await Promise.all(ids.map((messageId) => system.dispatch(ref, { kind: "read_message", messageId })));
  return found.flatMap((message) => (message.ok && message.value.seq > answer.seq ? [message.value] : []));
}

/** The number of the message's turn: its answer's, if it has one. */
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

/**
 * The ended messages of earlier turns. A message before this one whose answer comes later was queued, so it is left
 * out.
 */
async function messagesBefore({ chats }: ForkServices, chat: Chat, seq: number): Promise<Message[]> {
  const read: Message[] = [];
  let bytes = 0;
  for (let beforeSeq = seq; read.length < FORK_MESSAGES && bytes < FORK_BYTES;) {
    const page = await chats.listMessages(chat.organizationId, chat.id, { limit: FORK_PAGE_MESSAGES, beforeSeq });
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
