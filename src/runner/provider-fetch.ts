/**
 * `fetch` for model providers. The operator sets their addresses, so it does not use the guarded client; but their
 * answers are untrusted content:
 *
 * - no redirect is followed, so that the prompt and the key go to the configured address only;
 * - the answer must not be compressed: it could expand a thousandfold;
 * - the body of an error is read to 64 KiB;
 * - a stream is checked before it is parsed (`frame-guard.ts`), and takes turns with all others.
 */
import { Slices } from "../../actors/runtime/fairness/slices.ts";
import { AnswerRefused, MAX_ERROR_BYTES, MAX_MODEL_HEAD_BYTES } from "./answer-limits.ts";
import { FrameGuard } from "./frame-guard.ts";
import type { StreamReader } from "../egress/body.ts";

/** Bytes that are passed on at once: some fifty frames of text. */
export const PASSED_PIECE_BYTES = 16 * 1024;
/** A status that `Response` accepts; other ones become 502. */
const isStatus = (status: number): boolean => status >= 200 && status <= 599;

/** The cost of a slice: some hundred frames of text, two or three milliseconds. */
export const SLICE_COST = 64 * 1024;
/** All streams of the process share one queue. */
export const slices = new Slices(SLICE_COST, { later: setImmediate });

/**
 * Asks a provider. Rejects with `AnswerRefused` if the head of the answer exceeds a limit or declares a compressed
 * body.
 */
export async function askProvider(url: string | URL | Request, init: RequestInit): Promise<Response> {
  // Bun ends a request that is silent for five minutes; how long a model may think is for `Watchdog` to say.
  const answer = await fetch(url, { ...init, redirect: "manual", decompress: false, timeout: false });
  const refusal = encodingRefusal(answer.headers);
  if (refusal === null) return answer;
  await answer.body?.cancel().catch(() => {}); // broken already
  throw new AnswerRefused(refusal);
}

/** Who hears of bytes that arrive, by the signal of the request. */
const listeners = new WeakMap<AbortSignal, () => void>();

/**
 * Calls `touch` for all bytes of answers to requests with this signal. The SDK does not report comments, pings and
 * empty frames, but they show that the stream is alive.
 */
export const onArrival = (signal: AbortSignal, touch: () => void): void => void listeners.set(signal, touch);

/** Replaces the SDK's `fetch`. Rejects with `AnswerRefused`, and its streams fail with it. */
export const fetchFromProvider = Object.assign(
  async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("accept-encoding", "identity");
    const answer = await askProvider(input, { ...init, headers });
    const touch = init.signal === null || init.signal === undefined ? undefined : listeners.get(init.signal);
    touch?.();
    const status = isStatus(answer.status) ? answer.status : 502;
    const head = { status, statusText: answer.statusText, headers: withoutLength(answer.headers) };
    if (answer.body === null || status === 204 || status === 205 || status === 304) return new Response(null, head);
    return answer.ok
      ? new Response(guardBody(answer.body, new FrameGuard(), touch), head)
      : new Response(await firstBytes(answer.body, MAX_ERROR_BYTES), head);
  },
  { preconnect: fetch.preconnect },
);

function encodingRefusal(headers: Headers): string | null {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity") return "it is compressed, although the request did not allow it";
  let size = 0;
  for (const [name, value] of headers) size += name.length + value.length;
  return size > MAX_MODEL_HEAD_BYTES ? `its headers have more than ${MAX_MODEL_HEAD_BYTES} bytes` : null;
}

function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["content-length", "content-encoding", "transfer-encoding"]) kept.delete(name);
  return kept;
}

/** Up to `limit` bytes; the rest is not read, and the connection is closed. */
export async function firstBytes(body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size < limit) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks, size);
    const chunk = value.subarray(0, limit - size);
    chunks.push(chunk);
    size += chunk.length;
  }
  await reader.cancel().catch(() => {}); // broken already
  return Buffer.concat(chunks, size);
}

/** How much is read after the end of an answer, and for how long. */
const REST_BYTES = 64 * 1024;
const READING_REST_MS = 1_000;

/**
 * Reads and discards what follows the end of an answer, so that the connection can be reused; a connection that stays
 * open is closed soon. Never rejects.
 */
export async function readRest(reader: StreamReader): Promise<void> {
  const leave = (): void => void reader.cancel().catch(() => {}); // broken already
  const timer = setTimeout(leave, READING_REST_MS);
  try {
    for (let left = REST_BYTES; left > 0;) {
      const { done, value } = await reader.read();
      if (done || value === undefined) break;
      left -= value.length;
    }
  } catch {
    // The answer is complete: its connection does not matter.
  } finally {
    clearTimeout(timer);
    leave();
  }
}

/** Ends the last frame, whatever follows it. */
const FRAME_END = Buffer.from("\n\n");

/**
 * The body in small pieces, each checked, each in its turn, up to `[DONE]`: the SDK would read on and wait for the end
 * of the connection. Reads only on demand.
 */
function guardBody(
  body: ReadableStream<Uint8Array>,
  guard: FrameGuard,
  touch: (() => void) | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let chunk = new Uint8Array();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          while (chunk.length === 0) {
            const next = await reader.read();
            if (next.done) return controller.close();
            touch?.();
            chunk = new Uint8Array(next.value);
          }
          const piece = chunk.subarray(0, PASSED_PIECE_BYTES);
          chunk = chunk.subarray(PASSED_PIECE_BYTES);
          const turn = slices.take(guard.take(piece));
          if (turn !== null) await turn;
          controller.enqueue(
            guard.end === undefined ? piece : Buffer.concat([piece.subarray(0, guard.end), FRAME_END]),
          );
          if (guard.end === undefined) return;
          controller.close();
          void readRest(reader);
        } catch (cause) {
          await reader.cancel().catch(() => {}); // broken already
          controller.error(cause);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
