/**
 * The messages of a chat with a summary of its work (CHAT-6). Pages go from the newest message to the
 * oldest, and each is in the order of the conversation; the cursor is the place before which the next
 * one ends.
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
  const beforeSeq = cursorOf(query);
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
  return ok({ chat_id, title, status, ...pageOf(newest), work: workView(chat.value, latest) });
}

function pageOf({ records, hasMore }: ListHead<Message>): Pick<Shown<typeof MessagePage>, "messages" | "next_cursor"> {
  const last = records.at(-1);
  const next = hasMore && last !== undefined ? { next_cursor: encode(last.seq) } : {};
  return { messages: records.toReversed().map(messageView), ...next };
}

const encode = (seq: number): string => Buffer.from(`m${seq}`).toString("base64url");

function cursorOf(query: URLSearchParams): Outcome<number | null> {
  const text = query.get("cursor");
  if (text === null || text === "") return ok(null);
  const match = /^m(\d{1,9})$/.exec(Buffer.from(text, "base64url").toString());
  return match === null ? refuse({ kind: "invalid_cursor" }) : ok(Number(match[1]));
}
