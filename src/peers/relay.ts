/**
 * The answer of an owner on its way to the client of this replica. An event stream is relayed event by event: when
 * its owner ends it because the shard has moved, or ends itself, it goes on at the new owner from the last event
 * that the client was given (REP-5), and the client notices nothing.
 *
 *   owner ──whole events──▶ client
 *     └── moved, stopped, or cut off ──▶ the next owner, behind the last id
 */

import { SEAL_HEADER } from "./peer-key.ts";

/** Answers of a known length up to this many bytes are read at once. */
const WHOLE_BYTES = 64 * 1024;
/** What belongs to the connection to the owner. */
const HOP_HEADERS = [
  "connection",
  "keep-alive",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "proxy-connection",
  SEAL_HEADER,
];
const BLANK_LINE = Buffer.from("\n\n");
const ID = Buffer.from("\nid: ");
/** How an owner ends a stream that goes on elsewhere. */
const CLOSING = /(?<=^|\n\n)event: stream\.closing\ndata: [^\n]*"reason":"(?:deploy|moved|unavailable)"/;

export interface RelayParts {
  readonly request: Request;
  /** Runs once, when the answer has ended. */
  readonly onEnd: () => void;
  /** The same stream from behind this id; null where it cannot be had. */
  readonly again: (cursor: string | null) => Promise<ReadableStream<Uint8Array> | null>;
}

/** The response for the client. */
export async function relayed(response: Response, parts: RelayParts): Promise<Response> {
  const headers = new Headers(response.headers);
  for (const name of HOP_HEADERS) headers.delete(name);
  const { status, body } = response;
  const length = Number(headers.get("content-length") ?? Number.NaN);
  if (body === null || parts.request.method === "HEAD" || length <= WHOLE_BYTES) {
    const whole = body === null ? null : await response.arrayBuffer();
    parts.onEnd();
    return new Response(parts.request.method === "HEAD" ? null : whole, { status, headers });
  }
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  const isResumable = isStream && parts.request.method === "GET";
  return new Response(isResumable ? resumed(body, parts) : passed(body, parts.onEnd), { status, headers });
}

/** The bytes as they come. */
function passed(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(sink) {
      try {
        const { done, value } = await reader.read();
        if (!done) return sink.enqueue(value);
        onEnd();
        sink.close();
      } catch (cause) {
        onEnd();
        sink.error(cause);
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason).catch(() => {});
    },
  });
}

/** The events, whole, from one owner after the other. */
function resumed(first: ReadableStream<Uint8Array>, { onEnd, again }: RelayParts): ReadableStream<Uint8Array> {
  let reader = first.getReader();
  let rest: Buffer = Buffer.alloc(0);
  let cursor: string | null = null;
  const next = async (): Promise<Buffer | "ended" | "moved"> => {
    for (;;) {
      let read: Awaited<ReturnType<typeof reader.read>>;
      try {
        read = await reader.read();
      } catch {
        return "moved";
      }
      if (read.done) return "ended";
      const all: Buffer = rest.length === 0 ? Buffer.from(read.value) : Buffer.concat([rest, read.value]);
      const end = all.lastIndexOf(BLANK_LINE);
      if (end === -1) {
        rest = all;
        continue;
      }
      rest = all.subarray(end + BLANK_LINE.length);
      return all.subarray(0, end + BLANK_LINE.length);
    }
  };
  return new ReadableStream<Uint8Array>({
    async pull(sink) {
      for (;;) {
        const events = await next();
        if (events === "ended") {
          onEnd();
          return sink.close();
        }
        const closing = events === "moved" ? null : CLOSING.exec(events.toString("latin1"));
        const told = events === "moved" ? null : closing === null ? events : events.subarray(0, closing.index);
        if (told !== null && told.length > 0) {
          cursor = lastId(told) ?? cursor;
          sink.enqueue(told);
        }
        if (events !== "moved" && closing === null) return;
        void reader.cancel().catch(() => {});
        rest = Buffer.alloc(0);
        const body = await again(cursor);
        if (body === null) {
          onEnd();
          if (events !== "moved") sink.enqueue(events.subarray(told?.length ?? 0));
          return sink.close();
        }
        reader = body.getReader();
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason).catch(() => {});
    },
  });
}

/** The last id of whole events: it is the last line of its event, and no line of data begins like it. */
function lastId(events: Buffer): string | null {
  const at = events.lastIndexOf(ID);
  return at === -1 ? null : events.subarray(at + ID.length, events.indexOf("\n", at + ID.length)).toString("utf8");
}
