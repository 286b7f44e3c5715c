/**
 * Memory into which content is received. It is used again and again, and shared with the thread that writes: memory
 * that is new for each chunk has to be cleared, and to be found again by the collector of garbage, which stops the loop
 * for that; what is transferred to a thread and back counts there as new each time.
 */

/** Filled in one go or two; a third of a millisecond to hash. */
export const PIECE_BYTES = 512 * 1024;
/** Kept while nobody writes: what several uploads at once give and take. */
export const KEPT_PIECES = 16;
/** Smaller chunks are left to the collector of garbage: it costs less than to release them. */
const RELEASED_BYTES = 64 * 1024;

/** Of the process; the thread knows it by its number. */
export interface Piece {
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  readonly bytes: Uint8Array;
}

const kept: Piece[] = [];
let lastId = 0;

export function takePiece(): Piece {
  const piece = kept.pop();
  if (piece !== undefined) return piece;
  const memory = new SharedArrayBuffer(PIECE_BYTES);
  return { id: ++lastId, memory, bytes: new Uint8Array(memory) };
}

/** Nobody uses it any more. */
export const givePiece = (piece: Piece): void => void kept.push(piece);

/** Lets what is past `KEPT_PIECES` go; answers the numbers. */
export const trimPieces = (): readonly number[] => kept.splice(KEPT_PIECES).map(({ id }) => id);

/**
 * Releases the memory of a chunk that nobody else has: until the collector of garbage finds it, it would count as
 * used. A chunk that is a part of a larger memory stays.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < RELEASED_BYTES || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
