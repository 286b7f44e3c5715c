/** Where a stream begins (SSE-4): at `Last-Event-ID` of a reconnecting client, at `?after=`, or as `?replay=` says. */
import type { ClientCursor } from "../../../actors/runtime/streams/subscription.ts";

/** Durable events for a client without a cursor. */
export const RECENT_EVENTS = 100;
const CURSOR = /^(\d{1,10})(?:\.(\d{1,10}))?$/;

export interface StreamRequest {
  /** Null if the client sends none. */
  readonly cursor: ClientCursor | "malformed" | null;
  /** Durable events to replay if the cursor is unusable. */
  readonly replay: number;
  /** Whether a chat's stream closes at the end of its chat turn. */
  readonly waitsForEnd: boolean;
}

/** The input of a stream that concerns its beginning. */
interface StreamInput {
  readonly query: {
    readonly after: string | undefined;
    readonly replay: string;
    readonly wait?: "end" | undefined;
  };
  readonly headers: { readonly "last-event-id": string | undefined };
}

export function streamRequest({ query: { after, replay, wait }, headers }: StreamInput): StreamRequest {
  // A reconnecting EventSource repeats its URL, and sends its position in the header.
  const cursor = headers["last-event-id"] ?? after ?? null;
  return {
    cursor: cursor === null ? null : cursorOf(cursor),
    replay: replay === "all" ? Number.POSITIVE_INFINITY : Number(replay),
    waitsForEnd: wait === "end",
  };
}

function cursorOf(text: string): ClientCursor | "malformed" {
  const match = CURSOR.exec(text.trim());
  if (match === null) return "malformed";
  return { seq: Number(match[1]), position: match[2] === undefined ? null : Number(match[2]) };
}
