/** Lists of chats and messages, read from the tables after `System.settled`. Throws when the database cannot be reached. */
import type { ListHead, Page, PageRequest } from "../page.ts";
import type { Chat, Message } from "./schema.ts";

export interface ChatFilter {
  /** Only those that this person may know of (AGT-5). */
  readonly seenBy: string;
  readonly status?: Chat["status"];
  readonly agentId?: string;
  readonly workspaceId?: string;
}

export interface ChatDirectory {
  /** Chats that are not deleted. */
  listChats(organizationId: string, filter: ChatFilter, page: PageRequest): Promise<Page<Chat>>;
  /**
   * The text of a message as far as it is stored; null where it was written by another attempt than
   * this one, or is not there.
   */
  storedText(
    organizationId: string,
    of: { readonly messageId: string; readonly attempt: number },
  ): Promise<string | null>;
  /** Messages of a chat, newest first, before `beforeSeq`. */
  listMessages(
    organizationId: string,
    chatId: string,
    page: { readonly limit: number; readonly beforeSeq: number | null },
  ): Promise<ListHead<Message>>;
}
