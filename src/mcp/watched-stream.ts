/** A stream made by another part, which the service can end (`OpenStreams`), and what keeps a stream alive. */
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Caller } from "../http/request/caller.ts";
import type { OpenStreams } from "../http/stream/open-streams.ts";
import { isEventStream } from "../http/stream/event-source.ts";

/** Silence on a stream after which a comment keeps the connection alive. */
export const KEEP_ALIVE_MS = 10_000;

/** Runs again and again, each time after a pause of so many ms; returns what stops it. */
export function repeated(clock: Pick<Clock, "after">, ms: number, run: () => void): () => void {
  const again = (): void => {
    run();
    cancel = clock.after(ms, again);
  };
  let cancel = clock.after(ms, again);
  return () => cancel();
}

const OPENED = new TextEncoder().encode(": open\n\n");

export interface WatchedStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** Ends the stream cleanly. Idempotent. */
  end(): void;
}

/** `onEnd` runs once: when the stream ends, when its reader leaves, or on `end`. */
export function watchedStream(from: ReadableStream<Uint8Array>, onEnd: () => void): WatchedStream {
  const reader = from.getReader();
  let isOver = false;
  let sink: ReadableStreamDefaultController<Uint8Array> | null = null;
  const finish = (): boolean => {
    if (isOver) return false;
    isOver = true;
    onEnd();
    return true;
  };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      sink = controller;
      // The head of a response is only sent with its first bytes.
      controller.enqueue(OPENED);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (isOver) return;
      if (!done) controller.enqueue(value);
      else if (finish()) controller.close();
    },
    async cancel(reason) {
      finish();
      await reader.cancel(reason);
    },
  });
  return {
    stream,
    end() {
      if (!finish()) return;
      sink?.close();
      reader.cancel().catch(() => {}); // gone already
    },
  };
}

/** The response, whose stream ends with the caller's token or with the service; one that is no stream stays as it is. */
export function watchedResponse(
  streams: Pick<OpenStreams, "add" | "remove">,
  { principal }: Pick<Caller, "principal">,
  response: Response,
  onEnd: () => void,
): Response {
  const { body, status, headers } = response;
  if (body === null || !isEventStream(response)) return response;
  const open = { bearer: principal, end: () => watched.end() };
  const watched = watchedStream(body, () => {
    onEnd();
    streams.remove(open);
  });
  streams.add(open);
  return new Response(watched.stream, { status, headers });
}
