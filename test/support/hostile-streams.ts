/** Bodies that are made while they are read, so that they can be of any size. */

const encoder = new TextEncoder();
/** Of one chunk, about. */
const CHUNK_BYTES = 64 * 1024;

/** `piece` again and again, until there are `bytes` of it or its reader has left; then `end`. */
export function pouring(piece: string, bytes: number, end = ""): ReadableStream<Uint8Array> {
  const chunk = encoder.encode(piece.repeat(Math.max(1, Math.floor(CHUNK_BYTES / piece.length))));
  let left = bytes;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (left > 0) controller.enqueue(chunk);
        else {
          if (end !== "") controller.enqueue(encoder.encode(end));
          controller.close();
        }
        left -= chunk.length;
      },
    },
    { highWaterMark: 0 },
  );
}

/** These texts or bytes, one chunk each; made when they are read. */
export function chunks(pieces: Iterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.iterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(typeof next.value === "string" ? encoder.encode(next.value) : next.value);
      },
    },
    { highWaterMark: 0 },
  );
}
