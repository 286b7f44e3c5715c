/**
 * The messages of a chat, with a summary of its work (CHAT-6). Pages go from the newest message to the oldest, and
 * each page is in the order of the conversation. The cursor names the chat, and the message before which the next
 * page ends.
 */
import { type Chat, chatRef, type Message } from "../../../actors/chat/schema.ts";
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { ListHead } from "../../../actors/page.ts";
import type { Static } from "../../../actors/schema.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { cursorField } from "../paging.ts";
import type { Services } from "../../operations/services.ts";
import { type MessagePage, messageView, workView } from "./view.ts";

/** Jobs in the summary, newest first. */
const SUMMARY_JOBS = 25;

/** The cursor of the list, with the chat that it belongs to. */
export const MessageCursor = cursorField<{ readonly chatId: string; readonly seq: number }>((text) => {
  const [chatId = "", seq = ""] = Buffer.from(text, "base64url").toString().split(" ");
  return /^\d{1,9}$/.test(seq) ? { chatId, seq: Number(seq) } : undefined;
});

export async function messagePage(
  { system, chats, jobs, log }: Services,
  { organizationId, userId }: Principal,
  {
    chatId,
    limit,
    cursor,
  }: { readonly chatId: string; readonly limit: number; readonly cursor: Static<typeof MessageCursor> | undefined },
): Promise<Outcome<Shown<typeof MessagePage>>> {
  // Each chat has its own list: a cursor of another chat is invalid here (GEN-3).
  if (cursor !== undefined && cursor.chatId !== chatId) return refuse({ kind: "invalid_cursor" });
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const chat = await system.dispatch(chatRef(organizationId, chatId), { kind: "read_chat" });
  if (!chat.ok) return chat;
  const reads = Promise.all([
    chats.listMessages(organizationId, chatId, { limit, beforeSeq: cursor?.seq ?? null }),
    jobs.latest(organizationId, { chatId, seenBy: userId }, SUMMARY_JOBS),
  ]);
  const found = await lookUp(log, reads);
  if (!found.ok) return found;
  const [newest, latest] = found.value;
  const {
    id: chat_id,
    options: { title },
    status,
  } = chat.value;
  return ok({ chat_id, title, status, ...pageOf(chat.value, newest), work: workView(chat.value, latest) });
}

type Messages = Pick<Shown<typeof MessagePage>, "messages" | "next_cursor">;

function pageOf(chat: Chat, { records, hasMore }: ListHead<Message>): Messages {
  const last = records.at(-1);
  const next = hasMore && last !== undefined ? { next_cursor: encode(chat.id, last.seq) } : {};
  return { messages: records.toReversed().map((message) => messageView(message, chat)), ...next };
}

const encode = (chatId: string, seq: number): string => Buffer.from(`${chatId} ${seq}`).toString("base64url");
