/**
 * Reads a run's content besides its records (port: `Transcripts` of the job): its chat's history and its own
 * transcript.
 */
import { and, asc, desc, eq, inArray, lt, sql } from "drizzle-orm";
import { BEFORE_SUMMARY, chatHistory } from "../../actors/chat/history.ts";
import type { Chat, Message } from "../../actors/chat/schema.ts";
import { type ChatHistory, NO_HISTORY, type Transcripts } from "../../actors/job/protocol.ts";
import { transcriptPart, type TranscriptPart } from "../../actors/job/transcript.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { chat, message } from "../tables/records.ts";
import { event } from "../tables/runtime.ts";
import { OverTables } from "./over-tables.ts";

/** Messages in one statement. */
const HISTORY_PAGE = 200;
/** Older messages of a chat are not read past this many bytes: no model accepts more. */
const HISTORY_BYTES = 16 * 1024 * 1024;

export class PostgresTranscripts extends OverTables implements Transcripts {
  async history(of: { organizationId: string; chatId: string; jobId: string; limit: number }): Promise<ChatHistory> {
    return this.database.reading("load", of.organizationId, async ({ query }) => {
      const [row] = await query
        .select({ body: chat.body })
        .from(chat)
        .where(and(eq(chat.organizationId, of.organizationId), eq(chat.id, of.chatId)));
      if (row === undefined) return NO_HISTORY;
      const { summary, pins = [], measured } = row.body as Chat;
      const through = summary?.throughTurn ?? 0;
      const newest: Message[] = [];
      let characters = 0;
      for (let before: number | null = null; ;) {
        const rows: { body: unknown; size: number }[] = await query
          .select({ body: message.body, size: sql<number>`octet_length(${message.body}::text)` })
          .from(message)
          .where(
            and(
              eq(message.organizationId, of.organizationId),
              eq(message.chatId, of.chatId),
              before === null ? undefined : lt(message.seq, before),
              inArray(message.status, ["completed", "failed", "cancelled"]),
              sql`${message.body} ->> 'role' <> 'system'`,
              sql`${message.body} ->> 'jobId' is distinct from ${of.jobId}`,
              sql`not (${message.status} = 'cancelled' and ${message.body} ->> 'role' = 'user')`,
            ),
          )
          .orderBy(desc(message.seq))
          .limit(HISTORY_PAGE);
        for (const { body, size } of rows) {
          newest.push(body as Message);
          characters += size;
        }
        before = newest.at(-1)?.seq ?? null;
        const older = newest.filter(({ seq }) => seq <= through).length;
        const isEnough = newest.length >= of.limit || characters >= HISTORY_BYTES || older >= BEFORE_SUMMARY;
        if (rows.length < HISTORY_PAGE || isEnough) break;
      }
      const ids = summary === undefined ? [] : [...pins, summary.messageId];
      const named =
        ids.length === 0
          ? []
          : await query
              .select({ body: message.body })
              .from(message)
              .where(and(eq(message.organizationId, of.organizationId), inArray(message.id, ids)));
      const chatPart = {
        ...(summary === undefined ? {} : { summary }),
        pins,
        ...(measured === undefined ? {} : { measured }),
      };
      return chatHistory(
        chatPart,
        newest.slice(0, of.limit),
        named.map(({ body }) => body as Message),
      );
    });
  }

  async parts(organizationId: string, jobId: string): Promise<readonly TranscriptPart[]> {
    const { organizationId: of, stream, type, data, seq } = event;
    const test = and(eq(of, organizationId), eq(stream, jobId), eq(type, "transcript.event"));
    const parts = await this.column<JsonObject>(["load", organizationId], data, test, { order: [asc(seq)] });
    return parts.flatMap((part) => transcriptPart(part) ?? []);
  }
}
