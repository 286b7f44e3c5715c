/**
 * A batch (MCP-9): several messages in one body, which only revision 2025-03-26 has. Its messages are answered one after the
 * other, as if each had been sent by itself, and leave as the parts of one JSON array. Calls that wait for a job are
 * begun in their order and answered as they end.
 *
 *   messages ─ each in its turn ─▶ answers ─ as the client takes them ─▶ [answer, answer, …]
 */
import type { Clock } from "../../actors/runtime/ports.ts";
import { OLDEST_REVISION } from "./auth-info.ts";
import type { PostedJson } from "./message.ts";
import { KEEP_ALIVE_MS, repeated } from "./watched-stream.ts";

/** Messages of one batch: more than any client sends, and their answers stay small. */
export const BATCH_MESSAGES = 32;
/** Bytes of answers that are ready before the client takes them. The next message is begun when fewer wait. */
const READY_BYTES = 64 * 1024;

/** A message without effect. */
export const NO_EFFECT: PostedJson = { jsonrpc: "2.0", method: "notifications/initialized" };

const rpcId = (message: PostedJson | null): unknown => (message?.method === undefined ? undefined : message.id);

/** The error of a batch as a whole; null: none. */
export function batchFault(messages: readonly (PostedJson | null)[], revision: string | undefined): string | null {
  if (messages.length === 0) return "The batch is empty";
  if (revision !== undefined && revision !== OLDEST_REVISION)
    return `Only revision ${OLDEST_REVISION} has batches; send one message`;
  if (messages.length > BATCH_MESSAGES)
    return `A batch has at most ${BATCH_MESSAGES} messages, and this one has ${messages.length}`;
  if (messages.some((message) => message?.method === "initialize"))
    return "`initialize` cannot be part of a batch; send it first, by itself";
  const ids = messages.map(rpcId).filter((id) => id !== undefined);
  return new Set(ids).size === ids.length ? null : "Two requests of the batch have the same id";
}

/** Whether a message of the batch is answered. */
export const isAnswered = (messages: readonly (PostedJson | null)[]): boolean =>
  messages.some((message) => rpcId(message) !== undefined);

interface BatchParts {
  /** The answer as JSON; null if the message has none. Must not reject. */
  readonly answer: (message: PostedJson) => Promise<string | null>;
  /** Whether the message waits for a job. */
  readonly waits: (message: PostedJson) => boolean;
}

/** The answers of the messages as JSON. */
export async function* batchAnswers(
  messages: readonly PostedJson[],
  { answer, waits }: BatchParts,
): AsyncGenerator<string, void> {
  const waiting = new Map<PostedJson, Promise<{ readonly message: PostedJson; readonly text: string | null }>>();
  for (const message of messages) {
    const answered = answer(message);
    if (waits(message))
      waiting.set(
        message,
        answered.then((text) => ({ message, text })),
      );
    else {
      // oxlint-disable-next-line no-await-in-loop -- one message after the other
      const text = await answered;
      if (text !== null) yield text;
    }
  }
  while (waiting.size > 0) {
    // oxlint-disable-next-line no-await-in-loop -- whichever ends first
    const { message, text } = await Promise.race(waiting.values());
    waiting.delete(message);
    if (text !== null) yield text;
  }
}

/** The texts as the parts of a JSON array. If the client leaves, what has not begun does not begin. */
export function jsonArray(
  texts: AsyncGenerator<string, void>,
  clock: Pick<Clock, "after">,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let lead = "[";
  let isOver = false;
  let stopKeepAlive = (): void => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stopKeepAlive = repeated(clock, KEEP_ALIVE_MS, () => controller.enqueue(encoder.encode(" ")));
      },
      async pull(controller) {
        const { done, value } = await texts.next();
        if (isOver) return;
        if (done !== true) controller.enqueue(encoder.encode(lead + value));
        else {
          isOver = true;
          stopKeepAlive();
          controller.enqueue(encoder.encode("]"));
          controller.close();
        }
        lead = ",";
      },
      cancel() {
        isOver = true;
        stopKeepAlive();
        void texts.return();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: READY_BYTES }),
  );
}
