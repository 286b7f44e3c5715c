/** What a run reads besides its records, from the model in memory (port: `Transcripts` of the job). */
import { chatHistory } from "../../actors/chat/history.ts";
import type { Chat, Message } from "../../actors/chat/schema.ts";
import type { ChatHistory, Transcripts } from "../../actors/job/protocol.ts";
import { transcriptPart, type TranscriptPart } from "../../actors/job/transcript.ts";
import type { MemoryDatabase } from "./memory-database.ts";

const ENDED: readonly string[] = ["completed", "failed", "cancelled"];

export class MemoryTranscripts implements Transcripts {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  async history(of: { organizationId: string; chatId: string; jobId: string; limit: number }): Promise<ChatHistory> {
    const all = messagesOf(this.database, of.chatId);
    const newest = all.filter(
      (m) =>
        ENDED.includes(m.status) &&
        m.role !== "system" &&
        m.jobId !== of.jobId &&
        !(m.role === "user" && m.status === "cancelled"),
    );
    const chat = this.database.record("chat", of.organizationId, of.chatId) as Chat | null;
    return chatHistory(chat, newest.slice(-of.limit), all);
  }

  async parts(organizationId: string, jobId: string): Promise<readonly TranscriptPart[]> {
    return this.database
      .stream(organizationId, jobId)
      .flatMap(({ type, data }) => (type === "transcript.event" ? (transcriptPart(data) ?? []) : []));
  }
}

/** The messages of a chat in their order. */
export function messagesOf(database: MemoryDatabase, chatId: string): Message[] {
  return database
    .rows<Message>("message")
    .filter((m) => m.chatId === chatId)
    .sort((a, b) => a.seq - b.seq);
}
