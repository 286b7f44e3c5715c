/** Builds the history that a chat's next turn continues from (CHAT-8, CHAT-11). */
import { type ChatHistory, type HistoryEntry, NO_HISTORY, type ToldAmid } from "../job/protocol.ts";
import type { Interjection } from "../job/terms.ts";
import { type Chat, type Message, messageBlocks } from "./schema.ts";

/**
 * Messages before a summary's last turn can belong to a later turn, because they waited in the queue. This many of them
 * always include every one of those.
 */
export const BEFORE_SUMMARY = 256;

/**
 * `newest`: ended messages of the chat in any order, without those of the calling job. `named`: its pinned messages and
 * its summary.
 */
export function chatHistory(
  chat: Pick<Chat, "summary" | "pins" | "measured"> | null,
  newest: readonly Message[],
  named: readonly Message[],
): ChatHistory {
  if (chat === null) return NO_HISTORY;
  const { summary, pins = [], measured = null } = chat;
  const turnOf = turnsOf(newest);
  const byId = new Map(newest.map((message) => [message.id, message]));
  const amid = new Set(
    newest.flatMap(({ interjections = [] }) => interjections.flatMap(({ messageId }) => messageId ?? [])),
  );
  const entryOf = (message: Message, turn: number): HistoryEntry[] => {
    const { id, role, content, interjections = [] } = message;
    if (role !== "user" && role !== "assistant") return [];
    const told = interjections.flatMap((one) => toldAmid(one, byId));
    const more = { ...(told.length === 0 ? {} : { told }), ...(amid.has(id) ? { isAmid: true as const } : {}) };
    return [{ role, content, blocks: messageBlocks(message), ...more, turn, isPinned: pins.includes(id) }];
  };
  const through = summary?.throughTurn ?? 0;
  const entries = inTurnOrder(newest).flatMap((message) => {
    const turn = turnOf(message);
    return turn > through ? entryOf(message, turn) : [];
  });
  const text = named.find(({ id }) => id === summary?.messageId)?.content;
  if (summary === undefined || text === undefined) return { summary: null, entries, measured };
  const included = new Set(newest.filter((message) => turnOf(message) > through).map(({ id }) => id));
  const pinned = named
    .filter(({ id, seq }) => pins.includes(id) && seq <= through && !included.has(id))
    .toSorted((a, b) => a.seq - b.seq)
    .flatMap((message) => entryOf(message, message.seq));
  return { summary: { text, messages: summary.messages, pinned }, entries, measured };
}

/** Empty if the message is not among those that were read. */
function toldAmid(
  { at, messageId, text = "", blocks = [] }: Interjection,
  byId: ReadonlyMap<string, Pick<Message, "content" | "blocks">>,
): ToldAmid[] {
  if (messageId === undefined) return [{ at, content: text, blocks }];
  const message = byId.get(messageId);
  return message === undefined ? [] : [{ at, content: message.content, blocks: messageBlocks(message) }];
}

/** The number of each message's turn: the seq of its answer, or its own seq if it has no answer. */
export function turnsOf<M extends Pick<Message, "seq" | "role" | "jobId">>(messages: readonly M[]): (of: M) => number {
  const answered = new Map<string, number>();
  for (const { role, jobId, seq } of messages) if (role === "assistant" && jobId !== null) answered.set(jobId, seq);
  return ({ jobId, seq }) => (jobId === null ? seq : (answered.get(jobId) ?? seq));
}

/** The messages turn by turn: each user's message right before its answer, turns in the order of their answers. */
export function inTurnOrder<M extends Pick<Message, "seq" | "role" | "jobId">>(messages: readonly M[]): M[] {
  const turnOf = turnsOf(messages);
  return messages.toSorted(
    (a, b) => turnOf(a) - turnOf(b) || Number(a.role === "assistant") - Number(b.role === "assistant") || a.seq - b.seq,
  );
}
