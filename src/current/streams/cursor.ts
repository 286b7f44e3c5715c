/** Where a stream begins (SSE-4): `Last-Event-ID` of a client that comes back, `?after=`, or what `?replay=` asks for. */
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import type { ClientCursor } from "../../../actors/runtime/subscription.ts";
import { queryOf } from "../../http/exchange.ts";

/** Durable events that a client without a cursor gets. */
export const RECENT_EVENTS = 100;
const CURSOR = /^(\d{1,10})(?:\.(\d{1,10}))?$/;
const COUNT = /^\d{1,10}$/;

export interface StreamRequest {
  /** Null where the client names none. */
  readonly cursor: ClientCursor | "malformed" | null;
  /** Durable events that are replayed where the cursor is of no use. */
  readonly replay: number;
  /** A chat's stream closes with its turn. */
  readonly waitsForEnd: boolean;
}

export function streamRequest(request: Request): Outcome<StreamRequest> {
  const query = queryOf(request.url);
  // Empty is absent, as in every other query.
  const replay = query.get("replay") || String(RECENT_EVENTS);
  if (replay !== "all" && !COUNT.test(replay)) return invalid("/replay", "replay must be all or a whole number");
  const wait = query.get("wait") || null;
  if (wait !== null && wait !== "end") return invalid("/wait", "wait must be: end");
  // An EventSource that comes back repeats its address, and says where it is in the header.
  const cursor = request.headers.get("last-event-id") || query.get("after") || null;
  return ok({
    cursor: cursor === null ? null : cursorOf(cursor),
    replay: replay === "all" ? Number.POSITIVE_INFINITY : Number(replay),
    waitsForEnd: wait === "end",
  });
}

function cursorOf(text: string): ClientCursor | "malformed" {
  const match = CURSOR.exec(text.trim());
  if (match === null) return "malformed";
  return { seq: Number(match[1]), position: match[2] === undefined ? null : Number(match[2]) };
}
