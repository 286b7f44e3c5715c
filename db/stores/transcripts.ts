/** What a run reads besides its records (port: `Transcripts` of the job): its chat's history and its own transcript. */
import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { Message } from "../../actors/chat/schema.ts";
import { inTurnOrder } from "../../actors/chat/turn-order.ts";
import type { HistoryEntry, TranscriptPart, Transcripts } from "../../actors/job/protocol.ts";
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
    const { query } = this.database;
    const rows = await query
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
      .limit(of.limit);
    return inTurnOrder(rows.map(({ body }) => body as Message)).flatMap(({ role, content, blocks }): HistoryEntry[] =>
      role === "user" || role === "assistant" ? [{ role, content, blocks }] : [],
    );
  }

  async parts(organizationId: string, jobId: string): Promise<readonly TranscriptPart[]> {
    const rows = await this.database.query
      .select({ data: event.data })
      .from(event)
      .where(
        and(eq(event.organizationId, organizationId), eq(event.stream, jobId), eq(event.type, "transcript.event")),
      )
      .orderBy(asc(event.seq));
    return rows.flatMap(({ data }) => partOf(data as JsonObject) ?? []);
  }
}

function partOf(data: JsonObject): TranscriptPart | null {
  switch (data["kind"]) {
    case "assistant_text":
      return { type: "text", text: String(data["text"]) };
    case "user_text":
      return { type: "user_text", text: String(data["text"]) };
    case "tool_use":
      return { type: "tool_use", id: String(data["id"]), name: String(data["name"]), input: data["input"] as JsonObject };
    case "tool_result":
      return {
        type: "tool_result",
        tool_use_id: String(data["toolUseId"]),
        content: String(data["content"]),
        is_error: data["isError"] === true,
      };
    default:
      return null;
  }
}
