/**
 * A streamed body in pieces. Each piece has a seal, so that none can be changed, dropped or moved, and the end is
 * sealed too, so that nothing can be cut off.
 *
 *   length (4 bytes) · seal (32 bytes) · bytes      a piece
 *   0                · seal                          the end
 */
import { pieceSeal, type SealedCall } from "./peer-key.ts";

/** A longer piece is divided: both sides hold one in memory. */
export const SEALED_PIECE_BYTES = 256 * 1024;
const SEALED_HEAD_BYTES = 4 + 32;
const NO_SEALED_BYTES: Uint8Array = new Uint8Array(0);

/** The body was changed on its way, or cut off. */
export class BodyBroken extends Error {
  override readonly name = "BodyBroken";
}

/** The body in sealed pieces. */
export function sealedPieces(body: ReadableStream<Uint8Array>, call: SealedCall): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let index = 0;
  let left = NO_SEALED_BYTES;
  const piece = (bytes: Uint8Array): Uint8Array => {
    const sealed = new Uint8Array(SEALED_HEAD_BYTES + bytes.length);
    new DataView(sealed.buffer).setUint32(0, bytes.length);
    sealed.set(pieceSeal(call, index++, bytes), 4);
    sealed.set(bytes, SEALED_HEAD_BYTES);
    return sealed;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(sink) {
        while (left.length === 0) {
          const { done, value } = await reader.read();
          if (done) {
            sink.enqueue(piece(NO_SEALED_BYTES));
            return sink.close();
          }
          left = value;
        }
        sink.enqueue(piece(left.subarray(0, SEALED_PIECE_BYTES)));
        left = left.subarray(SEALED_PIECE_BYTES);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The body inside sealed pieces; fails with `BodyBroken` at the first piece that is not as it was sent. */
export function openedPieces(body: ReadableStream<Uint8Array>, call: SealedCall): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const held = new HeldBody(async () => {
    const { done, value } = await reader.read();
    return done ? null : value;
  });
  let index = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(sink) {
        const head = await held.take(SEALED_HEAD_BYTES);
        const length = new DataView(head.buffer, head.byteOffset).getUint32(0);
        if (length > SEALED_PIECE_BYTES) throw new BodyBroken(`a piece of ${length} bytes`);
        const bytes = await held.take(length);
        if (!Buffer.from(pieceSeal(call, index++, bytes)).equals(head.subarray(4)))
          throw new BodyBroken("a piece was changed");
        if (length > 0) return sink.enqueue(bytes);
        await held.ended();
        sink.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Received bytes that are not consumed yet. */
class HeldBody {
  private readonly more: () => Promise<Uint8Array | null>;
  private chunks: Uint8Array[] = [];
  private length = 0;

  constructor(more: () => Promise<Uint8Array | null>) {
    this.more = more;
  }

  async take(count: number): Promise<Uint8Array> {
    while (this.length < count) {
      const chunk = await this.more();
      if (chunk === null) throw new BodyBroken("it was cut off");
      if (chunk.length > 0) this.chunks.push(chunk);
      this.length += chunk.length;
    }
    const all = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
    this.length = all.length - count;
    // Keep no reference to a consumed chunk: its memory may be reused when the next one arrives.
    this.chunks = this.length === 0 ? [] : [all.subarray(count)];
    return all.subarray(0, count);
  }

  async ended(): Promise<void> {
    if (this.length > 0 || (await this.more()) !== null) throw new BodyBroken("bytes after its end");
  }
}
