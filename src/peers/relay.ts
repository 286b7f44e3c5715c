/**
 * Relays an owner's answer to the client of this replica. Event streams are relayed event by event (`owner-events.ts`),
 * and the readers of one record share its stream (`relayed-stream.ts`).
 */

import { type Again, type OwnerAnswer, OwnerEvents } from "./owner-events.ts";
import type { AnswerHead } from "./peer-link.ts";
import { CONTENT_HEADER } from "./content-answer.ts";
import { SEAL_HEADER } from "./peer-key.ts";
import { isEventStream } from "../http/stream/event-source.ts";

/** Names the stream of a record. */
export const STREAM_HEADER = "troupe-stream";
/** Answers of a known length up to this many bytes are read at once. */
const WHOLE_BYTES = 64 * 1024;
/** Headers of one connection (RFC 9110 7.6.1). */
export const CONNECTION_HEADERS = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
] as const;
/** Those, and what is for this replica only. */
const ANSWER_HOP_HEADERS: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  SEAL_HEADER,
  STREAM_HEADER,
  CONTENT_HEADER,
]);

export interface RelayParts {
  readonly request: Request;
  /** Runs when the answer has ended. */
  readonly onEnd: () => void;
  /** Reopens the stream after this id. */
  readonly again: Again;
  /** The cursor that the client sent. */
  readonly cursor: string | null;
}

/** The owner's headers that the client gets. */
export function relayedHeaders(response: Response): Headers {
  const headers = new Headers(response.headers);
  for (const name of ANSWER_HOP_HEADERS) headers.delete(name);
  return headers;
}

/** The client's response for an answer that came over a link. */
export function linkedResponse([status, ownHeaders]: AnswerHead, body: Buffer | null): Response {
  const headers: Record<string, string> = {};
  let cookies: readonly string[] = [];
  for (const name in ownHeaders) {
    const value = ownHeaders[name]!;
    if (typeof value !== "string") cookies = value;
    else if (!ANSWER_HOP_HEADERS.has(name)) headers[name] = value;
  }
  const response = new Response(body as Uint8Array<ArrayBuffer> | null, { status, headers });
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

/** The response for the client. */
export async function relayResponse(response: Response, parts: RelayParts): Promise<Response> {
  const headers = relayedHeaders(response);
  const { status, body } = response;
  const length = Number(headers.get("content-length") ?? Number.NaN);
  if (body === null || parts.request.method === "HEAD" || length <= WHOLE_BYTES) {
    const whole = body === null ? null : await response.arrayBuffer();
    parts.onEnd();
    return new Response(parts.request.method === "HEAD" ? null : whole, { status, headers });
  }
  const isResumable = isEventStream(response) && parts.request.method === "GET";
  const first = { body, end: parts.onEnd };
  return new Response(isResumable ? resumeEvents(first, parts) : passBytes(body, parts.onEnd), { status, headers });
}

/** The bytes as they come. */
function passBytes(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
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

/** Whole events, from one owner after the other. */
function resumeEvents(first: OwnerAnswer, { again, cursor }: RelayParts): ReadableStream<Uint8Array> {
  const events = new OwnerEvents(first, again, cursor);
  return new ReadableStream<Uint8Array>({
    async pull(sink) {
      const received = await events.next();
      if (received.bytes.length > 0) sink.enqueue(received.bytes);
      if (received.kind === "events") return;
      events.close();
      sink.close();
    },
    cancel: () => events.close(),
  });
}
