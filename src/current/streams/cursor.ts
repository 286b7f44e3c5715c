/** Where a stream begins (SSE-4): `Last-Event-ID` of a client that comes back, `?after=`, or what `?replay=` asks for. */
import type { ClientCursor } from "../../../actors/runtime/subscription.ts";

/** Durable events that a client without a cursor gets. */
export const RECENT_EVENTS = 100;
const CURSOR = /^(\d{1,10})(?:\.(\d{1,10}))?$/;

export interface StreamRequest {
  /** Null where the client names none. */
  readonly cursor: ClientCursor | "malformed" | null;
  /** Durable events that are replayed where the cursor is of no use. */
  readonly replay: number;
  /** A chat's stream closes with its turn. */
  readonly waitsForEnd: boolean;
}

/** What the input of a stream says of it. */
interface StreamInput {
  readonly query: {
    readonly after: string | undefined;
    readonly replay: string;
    readonly wait?: "end" | undefined;
  };
  readonly headers: { readonly "last-event-id": string | undefined };
}

export function streamRequest({ query: { after, replay, wait }, headers }: StreamInput): StreamRequest {
  // An EventSource that comes back repeats its address, and says where it is in the header.
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
