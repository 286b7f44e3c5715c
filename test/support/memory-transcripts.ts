/** What a run reads besides its records, from the model in memory (port: `Transcripts` of the job). */
import type { Message } from "../../actors/chat/schema.ts";
import { inTurnOrder } from "../../actors/chat/turn-order.ts";
import type { HistoryEntry, Transcripts } from "../../actors/job/protocol.ts";
import { partOf, type TranscriptPart } from "../../actors/job/transcript.ts";
import type { MemoryDatabase } from "./memory-database.ts";

const ENDED: readonly string[] = ["completed", "failed", "cancelled"];

export class MemoryTranscripts implements Transcripts {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  async history(of: {
    organizationId: string;
    chatId: string;
    jobId: string;
    limit: number;
  }): Promise<readonly HistoryEntry[]> {
    const messages = messagesOf(this.database, of.chatId).filter(
      (m) => ENDED.includes(m.status) && m.jobId !== of.jobId && !(m.role === "user" && m.status === "cancelled"),
    );
    return inTurnOrder(messages.slice(-of.limit)).flatMap(({ role, content, blocks }): HistoryEntry[] =>
      role === "user" || role === "assistant" ? [{ role, content, blocks }] : [],
    );
  }

  async parts(organizationId: string, jobId: string): Promise<readonly TranscriptPart[]> {
    return this.database
      .stream(organizationId, jobId)
      .flatMap(({ type, data }) => (type === "transcript.event" ? (partOf(data) ?? []) : []));
  }
}

/** The messages of a chat in their order. */
export function messagesOf(database: MemoryDatabase, chatId: string): Message[] {
  const messages: Message[] = [];
  for (const [key, record] of database.records) if (key.startsWith("message/")) messages.push(record as Message);
  return messages.filter((m) => m.chatId === chatId).sort((a, b) => a.seq - b.seq);
}
