/**
 * The messages of a chat with a summary of its work (CHAT-6). Pages go from the newest message to the
 * oldest, and each is in the order of the conversation; the cursor is the chat and the place in it before
 * which the next one ends.
 */
import type { Message } from "../../../actors/chat/schema.ts";
import { chatRef } from "../../../actors/chat/schema.ts";
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { type ListHead, PAGE_DEFAULT } from "../../../actors/page.ts";
import { queryOf } from "../../http/exchange.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Shown } from "../../http/operation.ts";
import type { Call } from "../../http/surface.ts";
import { limitOf } from "../paging.ts";
import type { CurrentParts } from "../parts.ts";
import { type MessagePage, messageView, workView } from "./view.ts";

/** Jobs that the summary shows, newest first. */
const SUMMARY_JOBS = 25;

export async function messagePage(
  { system, chats, jobs, log }: CurrentParts,
  call: Call,
  chatId: string,
): Promise<Outcome<Shown<typeof MessagePage>>> {
  const { organizationId, userId } = call.principal;
  const query = queryOf(call.request.url);
  const limit = limitOf(query, PAGE_DEFAULT);
  if (!limit.ok) return limit;
  const beforeSeq = cursorOf(query, chatId);
  if (!beforeSeq.ok) return beforeSeq;
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const chat = await system.dispatch(chatRef(organizationId, chatId), { kind: "read_chat" });
  if (!chat.ok) return chat;
  const reads = Promise.all([
    chats.listMessages(organizationId, chatId, { limit: limit.value, beforeSeq: beforeSeq.value }),
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
  return ok({ chat_id, title, status, ...pageOf(chat_id, newest), work: workView(chat.value, latest) });
}

type Messages = Pick<Shown<typeof MessagePage>, "messages" | "next_cursor">;

function pageOf(chatId: string, { records, hasMore }: ListHead<Message>): Messages {
  const last = records.at(-1);
  const next = hasMore && last !== undefined ? { next_cursor: encode(chatId, last.seq) } : {};
  return { messages: records.toReversed().map(messageView), ...next };
}

const encode = (chatId: string, seq: number): string => Buffer.from(`${chatId} ${seq}`).toString("base64url");

/** Each chat is a list of its own: the cursor of another one is none here (GEN-3). */
function cursorOf(query: URLSearchParams, chatId: string): Outcome<number | null> {
  const text = query.get("cursor");
  if (text === null || text === "") return ok(null);
  const [list, seq = ""] = Buffer.from(text, "base64url").toString().split(" ");
  return list === chatId && /^\d{1,9}$/.test(seq) ? ok(Number(seq)) : refuse({ kind: "invalid_cursor" });
}
