/** Lists of chats and messages (port: `ChatDirectory`). */
import { and, desc, eq, isNull, lt, sql, type SQL } from "drizzle-orm";
import type { ChatDirectory, ChatFilter } from "../../actors/chat/directory.ts";
import type { Chat, Message } from "../../actors/chat/schema.ts";
import type { ListHead, Page, PageRequest } from "../../actors/page.ts";
import type { Database } from "../client.ts";
import { chat, job, message } from "../tables/records.ts";
import { headOf, pageOf } from "./paging.ts";
import { seenBy } from "./sight.ts";

export class PostgresChatDirectory implements ChatDirectory {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  listChats(organizationId: string, filter: ChatFilter, page: PageRequest): Promise<Page<Chat>> {
    const conditions: SQL[] = [
      eq(chat.organizationId, organizationId),
      isNull(chat.deletedAt),
      seenBy(chat, filter.seenBy),
    ];
    if (filter.status !== undefined) conditions.push(eq(chat.status, filter.status));
    if (filter.agentId !== undefined) conditions.push(eq(chat.agentId, filter.agentId));
    if (filter.workspaceId !== undefined) conditions.push(eq(chat.workspaceId, filter.workspaceId));
    return pageOf<Chat>(this.database, chat, conditions, page);
  }

  async storedText(
    organizationId: string,
    { messageId, attempt }: { readonly messageId: string; readonly attempt: number },
  ): Promise<string | null> {
    const rows = await this.database.query
      .select({ content: sql<string>`${message.body} ->> 'content'` })
      .from(message)
      .innerJoin(job, and(eq(job.organizationId, organizationId), sql`${job.id} = ${message.body} ->> 'jobId'`))
      .where(
        and(
          eq(message.organizationId, organizationId),
          eq(message.id, messageId),
          sql`(${job.body} ->> 'attempt')::int = ${attempt}`,
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
    return headOf(this.database, { table: message, body: message.body, conditions, order: desc(message.seq), limit });
  }
}
