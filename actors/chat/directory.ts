/** Lists of chats and messages, read from the tables after `System.settled`. Throws when the database cannot be reached. */
import type { ListHead, Page, PageRequest } from "../page.ts";
import type { Chat, Message } from "./schema.ts";

export interface ChatFilter {
  /** Only chats that are visible to this user (AGT-5). */
  readonly seenBy: string;
  /** Chats with any of these values. */
  readonly status?: readonly Chat["status"][] | undefined;
  readonly agentId?: string | undefined;
  readonly workspaceId?: string | undefined;
  /** Words of the title, or their beginnings. */
  readonly title?: string | undefined;
  readonly isPinned?: boolean | undefined;
  /** Text of its messages, in the syntax of a web search. */
  readonly text?: string | undefined;
}

export interface ChatDirectory {
  /** Chats that are not deleted. */
  listChats(organizationId: string, filter: ChatFilter, page: PageRequest): Promise<Page<Chat>>;
  /** The ids of the deleted chats among these. */
  deletedAmong(organizationId: string, ids: readonly string[]): Promise<readonly string[]>;
  /** The stored text of a message; null if another attempt wrote it, or if the message does not exist. */
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
