/**
 * The events of chats and jobs as SSE frames (SSE-1 to SSE-3). A frame is made once, however many readers get it:
 * frames are cached by event, and joined writes by the list of items that readers at one position share. Weak
 * references drop both with their keys.
 */
import type { StreamItem, TextDelta } from "../../../actors/runtime/streams/replay.ts";
import type { StoredEvent } from "../../../actors/runtime/store.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { sseEvent, sseJson } from "../../http/stream/sse.ts";
import { snakeCasedData } from "../event-view.ts";

/** Event names of live text, by kind of stream. */
const DELTA = { chat: "message.delta", chat_without_calls: "message.delta", job: "transcript.delta" } as const;
/** `chat_without_calls`: for readers who may not read jobs; it leaves out the arguments and results of tool calls. */
export type StreamKind = keyof typeof DELTA;
const OF_CALLS = ["arguments", "result", "isTruncated", "attachments"] as const;

/** The cache of one kind of stream. */
const framesOf = () => ({
  events: new WeakMap<StoredEvent, string>(),
  writes: new WeakMap<readonly StreamItem[], Write>(),
});
const whole = framesOf();
const withoutCalls = framesOf();
const frameCacheOf = (kind: StreamKind) => (kind === "chat_without_calls" ? withoutCalls : whole);
const encoder = new TextEncoder();

/** One write, shared by all readers at the same position. */
export interface Write {
  readonly bytes: Uint8Array;
  /** Nothing that its readers may see follows: the record was deleted. */
  readonly isFarewell: boolean;
}

/** All items as one write. */
export function writeOf(kind: StreamKind, items: readonly StreamItem[]): Write {
  const { writes } = frameCacheOf(kind);
  let write = writes.get(items);
  if (write === undefined) {
    let text = "";
    for (const item of items) text += item.kind === "event" ? eventFrame(kind, item.event) : deltaFrame(kind, item);
    write = { bytes: encoder.encode(text), isFarewell: items.some(isDeletion) };
    writes.set(items, write);
  }
  return write;
}

const isDeletion = (item: StreamItem): boolean =>
  item.kind === "event" && item.event.type === "chat.updated" && item.event.data["deleted"] === true;

/** The id of an item: the cursor after it. */
export const cursorAfter = (item: StreamItem): string =>
  item.kind === "event" ? String(item.event.seq) : `${item.afterSeq}.${item.position}`;

function eventFrame(kind: StreamKind, event: StoredEvent): string {
  const { events } = frameCacheOf(kind);
  let frame = events.get(event);
  if (frame === undefined) {
    const { seq, type, at } = event;
    const data = kind === "chat_without_calls" && type.startsWith("tool.") ? withoutFields(event.data) : event.data;
    const shown = Object.assign({ seq, type, at }, snakeCasedData(data), { seq, type, at });
    frame = sseEvent({ event: type, id: String(seq), data: sseJson(shown) });
    events.set(event, frame);
  }
  return frame;
}

const withoutFields = (data: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(data).filter(([key]) => !OF_CALLS.some((field) => field === key)));

function deltaFrame(kind: StreamKind, delta: TextDelta): string {
  const { messageId: message_id, position, text } = delta;
  return sseEvent({ event: DELTA[kind], id: cursorAfter(delta), data: sseJson({ message_id, position, text }) });
}
