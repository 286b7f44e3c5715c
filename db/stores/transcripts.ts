/** What a run reads besides its records (port: `Transcripts` of the job): its chat's history and its own transcript. */
import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { Message } from "../../actors/chat/schema.ts";
import { inTurnOrder } from "../../actors/chat/turn-order.ts";
import type { HistoryEntry, Transcripts } from "../../actors/job/protocol.ts";
import { partOf, type TranscriptPart } from "../../actors/job/transcript.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { Database } from "../client.ts";
import { message } from "../tables/records.ts";
import { event } from "../tables/runtime.ts";

export class PostgresTranscripts implements Transcripts {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async history(of: {
    organizationId: string;
    chatId: string;
    jobId: string;
    limit: number;
  }): Promise<readonly HistoryEntry[]> {
    const rows = await this.database.reading("load", of.organizationId, ({ query }) =>
      query
        .select({ body: message.body })
        .from(message)
        .where(
          and(
            eq(message.organizationId, of.organizationId),
            eq(message.chatId, of.chatId),
            inArray(message.status, ["completed", "failed", "cancelled"]),
            sql`${message.body} ->> 'jobId' is distinct from ${of.jobId}`,
            sql`not (${message.status} = 'cancelled' and ${message.body} ->> 'role' = 'user')`,
          ),
        )
        .orderBy(desc(message.seq))
        .limit(of.limit),
    );
    return inTurnOrder(rows.map(({ body }) => body as Message)).flatMap(({ role, content, blocks }): HistoryEntry[] =>
      role === "user" || role === "assistant" ? [{ role, content, blocks }] : [],
    );
  }

  async parts(organizationId: string, jobId: string): Promise<readonly TranscriptPart[]> {
    const rows = await this.database.reading("load", organizationId, ({ query }) =>
      query
        .select({ data: event.data })
        .from(event)
        .where(
          and(eq(event.organizationId, organizationId), eq(event.stream, jobId), eq(event.type, "transcript.event")),
        )
        .orderBy(asc(event.seq)),
    );
    return rows.flatMap(({ data }) => partOf(data as JsonObject) ?? []);
  }
}
