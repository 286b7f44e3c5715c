/** The order of a conversation by its turns: a message that waited in the queue comes after the answers before it. */
import type { Message } from "./schema.ts";

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
