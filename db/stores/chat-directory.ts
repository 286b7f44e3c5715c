/** Lists of chats and messages (port: `ChatDirectory`). */
import { and, eq, inArray, isNotNull, isNull, lt, sql, type SQL } from "drizzle-orm";
import type { ChatDirectory, ChatFilter } from "../../actors/chat/directory.ts";
import { type Chat, CHAT_STATUSES, type Message } from "../../actors/chat/schema.ts";
import type { ListHead, Page, PageRequest } from "../../actors/page.ts";
import { wholeMessage } from "../record-rows.ts";
import { chat, job, message } from "../tables/records.ts";
import { givenFilters, type Walks } from "./index-walk.ts";
import { OverTables } from "./over-tables.ts";
import { readListHead } from "./paging.ts";
import { seenBy } from "./sight.ts";
import { beginningWith, saying } from "./words.ts";

/** The bytes of a page are those of its answer. */
const MESSAGE_BODY = sql.raw(wholeMessage("message.body"));

const CHAT_WALKS: Walks = {
  table: chat,
  indexes: [[chat.agentId, chat.status], [chat.workspaceId, chat.status], [chat.status]],
  words: [[chat.status, CHAT_STATUSES]],
  standing: isNull(chat.deletedAt),
};

/** No index orders by words: PostgreSQL finds all matches, or reads the newest chats first if many match. */
function chatWalks(organizationId: string, { title, text, isPinned }: ChatFilter): Walks {
  const words = and(
    title === undefined ? undefined : beginningWith(chat.words, organizationId, title),
    text === undefined
      ? undefined
      : sql`${chat.id} in (select ${message.chatId} from ${message}
          where ${message.organizationId} = ${organizationId} and ${saying(message.words, organizationId, text)})`,
  );
  const pinned = isPinned === true ? sql`${chat.pinned} = 'true'` : undefined;
  if (words === undefined && pinned === undefined) return CHAT_WALKS;
  const standing = and(CHAT_WALKS.standing, pinned, words);
  return { table: chat, indexes: [], ...(standing === undefined ? {} : { standing }) };
}

export class PostgresChatDirectory extends OverTables implements ChatDirectory {
  listChats(organizationId: string, filter: ChatFilter, page: PageRequest): Promise<Page<Chat>> {
    const { status, agentId, workspaceId } = filter;
    const filters = givenFilters([chat.status, status], [chat.agentId, agentId], [chat.workspaceId, workspaceId]);
    const isUnpinned = filter.isPinned === false ? sql`${chat.pinned} is distinct from 'true'` : undefined;
    const tests = [isUnpinned, seenBy(chat, filter.seenBy)];
    return this.page<Chat>(chatWalks(organizationId, filter), organizationId, page, { filters, tests });
  }

  async deletedAmong(organizationId: string, ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const test = and(eq(chat.organizationId, organizationId), inArray(chat.id, [...ids]), isNotNull(chat.deletedAt));
    return this.column<string>(["list", organizationId], chat.id, test);
  }

  async storedText(
    organizationId: string,
    { messageId, attempt }: { readonly messageId: string; readonly attempt: number },
  ): Promise<string | null> {
    const rows = await this.database.reading("page", organizationId, ({ query }) =>
      query
        .select({ content: sql<string>`${message.body} ->> 'content'` })
        .from(message)
        .innerJoin(job, and(eq(job.organizationId, organizationId), sql`${job.id} = ${message.body} ->> 'jobId'`))
        .where(
          and(
            eq(message.organizationId, organizationId),
            eq(message.id, messageId),
            sql`(${job.body} ->> 'attempt')::int = ${attempt}`,
          ),
        ),
    );
    return rows[0]?.content ?? null;
  }

  listMessages(
    organizationId: string,
    chatId: string,
    { limit, beforeSeq }: { readonly limit: number; readonly beforeSeq: number | null },
  ): Promise<ListHead<Message>> {
    const conditions: SQL[] = [eq(message.organizationId, organizationId), eq(message.chatId, chatId)];
    if (beforeSeq !== null) conditions.push(lt(message.seq, beforeSeq));
    return readListHead(
      { database: this.database, organizationId },
      { table: message, body: MESSAGE_BODY, conditions, number: "seq", direction: "desc", limit },
    );
  }
}
